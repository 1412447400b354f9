"""The report: one self-contained page.

For a paper: how many of its results come out, all of them in a chart, then its figures in order, each with
its own numbers below it; inputs, matrices and runs at the end.  For a sweep without published numbers:
figures, then the table of measures.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from laboratory import warnings
from laboratory.description import Experiment
from laboratory.figures import Figure, Panel
from laboratory.matrix import Matrix
from laboratory.numbers import Line, Numbers
from laboratory.reasons import Reasons, count, head, text
from laboratory.runs import Runs, name_of, write_whole
from laboratory.search import Search
from laboratory.values import Values

TEMPLATE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "report.html")
Drawn = list[tuple[Figure, list[Panel]]]  # a figure of the description, for each column


@dataclass
class Block:
    """A figure, in each column, and the numbers that belong to it; or only numbers."""

    title: str
    figures: Drawn = field(default_factory=list)
    entries: list[list[Line]] = field(default_factory=list)


def whole(title: str) -> str:
    """The figure that a part belongs to: "Fig. 9" of "Fig. 9(b)"."""
    return re.sub(r"(?<=.)\s*\(\w\).*", "", head(title))


def blocks(figures: list[Drawn], numbers: Numbers) -> list[Block]:
    """Figures in order; numbers without a figure follow the number before them in published.tsv."""
    found = [Block(of_columns[0][0].title, of_columns) for of_columns in figures]
    last = -1
    for entry in numbers.results:
        where = entry[0][0].row.where
        at = next((i for i, block in enumerate(found) if head(block.title) == head(where)), None)
        if at is None:
            at = next((i for i, block in enumerate(found) if whole(block.title) == whole(where)), None)
        if at is None:
            at = last + 1
            found.insert(at, Block(where))
        found[at].entries.append(entry)
        last = at
    return found


def block(one: Block, numbers: Numbers, folder: str) -> Iterator[str]:
    anchor = one.figures[0][0].name if one.figures else ""
    yield f'<section id="{anchor}">' if anchor else "<section>"
    yield f"<h3>{text(one.title)}</h3>"
    if one.figures:
        yield from picture(one.figures, numbers.labels, folder)
    if one.entries:
        yield from numbers.table(one.entries, headed=False)
    yield "</section>"


def picture(columns: Drawn, labels: list[str], folder: str) -> Iterator[str]:
    """The panels of a figure, those of several columns side by side."""
    figure = columns[0][0]
    if any(panel.wide for _, panels in columns for panel in panels):
        yield '<p class="hint">wider than this screen: scrolls sideways</p>'
    yield '<figure><div class="panels">'
    for i, row in enumerate(zip(*(panels for _, panels in columns))):
        if i and len(row) > 2:  # each panel's columns begin a line
            yield '</div><div class="panels">'
        for label, panel in zip(labels, row):
            with open(os.path.join(folder, "figures", panel.name + ".svg"), "rb") as file:
                image = base64.b64encode(file.read()).decode()
            wide = ' class="wide"' if panel.wide else ""
            above = f"<span>{label}</span>" if len(row) > 1 else ""
            yield (
                f'<a{wide} href="figures/{panel.name}.svg">{above}<img alt="{text(figure.title)} '
                f'{text(panel.title)}" src="data:image/svg+xml;base64,{image}"></a>'
            )
    data = " ".join(f'<a href="figures/{panels[0].name}.gp">data</a>' for _, panels in columns)
    told = f"{text(figure.option.get('caption', ''))} {data}{names(figure)}"
    yield f"</div><figcaption>{told}</figcaption></figure>"


def names(figure: Figure) -> str:
    """What the numbers on the axis stand for, folded."""
    if not figure.numbered:
        return ""
    points = figure.chosen(figure.x)
    items = "".join(f"<li>{text(figure.experiment.label(point, figure.x))}</li>" for point in points)
    return f"<details><summary>{count(len(points), 'name')}</summary><ol>{items}</ol></details>"


def what_was_run(experiment: Experiment, runs: Runs, seeds: list[str]) -> str:
    """One sentence."""
    if not experiment.options.keys() & {"drive", "program"}:
        return f"{count(len(experiment.axes['workload']), 'workload')}, measured; nothing was run."
    every = {run.key: run for run in runs.run_of.values()}
    failed = sum(bool(run.error) for run in every.values())
    doubtful = len(warnings.warned(runs, every.values()))
    axes = [
        f"{axis} {', '.join(dict.fromkeys(points))}"
        for axis, points in (
            (axis, [place[i] for place in runs.run_of]) for i, axis in enumerate(experiment.axes)
        )
        if axis != "seed" and 1 < len(set(points)) <= 12
    ]
    drive = experiment.options.get("drive") or experiment.options.get("program", "")
    said = f"{count(len(every), 'run')} of {drive}" + (f": {'; '.join(axes)}" if axes else "")
    several = f"seeds {', '.join(seeds)}, means with 95 % intervals"
    said += "; " + (several if len(seeds) > 1 else "one seed, no intervals")
    said += f"; {failed} failed" if failed else ""
    said += f"; {count(len(runs.refused), 'place')} refused" if runs.refused else ""
    return f"{said}; {doubtful} with warnings, see Runs." if doubtful else f"{said}."


def all_runs(runs: Runs) -> Iterator[str]:
    every = list({run.key: run for run in runs.run_of.values()}.values())
    failed = [run for run in every if run.error]
    yield "<h2>Runs</h2>"
    if failed:
        said = "; ".join(text(f"{name_of(run)}: {run.error}") for run in failed)
        yield f'<p class="note">Failed: {said}</p>'
    if runs.refused:
        said = "; ".join(text(f"{' '.join(place)}: {why}") for place, why in runs.refused.items())
        yield f'<p class="note">Refused: {said}</p>'
    yield from warnings.on_page(runs, every)
    yield "<p>The same command gives the same bytes.</p>"
    yield f'<details><summary>{count(len(every), "command")}</summary><div class="wide"><table>'
    for run in every:
        yield (
            f'<tr id="{run.key}"><td><a href="runs/{run.key}.json">{text(name_of(run))}</a></td>'
            f"<td><code>{text(shlex.join(runs.command(run)))}</code></td></tr>"
        )
    yield "</table></div></details>"


def body(
    values: Values,
    runs: Runs,
    numbers: Numbers,
    reasons: Reasons,
    drawn: list[Drawn],
    measures: Iterable[str],
    searches: list[Search],
) -> Iterator[str]:
    experiment, found = values.experiment, blocks(drawn, numbers)
    if experiment.options.get("note"):
        yield f'<p class="note">{text(experiment.options["note"])}</p>'
    for said in warnings.of_traces(runs, {run.key: run for run in runs.run_of.values()}.values()):
        yield f'<p class="note">{text(said)}</p>'
    if "reading" in experiment.options:
        yield f"<p>{text(experiment.options['reading'])}</p>"
    if numbers.results:
        yield from numbers.score()
        yield "<h2>Every published result</h2>"
        yield (
            "<p>A dot is ours over the paper's, on a logarithmic axis. <b class='good'>Filled</b>: it "
            "comes out. <b class='off'>Hollow</b>: it is off. Grey: what counts as coming out.</p>"
        )
        yield from numbers.chart(entry for one in found for entry in one.entries)
    if found:
        yield "<h2>Figures</h2>"
    for one in found:
        yield from block(one, numbers, runs.folder)
    if not experiment.published:
        yield from measures
    yield from numbers.others()
    for name, option in reasons.matrices.items():
        yield from Matrix(name, option, values).table()
    for search in searches:
        yield from search.table()
    yield from all_runs(runs)


def write(
    path: str,
    values: Values,
    runs: Runs,
    numbers: Numbers,
    reasons: Reasons,
    drawn: list[Drawn],
    measures: Iterable[str],
    searches: list[Search],
) -> None:
    experiment = values.experiment
    with open(TEMPLATE, encoding="utf-8") as file:
        page = file.read()
    lead = " ".join(filter(None, [experiment.options.get("about"), experiment.options.get("source")]))
    said = {
        "@title@": text(experiment.options.get("title", experiment.name)),
        "@lead@": text(lead),
        "@run@": text(what_was_run(experiment, runs, values.seeds())),
        "@body@": "\n".join(body(values, runs, numbers, reasons, drawn, measures, searches)),
    }
    write_whole(path, re.sub("|".join(said), lambda mark: said[mark[0]], page))
