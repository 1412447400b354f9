#!/usr/bin/env python3
"""Grading, graded: tests/grade.py FOLDER, by `make check-grade`, which says how to compile.

The teacher's solutions get full points; wrong ones, made of them, lose them where they are wrong and nowhere else.
"""
import os
import re
import subprocess
import sys
import tempfile

# lab, what is wrong with it, [old, new] of the solution, steps that lose points, what must be said
WRONG = [
    ("9", "it is no C", ["static bool write_page(", "static bool write_page"], ["it compiles"], "error"),
    ("9", "the old page stays live",
     ["\tif (entry->sectors)\n\t\tspace_release(s->store->space, entry->ppn);\n", ""],
     ["2000 requests"], "the drive before it"),
    ("9", "the program does not wait for what it keeps", ["CAUSE_HOST, old_data);", "CAUSE_HOST, OP_NONE);"],
     ["2000 requests"], "the drive before it"),
    ("9", "what a trim leaves is lost", ["entry->sectors &= ~part.mask;", "entry->sectors = 0;"],
     ["the conformance suite"], "not conforms"),
    ("9.2", "a counter is not saved", ["\tregions_visit(r, &s->written, sizeof s->written);\n", ""],
     ["the conformance suite"],
     "conforms, wears-out, forged, not saved, two-drives"),
    ("9.2", "all is hot", ["? 0 : 1)", "? 0 : 0)"], ["waf"], "at most 0.98"),
    ("4.4", "old blocks are not preferred", ["* sqrt(age)", "* 1"], ["waf"], "at most 0.99"),
    ("4.4", "times are not saved",
     ["\tregions_visit(r, m->lost, policy->space->geometry->blocks * sizeof *m->lost);\n", ""],
     ["5 of 5 drives"], "a saved drive goes on otherwise"),
    ("4.4", "a block that wins nothing", ["|| !gc_reclaimable(policy, b)", ""], ["of 5 drives"], "mine picks block"),
]
LABS = ["4.4", "9.2", "9.3", "9.4"]


def grade(objects, lab, text):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(text)
        file.flush()
        return subprocess.run(["scripts/course/grade", objects, lab, file.name], stdout=subprocess.PIPE, text=True).stdout


def lost(said):
    return [step for won, most, step in re.findall(r"^ +(\d+) of +(\d+)  (.*)", said, re.M) if won != most]


def solution(lab):
    return subprocess.run(["scripts/course/solutions", lab], stdout=subprocess.PIPE, text=True, check=True).stdout


def main(objects):
    failed = []
    for lab in LABS:
        said = grade(objects, lab, solution(lab))
        if "100 points of 100" not in said:
            failed.append("the solution of lab %s does not get all points:\n%s" % (lab, said))
    for lab, what, (old, new), steps, words in WRONG:
        text = solution(lab)
        if old not in text:
            failed.append("lab %s, %s: the solution has no %r" % (lab, what, old))
            continue
        said = grade(objects, lab, text.replace(old, new, 1))
        right = len(lost(said)) == len(steps) and all(any(step in one for one in lost(said)) for step in steps)
        if not right or words not in said:
            failed.append("lab %s, %s: should lose %s and say %r:\n%s" % (lab, what, steps, words, said))
    if failed:
        sys.exit("grade: " + "\ngrade: ".join(failed))
    print("grade: %d solutions get full points, %d wrong ones lose them where they are wrong" % (len(LABS), len(WRONG)))


os.environ.setdefault("SEED", "20231")
main(sys.argv[1])
