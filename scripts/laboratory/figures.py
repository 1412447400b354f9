"""Figures: the panels of a description become files of gnuplot with their data inside, and SVG and PNG.

A panel is a file of its own, so that a page can set panels side by side or below one another.  What it says to a
template of scripts/plots/ is written at the head of style.gp.
"""
from __future__ import annotations

import fnmatch
import math
import os
import subprocess
from dataclasses import dataclass

from laboratory.description import Experiment, Mistake, Place, quantity
from laboratory.runs import Runs, digest
from laboratory.values import Value, Values

PLOTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "plots")
KINDS = ("bars", "stacks", "lines", "cdf", "heat", "dots")
OPTIONS = {"title", "caption", "plot", "grid", "x", "series", "values", "measure", "panels", "over", "at", "log", "xlabel",
           "ylabel", "yrange", "mean", "second", "marks", "levels", "titles", "curves", "points", "wide", "numbers"}


@dataclass
class Series:
    name: str
    place: Place
    measures: list[str]  # several: parts of a stack
    color: int


Row = tuple[str, list[tuple[Value, float]]]  # what stands below; value and half interval of each series and part


@dataclass
class Panel:
    name: str
    title: str
    measures: list[str]
    place: Place


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', "'").replace("\\\\n", "\\n") + '"'


def short(value: Value) -> str:
    """In a few digits: 0.123 12.3 1234 12.3k 1.2M."""
    if value is None:
        return ""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= factor:
            factor = min(factor, 1e3) if letter == "k" else factor
            return f"{value / factor:.3g}{letter}" if value / factor < 1000 else f"{value / factor:.0f}{letter}"
    return f"{value:.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


class Figure:
    def __init__(self, name: str, values: Values, option: dict[str, str]) -> None:
        self.name, self.values, self.option = name, values, option
        self.experiment: Experiment = values.experiment
        wrong = option.keys() - OPTIONS
        if wrong or option.get("plot") not in KINDS:
            raise Mistake(f"[figure {name}] " + (f"{wrong.pop()}: should be of {' '.join(sorted(OPTIONS))}" if wrong else
                                                 f"plot = {option.get('plot', '')}: should be of {' '.join(KINDS)}"))
        self.plot = option["plot"]
        self.x = option.get("x", "workload")
        self.at = self.experiment.place(option.get("at", ""))
        self.over = self.experiment.place(option["over"]) if "over" in option else None
        # All series of a point are over one value, which stands below it.
        self.base_below = self.over is not None and self.x not in self.over and option.get("series", "") in ("", *self.over)
        self.deviations = self.plot == "dots" and option.get("measure") == "published"

    def chosen(self, axis: str) -> list[str]:
        named = self.option.get("values", "").split() if axis == self.option.get("series") else []
        if "*" in self.at.get(axis, ""):
            return fnmatch.filter(self.experiment.axes[axis], self.at[axis])
        return named or self.experiment.grids[""].get(axis) or list(self.experiment.axes[axis])

    def panels(self) -> list[Panel]:
        """One for each group of measures between `|`, and for each point of the axis `panels`."""
        groups = [group.split() for group in self.option.get("measure", "").split("|")]
        axis, place = self.option.get("panels", ""), {a: p for a, p in self.at.items() if "*" not in p}
        cells = [(group, place | ({axis: point} if axis else {})) for group in groups
                 for point in (self.chosen(axis) if axis else [""])]
        titles = [text.strip() for text in self.option.get("titles", "").split("|") if text.strip()]
        if titles and len(titles) != len(groups):
            raise Mistake(f"titles: {len(titles)}, but {len(groups)} panels of measures")
        letters = "abcdefghijklmnopqrstuvwxyz"
        found = []
        for i, (group, at) in enumerate(cells):
            # The axis says the measure already, unless there are several or it is normalised.
            named = len(group) == 1 and (len(groups) > 1 or self.over is not None or self.plot == "cdf")
            words = [titles[groups.index(group)]] if titles else [self.experiment.label(group[0])] if named else []
            words += [self.experiment.label(at[axis], axis)] if axis else []
            title = f"({letters[i % 26]}) " if len(cells) > 1 else ""
            found.append(Panel(f"{self.name}-{i + 1}" if len(cells) > 1 else self.name, title + ", ".join(words), group, at))
        return found

    def series(self, panel: Panel) -> list[Series]:
        """The points of the axis `series`, or else the panel's measures."""
        if self.deviations:
            wheres = dict.fromkeys(row.where for row in self.experiment.published)
            return [Series(where, {}, [where], 2) for where in wheres]
        axis = self.option.get("series", "")
        all_points = list(self.experiment.axes.get(axis, []))
        colored = all_points if len(all_points) <= 8 else self.chosen(axis)  # one colour in all figures, if they suffice
        points = [(self.experiment.label(p, axis), {axis: p}, colored.index(p)) for p in self.chosen(axis)] if axis else [("", {}, 2)]
        if self.plot == "stacks":
            return [Series(name, place, panel.measures, color) for name, place, color in points]
        if axis and len(panel.measures) == 1:
            return [Series(name, place, panel.measures, color) for name, place, color in points]
        return [Series(", ".join(filter(None, (name, self.experiment.label(measure)))), place, [measure], color + i)
                for i, measure in enumerate(panel.measures) for name, place, color in points]

    # ---- data ----

    def rows(self, panel: Panel, series: list[Series]) -> list[Row]:
        """For each point of x what stands below it, and value and interval of each series' measures."""
        if self.deviations:
            return self.deviation_rows(series)
        found = []
        for point in self.chosen(self.x):
            cells = []
            for one in series:
                place = panel.place | one.place | {self.x: point}
                cells += [self.spread(one, place, measure) for measure in one.measures]
            label = self.experiment.label(point, self.x)
            if self.base_below:
                base = [self.values.spread(m, panel.place | {self.x: point} | self.over)[0] for m in series[0].measures]
                label += "\\n" + short(None if None in base else sum(base))  # type: ignore[arg-type]
            found.append((label, cells))
        if self.option.get("mean", "yes" if self.x == "workload" else "no") == "yes" and self.plot in ("bars", "stacks"):
            found.append(("mean\\n", [self.mean([cells[i][0] for _, cells in found]) for i in range(len(found[0][1]))]))
        return found

    def deviation_rows(self, series: list[Series]) -> list[Row]:
        """All published numbers, those of one `where` in one row of dots: deviation over tolerance."""
        parts = [[(value - float(row.paper)) / (row.tolerance or 1) if (value := self.values.compare(row).value) is not None
                  else None for row in self.experiment.published if row.where == one.measures[0]] for one in series]
        return [(str(i), [(part[i] if i < len(part) else None, 0.0) for part in parts]) for i in range(max(map(len, parts)))]

    def spread(self, series: Series, place: Place, measure: str) -> tuple[Value, float]:
        """Dots are published numbers at a point of x, and so may be heat and lines.  A part of a stack stands over the whole stack it
        is compared with."""
        row = next((row for row in self.experiment.published if row.id == measure), None)
        if row and self.plot in ("dots", "heat", "lines"):
            return self.values.compare(row, place).value, 0.0
        if self.plot == "dots":
            raise Mistake(f"{measure}: published.tsv has no such number")
        if self.over is None or len(series.measures) == 1:
            return self.values.spread(measure, place, self.over)
        whole = [self.values.spread(m, place | self.over)[0] for m in series.measures]
        value, half = self.values.spread(measure, place)
        if value is None or None in whole or not sum(whole):  # type: ignore[arg-type]
            return None, 0.0
        return value / sum(whole), half / sum(whole)  # type: ignore[arg-type]

    @staticmethod
    def mean(column: list[Value]) -> tuple[Value, float]:
        there = [value for value in column if value is not None]
        return (sum(there) / len(there) if len(there) == len(column) else None), 0.0

    def marks(self, panel: Panel, series: list[Series]) -> list[tuple[int, str]]:
        """`measure:point=value`, or `measure=value`: what the paper states of the mean of a series (number from 1)."""
        found = []
        for word in self.option.get("marks", "").split():
            where, _, value = word.partition("=")
            measure, _, point = where.partition(":")
            for i, one in enumerate(series):
                if measure == one.measures[0] and (not point or point in one.place.values()):
                    found.append((i + 1, value))
        return found

    # ---- gnuplot ----

    def script(self, panel: Panel) -> str:
        second = self.option.get("second", "").split()
        series = sorted(self.series(panel), key=lambda one: one.measures[0] in second)
        logs = self.option.get("log", "").split()
        x = "latency (ms)" if self.plot == "cdf" else self.experiment.label(self.x) if self.plot == "lines" else ""
        lines = [f"xlabel = {quoted(self.option.get('xlabel', x))}",
                 f"ylabel = {quoted(self.option.get('ylabel', self.axis_title(panel)))}",
                 f"yrange = {quoted(self.option.get('yrange', ''))}",
                 *(f"log_{axis} = {int(axis in logs)}" for axis in ("x", "y", "y2"))]
        lines += [f"caption = {quoted(panel.title)}", f"wide = {int(self.option.get('wide') == 'yes')}",
                  f"lines_below = {1 + self.base_below}",
                  f"note = {quoted(self.experiment.options.get('source', ''))}",
                  f"parts = {len(series[0].measures) if series else 0}",
                  f"annotated = {int(self.option.get('numbers', 'yes') == 'yes')}"]
        lines += ["$levels << END", *(f"{quoted(n)} {v}" for n, _, v in
                                      (w.partition("=") for w in self.option.get("levels", "").split())), "END"]
        lines += ["$marks << END", *(f"{i} {value}" for i, value in self.marks(panel, series)), "END"]
        data = self.block_cdf(panel, series) if self.plot == "cdf" else self.block(panel, series)
        rows = [line.rpartition('"')[2] for line in data[1:data.index("END")]]
        lines += [*data, f"empty = {int(not any(set(row.split()) - {'NaN'} for row in rows))}"]
        names = [one.name for one in series]
        styles = ["curve" if one.measures[0] in self.option.get("curves", "").split() else
                  "points" if one.measures[0] in self.option.get("points", "").split() else "both" for one in series]
        for name, items in (("names", names), ("styles", styles), ("part_names", series[0].measures if series else [])):
            items = [self.experiment.label(item) for item in items] if name == "part_names" else items
            lines.append(f"array {name}[{max(len(items), 1)}] = [{', '.join(map(quoted, items or ['']))}]")
        lines.append(f"array color[{max(len(series), 1)}] = [{', '.join(str(one.color) for one in series) or '0'}]")
        return "\n".join(lines + [f"n = {len(series)}", f"tall = {max(360, 110 + 24 * len(series))}" if self.plot == "dots" else "tall = 360", f"n1 = {sum(one.measures[0] not in second for one in series)}", f"load plots.{quoted('style.gp')}",
                                  f"load plots.{quoted(self.plot + '.gp')}", ""])

    def axis_title(self, panel: Panel) -> str:
        if self.plot == "cdf":
            return "share of requests"
        if self.over is not None:
            return "normalised to " + ", ".join(self.experiment.label(p, axis) for axis, p in self.over.items())
        return self.experiment.label(panel.measures[0]) if len(panel.measures) == 1 else ""

    def block(self, panel: Panel, series: list[Series]) -> list[str]:
        rows = self.rows(panel, series)
        numbers = [None] * len(rows) if self.deviations else [quantity(point) for point in self.chosen(self.x)]
        numeric = self.plot == "lines" and None not in numbers
        positions = numbers if numeric else [float(i + 1) for i in range(len(rows))]
        lines = ["$data << END"]
        every = 1 + len(rows) // 40  # labels that there is room for
        shown = apart(positions, "x" in self.option.get("log", "").split()) if numeric else range(0, len(rows), every)
        for i, (position, (label, cells)) in enumerate(zip(positions, rows)):
            fields = (f"{v:.9g} {v - h:.9g} {v + h:.9g}" if v is not None else "NaN NaN NaN" for v, h in cells)
            lines.append(f"{position:.9g} {quoted(unitless(label) if i in shown else '')} {' '.join(fields)}")
        return lines + ["END", f"rows = {len(rows)}", f"with_mean = {int(len(rows) > len(numbers))}",
                        f"numeric = {int(numeric)}", f"first_ = {positions[0]:.9g}", f"last_ = {positions[len(rows) - 1]:.9g}",
                        f"first_name = {quoted('' if self.deviations else rows[0][0])}"]

    def block_cdf(self, panel: Panel, series: list[Series]) -> list[str]:
        """Of latency.txt: below which latency (ms) which share of the requests stays; a block for each series."""
        lines = ["$data << END"]
        column = {"reads": 1, "writes": 2, "all": 3}.get(panel.measures[0])
        if column is None:
            raise Mistake(f"measure = {panel.measures[0]}: a cdf is of reads, writes or all")
        for one in series:
            place = self.values.ordered(panel.place | one.place | {"seed": (self.values.seeds() or [""])[0]})
            run = self.values.runs.run_of.get(tuple(place[axis] for axis in self.experiment.axes))
            path = self.values.runs.path(run.key, "/latency.txt") if run else ""
            counts = []
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    counts = [(float(w[0]), int(w[column])) for line in file if (w := line.split()) and w[0][0] != "#"]
            total, below = sum(count for _, count in counts) or 1, 0
            for bound, count in counts:
                below += count
                if count:
                    lines.append(f"{bound / 1e6:.6g} {below / total:.6g}")
            lines += ["NaN NaN", "", ""]
        return lines + ["END"]


def apart(positions: list[float], log: bool) -> set[int]:
    """Of positions on an axis those whose labels do not run into the one before."""
    at = [math.log(x) for x in positions] if log and min(positions) > 0 else positions
    shown: list[int] = []
    for i, x in enumerate(at):
        if not shown or abs(x - at[shown[-1]]) >= 0.085 * (max(at) - min(at)):
            shown.append(i)
    return set(shown)


def unitless(text: str) -> str:
    """`25p` is 25 on an axis that says of what."""
    return text[:-1] if quantity(text) is not None and text[-1:].isalpha() and text[-1] not in "KMGk" else text


def draw(figure: Figure, runs: Runs) -> list[Panel]:
    """Every panel as NAME.gp, NAME.svg and NAME.png; what is so already stays."""
    panels = figure.panels()
    folder = os.path.join(runs.folder, "figures")
    style = "".join(open(os.path.join(PLOTS, name), encoding="utf-8").read() for name in ("style.gp", figure.plot + ".gp"))
    for panel in panels:
        path = os.path.join(folder, panel.name)
        script = f"# looks: {digest(style)}\n" + figure.script(panel)
        if all(os.path.exists(path + e) for e in (".svg", ".png", ".gp")):
            with open(path + ".gp", encoding="utf-8") as file:
                if file.read() == script:
                    continue
        os.makedirs(folder, exist_ok=True)
        with open(path + ".gp.part", "w", encoding="utf-8") as file:
            file.write(script)
        identifier = panel.name.replace("-", "_")
        for kind in ("svg", "png"):
            done = subprocess.run(["gnuplot", "-e", f'kind = "{kind}"; plots = "{PLOTS}/"; name_ = "{identifier}"; '
                                   f'output_file = "{path}.{kind}.part"', path + ".gp.part"], capture_output=True, text=True)
            if done.returncode:
                raise Mistake(f"gnuplot: {done.stderr.strip().splitlines()[-1]}")
            os.replace(f"{path}.{kind}.part", f"{path}.{kind}")
        os.replace(path + ".gp.part", path + ".gp")
    return panels

