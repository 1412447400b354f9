"""A folder of submissions: each graded by a process of its own; a table, CSV and JSON of all."""

import argparse
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NotRequired, TypedDict

from points import Refused, Step
from sandbox import PATIENCE

GRADE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grade")
CELL = 200  # characters of a cell of points.csv
GRACE = 30  # seconds beyond a grader's own limit, after which it is killed


class Row(TypedDict):
    """Of the table.  Points are None if the submission could not be graded."""

    id: str
    points: int | None
    note: str
    seconds: NotRequired[float]


def files_of(path: str, program: bool) -> list[str]:
    """The file, or all files in the folder and below, of the kind that is asked for."""
    found = [path] if not os.path.isdir(path) else []
    for folder, folders, files in os.walk(path):
        for name in folders:
            refuse_link(os.path.join(folder, name))
        found += [os.path.join(folder, name) for name in files]
    for name in found:
        refuse_link(name)
    return sorted(
        name for name in found if os.path.isfile(name) and (not program or name.endswith((".c", ".h")))
    )


def refuse_link(path: str) -> None:
    if os.path.islink(path):
        raise Refused(f"{path} is a symbolic link: hand in the file or folder itself")


def found_in(folder: str, program: bool) -> dict[str, list[str] | str]:
    """The files of each submission by its ID, or why it cannot be graded."""
    entries: dict[str, list[str]] = {}
    found: dict[str, list[str] | str] = {}
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if not entry.startswith("."):
            entries.setdefault(entry if os.path.isdir(path) else os.path.splitext(entry)[0], []).append(path)
    for name, paths in entries.items():
        try:
            refuse_link(paths[0])
            if len(paths) > 1:
                raise Refused(f"it has {len(paths)} submissions: {', '.join(map(os.path.basename, paths))}")
            found[name] = files_of(paths[0], program)
            if not found[name]:
                raise Refused("no file of a kind that this exercise asks for")
        except Refused as error:
            found[name] = str(error)
    if not found:
        raise Refused(f"{folder}: no submission is in it")
    return found


def why(test: Step, program: bool) -> str:
    """One line about a step that lost points; for a program, with its message, if there is one."""
    if not program:
        return test["name"]
    said = " ".join(test["output"].split("\n  the drive")[0].split())
    return f"{test['name']}: {said}" if said else test["name"]


def grade_one(
    o: argparse.Namespace, name: str, files: list[str] | str, program: bool, references: str
) -> Row:
    """Grades a submission; returns its row of the table."""
    row: Row = {"id": name, "points": None, "note": ""}
    start = time.monotonic()
    folder = os.path.join(o.folder, name)
    os.makedirs(folder, exist_ok=True)
    results = os.path.join(folder, "results.json")
    if os.path.exists(results):
        os.unlink(results)
    if isinstance(files, str):
        with open(os.path.join(folder, "told.txt"), "w") as told:
            told.write(f"grade: {files}\n")
        row["note"] = files
        return row
    command = [
        sys.executable,
        GRADE,
        o.lab,
        *files,
        "--id=" + name,
        "--seed",
        str(o.seed),
        "--seconds",
        f"{o.seconds:g}",
        "-o",
        folder,
    ]
    with open(os.path.join(folder, "told.txt"), "w") as told:
        try:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=told,
                timeout=PATIENCE * o.seconds + GRACE,
                env=dict(os.environ, GRADE_PREPARED="1", GRADE_REFERENCES=references),
            )
        except subprocess.TimeoutExpired:
            row["note"] = "the grader itself did not end"
            return row
    try:
        with open(results) as file:
            found = json.load(file)
    except (OSError, ValueError):
        row["note"] = "the grader failed: see told.txt"
        return row
    if not found["extra_data"]["refused"]:
        row["points"] = found["score"]
    lost = [why(test, program) for test in found["tests"] if test["score"] < test["max_score"]]
    row["note"] = re.sub("^grade: ", "", found["output"]) or "; ".join(lost)
    row["seconds"] = round(time.monotonic() - start, 1)
    return row


def shorten(text: str, width: int) -> str:
    """The text in one line, of characters that can be printed."""
    text = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return text if len(text) <= width else text[: width - 3] + "..."


def cell(text: str) -> str:
    """No spreadsheet takes the cell for a formula."""
    text = shorten(text, CELL)
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


def write(folder: str, lab: str, rows: list[Row]) -> None:
    with open(os.path.join(folder, "points.csv"), "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["id", "points", "note"])
        table.writerows([cell(row["id"]), row["points"], cell(row["note"])] for row in rows)
    with open(os.path.join(folder, "points.json"), "w") as out:
        json.dump({"lab": lab, "of": 100, "submissions": rows}, out, indent=1)
        out.write("\n")


def grade(o: argparse.Namespace, program: Callable[[], None] | None) -> int:
    """`program`: builds what the grading of programs needs; None for answers."""
    if not o.folder:
        raise Refused(f"{o.files[0]} is a folder of submissions: where do the results go?  -o DIR")
    found = found_in(o.files[0], bool(program))
    if program:
        program()
    start, width = time.monotonic(), max(map(len, found))
    with concurrent.futures.ThreadPoolExecutor(max(o.jobs, 1)) as pool, tempfile.TemporaryDirectory() as runs:
        rows = list(pool.map(lambda name: grade_one(o, name, found[name], bool(program), runs), found))
    for row in rows:
        won = "refused" if row["points"] is None else row["points"]
        print(f"{shorten(row['id'], width):{width}} {won:>7}  {shorten(row['note'], 100)}")
    write(o.folder, o.lab, rows)
    graded = [row["points"] for row in rows if row["points"] is not None]
    print(
        f"{len(rows)} submissions in {time.monotonic() - start:.0f} s: "
        f"mean {sum(graded) / max(len(graded), 1):.1f} points, {graded.count(100)} with all, "
        f"{len(rows) - len(graded)} refused"
    )
    return 0
