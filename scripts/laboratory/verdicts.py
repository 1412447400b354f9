"""Our number beside a paper's: both as text, how far apart they are, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from laboratory.published import Published
from laboratory.runs import Run

Value = float | None


def total(values: list[Value]) -> Value:
    """None if one of them has no value."""
    found = [value for value in values if value is not None]
    return sum(found) if len(found) == len(values) else None


@dataclass
class Compared:
    row: Published
    paper: str
    ours: str
    deviation: str
    verdict: str
    value: Value
    spread: str = ""  # of the seeds
    runs: list[Run] = field(default_factory=list)
    distance: float = math.inf  # from what is published, 0 within a bound; of a range the larger
    values: list[float] = field(default_factory=list)  # a range has two
    why_none: str = ""  # why there is no verdict

    @property
    def missed(self) -> bool:
        return self.verdict.startswith(("off", "does not"))

    @property
    def state(self) -> str:
        """good, off, or out: without a verdict."""
        judged = self.verdict and self.value is not None and not self.why_none
        return "off" if self.missed else "good" if judged else "out"

    def unjudged(self, why: str) -> Compared:
        """The same without a verdict, for this reason."""
        return replace(self, verdict=f"no verdict: {why}", why_none=why) if why else self

    @property
    def ratios(self) -> list[tuple[float, float, float]]:
        """Ours, the least and the largest that hold, each over the published value; empty if that is 0."""
        row = self.row
        if 0 in row.paper or not self.values:
            return []
        if row.relation in ("between", "<=", ">="):
            low, high = bounds(row)
            ends = sorted((low / row.paper[0], high / row.paper[0]))
            return [(self.values[0] / row.paper[0], ends[0], ends[1])]
        rooms = [room / abs(end) for room, end in zip(each_room(row), row.paper)]
        rooms = [0.0] if row.relation == "holds" else rooms
        return [(ours / end, 1 - room, 1 + room) for ours, end, room in zip(self.values, row.paper, rooms)]


@dataclass
class Score:
    """How many results come out; those that were not run or not judged are not in the other counts."""

    numbers: int = 0
    near: int = 0
    directions: int = 0
    holding: int = 0
    fitted: int = 0  # of those that come out
    not_run: int = 0
    not_judged: int = 0


def score(rows: Iterable[Compared]) -> Score:
    found = Score()
    for one in rows:
        row, good = one.row, one.state == "good"
        if row.kind != "result" or row.relation == "also":
            continue
        if one.why_none:
            found.not_judged += 1
        elif one.value is None:
            found.not_run += 1
        elif row.direction:
            found.directions, found.holding = found.directions + 1, found.holding + good
        else:
            found.numbers, found.near = found.numbers + 1, found.near + good
        found.fitted += good and row.fitted
    return found


def scaled(unit: str, value: float) -> float:
    return value * 100 if unit in ("percent", "change") else value / 1024 if unit == "kb" else value


def signed(x: float) -> str:
    return f"{0 if -0.05 < x < 0.05 else x:+.1f} %"


def written(x: float, unit: str) -> str:
    if unit == "count":
        return f"{x:,.0f}"
    if unit == "kb":
        return f"{x:.1f} KB"
    if unit == "factor":
        return f"{x:.2f}x" if x < 10 else f"{x:.1f}x"
    if unit == "change":
        return signed(x)
    if unit == "percent":
        return f"{x:.2f} %" if x < 1 else f"{x:.1f} %"
    return f"{x:,.0f} {unit}".rstrip() if abs(x) >= 1e4 else f"{x:.4g} {unit}".rstrip()


def written_ends(row: Published, ends: list[float]) -> str:
    if row.counts:
        return "holds"
    bound = {"<=": "at most ", ">=": "at least "}.get(row.relation, "")
    return bound + " to ".join(written(end, row.unit) for end in ends)


def bounds(row: Published) -> tuple[float, float]:
    return (
        -math.inf if row.relation == "<=" else min(row.paper),
        math.inf if row.relation == ">=" else max(row.paper),
    )


def each_room(row: Published) -> list[float]:
    """A range has a tolerance of its own at each end."""
    most = max(row.paper, key=abs)
    return [row.tolerance * (abs(end / most) if row.relation == "range" else 1) for end in row.paper]


def left_out(row: Published, runs: list[Run]) -> Compared:
    """A number that was not measured."""
    return Compared(row, written_ends(row, row.paper), "-", "-", "left out", None, runs=runs)


def judge(row: Published, ours: list[float], spread: float, runs: list[Run]) -> Compared:
    """A change is judged by the change, a bound by the bound, a range by both ends."""
    mine = written_ends(row, ours).removeprefix("at most ").removeprefix("at least ")
    stated = written_ends(row, row.paper)
    away = [abs(a - b) for a, b in zip(ours, row.paper)]
    distance = max(away)
    if row.counts:
        mine = f"{ours[0]:g} of {row.paper[0]:g}"
    if row.relation == "holds":
        verdict = "holds" if ours == row.paper else "does not hold everywhere"
    elif row.relation in ("between", "<=", ">="):
        low, high = bounds(row)
        distance = max(low - ours[0], ours[0] - high, 0)
        verdict = "off" if distance else "holds"
    else:
        within = all(a <= room for a, room in zip(away, each_room(row)))
        verdict = "" if row.relation == "also" else row.near if within else "off"
    single = row.relation in ("=", "also") and not row.counts or row.relation in ("<=", ">=") and distance
    deviation = signed(100 * (ours[0] / row.paper[0] - 1)) if single and row.paper[0] else "-"
    around = f"± {spread:.{'2g' if spread < 10 else '0f'}}" if spread else ""
    return Compared(row, stated, mine, deviation, verdict, ours[0], around, runs, distance, ours)
