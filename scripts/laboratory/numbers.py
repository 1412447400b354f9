"""Published numbers on the page: how many come out, all of them in a chart, the tables below figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from laboratory.reasons import Reasons, count, signs, text
from laboratory.runs import name_of
from laboratory.values import Values
from laboratory.verdicts import Compared, score

WIDEST = 8  # ours over the paper's at the ends of the chart
GROUPS = (
    ("input", "Inputs: what the paper says of drive and workloads, and what was run"),
    ("arithmetic", "Arithmetic on the numbers"),
    ("other", "Numbers of other papers"),
    ("cannot", "What no variant shows"),
)

Line = tuple[Compared, ...]  # one published number, in each column


class Numbers:
    """`columns`: every number at each point of the axis `columns`; the first says where it stands."""

    def __init__(self, values: Values, reasons: Reasons, columns: dict[str, list[Compared]]) -> None:
        self.values, self.reasons, self.columns = values, reasons, columns
        axis = values.experiment.options.get("columns", "")
        self.labels = [text(values.experiment.label(point, axis)) or "ours" for point in columns]
        self.entries: list[list[Line]] = []  # each is followed by its other readings
        for line in zip(*columns.values()):
            if line[0].row.relation == "also" and self.entries:
                self.entries[-1].append(line)
            else:
                self.entries.append([line])
        self.results = self.of_kind("result")

    def of_kind(self, kind: str) -> list[list[Line]]:
        return [entry for entry in self.entries if entry[0][0].row.kind == kind]

    def has_fitted_rows(self, point: str) -> bool:
        """True unless what is marked fitted was fitted in other columns only."""
        return point in self.values.experiment.options.get("fitted_rows", point).split() or not point

    # ---- the first lines ----

    def score(self) -> Iterator[str]:
        """Counts results only: inputs, arithmetic and other papers' numbers would come out in any case."""
        yield '<table class="score"><tr><th></th><th class="n">numbers</th><th class="n">directions</th>'
        yield '<th class="n">of these fitted</th></tr>'
        whole = self.values.experiment.options.get("fitted", "").split()  # columns that are fitted as a whole
        for label, (point, column) in zip(self.labels, self.columns.items()):
            found = score(column)
            fitted = found.near + found.holding if {point, "all"} & {*whole} else 0
            fitted = fitted or (found.fitted if self.has_fitted_rows(point) else 0)
            missing = f" ({found.not_run} not run)" if found.not_run else ""
            missing += f" ({found.not_judged} without a verdict)" if found.not_judged else ""
            yield (
                f"<tr><td>{'come out' if label == 'ours' else label}{missing}</td>"
                f'<td class="n"><b>{found.near}</b> of {found.numbers}</td>'
                f'<td class="n"><b>{found.holding}</b> of {found.directions}</td>'
                f'<td class="n">{fitted}</td></tr>'
            )
        yield "</table>"

    def chart(self, entries: Iterable[list[Line]]) -> Iterator[str]:
        """Every result: the paper's, ours, and a dot at their ratio."""
        kind = "chart one" if len(self.labels) == 1 else "chart"
        yield f'<table class="{kind}"><tr><th></th><th class="what"></th><th class="n">paper</th>'
        for label in self.labels:
            yield f'<th class="n ours">{label}</th><th class="strip">{scale()}</th>'
        yield "</tr>"
        where = ""
        for line in (entry[0] for entry in entries):
            row = line[0].row
            yield f"<tr><th>{text(row.where) if row.where != where else ''}</th>"
            where = row.where
            marked = ' <i class="fitted">fitted</i>' if row.fitted else ""
            what = f'<a href="#n-{text(row.id)}" title="{text(row.what)}">{text(row.what)}</a>'
            yield f'<td class="what">{what}{marked}</td><td class="n">{text(signs(line[0].paper))}</td>'
            for one in line:
                yield f'<td class="n ours {one.state}">{text(signs(one.ours))}</td>'
                yield f'<td class="strip">{strip(one)}</td>'
            yield "</tr>"
        yield "</table>"

    # ---- tables ----

    def table(self, entries: Iterable[list[Line]], headed: bool = True) -> Iterator[str]:
        """Numbers that are off come first; if `headed`, all are grouped by their place in the paper."""
        yield '<table class="stack"><tr><th>number</th><th class="n">paper</th>'
        for label in self.labels:
            yield f'<th class="n">{label}</th><th class="n">deviation</th><th>verdict</th>'
        yield "</tr>"
        where = ""
        for entry in entries if headed else sorted(entries, key=lambda entry: not entry[0][0].missed):
            if headed and entry[0][0].row.where != where:
                where = entry[0][0].row.where
                yield f'<tr class="group"><td colspan="{2 + 3 * len(self.labels)}">{text(where)}</td></tr>'
            for line in entry:
                yield self.row(line)
        yield "</table>"

    def row(self, line: Line) -> str:
        """Our number and its verdict in each column; the reason and the runs are folded."""
        row = line[0].row
        cells = [
            f"<td><span>{text(row.what)}</span>{self.folded(line)}</td>",
            f'<td class="n" data-is="paper">{text(signs(line[0].paper))}</td>',
        ]
        for point, label, one in zip(self.columns, self.labels, line):
            deviation = "" if one.deviation == "-" else text(signs(one.deviation))
            verdict = "refuted" if self.reasons.refuted(one) else one.verdict
            judged = one.verdict and not one.why_none
            fitted = "fitted, " if row.fitted and judged and self.has_fitted_rows(point) else ""
            kind = "off" if verdict == "refuted" else one.state
            ours = signs(f"{one.ours} {one.spread}".rstrip())
            cells += [
                f'<td class="n" data-is="{label}">{text(ours)}</td>',
                f'<td class="n" data-is="deviation">{deviation}</td>',
                f'<td><span class="{kind}">{fitted}{text(verdict)}</span></td>',
            ]
        kind = "reading" if row.relation == "also" else "missed" if line[0].missed else ""
        return f'<tr id="n-{text(row.id)}" class="{kind}">' + "".join(cells) + "</tr>"

    def folded(self, line: Line) -> str:
        row, why = line[0].row, self.reasons.whole(line)
        found = f"<details><summary>why</summary>{self.reasons.note(row, why)}</details>" if why else ""
        if line[0].runs:
            links = " ".join(f'<a href="#{run.key}">{text(name_of(run))}</a>;' for run in line[0].runs)
            found += f"<details><summary>{count(len(line[0].runs), 'run')}</summary>{links}</details>"
        return found

    def others(self) -> Iterator[str]:
        """Numbers that are not results, folded; the visible line says how many inputs are off."""
        for kind, heading in GROUPS:
            found = self.of_kind(kind)
            if not found:
                continue
            off = [sum(entry[0][i].missed for entry in found) for i in range(len(self.labels))]
            told = ", ".join(
                f"{missed} off{'' if label == 'ours' else f' ({label})'}"
                for missed, label in zip(off, self.labels)
                if missed
            )
            told = (told or "all hold") if kind == "input" else ""
            yield f"<h2>{heading}</h2><details{'' if self.results else ' open'}>"
            yield f"<summary>{count(len(found), 'number')}{told and ', ' + told}</summary>"
            yield from self.table(found)
            yield "</details>"


def position(ratio: float) -> float:
    """Position of a ratio on the logarithmic axis, in per cent of its width."""
    share = math.log(min(max(ratio, 1 / WIDEST), WIDEST)) / math.log(WIDEST) if ratio > 0 else -1
    return 50 + 50 * share


def scale() -> str:
    ends = ((1 / 4, "¼"), (1 / 2, "½"), (1, "1"), (2, "2"), (4, "4"))
    return "".join(f'<s style="left:{position(ratio):.1f}%">{name}</s>' for ratio, name in ends)


def strip(one: Compared) -> str:
    """A band for values that hold; a dot for ours, or an arrow if it is beyond the end or of another sign."""
    found = ""
    for _, low, high in one.ratios[:2]:
        left, right = position(low), position(high)
        found += f'<u style="left:{left:.1f}%;width:{max(right - left, 1):.1f}%"></u>'
    for ratio, _, _ in one.ratios[:2]:
        beyond = " less" if ratio < 1 / WIDEST else " more" if ratio > WIDEST else ""
        found += f'<b class="{one.state}{beyond}" style="left:{position(ratio):.1f}%"></b>'
    return f"<div>{found}</div>"
