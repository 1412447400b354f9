"""Why a number is off: its note, where {POINT} shows the number at that point, and what its variants show.

A variant is a point of a matrix's axis.  One that departs from what the paper publishes (`outside`) explains
nothing: it is in the matrix, marked, but in no count, and no note may name it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable

from laboratory.description import NAMED, Experiment
from laboratory.mistake import NotRun
from laboratory.published import Published
from laboratory.values import Values
from laboratory.verdicts import Compared

SHOWN = 4  # variants that a sentence names


def text(value: object) -> str:
    return html.escape(str(value), quote=True)


def signs(value: str) -> str:
    """A real minus sign before a number."""
    return re.sub(r"(^|\s)-(?=\d)", "\\1\u2212", value)


def count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def head(title: str) -> str:
    """The figure or table of a number: "Fig. 9(b)" for "Fig. 9(b), more"."""
    return title.partition(",")[0].partition(":")[0].strip()


class Reasons:
    """`grids`: those that are run; the matrices of other grids are not on the page.  `of_search`: what the
    searches that were run say of a number."""

    def __init__(
        self, values: Values, grids: list[str], of_search: Iterable[Callable[[str], str]] = ()
    ) -> None:
        self.values, self.experiment, self.of_search = values, values.experiment, list(of_search)
        self.matrices = {name: option for name, option in self.experiment.matrices.items() if name in grids}
        self.rows = {row.id: row for row in self.experiment.published}
        self.linked = {
            point
            for name, option in self.matrices.items()
            for point in self.experiment.points(option["axis"], name)
        }

    def note(self, row: Published, note: str) -> str:
        """{row} becomes a link to that number; {point} shows the number at that point, if it was run."""

        def one(found: re.Match[str]) -> str:
            name = found[1]
            if name in self.rows:
                return f'<a href="#n-{name}">{text(self.rows[name].where)}</a>'
            shown = f'<a href="#at-{name}">{name}</a>' if name in self.linked else f"<code>{name}</code>"
            return f"{shown} {text(signs(self.at(row, name)))}".rstrip()

        return NAMED.sub(one, text(note))

    def plain(self, row: Published, note: str) -> str:
        def one(found: re.Match[str]) -> str:
            name = found[1]
            return self.rows[name].where if name in self.rows else f"{name} {self.at(row, name)}".rstrip()

        return NAMED.sub(one, note)

    def at(self, row: Published, point: str) -> str:
        ours = self.values.compare(row, {self.experiment.axis_of(point): point}).ours
        return "" if ours == "-" else ours

    def variants(self, usual: Compared) -> list[tuple[str, Compared]]:
        """The number at other points of the first column's matrices, nearest first (last if not off)."""
        row, found = usual.row, []
        if row.kind not in ("result", "cannot") or row.relation == "also" or usual.state == "out":
            return []
        columns = self.experiment.options.get("columns", "")
        for name, option in self.matrices.items():
            place, axis = self.experiment.place(option.get("at", "")), option["axis"]
            if columns in place and place[columns] != self.experiment.points(columns)[0]:
                continue
            for point in variants_of(self.experiment, name):
                try:
                    found.append((point, self.values.compare(row, place | {axis: point})))
                except NotRun:
                    continue
        found = [(point, other) for point, other in found if other.value is not None]
        return sorted(found, key=lambda one: one[1].distance, reverse=not usual.missed)

    def computed(self, usual: Compared) -> str:
        """What matrices and searches say of a number."""
        searched = (said(usual.row.id) for said in self.of_search)
        return " ".join(filter(None, [self.of_variants(usual), *searched]))

    def of_variants(self, usual: Compared) -> str:
        """A sentence: with how many variants the verdict changes, or which variant is nearest."""
        found = self.variants(usual)
        if not found:
            return ""
        changed = [point for point, other in found if other.missed != usual.missed]
        if not changed:
            if usual.missed:
                return f"Met with none of {count(len(found), 'variant')}; nearest {{{found[0][0]}}}."
            return f"Met with all {count(len(found), 'variant')}."
        named = ", ".join(f"{{{point}}}" for point in changed[:SHOWN])
        others = " and others" if len(changed) > SHOWN else ""
        said = "Met" if usual.missed else "Not met"
        return f"{said} with {len(changed)} of {count(len(found), 'variant')}: {named}{others}."

    def whole(self, rows: tuple[Compared, ...]) -> str:
        """Note and variants of a number; without the note of a result that comes out in every column."""
        usual = rows[0]
        told = usual.row.kind != "result" or any(one.missed or not one.verdict for one in rows)
        return " ".join(filter(None, [usual.row.note if told else "", self.computed(usual)]))

    def refuted(self, usual: Compared) -> bool:
        """True if the number is of kind `cannot`, but a variant meets it."""
        return usual.row.kind == "cannot" and any(not other.missed for _, other in self.variants(usual))


def variants_of(experiment: Experiment, matrix: str) -> list[str]:
    """Points of a matrix without the default, and without those that contradict the paper."""
    option = experiment.matrices[matrix]
    points = experiment.points(option["axis"], matrix)
    usual = experiment.defaults.get(option["axis"], points[0])
    return [point for point in points if point != usual and point not in option.get("outside", "").split()]
