"""Drawing: every panel becomes a gnuplot script with its data inside, and SVG and PNG.

The head of scripts/plots/style.gp lists the variables that such a script sets for the templates there.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Iterable, Iterator

from laboratory.description import quantity
from laboratory.figures import Figure, Panel, Table
from laboratory.mistake import Mistake
from laboratory.runs import Runs, digest
from laboratory.verdicts import Value, total

PLOTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "plots")
MOST_LABELS = 40  # that fit below an axis


def quoted(text: str) -> str:
    """A string of a script.  In single quotes gnuplot takes every character as it is: no `command` runs.  One
    that begins with an apostrophe cannot be written so; in double quotes, escapes stand for what runs."""
    text = " ".join(text.split())
    if "'" not in text:
        return f"'{text}'"
    return '"' + re.sub(r"[\\\"`]", lambda found: f"\\{ord(found[0]):03o}", text) + '"'


def in_data(text: str) -> str:
    """A string in a data block, where nothing runs either; "\\n" begins its second line."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', "'") for line in lines) + '"'


def unitless(text: str) -> str:
    """`25p` becomes 25: the title of the axis has the unit."""
    is_number = quantity(text) is not None and text[-1:].isalpha() and text[-1] not in "KMGk"
    return text[:-1] if is_number else text


def apart(positions: list[float], log: bool) -> set[int]:
    """Indices of the positions on an axis whose labels do not overlap the one before."""
    at = [math.log(x) for x in positions] if log and min(positions) > 0 else positions
    shown: list[int] = []
    for i, x in enumerate(at):
        if not shown or abs(x - at[shown[-1]]) >= 0.085 * (max(at) - min(at)):
            shown.append(i)
    return set(shown)


def settings(figure: Figure, panel: Panel, table: Table) -> Iterator[str]:
    """Texts and switches."""
    option, label, series = figure.option, figure.experiment.label, table.series
    logs, second = option.get("log", "").split(), option.get("second", "").split()
    below = {"cdf": "latency (ms)", "lines": figure.experiment.title_of(figure.x)}.get(figure.plot, "")
    stamp = option.get("stamp", "") or figure.experiment.options.get("stamp", "")
    yield f"xlabel = {quoted(option.get('xlabel', below))}"
    yield f"ylabel = {quoted(option.get('ylabel', axis_title(figure, panel)))}"
    yield f"yrange = {quoted(panel.yrange)}"
    yield from (f"log_{axis} = {int(axis in logs)}" for axis in ("x", "y", "y2"))
    yield f"caption = {quoted(panel.title)}"
    yield f"note = {quoted(stamp)}"
    yield f"wide = {int(panel.wide)}"
    yield f"tall = {height(figure, panel, len(series))}"
    yield f"lines_below = {1 + figure.base_below}"
    if figure.numbered:
        yield "numbered = 1"
    yield f"parts = {len(series[0].measures) if series else 0}"
    yield f"annotated = {int(option.get('numbers', 'yes') == 'yes')}"
    yield f"ratio = {int(figure.plot == 'heat' and set(panel.measures) <= figure.published.keys())}"
    yield f"n = {len(series)}"
    yield f"n1 = {sum(one.measures[0] not in second for one in series)}"
    levels = (word.replace("_", " ").partition("=") for word in option.get("levels", "").split())
    yield from block("levels", (f"{in_data(name)} {value}" for name, _, value in levels))
    yield from block("marks", (f"{mark.series} {mark.value:g}" for mark in table.marks if not mark.x))
    curves, points = option.get("curves", "").split(), option.get("points", "").split()
    styles = [
        "curve" if one.measures[0] in curves else "points" if one.measures[0] in points else "both"
        for one in series
    ]
    percent = "%%" if figure.plot in ("dots", "heat") else "%"  # names on an axis are formats
    yield array("names", [quoted(one.name.replace("%", percent)) for one in series] or ["''"])
    yield array("styles", [quoted(style) for style in styles] or ["''"])
    yield array("part_names", [quoted(label(part)) for part in series[0].measures] if series else ["''"])
    yield array("color", [str(one.color) for one in series] or ["0"])


def height(figure: Figure, panel: Panel, series: int) -> int:
    """Rows of dots need room, and so do many names above a panel."""
    if figure.plot == "dots":
        return max(360, 110 + 24 * series)
    return 400 if panel.wide or series > 3 else 360


def block(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield from (f"${name} << END", *lines, "END")


def array(name: str, items: list[str]) -> str:
    return f"array {name}[{len(items)}] = [{', '.join(items)}]"


def axis_title(figure: Figure, panel: Panel) -> str:
    label = figure.experiment.label
    if figure.plot == "cdf":
        return "share of requests"
    if figure.over is not None:
        base = ", ".join(label(point, axis) for axis, point in figure.over.items())
        return f"change against {base} (%)" if figure.change else f"normalised to {base}"
    return label(panel.measures[0]) if len(panel.measures) == 1 else ""


def data(figure: Figure, panel: Panel, table: Table) -> Iterator[str]:
    """Rows of $data, and their positions on the axis."""
    rows = table.rows
    numbers = [quantity(point) for point in table.positions]
    numeric = figure.plot == "lines" and None not in numbers
    positions = [float(x or 0) for x in numbers] if numeric else [i + 1.0 for i in range(len(rows))]
    log = "x" in figure.option.get("log", "").split()
    free = numeric and not log and len(rows) > 10  # gnuplot chooses round numbers
    every = range(0, len(rows), 1 + len(rows) // MOST_LABELS)
    shown = set() if free else apart(positions, log) if numeric else every
    labels = [in_data(unitless(row.label) if i in shown else "") for i, row in enumerate(rows)]
    yield from block(
        "data",
        (
            " ".join([f"{at:.9g}", label, *(cell(figure, value, half) for value, half in row.cells)])
            for at, label, row in zip(positions, labels, rows)
        ),
    )
    yield f"rows = {len(rows)}"
    yield f"with_mean = {int(bool(rows) and rows[-1].mean)}"
    yield f"numeric = {int(numeric)}"
    yield f"free_tics = {int(free)}"
    ends = (positions[0], positions[len(rows) - 1]) if rows else (0, 1)
    yield f"first_ = {ends[0]:.9g}"
    yield f"last_ = {ends[1]:.9g}"
    yield f"last_label = {quoted(rows[-1].label if rows else '')}"
    yield f"first_name = {quoted(rows[0].label if rows and not figure.deviations else '')}"
    values = [value for row in rows for value, _ in row.cells if value is not None]
    yield f"empty = {int(not values)}"
    yield f"negative = {int(bool(values) and min(values) < 0)}"
    yield from spots(table, positions)
    yield from means(panel, table)


def spots(table: Table, positions: list[float]) -> Iterator[str]:
    """What a paper states of a point of x: series, position and value, or only that something happens."""
    there = [
        (mark, positions[table.positions.index(mark.x)]) for mark in table.marks if mark.x in table.positions
    ]
    yield from block(
        "spots", (f"{mark.series} {at:.9g} {mark.value:g}" for mark, at in there if mark.value is not None)
    )
    yield from block("events", (f"{mark.series} {at:.9g}" for mark, at in there if mark.value is None))


def cell(figure: Figure, value: Value, half: float) -> str:
    if value is None:
        return "NaN NaN NaN"
    return (
        f"{value:.9g} {half:.9g} NaN"
        if figure.plot == "heat"
        else f"{value:.9g} {value - half:.9g} {value + half:.9g}"
    )


def means(panel: Panel, table: Table) -> Iterator[str]:
    """The means of the series and their positions: beyond the bar and the paper's mark, inside the panel.
    Those below 0 are a separate block, as gnuplot fails on a label without a position."""
    end = panel.yrange.partition(":")[2]
    roof = math.inf if end in ("", "*") else float(end)
    found = []
    if table.rows and table.rows[-1].mean:
        parts = len(table.series[0].measures)
        for i in range(len(table.series)):
            value = total([value for value, _ in table.rows[-1].cells[i * parts : (i + 1) * parts]])
            if value is not None:
                same = [
                    mark.value
                    for mark in table.marks
                    if mark.value is not None
                    and mark.series == i + 1
                    and not mark.x
                    and mark.value * value > 0
                ]
                found.append((i + 1, max([value, *same], key=abs), value))
    yield from block("above", (f"{i} {at:.9g} {value:.9g}" for i, at, value in found if 0 <= at < roof))
    yield from block("below", (f"{i} {at:.9g} {value:.9g}" for i, at, value in found if at < 0))


def curves(figure: Figure, panel: Panel, table: Table) -> Iterator[str]:
    """A block of $data for each series."""
    found = [figure.curve(panel, series) for series in table.series]
    yield "$data << END"
    for curve in found:
        yield from (f"{latency:.6g} {share:.6g}" for latency, share in curve)
        yield from ("NaN NaN", "", "")
    yield "END"
    yield from (f"empty = {int(not any(found))}", "negative = 0", "rows = 0", "with_mean = 0")
    yield from (line for name in ("above", "below", "spots", "events") for line in block(name, ()))


def script(figure: Figure, panel: Panel) -> str:
    if figure.plot == "cdf":
        table = Table(figure.series(panel), [], [])
        lines = [*settings(figure, panel, table), *curves(figure, panel, table)]
    else:
        table = figure.table(panel)
        lines = [*settings(figure, panel, table), *data(figure, panel, table)]
    return "\n".join([*lines, 'load plots."style.gp"', f'load plots."{figure.plot}.gp"', ""])


def draw(figure: Figure, panels: list[Panel], runs: Runs) -> None:
    """Draws every panel as NAME.gp, NAME.svg and NAME.png, unless its script is unchanged."""
    folder = os.path.join(runs.folder, "figures")
    style = ""
    for name in ("style.gp", figure.plot + ".gp"):
        with open(os.path.join(PLOTS, name), encoding="utf-8") as file:
            style += file.read()
    for panel in panels:
        path = os.path.join(folder, panel.name)
        text = f"# looks: {digest(style)}\n{script(figure, panel)}"
        if all(os.path.exists(path + ending) for ending in (".svg", ".png", ".gp")):
            with open(path + ".gp", encoding="utf-8") as file:
                if file.read() == text:
                    continue
        os.makedirs(folder, exist_ok=True)
        with open(path + ".gp.part", "w", encoding="utf-8") as file:
            file.write(text)
        for kind in ("svg", "png"):
            plot(folder, panel.name, kind)
        os.replace(path + ".gp.part", path + ".gp")


def plot(folder: str, name: str, kind: str) -> None:
    """Runs in the folder, with bare names: gnuplot takes a path that begins with | or < for a command."""
    id_, plots = re.sub(r"\W", "_", name), PLOTS.replace("'", "''")
    given = f"kind = '{kind}'; plots = '{plots}/'; name_ = '{id_}'; output_file = '{name}.{kind}.part'"
    command = ["gnuplot", "-e", given, name + ".gp.part"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Mistake(f"gnuplot: {done.stderr.strip().splitlines()[-1]}")
    path = os.path.join(folder, name)
    os.replace(f"{path}.{kind}.part", f"{path}.{kind}")
