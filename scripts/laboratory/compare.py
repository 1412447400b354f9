"""Differences between two runs, or between two tables of results, place by place."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator

from laboratory.mistake import Mistake
from laboratory.values import interval

Table = dict[tuple[tuple[str, str], ...], dict[str, list[float]]]  # place without its seed: measure: values
PARTS = ("parameters", "statistics")


def rows(a: str, b: str) -> Iterator[str]:
    if a.endswith(".json") != b.endswith(".json"):
        raise Mistake(f"{a} and {b}: should be two runs (JSON), or two results.tsv or their folders")
    yield from of_runs(a, b) if a.endswith(".json") else of_tables(read_table(a), read_table(b))


def of_runs(a: str, b: str) -> Iterator[str]:
    """Every parameter and statistic that is not the same."""
    wholes = []
    for path in (a, b):
        try:
            with open(path, encoding="utf-8") as file:
                wholes.append(json.load(file))
        except (OSError, ValueError) as error:
            raise Mistake(f"{path}: {error}") from None
        parts = [wholes[-1].get(part) for part in PARTS] if isinstance(wholes[-1], dict) else []
        if not all(isinstance(part, dict) for part in parts or [None]):
            raise Mistake(f"{path}: should be a run, as `ssd run --json FILE` writes it")
    for part in PARTS:
        ours, theirs = wholes[0][part], wholes[1][part]
        for name in {**ours, **theirs}:
            x, y = ours.get(name), theirs.get(name)
            if x != y and name != "run.command":
                yield f"{name}\t{said(x)}\t{said(y)}\t{ratio(x, y)}"


def said(value: object) -> str:
    return "-" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value)


def ratio(x: object, y: object) -> str:
    if isinstance(x, (int, float)) and isinstance(y, (int, float)) and x:
        return f"x{y / x:.4g}"
    return ""


def read_table(path: str) -> Table:
    path = os.path.join(path, "results.tsv") if os.path.isdir(path) else path
    found: Table = {}
    try:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                names = list(row)
                axes = tuple((name, row[name]) for name in names[: names.index("run")] if name != "seed")
                for name in names[names.index("state") + 1 :]:
                    if row[name]:
                        found.setdefault(axes, {}).setdefault(name, []).append(float(row[name]))
    except (OSError, ValueError) as error:
        raise Mistake(f"{path}: {error}") from None
    return found


def of_tables(a: Table, b: Table) -> Iterator[str]:
    """Compares means over the seeds.  With several, the ratio has an interval, and "~" if it includes 1."""
    for axes in {**a, **b}:
        where = " ".join(point for _, point in axes)
        for name in {**a.get(axes, {}), **b.get(axes, {})}:
            x, y = a.get(axes, {}).get(name, []), b.get(axes, {}).get(name, [])
            if x == y:
                continue
            if not x or not y:
                yield f"{where}\t{name}\t{'there' if x else '-'}\t{'there' if y else '-'}\t"
                continue
            (mean_x, half_x), (mean_y, half_y) = interval(x), interval(y)
            text = ratio(mean_x, mean_y)
            if half_x + half_y and mean_x and mean_y:
                half = abs(mean_y / mean_x) * math.hypot(half_x / mean_x, half_y / mean_y)
                text = f"{'~' if abs(mean_y / mean_x - 1) < half else ''}{text} ± {half:.2g}"
            yield f"{where}\t{name}\t{said(mean_x)}\t{said(mean_y)}\t{text}"
