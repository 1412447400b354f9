"""A folder of submissions: each graded by a process of its own; a table, CSV and JSON of all."""

import concurrent.futures
import csv
import glob
import json
import os
import subprocess
import sys
import time

from points import Refused

GRADE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grade")
GRACE = 30  # seconds beyond a grader's own limit, after which it is killed


def files_of(path):
    """The file, or all files in the folder and below."""
    if os.path.isfile(path):
        return [path]
    found = sorted(glob.glob(os.path.join(glob.escape(path), "**"), recursive=True))
    return [name for name in found if os.path.isfile(name)]


def found_in(folder, program):
    """The files of each submission, by its ID."""
    found = {}
    for entry in sorted(os.listdir(folder)):
        if entry.startswith("."):
            continue
        path = os.path.join(folder, entry)
        name = entry if os.path.isdir(path) else os.path.splitext(entry)[0]
        if name in found:
            raise Refused("%s: %s has two submissions" % (folder, name))
        found[name] = [file for file in files_of(path) if not program or file.endswith((".c", ".h"))]
    if not found:
        raise Refused("%s: no submission is in it" % folder)
    return found


def why(test, program):
    """One line about a step that lost points; for a program, with its message, if there is one."""
    if not program:
        return test["name"]
    said = " ".join(test["output"].split("\n  the drive")[0].split())
    return "%s: %s" % (test["name"], said) if said else test["name"]


def grade_one(o, name, files, program):
    """Grades a submission; returns its row of the table."""
    folder = os.path.join(o.folder, name)
    os.makedirs(folder, exist_ok=True)
    results = os.path.join(folder, "results.json")
    if os.path.exists(results):
        os.unlink(results)
    command = [
        sys.executable,
        GRADE,
        o.lab,
        *files,
        "--id",
        name,
        "--seed",
        str(o.seed),
        "--seconds",
        "%g" % o.seconds,
        "-o",
        folder,
    ]
    row, start = {"id": name, "points": None, "note": ""}, time.monotonic()
    if not files:
        return {**row, "note": "no file of a kind that this exercise asks for"}
    with open(os.path.join(folder, "told.txt"), "w") as told:
        try:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=told,
                timeout=o.seconds + GRACE,
                env=dict(os.environ, GRADE_PREPARED="1"),
            )
        except subprocess.TimeoutExpired:
            return {**row, "note": "the grader itself did not end"}
    try:
        with open(results) as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {**row, "note": "the grader failed: see told.txt"}
    if not found["extra_data"]["refused"]:
        row["points"] = found["score"]
    lost = [why(test, program) for test in found["tests"] if test["score"] < test["max_score"]]
    row["note"] = found["output"] or "; ".join(lost)
    row["seconds"] = round(time.monotonic() - start, 1)
    return row


def shorten(text, width):
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 3] + "..."


def write(folder, lab, rows):
    with open(os.path.join(folder, "points.csv"), "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["id", "points", "note"])
        table.writerows([row["id"], row["points"], row["note"]] for row in rows)
    with open(os.path.join(folder, "points.json"), "w") as out:
        json.dump({"lab": lab, "of": 100, "submissions": rows}, out, indent=1)
        out.write("\n")


def grade(o, program):
    """`program`: builds what the grading of programs needs; None for answers."""
    if not o.folder:
        raise Refused("%s is a folder of submissions: where do the results go?  -o DIR" % o.files[0])
    found = found_in(o.files[0], bool(program))
    if program:
        program()
    start, width = time.monotonic(), max(map(len, found))
    with concurrent.futures.ThreadPoolExecutor(max(o.jobs, 1)) as pool:
        rows = list(pool.map(lambda name: grade_one(o, name, found[name], bool(program)), found))
    for row in rows:
        print(
            "%-*s %7s  %s"
            % (
                width,
                row["id"],
                "refused" if row["points"] is None else row["points"],
                shorten(row["note"], 100),
            )
        )
    write(o.folder, o.lab, rows)
    graded = [row["points"] for row in rows if row["points"] is not None]
    print(
        "%d submissions in %.0f s: mean %.1f points, %d with all, %d refused"
        % (
            len(rows),
            time.monotonic() - start,
            sum(graded) / max(len(graded), 1),
            graded.count(100),
            len(rows) - len(graded),
        )
    )
    return 0
