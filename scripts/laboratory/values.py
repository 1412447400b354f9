"""Values computed from runs: measures of one place, vectors over several, numbers to compare with a paper's.

Expressions are Python's.  In a measure, a name with a dot is a statistic; one without is another measure or a
number; above("reads", 4) is the share of the reads above 4 ms; either(a, b) is b where a has no value.  A
measure whose parts have no value (a mean of nothing, a division by 0) has none.  In published.tsv,
`measure[place]` is a vector over all places that match `place`, and mean(), min(), max(), sum() and count()
reduce it to a number.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Union, cast

from laboratory.description import Experiment, Place
from laboratory.expression import Nothing, evaluate, names_in
from laboratory.mistake import Mistake, NotRun, Undefined
from laboratory.published import Published
from laboratory.runs import Run, Runs
from laboratory.verdicts import Compared, Value, judge, left_out, scaled

# Student's t at 97.5 % for 1, 2, ... degrees of freedom.
STUDENT = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
    2.110,
    2.101,
    2.093,
    2.086,
    2.080,
    2.074,
    2.069,
    2.064,
    2.060,
    2.056,
    2.052,
    2.048,
    2.045,
    2.042,
)
DEFAULT_MEASURES = {
    "read_latency_ms": "request.read.latency_mean_ns / 1e6",
    "write_latency_ms": "request.write.latency_mean_ns / 1e6",
    "latency_ms": "request.all.latency_mean_ns / 1e6",
    "waf": "waf",
    "erases": "flash.erase.total",
}
DEFAULT_LABELS = {
    "read_latency_ms": "read latency (ms)",
    "write_latency_ms": "write latency (ms)",
    "latency_ms": "latency (ms)",
    "waf": "write amplification",
    "erases": "blocks erased",
}
STATISTIC = r"\b([a-z_]\w*(\.\w+)+)"
AT_PLACE = r"([a-z_][\w.]*)\[([^\]]*)\]"


Operand = Union["Vector", float]


class Vector(tuple[float, ...]):
    """Numbers of one or several places; operators apply to each, where those of a tuple join, repeat and
    compare."""

    def with_each(self, other: Operand, do: Callable[[float, float], float]) -> Vector:
        others: tuple[float, ...] = other if isinstance(other, Vector) else (other,) * len(self)
        if len(self) != len(others):
            raise Mistake(f"{len(self)} places beside {len(others)}")
        return Vector(do(a, b) for a, b in zip(self, others))

    def __add__(self, other: Operand) -> Vector:  # type: ignore[override]  # as said above; so are the rest
        return self.with_each(other, lambda a, b: a + b)

    def __sub__(self, other: Operand) -> Vector:
        return self.with_each(other, lambda a, b: a - b)

    def __mul__(self, other: Operand) -> Vector:  # type: ignore[override]
        return self.with_each(other, lambda a, b: a * b)

    def __truediv__(self, other: Operand) -> Vector:
        return self.with_each(other, lambda a, b: a / b)

    def __lt__(self, other: Operand) -> Vector:  # type: ignore[override]
        return self.with_each(other, lambda a, b: a < b)

    def __gt__(self, other: Operand) -> Vector:  # type: ignore[override]
        return self.with_each(other, lambda a, b: a > b)

    def __and__(self, other: Operand) -> Vector:
        return self.with_each(other, lambda a, b: a and b)

    def __rsub__(self, other: Operand) -> Vector:
        return self.with_each(other, lambda a, b: b - a)

    __radd__ = __add__
    __rmul__ = __mul__  # type: ignore[assignment]  # as above


def flat(*values: Operand) -> list[float]:
    """The numbers in values and vectors: min() and max() cannot use vectors, which compare place by place."""
    return [one for value in values for one in (value if isinstance(value, Vector) else (value,))]


VECTOR = {
    "mean": lambda v: sum(v) / len(v),
    "min": lambda *v: min(flat(*v)),
    "max": lambda *v: max(flat(*v)),
    "sum": sum,
    "count": sum,
    "abs": abs,
}
SCALAR = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp, "min": min, "max": max, "abs": abs, "int": int}


def interval(values: list[float]) -> tuple[float, float]:
    """Mean and half width of its 95 % confidence interval, 0 for a single value."""
    if len(values) < 2:
        return values[0], 0.0
    t = STUDENT[len(values) - 2] if len(values) <= len(STUDENT) + 1 else 1.96
    return statistics.fmean(values), t * statistics.stdev(values) / math.sqrt(len(values))


def above(latencies: list[tuple[float, int]], ms: float) -> float:
    """The share of the requests that took longer."""
    total = sum(requests for _, requests in latencies)
    if not total:
        raise Nothing
    return sum(requests for latency, requests in latencies if latency > ms) / total


class Names(dict[str, object]):
    """Names of a measure's expression: other measures, numbers of the experiment, functions."""

    def __init__(self, values: Values, place: Place) -> None:
        super().__init__(
            SCALAR,
            _statistic=lambda name: values.statistic(place, name),
            above=lambda kind, ms: above(values.runs.latencies(place, kind), ms),
        )
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
        self.kept: dict[tuple[str, ...], Value] = {}
        self.used: list[Run] = []  # by the number that is being computed
        self.replayed: list[Run] = []  # these, and those whose traces it measures
        self.missing: list[str] = []  # traces without a file, of which it has no value
        if not experiment.measures:
            experiment.measures.update(DEFAULT_MEASURES)
            experiment.labels = DEFAULT_LABELS | experiment.labels

    # ---- one place ----

    def statistic(self, place: Place, name: str) -> object:
        value = self.runs.statistic(place, name)
        (self.known if self.runs.reports(place, name) else self.unknown).add(name)
        if value is None:
            raise Nothing
        return value

    def measure(self, name: str, place: Place) -> Value:
        """None if there is no value; a Mistake if there is no such measure."""
        if self.experiment.absent_at(place):
            return None
        place = self.runs.same(place)
        key = (name, *place.values())
        if key in self.kept:
            return self.kept[key]
        text = self.experiment.measures.get(name, name)
        if (
            text == name
            and "." not in name
            and self.runs.statistic(place, name) is None
            and self.runs.has_results(place)
        ):
            known = " ".join(self.experiment.measures)
            raise Mistake(f'"{name}": there is no such measure; should be of {known}')
        statistic = STATISTIC if text != name else "(.+)"
        code = re.sub(statistic, r'_statistic("\1")', text)
        try:
            self.kept[key] = cast(Value, evaluate(code, Names(self, place)))
        except (Nothing, ZeroDivisionError):
            self.kept[key] = None
        except NotRun:
            raise
        except Mistake as mistake:
            raise type(mistake)(f"[measures] {name} = {text}: {mistake}") from None
        return self.kept[key]

    # ---- before the first run ----

    def check_measure(self, name: str) -> None:
        """A name in a figure, a table or published.tsv.  What a user's program prints is not known yet."""
        known = self.experiment.measures
        if "." in name:
            self.runs.check_statistic(name)
        elif (
            name not in known
            and name not in self.runs.statistics
            and "program" not in self.experiment.options
        ):
            raise Mistake(f'"{name}": there is no such measure; should be of {" ".join(known)}')

    def check(self) -> None:
        for name, text in self.experiment.measures.items():
            try:
                self.check_names(text, {*SCALAR, "above", "either"})
                for statistic, _ in re.findall(STATISTIC, text):
                    self.runs.check_statistic(statistic)
            except Mistake as mistake:
                raise Mistake(f"[measures] {name} = {text}: {mistake}") from None
            self.check_circle(name, [])
        for row in self.experiment.published:
            try:
                for measure, place in re.findall(AT_PLACE, row.measure):
                    self.check_measure(measure)
                    self.experiment.place(place)
                self.check_names(re.sub(AT_PLACE, "0", row.measure), {*VECTOR})
            except Mistake as mistake:
                raise Mistake(f"published.tsv: {row.id}: {mistake}") from None

    def check_names(self, text: str, functions: set[str]) -> None:
        for name in sorted(names_in(re.sub(STATISTIC, "0", text)) - functions):
            if name not in self.experiment.numbers:
                self.check_measure(name)

    def check_circle(self, name: str, above: list[str]) -> None:
        if name in above:
            raise Mistake(f"[measures] {name}: is made of itself: {' of '.join([*above, name])}")
        text = self.experiment.measures.get(name, name)
        for other in sorted(names_in(re.sub(STATISTIC, "0", text)) - {name if text == name else ""}):
            if other in self.experiment.measures and other not in self.experiment.numbers:
                self.check_circle(other, [*above, name])

    def misspelt(self) -> set[str]:
        """Statistics that no run has, but for those of an either(), which allows that."""
        texts = (text for text in self.experiment.measures.values() if "either(" in text)
        optional = (re.findall(STATISTIC, text) for text in texts)
        return self.unknown - self.known - {name for found in optional for name, _ in found}

    # ---- several ----

    def seeds(self) -> list[str]:
        return self.experiment.points("seed") if "seed" in self.experiment.axes else []

    def spread(self, measure: str, place: Place, over: Place | None = None) -> tuple[Value, float]:
        """Mean over the seeds and half its interval; `over`: each seed's value over its value there."""
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
        """The place with its axes in order; an axis left out is at its default, or at the only point that is
        run of it."""
        found: Place = {}
        for axis in self.experiment.axes:
            found[axis] = place.get(axis, "") or self.experiment.defaults.get(axis, "")
            if not found[axis] and axis != "seed":
                points = self.experiment.points(axis)
                if len(points) > 1:
                    raise Mistake(f"{axis} is left open: at = should name a point of it")
                found[axis] = "".join(points)
        return found

    def vector(self, measure: str, text: str, fixed: Place) -> Vector:
        every = self.experiment.cases(fixed | self.experiment.place(text))
        cases = [case for case in every if not self.experiment.absent_at(case)]
        self.missing += filter(None, map(self.experiment.absent_at, every))
        found = [self.measure(measure, case) for case in cases]
        keys = (tuple(self.runs.same(case).values()) for case in cases)
        runs = [self.runs.run_of[key] for key in keys if key in self.runs.run_of]
        self.replayed += runs
        self.used += [] if measure.startswith("trace.") else runs
        values = [value for value in found if value is not None]
        if len(values) < len(found) or every and not cases:
            raise Nothing
        return Vector(values)

    def expression(self, text: str, fixed: Place) -> object:
        """The value of a measure of published.tsv; None if something in it has no value."""
        code = re.sub(AT_PLACE, r'_vector("\1", "\2")', text)
        names = VECTOR | self.experiment.numbers | {"_vector": lambda m, place: self.vector(m, place, fixed)}
        try:
            value = evaluate(code, names)
        except (Nothing, ZeroDivisionError):
            return None
        except NotRun:
            raise
        except Mistake as mistake:
            raise type(mistake)(f"published.tsv: {text}: {mistake}") from None
        value = value[0] if isinstance(value, Vector) and len(value) == 1 else value
        if isinstance(value, Vector):
            raise Mistake(f"published.tsv: {text}: {len(value)} values; should be one: mean(...), count(...)")
        return value

    # ---- beside a paper ----

    def compared(self, fixed: Mapping[str, str] = MappingProxyType({})) -> Iterator[Compared]:
        for row in self.experiment.published:
            yield self.compare(row, fixed)

    def compare(self, row: Published, fixed: Mapping[str, str] = MappingProxyType({})) -> Compared:
        self.used, self.replayed, self.missing = [], [], []
        places: list[Place] = [{"seed": seed} for seed in self.seeds()] or [{}]
        try:
            found = [self.expression(row.measure, {**fixed, **seed}) for seed in places]
        except Mistake as mistake:
            raise type(mistake)(f"{row.id}: {mistake}") from None
        runs = list({run.key: run for run in self.used}.values())
        why = self.why_none()
        if None in found:
            return left_out(row, runs).unjudged(why)
        ends = zip(*(one if isinstance(one, tuple) else (one,) for one in found))
        ours = [interval([scaled(row.unit, float(value)) for value in end]) for end in ends]
        judged = judge(row, [mean for mean, _ in ours], max(half for _, half in ours), runs)
        return judged.unjudged(why) if judged.verdict else judged

    def why_none(self) -> str:
        """Why the number that is computed is not judged: traces that are missing or too short."""
        absent = self.experiment.absent
        why = [f"{name}: {absent[name].none}" for name in dict.fromkeys(self.missing)]
        short = self.runs.too_short(self.replayed)
        why += [f"too few requests: {', '.join(short)}"] if short else []
        return "; ".join(why)


class Rehearsal(Values):
    """Values before the first run.  Every statistic is 1, so that whatever is made of it can be tried."""

    def statistic(self, place: Place, name: str) -> object:
        if name.startswith("trace."):
            self.runs.replayed(place)
        else:
            self.runs.check_is_run(place)
        return 1.0

    def measure(self, name: str, place: Place) -> Value:
        try:
            return super().measure(name, place)
        except Undefined:
            return None

    def expression(self, text: str, fixed: Place) -> object:
        try:
            return super().expression(text, fixed)
        except Undefined:
            return None
