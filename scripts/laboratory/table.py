"""The table of results: a line for each place, as a tab-separated file and on the page."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterable, Iterator

from laboratory.description import Place
from laboratory.reasons import count, text
from laboratory.runs import Run, Runs
from laboratory.values import Values
from laboratory.verdicts import Value


def state(place: Place, run: Run | None, runs: Runs) -> str:
    if why := runs.refused.get(tuple(place.values())):
        return f"refused: {why}"
    if not run:
        return "only measured"
    if run.error:
        return run.error
    found = runs.load(runs.path(run.key)).get("statistics")
    return "missing" if found is None else "drive failed" if found.get("run.drive_failed") else "done"


def written(value: object) -> str:
    return "" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value)


def with_tabs(
    values: Values, runs: Runs, all_runs: Iterable[Run], places: list[Place], measures: list[str]
) -> str:
    """Axes, then `run`, its key, and `state`; then a column for each measure."""
    run_of = {tuple(place.values()): run for run in all_runs for place in run.places}
    out = io.StringIO()
    rows = csv.writer(out, delimiter="\t", lineterminator="\n")
    rows.writerow([*values.experiment.axes, "run", "state", *measures])
    for place in places:
        run = run_of.get(tuple(place.values()))
        found = [written(values.measure(measure, place)) for measure in measures]
        rows.writerow([*place.values(), run.key if run else "", state(place, run, runs), *found])
    return out.getvalue()


def digits(value: Value, half: float) -> str:
    """Four significant digits, and half the interval in two."""
    if value is None:
        return ""
    return f"{value:.4g}" + (f" ± {half:.2g}" if half else "")


def on_page(values: Values, runs: Runs, places: list[Place], tsv: str) -> Iterator[str]:
    """Means over the seeds with their intervals; a click on a column's head sorts by it."""
    experiment = values.experiment
    axes = [
        axis for axis in experiment.axes if axis != "seed" and len({place[axis] for place in places}) > 1
    ] or ["workload"]
    shown = {tuple(place[axis] for axis in axes): place for place in places}
    link = "data:text/tab-separated-values;base64," + base64.b64encode(tsv.encode()).decode()
    yield f"<h2>Measures</h2><p>{count(len(shown), 'place')}; a head sorts. "
    yield f'<a href="{link}" download="{text(experiment.name)}.tsv">Download as TSV</a>, each seed apart.</p>'
    yield '<div class="wide"><table class="sort"><thead><tr>'
    yield "".join(f"<th>{text(experiment.title_of(axis))}</th>" for axis in axes)
    yield "".join(f'<th class="n">{text(experiment.label(measure))}</th>' for measure in experiment.measures)
    yield "</tr></thead><tbody>"
    for points, place in shown.items():
        labels = (experiment.label(point, axis) for axis, point in zip(axes, points))
        yield "<tr>" + "".join(f"<td>{text(label)}</td>" for label in labels)
        for measure in experiment.measures:
            value, half = spread(values, measure, place)
            yield f'<td class="n" data-value="{written(value)}">{text(digits(value, half))}</td>'
        yield "</tr>"
    yield "</tbody></table></div>"


def spread(values: Values, measure: str, place: Place) -> tuple[Value, float]:
    """A measure may be a text: then there is nothing to average."""
    try:
        return values.spread(measure, place)
    except ValueError:
        return None, 0.0
