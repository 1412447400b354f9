"""The report: one page that needs nothing but itself.  What misses the paper stands first, then what holds."""
from __future__ import annotations

import base64
import html
import os
import re
import shlex
from collections.abc import Callable, Iterator

from laboratory.description import Mistake, NotRun, Published
from laboratory.figures import Figure, Panel
from laboratory.runs import Run, Runs, write_whole
from laboratory.values import Compared, Values

TEMPLATE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "report.html")
SHOWN = 4  # variants that a note names


def text(value: object) -> str:
    return html.escape(str(value), quote=True)


def signs(value: str) -> str:
    """A real minus sign before a number."""
    return re.sub(r"(^|\s)-(?=\d)", "\\1\u2212", value)


def name_of(run: Run) -> str:
    return " ".join(run.places[0].values())


def reason(row: Published, note: str, values: Values, link: bool = True) -> str:
    """A note, every {point} in it replaced by what the number is there, of a point that was run."""
    def one(found: re.Match[str]) -> str:
        ours = values.compare(row, {values.experiment.axis_of(found[1]): found[1]}).ours
        name = f'<a href="#at-{found[1]}">{found[1]}</a>' if link else found[1]
        return name + ("" if ours == "-" else " " + (text(signs(ours)) if link else ours))
    return re.sub(r"{(\w+)}", one, text(note) if link else note)


def variants(usual: Compared, matrices: dict[str, dict[str, str]], values: Values) -> str:
    """A note: where in the matrices of the first column a verdict is another; if it is off everywhere, where it is nearest."""
    experiment, found = values.experiment, []
    where = usual.row.where
    if where.startswith("Table") or where.startswith("Not to be had") and not usual.runs or not usual.verdict or usual.value is None:
        return ""
    columns = experiment.options.get("columns", "")
    for name, option in matrices.items():
        at, axis = experiment.place(option.get("at", "")), option["axis"]
        if columns in at and at[columns] != experiment.points(columns)[0]:
            continue
        for point in experiment.points(axis, name)[1:]:  # the first changes nothing
            try:
                found.append((point, values.compare(usual.row, at | {axis: point})))
            except NotRun:
                continue
    found = [(point, other) for point, other in found if other.value is not None]
    if not found:
        return ""
    found.sort(key=lambda one: one[1].distance, reverse=not usual.missed)
    changed = [point for point, other in found if other.missed != usual.missed]
    named = ", ".join(f"{{{point}}}" for point in changed[:SHOWN]) + (" and others" if len(changed) > SHOWN else "")
    if not changed:
        return f"Met with none of {len(found)} variants; nearest {{{found[0][0]}}}." if usual.missed else f"Met with all {len(found)} variants."
    return f"{'Met' if usual.missed else 'Not met'} with {len(changed)} of {len(found)} variants: {named}."


def number_row(rows: tuple[Compared, ...], figures: dict[str, Figure], labels: list[str], values: Values,
               matrices: dict[str, dict[str, str]]) -> str:
    """A number, linked to its figure (the one whose title begins with where it stands), with its runs; of each column
    (labels) ours, how far it is off, and what that means."""
    row = rows[0]
    where = next((n for n, f in figures.items() if f.option.get("title", "").startswith(row.row.where.split("(")[0])), "")
    what = f'<a href="#{where}">{text(row.row.what)}</a>' if where else text(row.row.what)
    runs = " ".join(f'<a href="#{run.key}">{text(name_of(run))}</a>;' for run in row.runs)
    runs = f"<details><summary>{len(row.runs)} runs</summary>{runs}</details>" if runs else ""
    cells = [("", what + runs), ("paper", text(signs(row.paper)))]
    for label, one in zip(labels, rows):
        kind = "off" if one.missed else "out" if one.verdict == "left out" else "good"
        cells += [(label, text(signs(f"{one.ours} {one.spread}"))), ("deviation", "" if one.deviation == "-" else text(signs(one.deviation))),
                  ("", f'<span class="{kind}">{one.verdict}</span>')]
    notes = [row.row.note if any(one.missed or not one.verdict for one in rows) else "", variants(row, matrices, values)]
    why = reason(row.row, " ".join(filter(None, notes)), values)
    return "<tr>" + "".join(f'<td class="{"n" if is_ else ""}"' + (f' data-is="{is_}"' if is_ else "") + f">{cell}</td>"
                            for is_, cell in cells) + f'<td class="why">{why}</td></tr>'


def number_table(rows: list[tuple[Compared, ...]], figures: dict[str, Figure], columns: list[str], values: Values,
                 matrices: dict[str, dict[str, str]]) -> Iterator[str]:
    labels = [text(values.experiment.label(column, values.experiment.options.get("columns", ""))) or "ours" for column in columns]
    yield '<table class="stack"><tr><th>number</th><th class="n">paper</th>'
    for label in labels:
        yield f'<th class="n">{label}</th><th class="n">deviation</th><th>verdict</th>'
    yield "<th>why</th></tr>"
    last = ""
    for row in rows:
        if row[0].row.where != last:
            yield f'<tr class="group"><td colspan="{3 + 3 * len(columns)}">{text(row[0].row.where)}</td></tr>'
        last = row[0].row.where
        yield number_row(row, figures, labels, values, matrices)
    yield "</table>"


def numbers(columns: dict[str, list[Compared]], figures: dict[str, Figure], values: Values,
            matrices: dict[str, dict[str, str]]) -> Iterator[str]:
    """Published numbers, each once, other readings of it behind it; the first column says where it stands."""
    compared: list[list[tuple[Compared, ...]]] = []
    for row in zip(*columns.values()):
        if row[0].row.relation == "also" and compared:
            compared[-1].append(row)
        else:
            compared.append([row])
    inputs = [rows for rows in compared if rows[0][0].row.where.startswith("Table")]
    hopeless = [rows for rows in compared if rows[0][0].row.where.startswith("Not to be had")]
    others = [rows for rows in compared if rows not in inputs and rows not in hopeless]
    for heading, found in (("What differs from the paper", [rows for rows in others if rows[0][0].missed]),
                           ("What holds", [rows for rows in others if not rows[0][0].missed]),
                           ("What is not to be had, and what was measured", hopeless)):
        if found:
            yield f"<h2>{heading}: {len(found)} of {len(others) + len(hopeless)} numbers</h2>"
            reading = values.experiment.options.get("reading", "") if found[0][0][0].missed and found is not hopeless else ""
            yield f"<p>{text(reading)}</p>" if reading else ""
            yield from number_table(sum(found, []), figures, list(columns), values, matrices)
    if inputs:
        missed = ", ".join(str(sum(rows[0][i].missed for rows in inputs)) for i in range(len(columns)))
        yield f"<details><summary>Inputs: {len(inputs)} numbers of tables, {missed} off</summary>"
        yield from number_table(sum(inputs, []), figures, list(columns), values, matrices)
        yield "</details>"


def pictures(figures: dict[str, Figure], panels: dict[str, list[Panel]], folder: str) -> Iterator[str]:
    yield "<h2>Figures</h2>"
    for name, figure in figures.items():
        yield f'<figure id="{name}"><div class="panels">'
        for panel in panels[name]:
            with open(os.path.join(folder, "figures", panel.name + ".svg"), "rb") as file:
                picture = base64.b64encode(file.read()).decode()
            wide = ' class="wide"' if figure.option.get("wide") == "yes" else ""
            yield (f'<a{wide} href="figures/{panel.name}.svg"><img alt="{text(panel.title)}" '
                   f'src="data:image/svg+xml;base64,{picture}"></a>')
        yield (f"</div><figcaption><b>{text(figure.option.get('title', name))}.</b> {text(figure.option.get('caption', ''))} "
               f'<a href="figures/{panels[name][0].name}.gp">data</a></figcaption></figure>')


def all_runs(runs: Runs) -> Iterator[str]:
    every = list({run.key: run for run in runs.run_of.values()}.values())
    failed = [run for run in every if run.error]
    yield "<h2>Runs</h2>"
    if failed:
        yield '<p class="note">Failed: ' + "; ".join(text(f"{name_of(run)}: {run.error}") for run in failed) + "</p>"
    yield f"<p>The same command gives the same bytes.</p><details><summary>{len(every)} commands</summary><div class='wide'><table>"
    for run in every:
        yield (f'<tr id="{run.key}"><td><a href="runs/{run.key}.json">{text(name_of(run))}</a></td>'
               f"<td><code>{text(shlex.join(runs.command(run)))}</code></td></tr>")
    yield "</table></div></details>"


def matrix(name: str, option: dict[str, str], values: Values) -> Iterator[str]:
    """Published numbers (columns) under each point of an axis (rows): what the conclusions depend on."""
    experiment, axis = values.experiment, option["axis"]
    rows = {row.id: row for row in experiment.published}
    columns = option["numbers"].split()
    if set(columns) - rows.keys():
        raise Mistake(f"[matrix {name}] {(set(columns) - rows.keys()).pop()}: published.tsv has no such number")
    yield f'<h2>{text(option.get("title", name))}</h2><p>{text(option.get("caption", ""))}</p>'
    yield ('<p><span class="off">Red</span>: the conclusion is reversed. <span class="far">Amber</span>: more than a quarter '
           'away from the first row.</p><div class="wide"><table><tr><th></th>')
    yield "".join(f'<th class="n" title="{text(rows[c].what)}">{text(c)}</th>' for c in columns) + "</tr><tr><td>the paper</td>"
    yield "".join(f'<td class="n">{text(signs(rows[c].paper.replace(" ", " … ")))}</td>' for c in columns) + "</tr>"
    first: dict[str, float | None] = {}
    for point in experiment.points(axis, name):
        yield f'<tr id="at-{point}"><td>{text(experiment.label(point, axis))}</td>'
        for c in columns:
            found = values.compare(rows[c], experiment.place(option.get("at", "")) | {axis: point})
            default = first.setdefault(c, found.value)
            yield f'<td class="n {state(float(rows[c].paper.split()[0]), default, found)}">{text(signs(cell(found)))}</td>'
        yield "</tr>"
    yield "</table></div>"


def cell(found: Compared) -> str:
    digits = 2 if found.row.unit == "factor" else 1
    return "" if found.value is None else f"{found.value:{'+' if found.row.unit == 'change' else ''}.{digits}f}"


def state(paper: float, default: float | None, found: Compared) -> str:
    value, unit = found.value, found.row.unit
    if value is None:
        return ""
    if unit == "change" and paper * value < 0 or unit == "factor" and paper > 1 > value:
        return "off"
    return "far" if default is not None and abs(value - default) > 0.25 * abs(default) else ""


def write(path: str, title: str, lead: str, body: list[str]) -> None:
    with open(TEMPLATE, encoding="utf-8") as file:
        page = file.read()
    for mark, said in (("@title@", text(title)), ("@lead@", text(lead)), ("@body@", "\n".join(body))):
        page = page.replace(mark, said)
    write_whole(path, page)
