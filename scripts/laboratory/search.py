"""A search: published numbers at every combination of what a paper leaves open.

[search NAME] lists axes and their points, as a grid does.  Whatever the page says of "the best" or "none" is
computed from its table, which is also written as search-NAME.tsv.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from laboratory.description import OF_SEARCH, Experiment, Place
from laboratory.mistake import Mistake
from laboratory.published import Published
from laboratory.reasons import count, head, signs, text
from laboratory.values import Values
from laboratory.verdicts import Compared

SHOWN = 12  # of the points with the most numbers


def searched(experiment: Experiment, name: str) -> list[Published]:
    """The numbers that a search compares: by default all results that are not directions."""
    rows = {row.id: row for row in experiment.published}
    results = [
        row.id
        for row in rows.values()
        if row.kind == "result" and row.relation != "also" and not row.direction
    ]
    chosen = experiment.searches[name].get("numbers", "").split() or results
    unknown = [one for one in chosen if one not in rows]
    if unknown:
        raise Mistake(f"[search {name}] {unknown[0]}: published.tsv has no such number")
    return [rows[one] for one in chosen]


@dataclass
class Point:
    place: Place  # of the axes that are searched
    found: list[Compared]
    changed: Place  # where it is not at the default

    @property
    def near(self) -> int:
        return sum(one.state == "good" for one in self.found)


class Search:
    """`columns`: places of the page's columns; a point with the same runs as one of them is named so."""

    def __init__(self, name: str, option: dict[str, str], values: Values, columns: dict[str, Place]) -> None:
        self.name, self.option, self.values = name, option, values
        self.experiment = experiment = values.experiment
        self.title = option.get("title", name)
        self.axes = [axis for axis in option if axis not in OF_SEARCH]
        self.rows = searched(experiment, name)
        points = itertools.product(*(experiment.points(axis, name) for axis in self.axes))
        self.points = [self.point(dict(zip(self.axes, point))) for point in points]
        self.best = sorted(self.points, key=lambda one: (-one.near, len(one.changed)))
        self.named = {
            self.runs_at(place): text(experiment.label(column)) for column, place in columns.items()
        }

    def point(self, place: Place) -> Point:
        usual = self.experiment.defaults
        changed = {axis: point for axis, point in place.items() if point != usual.get(axis)}
        return Point(place, [self.values.compare(row, place) for row in self.rows], changed)

    def runs_at(self, place: Place) -> frozenset[str]:
        """Keys of the runs that the numbers need."""
        return frozenset(run.key for row in self.rows for run in self.values.compare(row, place).runs)

    def words(self, point: Point) -> str:
        """What is not at its default, and the column that shows this point."""
        label, title = self.experiment.label, self.experiment.title_of
        told = "; ".join(f"{title(axis)}: {label(at, axis)}" for axis, at in point.changed.items())
        return told or "the default"

    def nearest(self, i: int) -> Point:
        """The point at which number `i` is nearest to the paper's."""
        return min(self.points, key=lambda one: (one.found[i].distance, len(one.changed)))

    # ---- what a number's reason says ----

    def of_number(self, id_: str) -> str:
        """A sentence for the reasons of a number; empty if it is not searched."""
        ids = [row.id for row in self.rows]
        if id_ not in ids:
            return ""
        i = ids.index(id_)
        met, all_ = sum(one.found[i].state == "good" for one in self.points), len(self.points)
        if met:
            return f"Comes out at {met:,} of the {all_:,} points that were searched."
        near = self.nearest(i)
        return (
            f"Comes out at none of the {all_:,} points that were searched; nearest {near.found[i].ours} "
            f"({self.words(near)})."
        )

    # ---- on the page ----

    def table(self) -> Iterator[str]:
        points = "; ".join(
            f"{self.experiment.title_of(axis)} {', '.join(map(str, self.named_points(axis)))}"
            for axis in self.axes
        )
        yield f'<h2 id="search-{text(self.name)}">{text(self.title)}</h2>'
        yield f"<p>{text(self.option.get('caption', ''))} {len(self.points):,} points, every combination of: "
        yield f"{text(points)}.</p>"
        yield from self.by_choices()
        yield from self.by_number()
        yield from self.by_point()

    def named_points(self, axis: str) -> list[str]:
        return [self.experiment.label(point, axis) for point in self.experiment.points(axis, self.name)]

    def by_choices(self) -> Iterator[str]:
        """How many numbers come out with how many choices other than the default."""
        yield '<table><tr><th class="n">changed</th><th class="n">points</th>'
        yield '<th class="n">most that come out</th><th>where</th></tr>'
        for changed in range(len(self.axes) + 1):
            of_these = [one for one in self.best if len(one.changed) == changed]
            if of_these:
                most = of_these[0]
                yield f'<tr><td class="n">{changed}</td><td class="n">{len(of_these):,}</td>'
                yield f'<td class="n">{most.near} of {len(self.rows)}</td>'
                yield f"<td>{text(self.words(most))}</td></tr>"
        yield "</table>"

    def by_number(self) -> Iterator[str]:
        """At how many points each number comes out, and where it is nearest."""
        yield '<table><tr><th>number</th><th class="n">paper</th><th class="n">comes out at</th>'
        yield '<th class="n">nearest</th><th>where</th></tr>'
        for i, row in enumerate(self.rows):
            near = self.nearest(i)
            met = sum(one.found[i].state == "good" for one in self.points)
            yield f'<tr><td><a href="#n-{text(row.id)}">{text(row.what)}</a></td>'
            yield f'<td class="n">{text(signs(near.found[i].paper))}</td>'
            yield f'<td class="n">{count(met, "point")}</td>'
            yield f'<td class="n {near.found[i].state}">{text(signs(near.found[i].ours))}</td>'
            yield f"<td>{text(self.words(near))}</td></tr>"
        yield "</table>"

    def by_point(self) -> Iterator[str]:
        """The points with the most numbers, and those that the page's columns show."""
        heads = "".join(
            f'<th class="n"><a href="#n-{text(row.id)}" title="{text(row.what)}">'
            f"{text(head(row.where))}</a></th>"
            for row in self.rows
        )
        yield f'<div class="wide"><table class="matrix"><tr><th></th><th class="n">come out</th>{heads}</tr>'
        papers = "".join(f'<td class="n">{text(signs(one.paper))}</td>' for one in self.best[0].found)
        yield f'<tr><th>the paper</th><td class="n"></td>{papers}</tr>'
        columns = [one for one in self.best[SHOWN:] if self.runs_at(one.place) in self.named]
        for one in [*self.best[:SHOWN], *columns]:
            column = self.named.get(self.runs_at(one.place), "")
            cells = "".join(f'<td class="n {each.state}">{text(signs(each.ours))}</td>' for each in one.found)
            yield f"<tr><th>{f'<b>{column}</b>: ' if column else ''}{text(self.words(one))}</th>"
            yield f'<td class="n">{one.near}</td>{cells}</tr>'
        yield "</table></div>"

    def tsv(self) -> str:
        lines = [[*self.axes, "come_out", *(row.id for row in self.rows)]]
        lines += [
            [*one.place.values(), str(one.near), *(each.ours for each in one.found)] for one in self.points
        ]
        return "".join("\t".join(line) + "\n" for line in lines)
