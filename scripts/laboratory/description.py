"""Descriptions of experiments: axes of settings, grids of places, measures, figures, published numbers.

docs/experiments.md describes the file.  This module only reads it.  A description that
makes no sense raises a Mistake that names the section.
"""

from __future__ import annotations

import configparser
import fnmatch
import glob
import itertools
import math
import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field

from laboratory import expression, real_traces
from laboratory.mistake import Mistake
from laboratory.published import Published, read_published
from laboratory.real_traces import Trace

Place = dict[str, str]  # axis: point
Points = dict[str, list[str]]  # point: words
MOST_POINTS = 10_000  # of an axis
MOST_PLACES = 1_000_000
SECTIONS = {
    "experiment",
    "numbers",
    "defaults",
    "measures",
    "labels",
    "axis",
    "grid",
    "search",
    "figure",
    "matrix",
    "trace",
}
OPTIONS = {
    "title",
    "about",
    "source",
    "reading",
    "stamp",
    "drive",
    "program",
    "fold",
    "columns",
    "fitted",
    "fitted_rows",
    "strict",
    "alone",
    "note",
    "grids",
}
OF_MATRIX = {"axis", "numbers", "at", "title", "caption", "outside", "leaves"}
OF_SEARCH = {"numbers", "title", "caption"}  # its other options are axes
NO_FILE = "none:"  # before the name of a trace, in place of a workload
PLAIN = re.compile(r"\w[\w.-]*")  # names of files
NAMED = re.compile(r"{([\w.-]+)}")  # in a note: a point, or another number


@dataclass
class Experiment:
    name: str
    folder: str  # of the description
    options: dict[str, str]  # [experiment]
    numbers: dict[str, object]
    axes: dict[str, Points]  # words: `KEY=VALUE`; the first of a workload is its name
    defaults: Place
    grids: dict[str, dict[str, list[str]]]  # "" is the one that is always run; those of searches, too
    measures: dict[str, str]
    labels: dict[str, str]
    figures: dict[str, dict[str, str]]
    matrices: dict[str, dict[str, str]]
    published: list[Published] = field(default_factory=list)
    instead: dict[str, dict[str, Points]] = field(default_factory=dict)  # point: axis: its points there
    searches: dict[str, dict[str, str]] = field(default_factory=dict)  # the axes of each: a grid of its name
    traces: dict[str, Trace] = field(default_factory=dict)  # that were found, by path
    absent: dict[str, Trace] = field(default_factory=dict)  # those without a file, by name

    def label(self, name: str, axis: str = "") -> str:
        """The label of `AXIS POINT`, or else of `POINT`, or else the name itself."""
        return self.labels.get(f"{axis} {name}", self.labels.get(name, name))

    def title_of(self, axis: str) -> str:
        """The label of an axis, never that of a point of the same name."""
        shared = any(axis in points for points in self.axes.values())
        return self.labels.get(f"axis {axis}", axis if shared else self.labels.get(axis, axis))

    def axis_of(self, point: str) -> str:
        """The one axis that has a point of this name."""
        axes = [a for a, points in self.axes.items() if point in points]
        if len(axes) != 1:
            having = " and ".join(axes) + " have" if axes else "no axis has"
            raise Mistake(f'"{point}": {having} such a point; should be a point or AXIS=POINT')
        return axes[0]

    def place(self, text: str) -> Place:
        """`across page=16k`: points, with the axis if two axes have that point; `page=1*`: a pattern."""
        found: Place = {}
        for word in text.split():
            axis, _, point = word.rpartition("=")
            axis = axis or self.axis_of(point)
            if "*" not in point and point not in self.axes.get(axis, {}):
                raise Mistake(f'"{word}": should be a point of {", ".join(self.axes)}')
            found[axis] = point
        return found

    def points(self, axis: str, grid: str = "") -> list[str]:
        usual = [self.defaults[axis]] if axis in self.defaults else list(self.axes[axis])
        return self.grids[grid].get(axis) or usual

    def cases(self, fixed: Place, but: tuple[str, ...] = ()) -> list[Place]:
        """All places that match `fixed`.  An axis that it does not name stays at its default or, without one,
        takes each of its points."""

        def choices(axis: str) -> list[str]:
            if "*" not in fixed.get(axis, "*"):
                return [fixed[axis]]
            if axis in self.defaults and axis not in fixed:
                return [self.defaults[axis]]
            return fnmatch.filter(self.grids[""].get(axis) or list(self.axes[axis]), fixed.get(axis, "*"))

        axes = [axis for axis in self.axes if axis not in but]
        return [dict(zip(axes, points)) for points in itertools.product(*map(choices, axes))]

    def absent_at(self, place: Place) -> str:
        """The name of the trace without a file that this place would replay; "": it has a workload."""
        point = place.get("workload", "") if self.absent else ""
        words = self.words(place, "workload", point) if point in self.axes["workload"] else []
        return words[0].removeprefix(NO_FILE) if words and words[0].startswith(NO_FILE) else ""

    def words(self, place: Place, axis: str, point: str) -> list[str]:
        """Of a point, which may be others where another axis is at some point."""
        return next(
            (
                self.instead[p][axis][point]
                for p in place.values()
                if point in self.instead.get(p, {}).get(axis, {})
            ),
            self.axes[axis][point],
        )

    def places(self, grids: list[str]) -> list[Place]:
        """The places of these grids, each once; of places of a search with the same settings, the first."""
        count = sum(math.prod(len(self.points(axis, grid)) for axis in self.axes) for grid in grids)
        if count > MOST_PLACES:
            raise Mistake(f"{count} places; should be at most {MOST_PLACES}")
        found = {
            tuple(place.values()): place
            for grid in grids
            if grid not in self.searches
            for place in self.of_grid(grid)
        }
        first: dict[str, Place] = {}
        for grid in (grid for grid in grids if grid in self.searches):
            for place in [*found.values(), *self.of_grid(grid)]:
                first.setdefault(self.identity(place), place)
        return [*found.values(), *(place for place in first.values() if tuple(place.values()) not in found)]

    def of_grid(self, grid: str) -> Iterable[Place]:
        every = (
            dict(zip(self.axes, point))
            for point in itertools.product(*(self.points(axis, grid) for axis in self.axes))
        )
        return (place for place in every if not self.absent_at(place))

    def identity(self, place: Place) -> str:
        """Workloads and settings of a place: equal for places that do the same."""
        workloads, settings = self.settings(place)
        return "\0".join([*workloads, "", *settings])

    def check_notes(self, path: str) -> None:
        """Notes may name only numbers, and points that keep what the paper publishes."""
        rows = {row.id for row in self.published}
        outside = {point for option in self.matrices.values() for point in option.get("outside", "").split()}
        for row in self.published:
            for name in set(NAMED.findall(row.note)) - rows:
                self.axis_of(name)
                if name in outside:
                    raise Mistake(f"{path}: {row.id}: {name} leaves what is published, and explains nothing")

    def settings(self, place: Place) -> tuple[list[str], list[str]]:
        """The workloads of a place, usually one, and all its settings in the order of the axes; a later
        setting overrides an earlier one.  The word @AXIS=POINT of a point moves the place to that point."""
        stands_for = [
            word[1:]
            for axis, point in place.items()
            for word in self.axes[axis][point]
            if word.startswith("@")
        ]
        if stands_for:
            place = place | self.place(" ".join(stands_for))
        workloads: list[str] = []
        settings = []
        for axis, point in place.items():
            words = self.words(place, axis, point)
            if axis == "workload":
                workloads, words = of_workloads(words)
            settings += [word for word in words if not word.startswith("@")]
        return workloads, settings


def parts_of(words: list[str]) -> list[list[str]]:
    """Splits words at each `+`."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "+":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def of_workloads(words: list[str]) -> tuple[list[str], list[str]]:
    """Names and settings of `A KEY=VALUE... + B KEY=VALUE...`.  Settings of a profile get the prefix
    `workload.`, with several workloads `workload.NUMBER.`."""
    parts = parts_of(words)
    settings = []
    for i, (name, *own) in enumerate(parts):
        prefix = f"workload.{i}." if len(parts) > 1 else "workload."
        settings += (
            own
            if os.path.exists(name)
            else [word if word.startswith("workload.") else prefix + word for word in own]
        )
    return [part[0] for part in parts], settings


def evaluate(text: str, numbers: dict[str, object], where: str) -> str:
    """Replaces each {expression} with its value; whole numbers are written without a fraction."""

    def one(found: re.Match[str]) -> str:
        try:
            value = expression.evaluate(found[1], numbers)
        except (Mistake, ZeroDivisionError) as error:
            raise Mistake(f"{where}: {{{found[1]}}}: {error}") from None
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    return re.sub(r"\{([^{}]*)\}", one, text)


def number(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def quantity(text: str) -> float | None:
    """The value of a setting such as 4K, 16 or 2.5, for its position on an axis; None: no number."""
    factor = {"K": 1024, "M": 1 << 20, "G": 1 << 30, "k": 1}.get(text[-1:], 1)
    try:
        return float(text[:-1]) * factor if text[-1:].isalpha() else float(text)
    except ValueError:
        return None


def expand(names: str) -> list[str]:
    """`1..5 8`: 1 2 3 4 5 8."""
    found: list[str] = []
    for name in names.split():
        ends = re.fullmatch(r"(\d{1,18})\.\.(\d{1,18})", name)
        points = range(int(ends[1]), int(ends[2]) + 1) if ends else [name]
        if not 0 < len(points) <= MOST_POINTS:
            raise Mistake(f"{name}: {len(points)} points; should be at least 1 and at most {MOST_POINTS}")
        found += map(str, points)
    return found


def read_axis(section: dict[str, str], numbers: dict[str, object], where: str) -> Points:
    points: Points = {}
    for names, text in section.items():
        text = evaluate(text, numbers, where)
        try:
            for name in expand(names):
                points |= read_points(name, text, names == name, points)
        except (ValueError, Mistake) as error:  # from shlex: an unclosed quotation
            raise Mistake(f"{where}: {names} = {text}: {error}") from None
    return points


def read_points(name: str, text: str, alone: bool, before: Points) -> Points:
    """`4K 8K = map.cache_bytes=*` are two points; a `*` on the left takes its names from the files on the
    right."""
    words = shlex.split(text if alone else text.replace("*", name))
    if name == "*":
        files: Points = {}
        for path in sorted(glob.glob("".join(words[:1]), recursive=True)):
            stem = os.path.basename(path).split(".")[0]
            files.setdefault(stem, [path, *(word.replace("*", stem) for word in words[1:])])
        return files | {stem: before[stem] for stem in files.keys() & before.keys()}
    if words and "*" in words[0] and "=" not in words[0]:
        found = sorted(glob.glob(words[0], recursive=True))
        if not found:
            raise Mistake(f"{name}: there is no file {words[0]}")
        words[0] = found[0]
    return {name: words}


class Ini(configparser.ConfigParser):
    """Keys keep their capitals."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


class Sections:
    """[KIND NAME at POINT...]; one with `if NUMBER` counts if that is set, and overrides an earlier one."""

    def __init__(self, path: str, given: list[str]) -> None:
        self.path = path
        ini = Ini(
            delimiters="=",
            comment_prefixes="#",
            inline_comment_prefixes=" #",
            interpolation=None,
            default_section="\0",
        )
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if "\0" in text:
                raise Mistake(f"{path}: has a zero byte: should be a text")
            ini.read_string(text, path)
        except (OSError, configparser.Error) as error:
            raise Mistake(" ".join(str(error).split())) from None
        except UnicodeDecodeError as error:
            raise Mistake(f"{path}: byte {error.start}: should be UTF-8") from None
        self.plain = {name: dict(ini[name]) for name in ini.sections()}
        for name in self.plain:
            if name.split()[:1] != name.split(" ")[:1] or name.split()[0] not in SECTIONS:
                raise Mistake(f"{path}: [{name}]: should be of {' '.join(sorted(SECTIONS))}")
        self.numbers = {key: number(text) for key, text in self.plain.get("numbers", {}).items()}
        for word in given:
            key, _, text = word.partition("=")
            if key not in self.numbers:
                known = ", ".join(self.numbers) or "(none)"
                raise Mistake(f"{word}: {path} has no number {key}; should be one of {known}")
            self.numbers[key] = number(text)
        self.headed: list[tuple[str, str, list[str], dict[str, str]]] = []  # kind, name, points, section
        for name, section in self.plain.items():
            head, _, only = name.partition(" if ")
            head, _, at = head.partition(" at ")
            kind, _, own = head.partition(" ")
            if not only or self.numbers.get(only):
                self.headed.append((kind, own, at.split(), section))
        self.traces = self.find_traces()
        self.known = self.numbers | self.numbers_of_traces()

    def named(self, kind: str, at: str = "") -> dict[str, dict[str, str]]:
        return {
            name: section
            for word, name, points, section in self.headed
            if word == kind and (at in points if at else not points)
        }

    def merged(self, kind: str) -> dict[str, str]:
        """Those of [KIND if NUMBER] are added to those of [KIND]."""
        found: dict[str, str] = {}
        for word, _, _, section in self.headed:
            found |= section if word == kind else {}
        return found

    def find_traces(self) -> list[Trace]:
        """Those of [trace NAME], with their files if the number `traces` is a folder."""
        found = [
            real_traces.read_trace(name, section, f"{self.path}: [trace {name}]")
            for name, section in self.named("trace").items()
        ]
        without = str(self.numbers.get("without", "")).replace(",", " ").split()
        for name in without:
            if name not in [trace.name for trace in found]:
                names = " ".join(trace.name for trace in found)
                raise Mistake(f"without={','.join(without)}: {name}: should be of {names}")
        for trace in found:
            trace.none = trace.none or (f"left out (without={trace.name})" if trace.name in without else "")
        if found and self.numbers.get("traces"):
            real_traces.find(str(self.numbers["traces"]), found)
        return found

    def numbers_of_traces(self) -> dict[str, object]:
        """trace_NAME, the file as a word of a point, and requests_NAME."""
        found: dict[str, object] = {f"requests_{trace.key}": trace.requests for trace in self.traces}
        for trace in self.traces:
            if trace.path or trace.none:
                found[f"trace_{trace.key}"] = shlex.quote(trace.path or NO_FILE + trace.name)
        return found

    def axes(self, at: str = "") -> dict[str, Points]:
        return {
            name: read_axis(section, self.known, f"{self.path}: [axis {name}]")
            for name, section in self.named("axis", at).items()
        }

    def axes_instead(self, axes: dict[str, Points]) -> dict[str, dict[str, Points]]:
        """For each POINT of an `at POINT`: the axes whose points have other settings there."""
        found = {point: self.axes(point) for _, _, points, _ in self.headed for point in points}
        for point, others in found.items():
            if not any(point in points for points in axes.values()):
                raise Mistake(f"{self.path}: at {point}: no axis has such a point")
            for axis, points in others.items():
                if points.keys() - axes.get(axis, {}).keys():
                    raise Mistake(
                        f"{self.path}: [axis {axis} at {point}] {' '.join(points)}: "
                        f"should be points of [axis {axis}]"
                    )
                if any(word.startswith("@") for words in points.values() for word in words):
                    raise Mistake(
                        f"{self.path}: [axis {axis} at {point}]: a point that stands for others "
                        f"(@) should be in [axis {axis}]"
                    )
        return found

    def options(self) -> dict[str, str]:
        found = {
            name: evaluate(text, self.known, self.path) for name, text in self.merged("experiment").items()
        }
        check_options(found, OPTIONS, f"{self.path}: [experiment]")
        if not re.fullmatch(r"0*[1-9]\d{0,8}", found.get("fold", "1"), re.ASCII):
            raise Mistake(f"{self.path}: [experiment] fold = {found['fold']}: should be a number from 1")
        if found.get("alone", "no") not in ("yes", "no"):
            raise Mistake(f"{self.path}: [experiment] alone = {found['alone']}: should be yes or no")
        if "program" in found and not os.access(found["program"], os.X_OK):
            raise Mistake(f"{self.path}: [experiment] program = {found['program']}: should be a program")
        if re.search(r"[/.]", found.get("drive", "")) and not os.path.isfile(found["drive"]):
            raise Mistake(
                f"{self.path}: [experiment] drive = {found['drive']}: "
                "should be a file of parameters or a name (ssd list drives)"
            )
        return found


def check_options(found: Iterable[str], known: set[str], where: str) -> None:
    for name in found:
        if name not in known:
            raise Mistake(f"{where} {name}: should be of {' '.join(sorted(known))}")


def check_name(name: str, where: str) -> None:
    if name and not PLAIN.fullmatch(name):
        raise Mistake(f"{where}: names a file; should be letters, digits, _ . and -")


def check_sections(sections: Sections, axes: dict[str, Points], path: str) -> None:
    """Checks the keys of matrices, and names that become file names."""
    for kind in ("grid", "figure"):
        for name in sections.named(kind):
            check_name(name, f"{path}: [{kind} {name}]")
    for name in sections.numbers:
        check_name(name, f"{path}: [numbers] {name}")
    for name, option in sections.named("matrix").items():
        check_options(option, OF_MATRIX, f"{path}: [matrix {name}]")
        if option.get("axis") not in axes or "numbers" not in option:
            raise Mistake(f"{path}: [matrix {name}] should have numbers and axis, one of {' '.join(axes)}")
    for point in axes.get(sections.merged("experiment").get("columns", ""), ()):
        check_name(point, f"{path}: {point}, a point of columns")


def read(path: str, given: list[str]) -> Experiment:
    """`given`: NAME=VALUE, which override those of [numbers]."""
    path = os.path.join(path, "experiment.ini") if os.path.isdir(path) else path
    sections = Sections(path, given)
    axes = sections.axes()
    instead = sections.axes_instead(axes)
    if "workload" not in axes:
        raise Mistake(f"{path}: there is no [axis workload]: a point of it is a profile or a trace")
    for point, words in axes["workload"].items():
        if not all(parts_of(words)):
            raise Mistake(f"{path}: [axis workload] {point}: should be a profile or a trace")
    own = path.endswith("experiment.ini")  # of a folder; else a file with its table beside it
    name = os.path.basename(os.path.dirname(os.path.abspath(path)) if own else path)
    beside = os.path.join(os.path.dirname(path), "published.tsv")
    table = beside if own else path.removesuffix(".ini") + ".tsv"
    searches = sections.named("search")
    try:
        grids = {
            grid: {
                axis: list(axes.get(axis, ())) if points == "*" else expand(points)
                for axis, points in section.items()
                if grid not in searches or axis not in OF_SEARCH
            }
            for grid, section in [*sections.named("grid").items(), *searches.items()]
        }
    except Mistake as mistake:
        raise Mistake(f"{path}: [grid] {mistake}") from None
    columns = sections.merged("experiment").get("columns", "")
    for search in searches:  # other axes are as in the grid that is always run, but for the page's columns
        rest = {axis: points for axis, points in grids.get("", {}).items() if axis != columns}
        grids[search] = rest | grids[search]
    check_sections(sections, axes, path)
    experiment = Experiment(
        name.removesuffix(".ini"),
        os.path.dirname(path),
        sections.options(),
        sections.numbers,
        axes,
        sections.merged("defaults"),
        grids,
        sections.merged("measures"),
        sections.merged("labels"),
        sections.named("figure"),
        sections.named("matrix"),
        read_published(table),
        instead,
        searches,
        {trace.path: trace for trace in sections.traces if trace.path},
        {trace.name: trace for trace in sections.traces if trace.none and sections.numbers.get("traces")},
    )
    experiment.grids.setdefault("", {})
    experiment.check_notes(table)
    defaults = {axis: [point] for axis, point in experiment.defaults.items()}
    for grid, section in [*experiment.grids.items(), ("defaults", defaults)]:
        for axis, points in section.items():
            if axis not in axes or not set(points) <= set(axes[axis]):
                kind = "search" if grid in searches else "grid"
                raise Mistake(
                    f"{path}: [{kind} {grid}] {axis} = {' '.join(points)}: "
                    f"should be of {' '.join(axes.get(axis, axes))}"
                )
    return experiment
