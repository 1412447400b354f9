"""published.tsv: the numbers of a paper, the kind of each, and how near ours must come.

docs/experiments.md says what the columns are.  A number that a paper prints is judged once: a second row with
the same number is another reading (`also`), or the paper prints it `again`, for something else.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass

from laboratory.mistake import Mistake

KINDS = ("result", "input", "arithmetic", "other", "cannot")
MARKS = ("fitted", "again")  # ours was fitted to it; the paper prints this value for another thing, too
RELATIONS = ("=", "<=", ">=", "between", "range", "holds", "also")
TOLERANCE = {"input": "3%"}  # any other kind: a quarter
POINTS = ("percent", "change", "%")


@dataclass
class Published:
    """A number of a paper, and how ours is computed."""

    id: str
    kind: str
    fitted: bool
    where: str
    what: str
    measure: str
    relation: str
    paper: list[float]
    unit: str  # count percent change kb factor, or any other: printed behind the number
    tolerance: float  # in the unit of `paper`
    near: str  # the tolerance in the words of a verdict
    note: str
    again: bool = False
    counts: bool = False  # it is the number of cases in which something holds

    @property
    def direction(self) -> bool:
        """True if it only says which of two is larger, or in how many cases: no value is published."""
        return self.relation == "holds" or self.relation in ("<=", ">=") and self.paper[0] in (0, 1)

    @property
    def value(self) -> tuple[list[float], str]:
        """The printed number without its sign, and its unit in one spelling."""
        return sorted(abs(end) for end in self.paper), "points" if self.unit in POINTS else self.unit


def tolerance(text: str, paper: list[float], unit: str) -> tuple[float, str]:
    """In the unit of the number, and in words."""
    if text.endswith("%"):
        near = "within a quarter" if text == "25%" else f"within {text[:-1]} %"
        return float(text[:-1]) / 100 * max(abs(end) for end in paper), near
    named = {"kb": "KB", "factor": "", "count": ""}.get(unit, unit)
    named = "points" if unit in POINTS else named
    return float(text), f"within {text} {named}".rstrip() if float(text) else "equal"


def read_row(row: dict[str, str], path: str) -> Published:
    kind, *marks = [*row.get("kind", "").split(), ""]
    if kind in MARKS:
        kind, marks = "result", [kind, *marks]
    kind = kind or "result"
    wrong = [*({kind} - {*KINDS}), *({*marks} - {*MARKS, ""}), *({row["relation"]} - {*RELATIONS})]
    if wrong:
        known = RELATIONS if wrong[0] == row["relation"] else (*KINDS, *MARKS)
        raise Mistake(f'{path}: {row["id"]}: "{wrong[0]}" should be {", ".join(known[:-1])} or {known[-1]}')
    paper = [float(end) for end in row["paper"].split()]
    if not paper:
        raise ValueError("paper: should be a number")
    stated = row.get("tolerance", "") or TOLERANCE.get(kind, "25%")
    room, near = tolerance(stated, paper, row["unit"])
    return Published(
        row["id"],
        kind,
        "fitted" in marks,
        row["where"],
        row["what"],
        row["measure"],
        row["relation"],
        paper,
        row["unit"],
        room,
        near,
        row.get("note") or "",
        "again" in marks,
    )


def judged_once(rows: list[Published], path: str) -> None:
    first: dict[str, Published] = {}
    for row in rows:
        if row.kind != "result" or row.relation == "also" or row.direction:
            continue
        before = first.setdefault(str(row.value), row)
        if before is not row and not row.again:
            value = " ".join(f"{end:g}" for end in row.paper)
            raise Mistake(
                f"{path}: {row.id}: {value} is judged by {before.id}, too: should be another "
                'reading of it ("also"), or of kind "again" if the paper prints it of two things'
            )


def read_published(path: str) -> list[Published]:
    if not os.path.exists(path):
        return []
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = [line for line in file if line.strip() and line[0] != "#"]
        rows = [
            {name: text or "" for name, text in row.items() if name}
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    except UnicodeDecodeError as error:
        raise Mistake(f"{path}: byte {error.start}: should be UTF-8") from None
    except (OSError, csv.Error) as error:
        raise Mistake(f"{path}: {error}") from None
    needed = {"id", "where", "what", "measure", "relation", "paper", "unit"}
    missing = needed - rows[0].keys() if rows else set()
    if missing:
        raise Mistake(f"{path}: there is no column {', '.join(sorted(missing))}")
    found = []
    for row in rows:
        try:
            found.append(read_row(row, path))
        except ValueError as error:  # of a number
            raise Mistake(f"{path}: {row['id']}: {error}") from None
    before: Published | None = None
    for one in found:
        reading = one.relation == "also" and before is not None and before.counts
        one.counts = one.relation == "holds" or reading
        before = one
    judged_once(found, path)
    return found
