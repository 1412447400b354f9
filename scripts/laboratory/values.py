"""What is computed from runs: measures of one place, vectors of them over places, numbers beside a paper's.

Expressions are Python's.  In a measure a name with a dot is a statistic, without one another measure or a number; of
what has no value (a mean of nothing, something over 0) there is none.  In published.tsv `measure[place]` is a vector
over the places that are left open, and mean(), min(), max(), sum() and count() make a number of it.
"""
from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from laboratory.description import Experiment, Mistake, Place, Published
from laboratory.runs import Run, Runs

Value = float | None
# Student's t at 97.5 % for 1, 2, ... degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
DEFAULT_MEASURES = {"read_latency_ms": "request.read.latency_mean_ns / 1e6",
                    "write_latency_ms": "request.write.latency_mean_ns / 1e6",
                    "latency_ms": "request.all.latency_mean_ns / 1e6", "waf": "waf", "erases": "flash.erase.total"}
DEFAULT_LABELS = {"read_latency_ms": "read latency (ms)", "write_latency_ms": "write latency (ms)", "latency_ms": "latency (ms)",
                  "waf": "write amplification", "erases": "blocks erased"}


class Nothing(Exception):
    """There is no value."""


class Vector(tuple):
    """Numbers of several places, or of one; what is done to it is done to each."""

    def with_each(self, other: object, do: Callable) -> Vector:
        others = other if isinstance(other, Vector) else (other,) * len(self)
        if len(self) != len(others):
            raise Mistake(f"{len(self)} places beside {len(others)}")
        return Vector(do(a, b) for a, b in zip(self, others))

    def __add__(self, other): return self.with_each(other, lambda a, b: a + b)
    def __sub__(self, other): return self.with_each(other, lambda a, b: a - b)
    def __mul__(self, other): return self.with_each(other, lambda a, b: a * b)
    def __truediv__(self, other): return self.with_each(other, lambda a, b: a / b)
    def __lt__(self, other): return self.with_each(other, lambda a, b: a < b)
    def __gt__(self, other): return self.with_each(other, lambda a, b: a > b)
    def __and__(self, other): return self.with_each(other, lambda a, b: a and b)
    def __rsub__(self, other): return self.with_each(other, lambda a, b: b - a)
    __radd__, __rmul__ = __add__, __mul__


def flat(*values: object) -> list:
    """Of vectors and numbers the numbers: vectors compare place by place, which min() and max() cannot mean."""
    return [one for value in values for one in (value if isinstance(value, Vector) else (value,))]


VECTOR = {"mean": lambda v: sum(v) / len(v), "min": lambda *v: min(flat(*v)), "max": lambda *v: max(flat(*v)), "sum": sum, "count": sum, "abs": abs}
SCALAR = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp, "min": min, "max": max, "abs": abs, "int": int}


def interval(values: list[float]) -> tuple[float, float]:
    """Mean and half width of its 95 % confidence interval, 0 of one value."""
    if len(values) < 2:
        return values[0], 0.0
    t = STUDENT[len(values) - 2] if len(values) <= len(STUDENT) + 1 else 1.96
    return statistics.fmean(values), t * statistics.stdev(values) / math.sqrt(len(values))


class Names(dict):
    """Names of a measure's expression: other measures, numbers of the experiment, functions."""

    def __init__(self, values: Values, place: Place) -> None:
        super().__init__(SCALAR, _statistic=lambda name: values.statistic(place, name))
        self.values_, self.place = values, place

    def __missing__(self, name: str) -> object:
        if name in self.values_.experiment.numbers:
            return self.values_.experiment.numbers[name]
        value = self.values_.measure(name, self.place)
        if value is None:
            raise Nothing
        return value


class Values:
    def __init__(self, experiment: Experiment, runs: Runs) -> None:
        self.experiment, self.runs = experiment, runs
        self.known: set[str] = set()  # statistics that some run has
        self.unknown: set[str] = set()
        self.kept: dict[tuple, Value] = {}
        self.used: list[Run] = []  # by the number that is computed
        if not experiment.measures:
            experiment.measures.update(DEFAULT_MEASURES)
            experiment.labels = DEFAULT_LABELS | experiment.labels

    # ---- one place ----

    def statistic(self, place: Place, name: str) -> object:
        value = self.runs.statistic(place, name)
        (self.unknown if value is None else self.known).add(name)
        if value is None:
            raise Nothing
        return value

    def measure(self, name: str, place: Place) -> Value:
        """None if there is no value; a Mistake if there is no such measure."""
        key = (name, *place.values())
        if key in self.kept:
            return self.kept[key]
        text = self.experiment.measures.get(name, name)
        if text == name and "." not in name and self.runs.statistic(place, name) is None \
                and self.runs.has_results(place):
            raise Mistake(f'"{name}": there is no such measure; should be of {" ".join(self.experiment.measures)}')
        code = re.sub(r"\b([a-z_]\w*(\.\w+)+)" if text != name else "(.+)", r'_statistic("\1")', text)
        try:
            self.kept[key] = eval(code, {"__builtins__": {}}, Names(self, place))  # the user's own description
        except (Nothing, ZeroDivisionError):
            self.kept[key] = None
        except (SyntaxError, TypeError, ValueError, RecursionError) as error:
            raise Mistake(f"[measures] {name} = {text}: {error}") from None
        return self.kept[key]

    def misspelt(self) -> set[str]:
        """Statistics that no run has."""
        return self.unknown - self.known

    # ---- several ----

    def seeds(self) -> list[str]:
        return self.experiment.points("seed") if "seed" in self.experiment.axes else []

    def spread(self, measure: str, place: Place, over: Place | None = None) -> tuple[Value, float]:
        """Mean over the seeds and its interval's half width; `over`: each seed's value over its value there."""
        values = []
        for seed in self.seeds() or [""]:
            at = {"seed": seed} if seed else {}
            value = self.measure(measure, self.ordered(place | at))
            if value is not None and over is not None:
                base = self.measure(measure, self.ordered(place | over | at))
                value = value / base if base else None
            if value is not None:
                values.append(float(value))
        return interval(values) if values else (None, 0.0)

    def ordered(self, place: Place) -> Place:
        """With its axes in their order, those left out at their default."""
        for axis in self.experiment.axes.keys() - place.keys() - self.experiment.defaults.keys() - {"seed"}:
            raise Mistake(f"{axis} is left open: at = should name a point of it")
        return {axis: place.get(axis) or self.experiment.defaults.get(axis, "") for axis in self.experiment.axes}

    def vector(self, measure: str, text: str, fixed: Place) -> Vector:
        cases = self.experiment.cases(fixed | self.experiment.place(text))
        values = [self.measure(measure, case) for case in cases]
        if not measure.startswith("trace."):
            self.used += [run for case in cases if (run := self.runs.run_of.get(tuple(case.values())))]
        if None in values:
            raise Nothing
        return Vector(values)

    def expression(self, text: str, fixed: Place) -> object:
        """What a measure of published.tsv comes to; None if something in it has no value."""
        code = re.sub(r"([a-z_][\w.]*)\[([^\]]*)\]", r'_vector("\1", "\2")', text)
        names = VECTOR | self.experiment.numbers | {"_vector": lambda m, place: self.vector(m, place, fixed)}
        try:
            value = eval(code, {"__builtins__": {}}, names)
        except (Nothing, ZeroDivisionError):
            return None
        except (SyntaxError, TypeError, ValueError, NameError) as error:
            raise Mistake(f"published.tsv: {text}: {error}") from None
        value = value[0] if isinstance(value, Vector) and len(value) == 1 else value
        if isinstance(value, Vector):
            raise Mistake(f"published.tsv: {text}: {len(value)} values; should be one: mean(...), count(...)")
        return value

    # ---- beside a paper ----

    def compared(self, fixed: Place = {}) -> Iterator[Compared]:
        for row in self.experiment.published:
            yield self.compare(row, fixed)

    def compare(self, row: Published, fixed: Place = {}) -> Compared:
        self.used = []
        try:
            seeds = [self.expression(row.measure, fixed | {"seed": seed}) for seed in self.seeds()] if self.seeds() \
                else [self.expression(row.measure, fixed)]
        except Mistake as mistake:
            raise type(mistake)(f"{row.id}: {mistake}") from None
        runs = list({run.key: run for run in self.used}.values())
        if None in seeds:
            return Compared(row, written_ends(row, row.paper.split()), "-", "-", "left out", None, "", runs, math.inf)
        parts = list(zip(*(s if isinstance(s, tuple) else (s,) for s in seeds)))
        ours = [interval([scaled(row.unit, float(v)) for v in part]) for part in parts]
        return judge(row, [o[0] for o in ours], max(o[1] for o in ours), runs)


@dataclass
class Compared:
    row: Published
    paper: str
    ours: str
    deviation: str
    verdict: str
    value: Value
    spread: str  # of the seeds
    runs: list[Run]
    distance: float  # from what is published, 0 within a bound; of a range the larger

    @property
    def missed(self) -> bool:
        return self.verdict.startswith(("off", "does not"))


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
    return (f"{x:.2f} %" if x < 1 else f"{x:.1f} %") if unit == "percent" else f"{x:.4g} {unit}".rstrip()


def written_ends(row: Published, ends: list) -> str:
    if row.relation == "holds":
        return "holds"
    bound = {"<=": "at most ", ">=": "at least "}.get(row.relation, "")
    return bound + " to ".join(written(float(end), row.unit) for end in ends)


def judge(row: Published, ours: list[float], spread: float, runs: list[Run]) -> Compared:
    """A change is judged by the change, a bound by the bound, a range by both ends."""
    paper = [float(end) for end in row.paper.split()]
    mine, stated = written_ends(row, ours).removeprefix("at most ").removeprefix("at least "), written_ends(row, paper)
    # A range has a tolerance of its own at each end.
    room = [row.tolerance * (abs(p / max(paper, key=abs)) if row.relation == "range" else 1) for p in paper]
    away = [abs(o - p) for o, p in zip(ours, paper)]
    within, distance = all(a <= r for a, r in zip(away, room)), max(away)
    around = f"± {spread:.{'2g' if spread < 10 else '0f'}}" if spread else ""
    deviation = "-"
    if row.relation == "holds":
        verdict, mine, stated = "holds" if ours == paper else "does not hold everywhere", f"{ours[0]:g} of {paper[0]:g}", "holds"
    elif row.relation in ("between", "<=", ">="):
        low = -math.inf if row.relation == "<=" else min(paper)
        high = math.inf if row.relation == ">=" else max(paper)
        distance = max(low - ours[0], ours[0] - high, 0)
        verdict = "off" if distance else "holds"
    else:
        verdict = "" if row.relation == "also" else row.near if within else "off"
    if row.relation in ("=", "also", "<=", ">=") and paper[0]:
        deviation = signed(100 * (ours[0] / paper[0] - 1))
    return Compared(row, stated, mine, deviation, verdict, ours[0], around, runs, distance)
