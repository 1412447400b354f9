#!/usr/bin/env python3
"""Tests the grading: tests/grade.py, run by `make check-grade`; SSD is the simulator.

The teacher's solutions get full points; wrong ones, made from them, lose points where they are wrong and
nowhere else; cheats get nothing; a folder of submissions is graded in one command, whatever is in it.

    tests/grade.py CLASS N FOLDER    makes N submissions of exercise 7.5 in FOLDER, and grades nothing
"""

import concurrent.futures
import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

SSD = os.environ.setdefault("SSD", "./ssd")
sys.path.insert(0, "scripts/course")
import answers  # noqa: E402  (its commands are run once, however many sheets ask for them)
import programs  # noqa: E402
import sandbox  # noqa: E402
from points import Points, Refused, Wrong  # noqa: E402

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
        "conforms, wears-out, forged, not saved, two-drives, spare",
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
        "not conforms, not wears-out, forged, not saved, two-drives, spare",
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
        [["\tSTATE_VALUES(struct mine, current, INDEX, STATE_OWN(struct mine, log.logs)),\n", ""]],
        ["the conformance suite"],
        "conforms, wears-out, forged, not saved, two-drives, spare",
    ),
    (
        "7.5",
        "two drives share a variable",
        [
            [
                "\tm->current = memory_array(f->geometry->planes, sizeof *m->current, \"logs\");\n",
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
        "conforms, not wears-out, forged, saved, two-drives, spare",
    ),
    (
        "7.5",
        "the log with the most live pages is emptied",
        [["l->live[l->log[i].block] < l->live", "l->live[l->log[i].block] > l->live"]],
        ["waf"],
        "waf <= 0.8",
    ),
]

# Cheats, which get no points: lab, what it is, edits, what must be said.
CHEATS = [
    (
        "7.5",
        "prints the numbers that are wanted, and ends",
        [
            [
                BEFORE,
                "#include <stdlib.h>\n#include <unistd.h>\n\n"
                "__attribute__((constructor)) static void mine_cheat(void)\n{\n"
                "\tputs(\"waf = 1\\nmap.bytes = 1\");\n\tfflush(stdout);\n\t_exit(0);\n}\n\n" + BEFORE,
            ]
        ],
        "calls _exit, fflush, puts, stdout",
    ),
    (
        "7.5",
        "takes from the counts of the simulator",
        [
            [
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n",
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n"
                "\tuint64_t n = f->geometry->pages_per_block;\n\n"
                "\tif (f->flash->count[OP_PROGRAM][CAUSE_MERGE] > n && f->flash->pages_erased > n) {\n"
                "\t\tf->flash->count[OP_PROGRAM][CAUSE_MERGE] -= n;\n"
                "\t\tf->flash->pages_erased -= n;\n\t}\n",
            ]
        ],
        "it has changed counts of the simulator",
    ),
    (
        "7.5",
        "switches the oracle off",
        [
            [
                "\tm->log.write_page = mine_write_page;\n",
                "\tm->log.write_page = mine_write_page;\n\tf->flash->oracle = NULL;\n",
            ]
        ],
        "touches what judges it",
    ),
    (
        "7.5",
        "has machine code",
        [[BEFORE, "void mine_asm(void);\nvoid mine_asm(void)\n{\n\t__asm__(\"nop\");\n}\n\n" + BEFORE]],
        "machine code",
    ),
    ("7.5", "is page mapping", None, "its map is one of blocks"),
    ("9", "is the skeleton", None, "something else than ftl/skeleton.c"),
    ("9.2", "is the skeleton", None, "it programs less than page mapping"),
    ("9.2", "all is hot", [["? 0 : 1)", "? 0 : 0)"]], "it programs less than page mapping"),
    ("9.4", "has no map in flash", None, "no points unless its map is in flash"),
    ("4.4", "is fifo", None, "it copies less than greedy"),
]
UNTOUCHED = {"4.4": ("gc/fifo.c", "fifo"), "other": ("ftl/skeleton.c", "skeleton")}

# Programs that do harm when they run, in a class: [old, new] of the solution, what must be said.
HARM = {
    "loops": (
        [
            [
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n",
                "\tstruct log_place at = log_place(&m->log, part.lpn);\n\n\twhile (f->geometry)\n\t\t;\n",
            ]
        ],
        "the time for all runs together",
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
                "\tFILE *out = fopen(\"/tmp/full\", \"w\");\n\n\twhile (fputs(\"full\", out) >= 0)\n\t\t;\n"
                "\tm->log.write_page",
            ]
        ],
        "calls fopen",
    ),
}

SECONDS = 3600  # limit for programs that end: no machine is so slow that they reach it
LONG = sandbox.Limit(SECONDS)  # shared by all sheets, so that no command runs twice: said() in answers.py
PROGRAMS = ["4.4", "7.5", "9", "9.2", "9.3", "9.4"]
# Answers that no question takes: another number, none, a word, settings that do not do it, an option that
# writes files.
NO_ANSWERS = ["1234.5", "", "w35", "-s gc.d=0", "w0 -o results/mine", "w0' '-o' 'results/mine"]


def lost(said):
    return [step for won, most, step in re.findall(r"^ +(\d+) of +(\d+)  (.*)", said, re.M) if won != most]


def solution(lab, *id_):
    return subprocess.run(
        ["scripts/course/solutions", lab, *id_], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def edited(lab, edits):
    if edits is None:
        path, name = UNTOUCHED.get(lab, UNTOUCHED["other"])
        with open(path) as file:
            return file.read().replace(name, "mine")
    text = solution(lab)
    for old, new in edits:
        if old not in text:
            raise Wrong("the solution of lab %s has no %r" % (lab, old))
        text = text.replace(old, new, 1)
    return text


def by_program(lab, text, *options):
    """Grades a text by the command that a student types."""
    with tempfile.NamedTemporaryFile("w", suffix=".c" if lab in programs.labs() else ".txt") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(
            [SSD, "grade", lab, file.name, "--seconds", str(SECONDS), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    right = done.returncode == 2 or done.returncode == ("100 points of 100" not in done.stdout)
    return done.stdout if right else "status %d" % done.returncode


def by_answers(lab, text):
    said = io.StringIO()
    with tempfile.NamedTemporaryFile("w") as file, contextlib.redirect_stdout(said):
        file.write(text)
        file.flush()
        points = Points()
        answers.grade(lab, [file.name], None, LONG, points)
    return points, said.getvalue()


def check_programs():
    graded = [(lab, solution(lab)) for lab in PROGRAMS]
    graded += [(lab, edited(lab, edits)) for lab, _, edits, *_ in WRONG + CHEATS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = list(pool.map(by_program, *zip(*graded)))
    for lab, said in zip(PROGRAMS, told):
        if "100 points of 100" not in said:
            yield "the solution of lab %s does not get all points:\n%s" % (lab, said)
    told = told[len(PROGRAMS) :]
    for (lab, what, _, steps, words), said in zip(WRONG, told):
        right = len(lost(said)) == len(steps) and all(
            any(step in one for one in lost(said)) for step in steps
        )
        if not right or words not in said:
            yield "lab %s, %s: should lose %s and say %r:\n%s" % (lab, what, steps, words, said)
    for (lab, what, _, words), said in zip(CHEATS, told[len(WRONG) :]):
        if "\n    0 points of 100" not in said or words not in said:
            yield "lab %s, %s: should get nothing and say %r:\n%s" % (lab, what, words, said)


def check_sheet(lab):
    """Each answer of a full sheet, made wrong, loses its points only; another student's sheet gets few."""
    full = solution(lab, "anna")
    said = by_program(lab, full, "--id", "anna")
    if "100 points of 100" not in said or lost(said):
        yield "the solution of lab %s does not get all points:\n%s" % (lab, said)
    said = by_program(lab, answers.sheet(lab, "anna"))
    if "    0 points of 100" not in said:
        yield "an empty sheet of lab %s gets points:\n%s" % (lab, said)
    for name in re.findall(r"^(\S+) = ", full, re.M)[1:]:
        for wrong in NO_ANSWERS:
            points, said = by_answers(
                lab, re.sub(r"^%s = .*" % re.escape(name), lambda m: name + " = " + wrong, full, flags=re.M)
            )
            if len(lost(said)) != 1 or not lost(said)[0].startswith(name + " ="):
                yield "lab %s: %s = %s loses %s" % (lab, name, wrong, lost(said))
    others = [by_answers(lab, full.replace("id = anna", "id = other%d" % i))[0].won for i in range(6)]
    if sum(others) > 6 * 25:
        yield "lab %s: the sheet of another gets %s points" % (lab, others)


def check_numbers():
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
            yield "%s is read as %s" % (text, answers.readings(text))
    for text in ["about 3", "3 us", "1/0", "two thirds", "%", "1e", "0.65; import os"]:
        try:
            yield "%s is read as %s" % (text, answers.readings(text))
        except Wrong:
            pass


def check_refused():
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
            yield "%r is told of a sheet: %s" % (words, said)
    said = by_program("2", sheet, "--id", "berta")
    if "is the sheet of anna, and was handed in by berta" not in said:
        yield "another's sheet is taken: %s" % said
    try:
        answers.grade("2", ["one", "two"], None, sandbox.Limit(1), Points())
        yield "two sheets are merged"
    except Refused as error:
        if "one sheet at a time" not in str(error):
            yield "two sheets: %s" % error
    for text, words in [("int x;\n", "should define one `const struct ftl_ops`")]:
        if words not in by_program("9.2", text):
            yield "a program without an FTL: %s" % by_program("9.2", text)


def check_sandbox():
    """Harmful programs are ended, with bubblewrap (if it is installed) and without."""
    for walls in ("", "1"):
        os.environ["GRADE_NO_BWRAP"] = walls
        sandbox.walled.cache_clear()
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            for what, script, ends in [
                ("forks", "f() { f | f & }; f; sleep 9", None),
                ("loops", "while :; do :; done", None),
                ("prints", "yes", 153),
                ("leaves a process", "sleep 1000 & echo done", 0),
            ]:
                status, out, said = sandbox.call(["sh", "-c", script], sandbox.Limit(3), folder)
                if ends is None and status == 0 or ends is not None and status != ends:
                    yield "a program that %s ends with %s: %s" % (what, status, said[-200:])
            if sandbox.walled(folder):
                status, out, said = sandbox.call(
                    [
                        "sh",
                        "-c",
                        "dd if=/dev/zero of=/tmp/a bs=1M count=50 && dd if=/dev/zero of=/tmp/b bs=1M "
                        "count=50; ls / /tmp; test ! -e %s" % os.path.realpath("Makefile"),
                    ],
                    sandbox.Limit(9),
                    folder,
                )
                if status or "No space left" not in said:
                    yield "the disk is filled, or the tree is seen: %s %s %s" % (status, out, said)
    del os.environ["GRADE_NO_BWRAP"]
    sandbox.walled.cache_clear()


def make_class(n, folder):
    """Submissions of 7.5: right ones, wrong ones in turn, cheats, and those that do harm.  Returns by ID
    what must be said, None for right ones."""
    kinds = [(solution("7.5"), None)]
    kinds += [(edited("7.5", edits), words) for lab, _, edits, _, words in WRONG if lab == "7.5"]
    kinds += [(edited("7.5", edits), words) for lab, _, edits, words in CHEATS if lab == "7.5"]
    harm = [(edited("7.5", edits), words) for edits, words in HARM.values()]
    class_ = {}
    for i in range(n):
        text, words = harm[i] if i < len(harm) else kinds[(i - len(harm)) % len(kinds)]
        name = "s%03d" % i
        if i % 2:
            os.makedirs(os.path.join(folder, name))
        with open(
            os.path.join(folder, name, "mine.c") if i % 2 else os.path.join(folder, name + ".c"), "w"
        ) as out:
            out.write(text)
        class_[name] = words
    return class_


def check_folder(folder, class_, nothing, seconds):
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
            full = rows[name]["points"] == 100
            if (
                full != (words is None)
                or words
                and words not in told
                or results["score"] != rows[name]["points"]
                or table[name] != str(rows[name]["points"])
                or not re.search("^%s " % name, done.stdout, re.M)
            ):
                yield "in a class, %s: should say %r: %s\n%s" % (name, words, rows[name], told)
        for name in nothing:
            if rows[name]["points"] is not None or table[name]:
                yield "%s is graded: %s" % (name, rows[name])
        if done.returncode or "%d submissions" % (len(class_) + len(nothing)) not in done.stdout:
            yield "a class: %s" % done.stdout


def check_class():
    """A folder, some of whose programs do harm, in one command.  The program that never ends is graded in a
    folder of its own, with a short limit: a slow machine could exceed that limit with a correct program."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as endless:
        class_ = make_class(6, folder)
        os.rename(os.path.join(folder, "s000.c"), os.path.join(endless, "s000.c"))
        with open(os.path.join(folder, "s900.c"), "w") as file:
            file.write("/* nothing */\n")
        os.makedirs(os.path.join(folder, "s901"))
        yield from check_folder(endless, {"s000": class_.pop("s000")}, [], 15)
        yield from check_folder(folder, class_, ["s900", "s901"], SECONDS)


def check_tree():
    """The students' tree has what they work with, and neither checks nor solutions."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["scripts/course/student-tree", os.path.join(folder, "tree")], check=True)
        with open(os.path.join(folder, "tree", "scripts/course/questions.ini")) as file:
            if re.search("^(run|find|right|holds|why) *=", file.read(), re.M):
                yield "the students' tree says what is right"
        there = os.path.join(folder, "tree", "scripts/course")
        if sorted(os.listdir(there)) != sorted(STUDENTS):
            yield "scripts/course of the students' tree has %s" % sorted(os.listdir(there))


STUDENTS = [
    "answers.py",
    "grade",
    "labs.ini",
    "points.py",
    "programs.py",
    "questions.ini",
    "sandbox.py",
    "submissions.py",
]


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "CLASS":
        make_class(int(sys.argv[2]), sys.argv[3])
        return
    parts = [check_numbers, check_refused, check_sandbox, check_tree, check_programs, check_class]
    failed = [one for part in parts for one in part()]
    failed += [one for lab in answers.LABS for one in check_sheet(lab)]
    if failed:
        sys.exit("grade: " + "\ngrade: ".join(failed))
    print(
        "grade: %d programs and %d sheets get full points, %d wrong programs and each answer made wrong "
        "in %d ways lose them where they are wrong, %d cheats get nothing"
        % (len(PROGRAMS), len(answers.LABS), len(WRONG), len(NO_ANSWERS), len(CHEATS))
    )


main()
