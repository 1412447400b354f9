"""Published numbers at each point of an axis, to show what the conclusions depend on."""

from __future__ import annotations

from collections.abc import Iterator

from laboratory.mistake import Mistake
from laboratory.reasons import head, signs, text
from laboratory.values import Values
from laboratory.verdicts import Compared

LEGEND = (
    '<p><b class="off">Red</b>: the conclusion is reversed. <b class="far">Amber</b>: more than a '
    "quarter away from the settings of all figures.</p>"
)


class Matrix:
    def __init__(self, name: str, option: dict[str, str], values: Values) -> None:
        self.option, self.experiment, self.axis = option, values.experiment, option["axis"]
        self.title = option.get("title", name)
        self.rows = {row.id: row for row in self.experiment.published}
        self.numbers = option["numbers"].split()
        self.points = self.experiment.points(self.axis, name)
        self.outside = option.get("outside", "").split()
        unknown = [one for one in self.numbers if one not in self.rows]
        if unknown:
            raise Mistake(f"[matrix {name}] {unknown[0]}: published.tsv has no such number")
        place = self.experiment.place(option.get("at", ""))
        self.found = {
            (one, point): values.compare(self.rows[one], place | {self.axis: point})
            for point in self.points
            for one in self.numbers
        }
        self.usual = self.experiment.defaults.get(self.axis, self.points[0])

    def table(self) -> Iterator[str]:
        """Points are the rows or, if there are fewer points than numbers, the columns."""
        yield f"<h2>{text(self.title)}</h2><p>{text(self.option.get('caption', ''))}</p>{LEGEND}"
        yield '<div class="wide"><table class="matrix">'
        yield from self.points_across() if len(self.points) < len(self.numbers) else self.points_down()
        yield "</table></div>"

    def points_down(self) -> Iterator[str]:
        heads = "".join(f'<th class="n">{self.name(one)}</th>' for one in self.numbers)
        yield f'<tr><th></th><th class="n">come out</th>{heads}</tr>'
        yield f"<tr><th>the paper</th><td></td>{''.join(map(self.paper, self.numbers))}</tr>"
        for point in self.points:
            kind = ' class="outside"' if point in self.outside else ""
            fields = "".join(self.field(one, point) for one in self.numbers)
            yield (
                f'<tr id="at-{text(point)}"{kind}><th>{self.label(point)}</th>'
                f"{self.score(point)}{fields}</tr>"
            )

    def points_across(self) -> Iterator[str]:
        heads = "".join(
            f'<th class="n" id="at-{text(point)}">{self.label(point)}</th>' for point in self.points
        )
        yield f'<tr><th></th><th class="n">the paper</th>{heads}</tr>'
        yield f"<tr><th>come out</th><td></td>{''.join(map(self.score, self.points))}</tr>"
        for one in self.numbers:
            fields = "".join(self.field(one, point) for point in self.points)
            what = f"{self.name(one)} {text(self.rows[one].what)}"
            yield f"<tr><th>{what}</th>{self.paper(one)}{fields}</tr>"

    def score(self, point: str) -> str:
        """How many of the numbers come out at this point."""
        near = sum(self.found[one, point].state == "good" for one in self.numbers)
        return f'<td class="n">{near} of {len(self.numbers)}</td>'

    def name(self, one: str) -> str:
        row = self.rows[one]
        return f'<a href="#n-{text(one)}" title="{text(row.what)}">{text(head(row.where))}</a>'

    def label(self, point: str) -> str:
        label = self.experiment.label(point, self.axis)
        if point in self.outside:
            label += f" ({self.option.get('leaves', 'leaves what is published')})"
        return text(label) if label.startswith(point) else f"<code>{text(point)}</code> {text(label)}"

    def paper(self, one: str) -> str:
        ends = " … ".join(f"{end:g}" for end in self.rows[one].paper)
        return f'<td class="n">{text(signs(ends))}</td>'

    def field(self, one: str, point: str) -> str:
        ours = self.found[one, point]
        form = {"factor": ".2f", "change": "+.1f"}.get(ours.row.unit, ".1f")
        shown = "" if ours.value is None else format(ours.value, form)
        return f'<td class="n {state(ours, self.found[one, self.usual])}">{text(signs(shown))}</td>'


def state(ours: Compared, usual: Compared) -> str:
    """off: the conclusion is reversed; far: the setting moves the number."""
    value, unit, paper = ours.value, ours.row.unit, ours.row.paper[0]
    if value is None:
        return ""
    if unit == "change" and paper * value < 0 or unit == "factor" and paper > 1 > value:
        return "off"
    return "far" if usual.value is not None and abs(value - usual.value) > 0.25 * abs(usual.value) else ""
