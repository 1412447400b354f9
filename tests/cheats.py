"""Attempts to get points without work, and to do harm.  tests/grade.py grades each and compares points and
words.  Most are the skeleton, or a solution, with a few texts replaced.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

Edit = tuple[str, str]  # old and new


class Cheat(NamedTuple):
    lab: str
    what: str  # it tries
    files: Mapping[str, str | bytes]  # texts by their names
    most: int | None  # points
    words: str  # that must be said


# Places in the skeleton: before its functions, at the start of its init, of a write, and of its check.
TOP = "/* The collector moved a live page: the map follows. */\n"
INIT = "\tif (!store_create(f, &mine_plan, fault))\n"
WRITE = "\t/* First the new page: this may collect garbage, and so change entry->ppn. */\n"
CHECK = "\tuint64_t mapped = 0;\n"
END = "const struct ftl_ops ftl_mine = {"


def text_of(path: str) -> str:
    with open(path) as file:
        return file.read()


def changed(text: str, *edits: Edit) -> str:
    for old, new in edits:
        if old not in text:
            raise ValueError(f"no {old!r} to replace")
        text = text.replace(old, new, 1)
    return text


def skeleton(*edits: Edit) -> dict[str, str]:
    return {"mine.c": changed(text_of("ftl/skeleton.c").replace("skeleton", "mine"), *edits)}


def copy(path: str, prefix: str, name: str) -> dict[str, str]:
    """A file of the tree under another name."""
    text = re.sub(rf"\b{prefix}_", "mine_", text_of(path))
    text = re.sub(rf"\bftl_{name}\b", "ftl_mine", text)
    return {"mine.c": text.replace(f'"{name}"', '"mine"')}


# What a program of 1,000,000 bytes written, one program each, would print.
FORGED = (
    r'"waf = 1 \nrequest.write.bytes = 8192 \nflash.program.total = 1 \nflash.program.host = 1 \n'
    r'flash.read.total = 0 \nflash.erase.total = 0 \n@@@\ntype,sectors\nwrite,16\n\n@@@\n"'
)
# exit(0), as machine code.
CODE = "{ 0xb8, 0xe7, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05 }"
CALL = "\t((void (*)(void))(uintptr_t)mine_code)();\n"


def code(attribute: str, more: str = "") -> dict[str, str]:
    return skeleton(
        (
            TOP,
            f"static const unsigned char mine_code[] __attribute__(({attribute})) = {CODE};\n{more}\n" + TOP,
        ),
        (INIT, CALL + INIT),
    )


def bomb(depth: int) -> dict[str, str]:
    """A macro that becomes 10 to the power of `depth` statements."""
    text = "#define A0 mine_counted++;\n"
    text += "".join(f"#define A{i + 1} {' '.join(10 * [(f'A{i}')])}\n" for i in range(depth))
    function = f"static int mine_counted;\nstatic void mine_count(void)\n{{\n\tA{depth}\n}}\n\n"
    return skeleton((TOP, text + function + TOP))


def constructor(body: str) -> dict[str, str]:
    return skeleton(
        (TOP, f"__attribute__((constructor)) static void mine_first(void)\n{{\n{body}}}\n\n" + TOP)
    )


PRINTS = [
    Cheat(
        "9.2",
        "prints through the list of open files behind stderr",
        skeleton((CHECK, CHECK + f'\tfprintf((FILE *)stderr->_chain, "%s", {FORGED});\n')),
        0,
        "it does what ftl=page does",
    ),
    Cheat(
        "9.2",
        "prints it at the first request, and waits",
        skeleton((WRITE, f"\tfputs({FORGED}, (FILE *)stderr->_chain);\n\tfor (;;)\n\t\t;\n" + WRITE)),
        None,
        "processor time",
    ),
    Cheat(
        "9.2",
        "says that the suite passes",
        skeleton((CHECK, CHECK + '\tfputs("[       OK ] conforms:mine+\\n", (FILE *)stderr->_chain);\n')),
        0,
        "it does what ftl=page does",
    ),
    Cheat(
        "9.2",
        "prints without end",
        skeleton((WRITE, '\tfor (;;)\n\t\tfputs("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", stderr);\n' + WRITE)),
        10,
        "file size limit exceeded",
    ),
]

MACHINE = [
    Cheat(
        "9.2",
        "takes a file of the machine along, behind #line",
        skeleton(
            (
                TOP,
                '#line 1 "/usr/include/x.h"\n'
                '__asm__(".section .rodata\\nmine_f: .incbin \\"/etc/passwd\\"");\n' + TOP,
            )
        ),
        0,
        '#line 1 "/usr/include/x.h": of lines that begin with #',
    ),
    Cheat(
        "9.2",
        "hides #line in what only looks like a comment",
        skeleton(
            (TOP, '#if 0\n\' /*\n#endif\n#line 1 "/usr/x.h"\n__asm__("nop");\n#if 0\n\' */\n#endif\n' + TOP)
        ),
        0,
        "of lines that begin with #",
    ),
    Cheat(
        "9.2",
        "writes #line as a trigraph over two lines",
        skeleton((TOP, '??=li??/\nne 1 "/usr/x.h"\n__asm__("nop");\n' + TOP)),
        0,
        "of lines that begin with #",
    ),
    Cheat(
        "9.2",
        "has machine code in a header",
        {
            **skeleton(('#include "ftl/store.h"\n', '#include "ftl/store.h"\n#include "own.h"\n')),
            "own.h": '__asm__("nop");\n',
        },
        0,
        "own.h: has the word `__asm__`",
    ),
    Cheat(
        "9.2",
        "makes the word of two",
        skeleton((TOP, '#define TWO(a, b) a##b\nTWO(__as, m__)("nop");\n' + TOP)),
        0,
        "has the word `__asm__`",
    ),
    Cheat(
        "9.2",
        "has the word in two lines",
        skeleton((TOP, '__as\\\nm__("nop");\n' + TOP)),
        0,
        "has the word `__asm__`",
    ),
    Cheat(
        "9.2", "has machine code as data, and ends", code('section(".text#")'), 0, "has the word `section`"
    ),
    Cheat(
        "9.2",
        "has machine code as data, which runs first",
        code('__section__(".text#")', "__attribute__((constructor)) static void mine_first(void) { }\n"),
        0,
        "has the word `__section__`",
    ),
    Cheat("9.2", "runs before main()", constructor("\tfor (;;)\n\t\t;\n"), 0, "has the word `constructor`"),
    Cheat(
        "9.2",
        "takes 16 GB",
        skeleton((INIT, '\tf->state = memory_array(16, 1ull << 30, "much");\n' + INIT)),
        10,
        "memory",
    ),
    Cheat(
        "9.2",
        "includes a file of the machine",
        skeleton(('#include "base/bits.h"\n', '#include "base/bits.h"\n#include "/etc/passwd"\n')),
        0,
        "includes /etc/passwd",
    ),
    Cheat(
        "9.2",
        "includes the solutions",
        skeleton(
            (
                '#include "base/bits.h"\n',
                '#include "base/bits.h"\n#include "scripts/course/solutions.packed"\n',
            )
        ),
        0,
        "No such file",
    ),
    Cheat(
        "9.2",
        "includes another FTL",
        {"mine.c": '#include "ftl/class/sepbit.c"\n/* const struct ftl_ops ftl_mine = */\n'},
        0,
        "No such file",
    ),
    Cheat("9.2", "is a main() alone", {"mine.c": "int main(void)\n{\n\treturn 0;\n}\n"}, None, "not none"),
    Cheat(
        "9.2", "is too large for a compiler", bomb(8), 0, "mine.c: the compiler fails on it: it is too large"
    ),
    Cheat(
        "9.2",
        "never compiles",
        skeleton(
            (
                TOP,
                "#define A0\n"
                + "".join(f"#define A{i + 1} {' '.join(10 * [(f'A{i}')])}\n" for i in range(12))
                + "A12\n"
                + TOP,
            )
        ),
        None,
        "processor time",
    ),
]

GC_SETTINGS = "((struct gc_settings *)(uintptr_t)&f->core->gc)"
SETTINGS = [
    Cheat(
        "9.2",
        "collects later, by a changed setting",
        skeleton((INIT, f"\t{GC_SETTINGS}->threshold = 0.02;\n" + INIT)),
        0,
        "it changes the drive's settings",
    ),
    Cheat(
        "9.2",
        "collects later, by the collector's own number",
        skeleton((WRITE, "\tf->store->collector->low_water = 20;\n" + WRITE)),
        0,
        "it changes the drive's settings",
    ),
    Cheat(
        "9.2",
        "changes it only while a page is taken",
        skeleton(
            (
                "\tto = store_take(f, io, part.lpn, STREAM_HOST);\n",
                "\tuint32_t low = f->store->collector->low_water;\n\n"
                "\tf->store->collector->low_water = 20;\n"
                "\tto = store_take(f, io, part.lpn, STREAM_HOST);\n"
                "\tf->store->collector->low_water = low;\n",
            )
        ),
        0,
        "it changes the drive's settings",
    ),
    Cheat(
        "9.2",
        "makes its drive larger",
        skeleton((INIT, "\t((struct geometry *)(uintptr_t)f->geometry)->blocks_per_plane *= 2;\n" + INIT)),
        0,
        "it changes the drive's settings",
    ),
    Cheat(
        "9.2",
        "makes its drive smaller for the host",
        skeleton(
            (
                END,
                "static bool mine_shape(const void *settings, struct geometry *g, struct fault *fault)\n{\n"
                "\t(void)settings;\n\t(void)fault;\n\tg->logical_pages /= 2;\n\tg->logical_sectors /= 2;\n"
                "\treturn true;\n}\n\n" + END,
            ),
            (".init = mine_init,", ".init = mine_init,\n\t.shape = mine_shape,"),
        ),
        10,
        "the host asks for",
    ),
    Cheat(
        "9.2",
        "takes from the counts of the simulator",
        skeleton(
            (
                WRITE,
                "\tif (f->flash->count[OP_PROGRAM][CAUSE_HOST] > 9 && f->flash->pages_erased > 9) {\n"
                "\t\tf->flash->count[OP_PROGRAM][CAUSE_HOST]--;\n\t\tf->flash->pages_erased--;\n\t}\n"
                + WRITE,
            )
        ),
        0,
        "it changes the counts of the simulator",
    ),
    Cheat(
        "9.2",
        "collects outside time, where nothing is counted",
        copy("ftl/page/direct.c", "direct", "direct"),
        0,
        "it does work that takes no time",
    ),
    Cheat(
        "9.3",
        "counts programs of data as something else",
        skeleton(
            (
                "mask_sectors(kept | part.mask), CAUSE_HOST, old_data)",
                "mask_sectors(kept | part.mask), CAUSE_RMW, old_data)",
            )
        ),
        10,
        "holds data of the host, and its program was counted as rmw",
    ),
    Cheat(
        "9.2",
        "goes on where the medium stops it",
        skeleton(
            ('#include "base/bits.h"\n', '#include "base/bits.h"\n#include "base/guard.h"\n'),
            (TOP, "static void mine_try(void *f)\n{\n\t(void)f;\n}\n\n" + TOP),
            (WRITE, "\tstruct guard guard = { 0 };\n\n\tguard_call(&guard, mine_try, f);\n" + WRITE),
        ),
        0,
        "calls guard_call",
    ),
    Cheat(
        "9.2",
        "switches the oracle off",
        skeleton((INIT, "\tf->flash->oracle = NULL;\n" + INIT)),
        0,
        "touches what judges it",
    ),
    Cheat(
        "9.2",
        "switches the oracle off in other words",
        skeleton((INIT, "\tmemset(&f->flash->oracle, 0, sizeof f->flash->oracle);\n" + INIT)),
        10,
        "its newest is",
    ),
]

# The one of the two FTLs of its file.
MINIPAGE = re.sub(r"const struct ftl_ops ftl_pm = .*", "", text_of("ftl/minipage/minipage.c"), flags=re.S)
MINIPAGE = MINIPAGE.replace("ftl_minipage", "ftl_mine").replace('.name = "minipage"', '.name = "mine"')

LATIN = b"\xef\xbb\xbf/* \xe9 */\n" + skeleton()["mine.c"].encode()

# Copies of FTLs and policies of the tree.
COPIES = [
    Cheat("9.4", "is DFTL", copy("ftl/demand/dftl.c", "dftl", "dftl"), 0, "it does what ftl=dftl does"),
    Cheat("9.4", "is S-FTL", copy("ftl/demand/sftl.c", "sftl", "sftl"), 0, "it does what ftl=sftl does"),
    Cheat("9.3", "is MRSM", copy("ftl/mrsm/mrsm.c", "mrsm_only", "mrsm"), 0, "it does what ftl=mrsm does"),
    Cheat("9.3", "is M-FTL", {"mine.c": MINIPAGE}, 0, "it does what ftl=minipage does"),
    Cheat("9.2", "is SepBIT", copy("ftl/class/sepbit.c", "sepbit", "sepbit"), 10, ""),
    Cheat("9.2", "is DAC", copy("ftl/class/dac.c", "dac", "dac"), 10, ""),
    Cheat("7.5", "is the superblock FTL", copy("ftl/log/superblock.c", "superblock", "superblock"), 0, ""),
    Cheat("7.5", "is FAST", copy("ftl/log/fast.c", "fast", "fast"), 0, ""),
    Cheat("7.5", "is page mapping", skeleton(), 0, "it does what ftl=page does"),
    Cheat("9", "is the skeleton", skeleton(), 0, "it does what ftl=page does"),
    Cheat("9", "is the skeleton, in Latin-1", {"mine.c": LATIN}, 0, "it does what ftl=page does"),
    Cheat("9.2", "is the skeleton", skeleton(), 0, "it does what ftl=page does"),
    Cheat("9.4", "has no map in flash", skeleton(), 0, "it does what ftl=page does"),
    Cheat(
        "4.4",
        "is fifo",
        {"mine.c": text_of("gc/fifo.c").replace("fifo", "mine")},
        0,
        "it does what gc.policy=fifo does",
    ),
    Cheat(
        "4.4",
        "is the patient policy",
        {"mine.c": text_of("gc/patient.c").replace("patient", "mine")},
        0,
        "it does what gc.policy=patient does",
    ),
]

CHEATS = PRINTS + MACHINE + SETTINGS + COPIES
