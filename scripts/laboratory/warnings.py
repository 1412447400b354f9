"""Warnings of runs: what the simulator found doubtful in their results, on the page and beside the table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from laboratory.reasons import count, text
from laboratory.runs import Run, Runs, kind_of, name_of


def warned(runs: Runs, all_runs: Iterable[Run]) -> list[Run]:
    return [run for run in all_runs if runs.warnings(run)]


def with_tabs(runs: Runs, all_runs: Iterable[Run]) -> str:
    """A line for each place and warning; "" if there is none."""
    out = io.StringIO()
    rows = csv.writer(out, delimiter="\t", lineterminator="\n")
    axes = list(runs.experiment.axes)
    for run in warned(runs, all_runs):
        for warning in runs.warnings(run):
            if run.alone:
                rows.writerow([*[""] * len(axes), run.key, f"{run.alone}: {warning}"])
            for place in run.places:
                rows.writerow([*place.values(), run.key, warning])
    return "\t".join([*axes, "run", "warning"]) + "\n" + out.getvalue() if out.getvalue() else ""


def last_words(runs: Runs, all_runs: Iterable[Run]) -> str:
    """For the last line of the log: how many runs have warnings, and the first of these; "" if none has."""
    found = warned(runs, all_runs)
    return f"{len(found)} with warnings: {name_of(found[0])}: {runs.warnings(found[0])[0]}" if found else ""


def of_traces(runs: Runs, all_runs: Iterable[Run]) -> list[str]:
    """Real traces that are shorter than the paper's, or have no file: a sentence for each kind."""
    short = runs.too_short(all_runs)
    told = "; ".join(f"{name}: {how}" for name, how in short.items())
    none = "; ".join(f"{name}: {trace.none}" for name, trace in runs.experiment.absent.items())
    unjudged = "Numbers of these with the real traces have no verdict."
    found = [f"Too few requests: {told}. Numbers that use these runs have no verdict."] if short else []
    return found + ([f"Traces without a file: {none}. {unjudged}"] if none else [])


def on_page(runs: Runs, all_runs: Iterable[Run]) -> Iterator[str]:
    """Warnings that differ only in their numbers are one line, which lists the runs when opened."""
    kinds: dict[str, list[tuple[Run, str]]] = {}
    for run in all_runs:
        for warning in runs.warnings(run):
            kinds.setdefault(kind_of(warning), []).append((run, warning))
    for found in kinds.values():
        shown = f"{count(len(found), 'run')}: {found[0][1]}"
        yield f'<details class="note"><summary>{text(shown)}</summary><ul>'
        for run, warning in found:
            yield f'<li><a href="#{run.key}">{text(name_of(run))}</a>: {text(warning)}</li>'
        yield "</ul></details>"
