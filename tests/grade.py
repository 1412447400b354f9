#!/usr/bin/env python3
"""Tests the grading: tests/grade.py, run by `make check-grade`; SSD is the simulator.

The teacher's solutions get full points; wrong ones, made from them, lose points where they are wrong and
nowhere else; cheats get nothing; a folder of submissions is graded in one command, whatever is in it.

    tests/grade.py CLASS N FOLDER    makes N submissions of exercise 7.5 in FOLDER, and grades nothing
"""

import concurrent.futures
import contextlib
import csv
import functools
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping

import answers
import cheats
import programs
import sandbox
import walls
from points import Points, Refused, Wrong

SSD = os.environ.setdefault("SSD", "./ssd")

# Where a function can be inserted into the program with log blocks.
BEFORE = "static void mine_check("

# lab, what is wrong with it, [[old, new], ...] of the solution, steps that lose points, what must be said
WRONG = [
    (
        "9.2",
        "it is no C",
        [["static bool mine_write_page(", "static bool mine_write_page"]],
        ["it compiles"],
        "error",
    ),
    (
        "9.2",
        "the old page stays live",
        [["\tif (entry->sectors)\n\t\tspace_release(f->store->space, entry->ppn);\n", ""]],
        ["2000 requests"],
        "the drive before it",
    ),
    (
        "9.2",
        "the program does not wait for what it keeps",
        [["CAUSE_HOST, old_data);", "CAUSE_HOST, OP_NONE);"]],
        ["2000 requests"],
        "the drive before it",
    ),
    (
        "9.2",
        "it looks up before it takes a page",
        [
            ["\tto = store_take(", "\tppn_t old = entry->ppn;\n\n\tto = store_take("],
            [
                "\t\tspace_release(f->store->space, entry->ppn);\n\t",
                "\t\tspace_release(f->store->space, old);\n\t",
            ],
        ],
        ["2000 requests"],
        "dies twice\n    (was it looked up before the new page was taken?  "
        "Taking a page may collect, and move it)\n"
        "    the drive before it:\n    51. read of LPN",
    ),
    (
        "9.2",
        "it has no map",
        [["\ts->map = memory_array(", "\tif (!f->geometry)\n\t\ts->map = memory_array("]],
        ["2000 requests"],
        "broken by request 1: it crashed: segmentation fault (SIGSEGV)",
    ),
    (
        "9.2",
        "what a trim leaves is lost",
        [["entry->sectors &= ~part.mask;", "entry->sectors = 0;"]],
        ["the conformance suite"],
        "not conforms",
    ),
    (
        "9.2",
        "a counter is not saved",
        [["\tSTATE_NUMBER(struct mine, written),\n", ""]],
        ["the conformance suite"],
        "conforms, wears-out, not saved, two-drives, spare",
    ),
    (
        "9.2",
        "nearly all is hot",
        [["g->logical_pages / 2", "g->logical_pages * 3 / 2"]],
        ["waf"],
        "waf <= 0.98",
    ),
    (
        "4.4",
        "old blocks are hardly preferred",
        [["* sqrt(age)", "* pow(age, 0.1)"]],
        ["waf"],
        "waf <= 0.99",
    ),
    (
        "4.4",
        "times are not saved",
        [["\tSTATE_NUMBERS(struct mine, lost),\n", ""]],
        ["5 of 5 drives"],
        "a saved drive goes on otherwise",
    ),
    (
        "4.4",
        "a block that wins nothing",
        [["|| !gc_reclaimable(policy, b)", ""]],
        ["of 5 drives"],
        "mine picks block",
    ),
    # Of a log-mapped FTL.
    (
        "7.5",
        "it is no C",
        [["\tstruct mine *m = f->state;\n\n\tm->log", "\tstruct mine *m = f->state\n\n\tm->log"]],
        ["it compiles"],
        "error",
    ),
    (
        "7.5",
        "a page of the data block is programmed twice",
        [["m->log.data[at.lbn]))\n", "m->log.data[at.lbn]) || at.offset == 3)\n"]],
        ["2000 requests"],
        "twice without an erase",
    ),
    (
        "7.5",
        "a read does not look into the logs",
        [
            [
                BEFORE,
                """static void mine_read(struct ftl *f, struct io *io, const struct extent *extents, size_t n)
{
	struct log_ftl *l = f->state;
	struct page_walk walk = page_walk_start(f->geometry, extents, n);
	struct page_part part;

	while (page_walk_next(&walk, &part)) {
		struct log_place at = log_place(l, part.lpn);
		ppn_t ppn = geometry_first_page(f->geometry, l->data[at.lbn]) + at.offset;

		ftl_count_lookup(f, io);
		if (!(log_sectors(l, part.lpn) & part.mask))
			continue;
		flash_read(io, ppn, mask_sectors(part.mask), CAUSE_HOST, OP_NONE);
		pages_answer(io, ppn, part.lpn, part.mask);
	}
}

"""
                + BEFORE,
            ],
            [".read = log_read", ".read = mine_read"],
        ],
        ["2000 requests"],
        "its newest is",
    ),
    (
        "7.5",
        "some writes are dropped",
        [
            [
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n",
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n\n"
                "\tif (!(part.lpn % 97) && at.offset)\n\t\treturn true;\n",
            ]
        ],
        ["the run of the lab", "bound", "the conformance suite"],
        "its newest is",
    ),
    (
        "7.5",
        "one log is filled for all planes",
        [["m->current[log_position(&m->log, at.lbn)]", "m->current[0]"]],
        ["the conformance suite"],
        "not conforms, not wears-out, not saved, two-drives, spare",
    ),
    (
        "7.5",
        "the first log of all is taken for each plane's own",
        [["m->current[p] = INDEX_NONE", "m->current[p] = 0"]],
        ["the conformance suite"],
        "not conforms",
    ),
    (
        "7.5",
        "which log is filled is not saved",
        [["\tSTATE_NUMBERS(struct mine, current),\n", ""]],
        ["the conformance suite"],
        "conforms, wears-out, not saved, two-drives, spare",
    ),
    (
        "7.5",
        "two drives share a variable",
        [
            [
                '\tm->current = memory_array(f->geometry->planes, sizeof *m->current, "logs");\n',
                "\tstatic uint32_t shared[64];\n\n\tm->current = shared;\n",
            ],
            ["\tmemory_free(((struct mine *)f->state)->current);\n", ""],
        ],
        ["the conformance suite"],
        "not two-drives",
    ),
    (
        "7.5",
        "a trim is ignored",
        [
            [
                BEFORE,
                "static void mine_trim(struct ftl *f, struct io *io, struct extent e)\n"
                "{\n\t(void)f;\n\t(void)io;\n\t(void)e;\n}\n\n" + BEFORE,
            ],
            [".trim = log_trim", ".trim = mine_trim"],
        ],
        ["the conformance suite"],
        "not conforms",
    ),
    (
        "7.5",
        "a worn-out drive takes writes and drops them",
        [
            ["\treturn log_append_shared(", "\tlog_append_shared("],
            ["part, mine_choose);", "part, mine_choose);\n\tf->failed = false;\n\treturn true;"],
        ],
        ["the conformance suite"],
        "conforms, not wears-out, saved, two-drives, spare",
    ),
    (
        "7.5",
        "the log with the most live pages is emptied",
        [["l->live[l->log[i].block] < l->live", "l->live[l->log[i].block] > l->live"]],
        ["waf"],
        "waf <= 0.8",
    ),
]

# Programs that do harm when they run, in a class: [old, new] of the solution, what must be said.
HARM = {
    # refused, with neither points nor a zero
    "loops": (
        [
            [
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n",
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n\n\twhile (f->geometry)\n\t\t;\n",
            ]
        ],
        "s of processor time",
    ),
    "forks": (
        [
            [BEFORE, "#include <unistd.h>\n\n" + BEFORE],
            ["\tm->log.write_page", "\twhile (fork() >= 0)\n\t\t;\n\tm->log.write_page"],
        ],
        "calls fork",
    ),
    "fills-the-disk": (
        [
            [
                "\tm->log.write_page",
                '\tFILE *out = fopen("/tmp/full", "w");\n\n\twhile (fputs("full", out) >= 0)\n\t\t;\n'
                "\tm->log.write_page",
            ]
        ],
        "calls fopen",
    ),
}

SECONDS = 3600  # limit for programs that end: no machine is so slow that they reach it
SHORT = 2  # for those that do not
LONG = sandbox.Box(SECONDS)  # shared by all sheets, so that no command runs twice: said() in answers.py
PROGRAMS = ["4.4", "7.5", "9", "9.2", "9.3", "9.4"]
# Answers that no question takes: another number, none, a word, settings that do not do it, an option that
# writes files.
NO_ANSWERS = ["1234.5", "", "w35", "-s gc.d=0", "w0 -o results/mine", "w0' '-o' 'results/mine"]


def lost(said: str) -> list[str]:
    return [step for won, most, step in re.findall(r"^ +(\d+) of +(\d+)  (.*)", said, re.M) if won != most]


def solution(lab: str, *id_: str) -> str:
    return subprocess.run(
        ["scripts/course/solutions", lab, *id_], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def edited(lab: str, edits: Iterable[list[str]]) -> str:
    text = solution(lab)
    for old, new in edits:
        if old not in text:
            raise Wrong(f"the solution of lab {lab} has no {old!r}")
        text = text.replace(old, new, 1)
    return text


def by_files(lab: str, files: Mapping[str, str | bytes], *options: str, seconds: float = SECONDS) -> str:
    """Grades files, texts by their names, by the command that a student types."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run(
            [SSD, "grade", lab, *(os.path.join(folder, name) for name in files)]
            + ["--seconds", str(seconds), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    right = done.returncode == 2 or done.returncode == ("100 points of 100" not in done.stdout)
    return done.stdout if right else f"status {done.returncode}: {done.stdout}"


def by_program(lab: str, text: str, *options: str) -> str:
    return by_files(lab, {"mine.c" if lab in programs.labs() else "sheet.txt": text}, *options)


def by_answers(lab: str, text: str) -> tuple[Points, str]:
    said = io.StringIO()
    with tempfile.NamedTemporaryFile("w") as file, contextlib.redirect_stdout(said):
        file.write(text)
        file.flush()
        points = Points()
        answers.grade(lab, [file.name], None, LONG, points)
    return points, said.getvalue()


def check_programs() -> Iterator[str]:
    graded = [(lab, solution(lab)) for lab in PROGRAMS]
    graded += [(lab, edited(lab, edits)) for lab, _, edits, *_ in WRONG]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = list(pool.map(by_program, *zip(*graded)))
    for lab, said in zip(PROGRAMS, told):
        if "100 points of 100" not in said:
            yield f"the solution of lab {lab} does not get all points:\n{said}"
    for (lab, what, _, steps, words), said in zip(WRONG, told[len(PROGRAMS) :]):
        right = len(lost(said)) == len(steps) and all(
            any(step in one for one in lost(said)) for step in steps
        )
        if not right or words not in said:
            yield f"lab {lab}, {what}: should lose {steps} and say {words!r}:\n{said}"


def check_cheats() -> Iterator[str]:
    """Cheats get at most their points; None: they are refused."""

    def graded(cheat: cheats.Cheat) -> str:
        return by_files(cheat.lab, cheat.files, seconds=SHORT if "processor time" in cheat.words else SECONDS)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = list(pool.map(graded, cheats.CHEATS))
    for cheat, said in zip(cheats.CHEATS, told):
        found = re.search(r"^ +(\d+) points of 100", said, re.M)
        points = int(found[1]) if found else None
        right = points is None if cheat.most is None else points is not None and points <= cheat.most
        if not right or cheat.words not in said or "root:" in said:
            yield f"lab {cheat.lab}, {cheat.what}: at most {cheat.most} points, and {cheat.words!r}:\n{said}"


def recorded(box: sandbox.Box) -> programs.Work:
    """A program of the course, its FTL the skeleton, with all FTLs of the tree."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.c")
        with open(path, "w") as file:
            file.write(cheats.skeleton()["mine.c"])
        work = programs.Work("ftl", [path], box)
    if work.build(False):
        raise Wrong("the skeleton is refused")
    return work


def numbers(printed: str) -> list[str]:
    """What judge and simulator agree on: all but what the collector counts, and FTLs alone."""
    lines = re.findall(r"^(?:flash|request|waf|map\.bytes)[. ].*", printed, re.M)
    return [line for line in lines if not re.match(r"flash\.(erase\.map|read\.(forwarded\.)?search) ", line)]


def check_same_numbers(work: programs.Work) -> Iterator[str]:
    """For each FTL of the tree the judge prints what an ordinary run does, to the last ns."""
    words = f"-s trace.limit=2000 {programs.PAPER}"
    for option in dict(programs.known())["ftl"]:
        work.choose = option.split()
        what, out = work.run(words)
        other = programs.reference(f"{option} {words}")
        if "direct" in option:  # its collections take no time, which no program may have
            if not programs.FOUL.search(what):
                yield f"{option}: {what}"
        elif bool(what) != (not other) or numbers(out) != numbers(other):
            yield f"{option}: the judge says {what}, and prints\n{numbers(out)}\nnot\n{numbers(other)}"


def tape_of(work: programs.Work, requests: int) -> bytes:
    script = f"exec ./ssd run -q --verify -s trace.limit={requests} {programs.PAPER} 3>&1 >/dev/null"
    return sandbox.Program(["sh", "-c", script], work.box.folder, work.box.limit).end()[1]


def judged(work: programs.Work, tape: bytes, requests: int) -> subprocess.CompletedProcess[bytes]:
    command = [work.box.path("judge"), "run", "--all", "--verify", "-s", f"trace.limit={requests}"]
    return subprocess.run(
        [*command, *programs.PAPER.split(), "-s", "ftl=handed_in"],
        input=tape,
        capture_output=True,
    )


def spoiled(tape: bytes, chance: random.Random) -> bytes:
    """A tape with a few changes: numbers, records that are lost, doubled or moved, or its end."""
    size, changed = 32, bytearray(tape)
    for _ in range(chance.randrange(1, 3)):
        at = chance.randrange(len(changed) // size) * size
        how = chance.randrange(6)
        if how < 3:
            place = at + chance.randrange(size)
            changed[place] = chance.choice(
                [0, 1, 255, changed[place] ^ 1 << chance.randrange(8), chance.randrange(256)]
            )
        elif how == 3:
            del changed[at : at + size]
        elif how == 4:
            changed[at:at] = changed[chance.randrange(len(changed) // size) * size :][:size]
        else:
            del changed[at + chance.randrange(size) :]
    return bytes(changed)


def check_spoiled_tapes(work: programs.Work) -> Iterator[str]:
    """A tape is played or refused in a line, whatever it says; what is counted is what was played."""
    work.choose, requests, chance, refused = ["-s", "ftl=page"], 60, random.Random(7), 0
    tape = tape_of(work, requests)
    right = programs.operations(judged(work, tape, requests).stdout.decode())
    for i in range(250):
        done = judged(work, spoiled(tape, chance), requests)
        said = done.stderr.decode()
        refused += done.returncode != 0
        if done.returncode == 0 and programs.operations(done.stdout.decode()) != right:
            yield f"tape {i} is played and gives other counts"
        if done.returncode not in (0, 2, -signal.SIGABRT) or done.returncode and "ssd: " not in said:
            yield f"tape {i} ends with {done.returncode}: {said}"
    if not right or refused < 150:
        yield f"{refused} of 250 spoiled tapes are refused"


def check_judge() -> Iterator[str]:
    with sandbox.Box(SECONDS) as box:
        work = recorded(box)
        yield from check_same_numbers(work)
        yield from check_spoiled_tapes(work)
        for script, words in [
            ("exit 0", "it ended before its last request"),
            ("kill -SEGV $$", "segmentation"),
        ]:
            with open(box.path("ssd"), "w") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            if words not in work.run(programs.PAPER)[0]:
                yield f"{script}: {work.run(programs.PAPER)}"


def set_answer(sheet: str, name: str, answer: str) -> str:
    return re.sub(rf"^{re.escape(name)} =.*", lambda _: f"{name} = {answer}", sheet, flags=re.M)


def check_sheet(lab: str) -> Iterator[str]:
    """Each answer of a full sheet, made wrong, loses its points only; another student's sheet gets few."""
    full = solution(lab, "anna")
    said = by_program(lab, full, "--id", "anna")
    if "100 points of 100" not in said or lost(said):
        yield f"the solution of lab {lab} does not get all points:\n{said}"
    said = by_program(lab, answers.sheet(lab, "anna"))
    if "    0 points of 100" not in said:
        yield f"an empty sheet of lab {lab} gets points:\n{said}"
    for name in re.findall(r"^(\S+) = ", full, re.M)[1:]:
        for wrong in NO_ANSWERS:
            points, said = by_answers(
                lab,
                set_answer(full, name, wrong),
            )
            if len(lost(said)) != 1 or not lost(said)[0].startswith(name + " ="):
                yield f"lab {lab}: {name} = {wrong} loses {lost(said)}"
    others = [by_answers(lab, full.replace("id = anna", f"id = other{i}"))[0].won for i in range(6)]
    if sum(others) > 6 * 25:
        yield f"lab {lab}: the sheet of another gets {others} points"


def check_numbers() -> Iterator[str]:
    """Ways to write a number, and what they are read as."""
    for text, value in [
        ("0.65", 0.65),
        ("0,65", 0.65),
        ("65 %", 0.65),
        ("65%", 0.65),
        ("2/3", 2 / 3),
        ("12,345", 12345),
        ("12.345,5", 12345.5),
        ("1,234.5", 1234.5),
        ("1e3", 1000),
        ("-4", -4),
    ]:
        if not any(abs(number - value) < 1e-9 for number in answers.readings(text)):
            yield f"{text} is read as {answers.readings(text)}"
    for text in ["about 3", "3 us", "1/0", "two thirds", "%", "1e", "0.65; import os"]:
        with contextlib.suppress(Wrong):
            yield f"{text} is read as {answers.readings(text)}"


def check_refused() -> Iterator[str]:
    """Anything but a valid sheet is refused with one line, and gets no score, not even 0."""
    sheet = answers.sheet("2", "anna")
    for text, words in [
        (sheet + "2.9 = 5\n", "2.9: no such question; there are 2.1a, 2.1b"),
        (sheet + "2.3 = 5\n", "2.3 is answered twice"),
        (sheet + "2.3 5\n", "should be NAME = ANSWER"),
        (sheet.replace("id = anna", "id ="), "has no id"),
    ]:
        said = by_program("2", text)
        if words not in said or "points" in said or len(said.splitlines()) != 1:
            yield f"{words!r} is told of a sheet: {said}"
    said = by_program("2", sheet, "--id", "berta")
    if "is the sheet of anna, and was handed in by berta" not in said:
        yield f"another's sheet is taken: {said}"
    try:
        answers.grade("2", ["one", "two"], None, LONG, Points())
        yield "two sheets are merged"
    except Refused as error:
        if "one sheet at a time" not in str(error):
            yield f"two sheets: {error}"
    program = solution("9.2")
    files: list[tuple[str, str, str | bytes, str]] = [
        ("9.2", "mine.c", "int x;\n", "should define one `const struct ftl_ops`"),
        ("9.2", "mine.c", program.encode("utf-16"), "is UTF-16; save it as UTF-8"),
        ("9.2", "mine.c", program + "\0", "which no C text has"),
        ("9.2", "mine.txt", program, "should end in .c or .h"),
        ("2", "sheet.txt", sheet.encode("utf-16"), "is UTF-16; save it as UTF-8"),
        ("2", "sheet.txt", sheet.encode("utf-16-le"), "is UTF-16; save it as UTF-8"),
        ("2", "sheet.txt", bytes(30 << 20), "is larger than 1 MB"),
    ]
    for lab, name, content, words in files:
        said = by_files(lab, {name: content})
        if words not in said or len(said.splitlines()) > 5:
            yield f"{lab} {name}: should say {words}: {said}"
    with tempfile.TemporaryDirectory() as folder:
        os.symlink("/etc/shadow", os.path.join(folder, "mine.c"))
        for lab in ("2", "9.2"):
            done = subprocess.run(
                [SSD, "grade", lab, os.path.join(folder, "mine.c")], stderr=subprocess.PIPE, text=True
            )
            if "is a symbolic link" not in done.stderr or done.returncode != 2:
                yield f"lab {lab}: a link is followed: {done.stderr}"
    full = solution("3", "anna")
    for odd in (
        full.replace("\n", "\r\n").encode(),
        full.encode("utf-8-sig"),
        full.replace(" = ", "\u00a0= ").encode(),
    ):
        if "100 points of 100" not in by_files("3", {"sheet.txt": odd}):
            yield f"a sheet with other line ends, a BOM or other blanks is not read: {odd[:200]!r}"


def check_answers() -> Iterator[str]:
    """Answers that become part of commands, or are no numbers, are told what is wrong; none reads a file."""
    for lab, name, answer, words in [
        ("10", "10.1", "-s workload.space=12M /etc/passwd", "/etc/passwd is no profile"),
        ("10", "10.1", "lun1 -s ftl=/tmp/e.so", "-s takes settings workload.KEY=VALUE"),
        ("10", "10.1", "lun1 -s", "-s takes settings"),
        ("10", "10.1", "lun1 -s precondition.trace=docs/log-block.cfg", "-s takes settings"),
        ("10", "10.1", "lun1 --json /tmp/x", "--json is no profile"),
        ("10", "10.1", '{__import__("os").system("id")}', "is no profile"),
        ("2", "2.1a", "-s ftl=/tmp/e.so", "it should be a list"),
        ("2", "2.1a", "w0' '-o' 'x", "it should be a list"),
        ("2", "2.1b", "w0,w4,w8", "the first collection, if there is one, is not of block"),
        ("2", "2.4", "w0,gc", "does not cause what is asked"),
        ("2", "2.2a", "nan", "it should be a number"),
        ("2", "2.2a", "1e400", "not right (off by more than 0.5 %)"),
        ("2", "2.2a", "0", "not right (off by more than 0.5 %)"),
        ("4", "4.3", "2 -s ftl=/tmp/e.so", "it should be a whole number"),
        ("4", "4.3", "1_0", "it should be a whole number"),
    ]:
        sheet = set_answer(answers.sheet(lab, "anna"), name, answer)
        points, said = by_answers(lab, sheet)
        told = [line for line in said.splitlines() if f" {name} = " in line]
        if points.won or words not in told[0] or "root:" in said:
            yield f"{name} = {answer}: should say {words}: {said}"


def sandboxed(script: str, seconds: float = 60) -> tuple[int, str, str]:
    with sandbox.Box(seconds) as box:
        return box.call(["sh", "-c", script])


def check_walls() -> Iterator[str]:
    """What a program does to the machine, and what it sees of it."""
    with tempfile.NamedTemporaryFile("w", delete=False) as secret:
        secret.write("root:secret")
    os.chmod(secret.name, 0o644)
    user = sandbox.user() + 2 * (os.geteuid() == 0)  # that of another grader
    other = subprocess.Popen(["sleep", "600"], preexec_fn=lambda: os.setuid(user))
    bites = f"trap '' HUP; setsid sh -c 'sleep 0.2; kill {other.pid}' >/dev/null 2>&1 </dev/null & echo done"
    listener = socket.create_server(("127.0.0.1", 0))
    connects = (
        "perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or exit 1; "
        'exit !connect(S, sockaddr_in(%d, inet_aton("127.0.0.1")))\' || echo no'
    )
    for what, script, status, words in [
        ("reads a file", f"cat {secret.name} || echo no", 0, "no"),
        ("reads the tree", f"cat {os.path.realpath('Makefile')} || echo no", 0, "no"),
        ("writes a file", f"echo x >{secret.name}.new; echo done", 0, "done"),
        ("writes its folder", "echo x >x || echo no", 0, "no"),
        ("reads a process", f"cat /proc/{os.getpid()}/environ || echo no", 0, "no"),
        ("ends a process", f"kill {os.getpid()} || echo no", 0, "no"),
        ("leaves a process", "sleep 1000 & echo done", 0, "done"),
        ("leaves a process that bites", bites, 0, "done"),
        ("connects", connects % listener.getsockname()[1], 0, "no"),
        ("uses temporary files", 'echo x >"$TMPDIR/x" && cat "$TMPDIR/x"', 0, "x"),
        ("prints", "yes", None, ""),
    ]:
        got, out, said = sandboxed(script)
        if status is not None and got != status or words not in out or "secret" in out:
            yield f"a program that {what} ends with {got}: {out[-200:]} {said[-200:]}"
        if status is None and "file size limit" not in sandbox.ended(got):
            yield f"a program that {what} ends with {got}"
    if os.path.exists(secret.name + ".new"):
        yield "a file was written"
    listener.close()
    left = [pid for pid in walls.children() if pid != other.pid]
    if left or other.poll() is not None:
        yield f"processes are left, or others were ended: {left} {other.poll()}"
    other.kill()
    other.wait()
    os.unlink(secret.name)


def check_sandbox() -> Iterator[str]:
    """The same with bubblewrap, where it is installed, and without; its end, in processor time."""
    for no_bubblewrap in ("1", ""):
        os.environ["GRADE_NO_BWRAP"] = no_bubblewrap
        sandbox.has_bubblewrap.cache_clear()
        if walls.version() or sandbox.has_bubblewrap():
            yield from check_walls()
            if sandbox.lacks_walls():
                yield f"there are walls, and {sandbox.lacks_walls()}"
        # Of the first one the shell may end, which cannot fork any more.
        for what, script in [("forks", "f() { f | f & }; f; sleep 900"), ("loops", "while :; do :; done")]:
            try:
                ended = sandboxed(script, 0.3)
                if what == "loops" or ended[0] == 0:
                    yield f"a program that {what} ends with {ended}"
            except sandbox.Over as error:
                if "refused, run it again" not in str(error):
                    yield f"a program that {what} is told {error}"
    del os.environ["GRADE_NO_BWRAP"]
    sandbox.has_bubblewrap.cache_clear()
    if not sandbox.has_bubblewrap():
        version, walls.version = walls.version, functools.lru_cache(lambda: 0)  # an old Linux
        if "programs run without walls" not in sandbox.lacks_walls() or sandboxed("echo x")[1] != "x\n":
            yield f"without Landlock: {sandbox.lacks_walls()} {sandboxed('echo x')}"
        walls.version = version
    with sandbox.Box(60) as box:  # a machine that is busy with other work
        box.limit.end = 0
        try:
            yield f"there is time after the end: {box.call(['true'])}"
        except sandbox.Over as error:
            if "this machine is busy" not in str(error):
                yield f"a busy machine: {error}"


def make_class(n: int, folder: str) -> dict[str, str | None]:
    """Submissions of 7.5: right ones, wrong ones in turn, cheats, and those that do harm.  Returns by ID
    what must be said, None for right ones."""
    kinds: list[tuple[str, str | None]] = [(solution("7.5"), None)]
    kinds += [(edited("7.5", edits), words) for lab, _, edits, _, words in WRONG if lab == "7.5"]
    kinds += [
        (text, cheat.words)
        for cheat in cheats.COPIES
        if cheat.lab == "7.5" and isinstance(text := cheat.files["mine.c"], str)
    ]
    harm = [(edited("7.5", edits), words) for edits, words in HARM.values()]
    class_ = {}
    for i in range(n):
        text, words = harm[i] if i < len(harm) else kinds[(i - len(harm)) % len(kinds)]
        name = f"s{i:03}"
        if i % 2:
            os.makedirs(os.path.join(folder, name))
        with open(
            os.path.join(folder, name, "mine.c") if i % 2 else os.path.join(folder, name + ".c"), "w"
        ) as out:
            out.write(text)
        class_[name] = words
    return class_


def check_folder(
    folder: str, class_: Mapping[str, str | None], nothing: list[str], seconds: float
) -> Iterator[str]:
    """Grades the folder in one command.  `class_`: what each submission should get; `nothing`: names of the
    empty submissions."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run(
            [SSD, "grade", "7.5", folder, "-o", out, "--seconds", str(seconds), "--jobs", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with open(os.path.join(out, "points.json")) as file:
            rows = {row["id"]: row for row in json.load(file)["submissions"]}
        with open(os.path.join(out, "points.csv")) as file:
            table = {row["id"]: row["points"] for row in csv.DictReader(file)}
        for name, words in class_.items():
            with open(os.path.join(out, name, "results.json")) as file:
                results = json.load(file)
            with open(os.path.join(out, name, "told.txt")) as file:
                told = file.read()
            points, refused = rows[name]["points"], results["extra_data"]["refused"]
            if (
                (points == 100) != (words is None)
                or words
                and words not in told
                or refused != (points is None)
                or results["score"] != points
                and not refused
                or table[name] != str("" if refused else points)
                or not re.search(f"^{name} ", done.stdout, re.M)
            ):
                yield f"in a class, {name}: should say {words!r}: {rows[name]}\n{told}"
        for name in nothing:
            if rows[name]["points"] is not None or table[name]:
                yield f"{name} is graded: {rows[name]}"
        if done.returncode or f"{len(class_) + len(nothing)} submissions" not in done.stdout:
            yield f"a class: {done.stdout}"


def check_class() -> Iterator[str]:
    """A folder, some of whose programs do harm, in one command.  The program that never ends is graded in a
    folder of its own, with a short limit: a slow machine could exceed that limit with a correct program."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as endless:
        class_ = make_class(6, folder)
        os.rename(os.path.join(folder, "s000.c"), os.path.join(endless, "s000.c"))
        with open(os.path.join(folder, "s900.c"), "w") as file:
            file.write("/* nothing */\n")
        os.makedirs(os.path.join(folder, "s901"))
        yield from check_folder(endless, {"s000": class_.pop("s000")}, [], SHORT)
        yield from check_folder(folder, class_, ["s900", "s901"], SECONDS)


def check_odd_class() -> Iterator[str]:
    """Links, two submissions of one ID and odd names: each is refused or graded by itself."""
    sheet = answers.sheet("2", "=1+1")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:

        def put(name: str, text: str) -> None:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)

        put("=1+1.txt", sheet)
        put("s1/sheet.txt", answers.sheet("2", "s1"))
        put("s5.txt", answers.sheet("2", "s5"))
        put("s5.md", answers.sheet("2", "s5"))
        put("s7.txt", re.sub("^2.1a =.*", "2.1a = " + 3000 * "x", answers.sheet("2", "s7"), flags=re.M))
        put("-x.txt", answers.sheet("2", "-x"))
        put("s\033[31m.txt", "nothing\n")
        os.makedirs(os.path.join(folder, "s2"))
        os.symlink("../s1/sheet.txt", os.path.join(folder, "s2/sheet.txt"))
        os.symlink(".", os.path.join(folder, "loop"))
        put("s3/sheet.txt", answers.sheet("2", "s3"))
        os.symlink("../s1", os.path.join(folder, "s3/other"))
        os.symlink("s1/sheet.txt", os.path.join(folder, "s4.txt"))
        done = subprocess.run(
            [SSD, "grade", "2", folder, "-o", out],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with open(os.path.join(out, "points.csv")) as file:
            table = {row["id"]: row for row in csv.DictReader(file)}
        with open(os.path.join(out, "s3/told.txt")) as file:
            told = file.read()
    for name, points, words in [
        ("'=1+1", "0", "no answer"),
        ("s1", "0", "no answer"),
        ("s5", "", "it has 2 submissions: s5.md, s5.txt"),
        ("s7", "0", "xxx..."),
        ("'-x", "0", "no answer"),
        ("s?[31m", "", "should be NAME = ANSWER"),
        ("s2", "", "is a symbolic link"),
        ("loop", "", "is a symbolic link"),
        ("s3", "", "is a symbolic link"),
        ("s4", "", "is a symbolic link"),
    ]:
        row = table.pop(name, None)
        if not row or row["points"] != points or words not in row["note"] or len(row["note"]) > 201:
            yield f"a class with odd names: {name}: {row}"
    if table or done.returncode or "\033" in done.stdout or "is a symbolic link" not in told:
        yield f"a class with odd names: {table} {done.stdout} {told}"


def check_tree() -> Iterator[str]:
    """The students' tree has what they work with, and neither checks nor solutions."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["scripts/course/student-tree", os.path.join(folder, "tree")], check=True)
        with open(os.path.join(folder, "tree", "scripts/course/questions.ini")) as file:
            if re.search("^(run|find|right|holds|why) *=", file.read(), re.M):
                yield "the students' tree says what is right"
        there = os.path.join(folder, "tree", "scripts/course")
        if sorted(os.listdir(there)) != sorted(STUDENTS):
            yield f"scripts/course of the students' tree has {sorted(os.listdir(there))}"


STUDENTS = [
    "answers.py",
    "grade",
    "labs.ini",
    "player.c",
    "points.py",
    "programs.py",
    "questions.ini",
    "recorder.c",
    "rules.py",
    "sandbox.py",
    "submissions.py",
    "tape.h",
    "walls.py",
]


def check_preparing() -> Iterator[str]:
    """Graders that start at the same time, in a tree that has to be built, do not disturb each other."""
    shutil.rmtree(programs.KIT, ignore_errors=True)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for said in pool.map(lambda _: by_program("9.2", "int x;\n"), range(4)):
            if "should define one" not in said:
                yield f"a grader among others: {said}"
    os.environ["GRADE_PREPARED"] = "1"


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[1] == "CLASS":
        make_class(int(sys.argv[2]), sys.argv[3])
        return
    parts = [check_preparing, check_numbers, check_refused, check_sandbox, check_tree]
    parts += [check_answers, check_judge, check_programs, check_cheats, check_class, check_odd_class]
    with tempfile.TemporaryDirectory() as runs, LONG:
        os.environ["GRADE_REFERENCES"] = runs
        failed = [one for part in parts for one in part()]
        failed += [one for lab in answers.LABS for one in check_sheet(lab)]
    if failed:
        sys.exit("grade: " + "\ngrade: ".join(failed))
    print(
        f"grade: {len(PROGRAMS)} programs and {len(answers.LABS)} sheets get full points, {len(WRONG)} wrong "
        f"programs and each answer made wrong in {len(NO_ANSWERS)} ways lose them where they are wrong, "
        f"{len(cheats.CHEATS)} cheats gain nothing"
    )


main()
