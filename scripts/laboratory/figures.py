"""What a figure shows: its panels, their series, and a row of values for each point of x.

laboratory/gnuplot.py draws it.  A panel is a file of its own, so that a page can set panels side by side.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field

from laboratory.description import Experiment, Place
from laboratory.mistake import Mistake
from laboratory.published import Published
from laboratory.runs import LATENCIES
from laboratory.values import Values
from laboratory.verdicts import Value, total

KINDS = ("bars", "stacks", "lines", "cdf", "heat", "dots")
OPTIONS = {
    "title",
    "caption",
    "plot",
    "grid",
    "x",
    "series",
    "values",
    "measure",
    "panels",
    "over",
    "change",
    "at",
    "log",
    "xlabel",
    "ylabel",
    "yrange",
    "mean",
    "second",
    "marks",
    "levels",
    "titles",
    "curves",
    "points",
    "wide",
    "numbers",
    "stamp",
    "numbered",
}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII)
END = rf"(\*|{NUMBER.pattern})?"
YRANGE = re.compile(f"{END}:{END}", re.ASCII)


@dataclass
class Series:
    name: str
    place: Place
    measures: list[str]  # several: parts of a stack
    color: int


@dataclass
class Row:
    label: str  # below the axis
    cells: list[tuple[Value, float]]  # value and half its interval, of each series and part
    mean: bool = False


@dataclass
class Panel:
    name: str
    title: str
    measures: list[str]
    place: Place
    yrange: str = ""
    wide: bool = False


MARK = re.compile(
    r"(?P<measure>[^:@=]+)(?P<points>(:[^:@=]+)*)(@(?P<x>[^@=]+))?"
    rf"(=(?P<value>{NUMBER.pattern}))?",
    re.ASCII,
)


@dataclass
class Mark:
    """What the paper states of a series (numbered from 1): a value of its mean or, at a point of x, of that
    point; without a value, only where something happens."""

    series: int
    value: float | None
    x: str = ""


@dataclass
class Table:
    """What a panel shows."""

    series: list[Series]
    rows: list[Row]
    positions: list[str]  # points of x
    marks: list[Mark] = field(default_factory=list)


def short(value: Value) -> str:
    """In a few digits: 0.123 12.3 1234 12.3k 1.2M."""
    if value is None:
        return ""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= factor:
            factor = min(factor, 1e3) if letter == "k" else factor
            scaled = value / factor
            return f"{scaled:.3g}{letter}" if scaled < 1000 else f"{scaled:.0f}{letter}"
    return f"{value:.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def mean_of(column: list[Value]) -> tuple[Value, float]:
    """Mean of the values that are there."""
    there = [value for value in column if value is not None]
    return (sum(there) / len(there) if there else None), 0.0


class Figure:
    def __init__(self, name: str, values: Values, option: dict[str, str]) -> None:
        self.name, self.values, self.option = name, values, option
        self.experiment: Experiment = values.experiment
        wrong = option.keys() - OPTIONS
        if wrong:
            raise Mistake(f"{wrong.pop()}: should be of {' '.join(sorted(OPTIONS))}")
        if option.get("plot") not in KINDS:
            raise Mistake(f"plot = {option.get('plot', '')}: should be of {' '.join(KINDS)}")
        for ends in option.get("yrange", "").split("|"):
            if ends and not YRANGE.fullmatch(ends.strip()):
                raise Mistake(f"yrange = {ends.strip()}: should be LOW:HIGH, numbers or *")
        self.plot = option["plot"]
        self.title = option.get("title", name)
        self.x = option.get("x", "workload")
        self.at = self.experiment.place(option.get("at", ""))
        self.over = self.experiment.place(option["over"]) if "over" in option else None
        self.change = option.get("change") == "yes"  # in per cent, against `over`
        self.numbered = option.get("numbered") == "yes"  # points of x have numbers in place of names
        # All series of a point are normalised to one value, which is written below the point.
        own = option.get("series", "") in ("", *(self.over or ()))
        self.base_below = self.over is not None and self.x not in self.over and own
        self.deviations = self.plot == "dots" and option.get("measure") == "published"
        # In a heat map, published numbers are coloured by the ratio of ours to the paper's.
        rows = {row.id: row for row in self.experiment.published}
        self.published: dict[str, Published] = rows if self.plot in ("dots", "heat", "lines") else {}

    def check(self, panel: Panel) -> None:
        """Checks the options, before the first run."""
        axes, option = self.experiment.axes, self.option
        for key in ("x", "series", "panels"):
            if not self.deviations and option.get(key, "workload") not in axes:
                raise Mistake(f"{key} = {option[key]}: should be of {' '.join(axes)}")
        for word in option.get("values", "").split():
            if word not in (axes.get(option.get("series", "")) or [word]):  # none: files are missing
                raise Mistake(f"values = {word}: should be points of the series")
        for word in option.get("levels", "").split():
            if not NUMBER.fullmatch(word.partition("=")[2]):
                raise Mistake(f"levels = {word}: should be NAME=NUMBER")
        for word in option.get("marks", "").split():
            self.check_mark(word)
        for measure in () if self.deviations else panel.measures:
            if self.plot == "cdf" and measure not in LATENCIES:
                raise Mistake(f"measure = {measure}: a cdf is of {' or '.join(LATENCIES)}")
            if self.plot == "dots" and measure not in self.published:
                raise Mistake(f"{measure}: published.tsv has no such number")
            if self.plot != "cdf" and measure not in self.published:
                self.values.check_measure(measure)
        if not panel.measures:
            raise Mistake("measure: should be named")
        if self.deviations and not self.experiment.published:
            raise Mistake("measure = published: there is no published.tsv, or no number in it")

    def check_mark(self, word: str) -> None:
        found = MARK.fullmatch(word)
        if not found or not (found["x"] or found["value"]):
            raise Mistake(
                f"marks = {word}: should be MEASURE=NUMBER, MEASURE:POINT=NUMBER or MEASURE@X=NUMBER"
            )
        if found["measure"] not in self.option.get("measure", "").replace("|", " ").split():
            raise Mistake(f"marks = {word}: {found['measure']} should be a measure of the figure")
        for point in found["points"].split(":")[1:]:
            if not any(point in points for points in self.experiment.axes.values()):
                axes = ", ".join(self.experiment.axes)
                raise Mistake(f"marks = {word}: {point} should be a point of {axes}")
        if found["x"] and found["x"] not in self.experiment.axes[self.x]:
            raise Mistake(f"marks = {word}: {found['x']} should be a point of {self.x}")

    def chosen(self, axis: str) -> list[str]:
        if "*" in self.at.get(axis, ""):
            return fnmatch.filter(self.experiment.axes[axis], self.at[axis])
        named = self.option.get("values", "").split() if axis == self.option.get("series") else []
        grids = [self.experiment.grids[name] for name in (self.option.get("grid", ""), "")]
        return named or next((grid[axis] for grid in grids if axis in grid), list(self.experiment.axes[axis]))

    # ---- panels and series ----

    def panels(self) -> list[Panel]:
        """One for each group of measures between `|`, and for each point of the axis `panels`."""
        groups = [group.split() for group in self.option.get("measure", "").split("|")]
        titles, ranges = self.of_each("titles", len(groups), False), self.of_each("yrange", len(groups), True)
        axis = self.option.get("panels", "")
        place = {a: point for a, point in self.at.items() if "*" not in point}
        cells = [(i, point) for i in range(len(groups)) for point in (self.chosen(axis) if axis else [""])]
        found = []
        for number, (i, point) in enumerate(cells):
            words = [titles[i] or self.title_of_group(groups[i], len(groups) > 1)]
            words += [self.experiment.label(point, axis)] if axis else []
            letter = f"({'abcdefghijklmnopqrstuvwxyz'[number % 26]}) " if len(cells) > 1 else ""
            name = f"{self.name}-{number + 1}" if len(cells) > 1 else self.name
            at = place | ({axis: point} if axis else {})
            found.append(
                Panel(
                    name,
                    letter + ", ".join(filter(None, words)),
                    groups[i],
                    at,
                    ranges[i],
                    self.option.get("wide") == "yes",
                )
            )
        return found

    def of_each(self, name: str, panels: int, shared: bool) -> list[str]:
        """An option's text for each group of measures, separated by `|`; `shared`: one text may serve all."""
        texts = [text.strip() for text in self.option.get(name, "").split("|")]
        if texts == [""] or shared and len(texts) == 1:
            return texts * panels
        if len(texts) != panels:
            raise Mistake(f"{name}: {len(texts)}, but {panels} panels of measures")
        return texts

    def title_of_group(self, group: list[str], several: bool) -> str:
        """The measure's label, if the title of the axis is not that label already."""
        named = len(group) == 1 and (several or self.over is not None or self.plot == "cdf")
        return self.experiment.label(group[0]) if named else ""

    def series(self, panel: Panel) -> list[Series]:
        """The points of the axis `series`, or else the panel's measures."""
        if self.deviations:
            wheres = dict.fromkeys(row.where for row in self.experiment.published)
            return [Series(where, {}, [where], 2) for where in wheres]
        axis, label = self.option.get("series", ""), self.experiment.label
        points: list[tuple[str, Place, int]] = [("", {}, 2)]
        if axis:
            every = list(self.experiment.axes[axis]) if axis in self.experiment.axes else []
            chosen = self.chosen(axis)
            # One colour in all figures, if there are enough.  An axis whose files are missing has no point.
            colored = every if len(every) <= 8 and {*chosen} <= {*every} else chosen
            points = [(label(point, axis), {axis: point}, colored.index(point)) for point in chosen]
        if self.plot == "stacks" or axis and len(panel.measures) == 1:
            found = [Series(name, place, panel.measures, color) for name, place, color in points]
        else:
            found = [
                Series(", ".join(filter(None, (name, label(measure)))), place, [measure], color + i)
                for i, measure in enumerate(panel.measures)
                for name, place, color in points
            ]
        second = self.option.get("second", "").split()
        return sorted(found, key=lambda one: one.measures[0] in second)

    # ---- data ----

    def table(self, panel: Panel) -> Table:
        """Rows for the points of x: label, value and interval of each series' measures."""
        series = self.series(panel)
        if self.deviations:
            return Table(series, self.deviation_rows(series), [])
        points = self.chosen(self.x)
        if self.x == "workload":
            points = [p for p in points if not self.experiment.absent_at(panel.place | {self.x: p})]
        rows = [self.row(panel, series, point) for point in points]
        for i, row in enumerate(rows if self.numbered else (), 1):
            row.label = str(i)
        usual = "yes" if self.x == "workload" else "no"
        if self.option.get("mean", usual) == "yes" and self.plot in ("bars", "stacks"):
            columns = zip(*(row.cells for row in rows))
            means = [mean_of([value for value, _ in column]) for column in columns]
            rows.append(Row("mean\n" if self.base_below else "mean", means, True))
        return Table(series, rows, points, self.marks(panel, series))

    def row(self, panel: Panel, series: list[Series], point: str) -> Row:
        at = panel.place | {self.x: point}
        cells = [
            self.cell(one, at | one.place | {self.x: point}, measure)
            for one in series
            for measure in one.measures
        ]
        label = self.experiment.label(point, self.x)
        if self.base_below and self.over is not None:
            base = [self.values.spread(measure, at | self.over)[0] for measure in series[0].measures]
            label += "\n" + short(total(base))
        return Row(label, cells)

    def deviation_rows(self, series: list[Series]) -> list[Row]:
        """All published numbers, a series for each `where`: deviation over tolerance."""
        columns = []
        for one in series:
            rows = [row for row in self.experiment.published if row.where == one.measures[0]]
            found = [(self.values.compare(row).value, row) for row in rows]
            columns.append(
                [
                    None if value is None else (value - row.paper[0]) / (row.tolerance or 1)
                    for value, row in found
                ]
            )
        longest = max(map(len, columns))
        return [
            Row(str(i), [(column[i] if i < len(column) else None, 0.0) for column in columns])
            for i in range(longest)
        ]

    def cell(self, series: Series, place: Place, measure: str) -> tuple[Value, float]:
        """Dots show published numbers at a point of x; heat and lines may, too.  Heat has the ratio to the
        paper's value in place of an interval.  With `over`, a part of a stack is over the whole stack."""
        if measure in self.published:
            row = self.published[measure]
            value = self.values.compare(row, place).value
            heat = self.plot == "heat" and row.paper[0]
            return value, value / heat if value is not None and heat else 0.0
        if self.plot == "dots":
            raise Mistake(f"{measure}: published.tsv has no such number")
        if self.over is None or len(series.measures) == 1:
            value, half = self.values.spread(measure, place, self.over)
        else:
            whole = [self.values.spread(part, place | self.over)[0] for part in series.measures]
            base = total(whole)
            value, half = self.values.spread(measure, place)
            value, half = (value / base, half / base) if value is not None and base else (None, 0.0)
        return (100 * (value - 1), 100 * half) if self.change and value is not None else (value, half)

    def marks(self, panel: Panel, series: list[Series]) -> list[Mark]:
        """Of `MEASURE:POINT...@X=VALUE`: the series with that measure, at those points."""
        found = []
        for word in self.option.get("marks", "").split():
            mark = MARK.fullmatch(word)
            assert mark  # checked before the first run
            points = set(mark["points"].split(":")[1:])
            found += [
                Mark(i, float(mark["value"]) if mark["value"] else None, mark["x"] or "")
                for i, one in enumerate(series, 1)
                if mark["measure"] == one.measures[0]
                and points <= {*panel.place.values(), *one.place.values()}
            ]
        return found

    def curve(self, panel: Panel, series: Series) -> list[tuple[float, float]]:
        """Points of a cdf: latency (ms), share of the requests up to it."""
        place = self.values.ordered(panel.place | series.place | {"seed": (self.values.seeds() or [""])[0]})
        found, below = [], 0
        counts = self.values.runs.latencies(place, panel.measures[0])
        total = sum(requests for _, requests in counts)
        for latency, requests in counts:
            below += requests
            if requests:
                found.append((latency, below / total))
        return found
