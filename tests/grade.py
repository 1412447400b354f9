#!/usr/bin/env python3
"""Grading, graded: tests/grade.py, by `make check-grade`, which says with what (SSD, BUILD).

The teacher's solutions get full points; wrong ones, made of them, lose them where they are wrong and nowhere
else.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

SSD = os.environ.setdefault("SSD", "./ssd")
os.environ.setdefault("SEED", "20231")
sys.path.insert(0, "scripts/course")
import answers  # noqa: E402  (its commands are run once, however many sheets ask for them)
import programs  # noqa: E402
from points import Points  # noqa: E402

# lab, what is wrong with it, [old, new] of the solution, steps that lose points, what must be said
WRONG = [
    (
        "9",
        "it is no C",
        ["static bool mine_write_page(", "static bool mine_write_page"],
        ["it compiles"],
        "error",
    ),
    (
        "9",
        "the old page stays live",
        ["\tif (entry->sectors)\n\t\tspace_release(f->store->space, entry->ppn);\n", ""],
        ["2000 requests"],
        "the drive before it",
    ),
    (
        "9",
        "the program does not wait for what it keeps",
        ["CAUSE_HOST, old_data);", "CAUSE_HOST, OP_NONE);"],
        ["2000 requests"],
        "the drive before it",
    ),
    (
        "9",
        "what a trim leaves is lost",
        ["entry->sectors &= ~part.mask;", "entry->sectors = 0;"],
        ["the conformance suite"],
        "not conforms",
    ),
    (
        "9.2",
        "a counter is not saved",
        ["\tSTATE_NUMBER(struct mine, written),\n", ""],
        ["the conformance suite"],
        "conforms, wears-out, forged, not saved, two-drives, spare",
    ),
    ("9.2", "all is hot", ["? 0 : 1)", "? 0 : 0)"], ["waf"], "at most 0.98"),
    ("4.4", "old blocks are not preferred", ["* sqrt(age)", "* 1"], ["waf"], "at most 0.99"),
    (
        "4.4",
        "times are not saved",
        ["\tSTATE_NUMBERS(struct mine, lost),\n", ""],
        ["5 of 5 drives"],
        "a saved drive goes on otherwise",
    ),
    (
        "4.4",
        "a block that wins nothing",
        ["|| !gc_reclaimable(policy, b)", ""],
        ["of 5 drives"],
        "mine picks block",
    ),
]
PROGRAMS = ["4.4", "9.2", "9.3", "9.4"]
# Answers that no question takes: another number, none, a word, settings that do not do it, an option that
# writes files.
NO_ANSWERS = ["1234.5", "", "w0", "-s gc.d=0", "w0 -o results/mine", "w0' '-o' 'results/mine"]


def lost(said):
    return [step for won, most, step in re.findall(r"^ +(\d+) of +(\d+)  (.*)", said, re.M) if won != most]


def solution(lab, *seed):
    return subprocess.run(
        ["scripts/course/solutions", lab, *seed], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def by_program(lab, text):
    """As a student types it."""
    with tempfile.NamedTemporaryFile("w", suffix=".c" if lab in programs.labs() else ".txt") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([SSD, "grade", lab, file.name], stdout=subprocess.PIPE, text=True)
    return (
        done.stdout
        if done.returncode == ("100 points of 100" not in done.stdout)
        else "status %d" % done.returncode
    )


def by_answers(lab, text):
    said = io.StringIO()
    with tempfile.NamedTemporaryFile("w") as file, contextlib.redirect_stdout(said):
        file.write(text)
        file.flush()
        answers.grade(lab, [file.name], Points())
    return said.getvalue()


def check_programs():
    for lab in PROGRAMS:
        said = by_program(lab, solution(lab))
        if "100 points of 100" not in said:
            yield "the solution of lab %s does not get all points:\n%s" % (lab, said)
    for lab, what, (old, new), steps, words in WRONG:
        text = solution(lab)
        if old not in text:
            yield "lab %s, %s: the solution has no %r" % (lab, what, old)
            continue
        said = by_program(lab, text.replace(old, new, 1))
        right = len(lost(said)) == len(steps) and all(
            any(step in one for one in lost(said)) for step in steps
        )
        if not right or words not in said:
            yield "lab %s, %s: should lose %s and say %r:\n%s" % (lab, what, steps, words, said)


def check_sheet(lab):
    """Every answer of a full sheet, made wrong, loses its points and no other's."""
    full = solution(lab)
    said = by_program(lab, full)
    if "100 points of 100" not in said or lost(said):
        yield "the solution of lab %s does not get all points:\n%s" % (lab, said)
    said = by_program(lab, answers.sheet(lab))
    if "    0 points of 100" not in said:
        yield "an empty sheet of lab %s gets points:\n%s" % (lab, said)
    for name in re.findall(r"^(\S+) = ", full, re.M)[1:]:
        for wrong in NO_ANSWERS:
            said = lost(
                by_answers(
                    lab,
                    re.sub(r"^%s = .*" % re.escape(name), lambda m: name + " = " + wrong, full, flags=re.M),
                )
            )
            # A list of one write is the answer of one question.
            if (
                len(said) != 1 - (name == "1.2a" and wrong == "w0")
                or said
                and not said[0].startswith(name + " =")
            ):
                yield "lab %s: %s = %s loses %s" % (lab, name, wrong, said)


def check_seeds():
    """Another seed is another sheet: its numbers are not those of seed 1, and right with it."""
    sheet = solution("4", "7")
    if lost(by_answers("4", sheet)) or not lost(by_answers("4", sheet.replace("seed = 7", "seed = 1"))):
        yield "lab 4 with seed 7 is graded as with another"


def main():
    failed = [*check_programs(), *(one for lab in answers.LABS for one in check_sheet(lab)), *check_seeds()]
    if failed:
        sys.exit("grade: " + "\ngrade: ".join(failed))
    print(
        "grade: %d programs and %d sheets get full points, %d wrong programs and each answer made wrong "
        "in %d ways lose them where they are wrong"
        % (len(PROGRAMS), len(answers.LABS), len(WRONG), len(NO_ANSWERS))
    )


main()
