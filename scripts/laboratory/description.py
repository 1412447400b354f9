"""What an experiment is: axes of settings, grids of what is run, measures, figures, published numbers.

docs/experiments.md describes the file.  This module reads it, knows nothing of running and drawing, and ends with a
Mistake that names the section for whatever cannot be meant.
"""
from __future__ import annotations

import configparser
import csv
import fnmatch
import glob
import itertools
import os
import re
import shlex
from dataclasses import dataclass, field

Place = dict[str, str]  # axis: point
RELATIONS = ("=", "<=", ">=", "between", "range", "holds", "also")  # also: another reading of the row above, without verdict


class Mistake(Exception):
    """The user's: one line that says where, what is wrong and what would be right."""


class NotRun(Mistake):
    """A number is asked for of a place that no grid runs."""


@dataclass
class Published:
    """A row of published.tsv: a number of a paper, and how ours is computed."""
    id: str
    where: str
    what: str
    measure: str
    relation: str  # one of RELATIONS
    paper: str
    unit: str  # count percent change kb factor, or any other: printed behind the number
    tolerance: float  # in the unit of `paper`
    near: str  # how a verdict says it
    note: str


@dataclass
class Experiment:
    name: str
    folder: str  # where the description lies
    options: dict[str, str]  # [experiment]
    numbers: dict[str, object]
    axes: dict[str, dict[str, list[str]]]  # axis: point: words, `KEY=VALUE`, a workload's first its name
    defaults: Place
    grids: dict[str, dict[str, list[str]]]  # "" is the one that is always run
    measures: dict[str, str]
    labels: dict[str, str]
    figures: dict[str, dict[str, str]]
    matrices: dict[str, dict[str, str]]
    published: list[Published] = field(default_factory=list)
    instead: dict[str, dict[str, dict[str, list[str]]]] = field(default_factory=dict)  # point: axis: as axes

    def label(self, name: str, axis: str = "") -> str:
        """What `AXIS POINT` is called, or else anything of that name."""
        return self.labels.get(f"{axis} {name}", self.labels.get(name, name))

    def axis_of(self, point: str) -> str:
        """The one axis that has a point of this name."""
        axes = [a for a, points in self.axes.items() if point in points]
        if len(axes) != 1:
            raise Mistake(f'"{point}": {"no axis has" if not axes else " and ".join(axes) + " have"} such a point; '
                          "should be a point or AXIS=POINT")
        return axes[0]

    def place(self, text: str) -> Place:
        """`across page=16k`: points, with their axis where two have one of the name; `page=*`, `page=1*`: several."""
        found: Place = {}
        for word in text.split():
            axis, _, point = word.rpartition("=")
            axis = axis or self.axis_of(point)
            if "*" not in point and point not in self.axes.get(axis, {}):
                raise Mistake(f'"{word}": should be a point of {", ".join(self.axes)}')
            found[axis] = point
        return found

    def points(self, axis: str, grid: str = "") -> list[str]:
        return self.grids[grid].get(axis) or ([self.defaults[axis]] if axis in self.defaults else list(self.axes[axis]))

    def cases(self, fixed: Place, but: tuple[str, ...] = ()) -> list[Place]:
        """Every place that what is fixed leaves open: axes with a default stand there, of others all points."""
        def choices(axis: str) -> list[str]:
            if "*" not in fixed.get(axis, "*"):
                return [fixed[axis]]
            if axis in self.defaults and axis not in fixed:
                return [self.defaults[axis]]
            return fnmatch.filter(self.grids[""].get(axis) or list(self.axes[axis]), fixed.get(axis, "*"))

        axes = [axis for axis in self.axes if axis not in but]
        return [dict(zip(axes, points)) for points in itertools.product(*map(choices, axes))]

    def places(self, grids: list[str]) -> list[Place]:
        """What the grids run, each place once."""
        found = {}
        for grid in grids:
            for point in itertools.product(*(self.points(a, grid) for a in self.axes)):
                found[point] = dict(zip(self.axes, point))
        return list(found.values())

    def settings(self, place: Place) -> tuple[str, list[str]]:
        """The workload of a place and all its settings, in the order of the axes; what stands later wins."""
        workload, settings = "", []
        for axis, point in place.items():
            words = next((self.instead[p][axis][point] for p in place.values()
                          if point in self.instead.get(p, {}).get(axis, {})), self.axes[axis][point])
            if axis == "workload":
                workload, words = words[0], words[1:]
                if not os.path.exists(workload):
                    words = [word if word.startswith("workload.") else "workload." + word for word in words]
            settings += words
        return workload, settings


def evaluate(text: str, numbers: dict[str, object], where: str) -> str:
    """Each {expression} becomes its value; whole ones are written whole."""
    def one(found: re.Match[str]) -> str:
        try:
            value = eval(found[1], {"__builtins__": {}}, dict(numbers))  # the user's own description
        except Exception as error:
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
    """4K, 16, 2.5: a number, as a setting has it and where it stands on an axis."""
    factor = {"K": 1024, "M": 1 << 20, "G": 1 << 30, "k": 1}.get(text[-1:], 1)
    try:
        return float(text[:-1]) * factor if text[-1:].isalpha() else float(text)
    except ValueError:
        return None


def expand(names: str) -> list[str]:
    """`1..5 8`: 1 2 3 4 5 8."""
    found: list[str] = []
    for name in names.split():
        ends = re.fullmatch(r"(\d+)\.\.(\d+)", name)
        found += map(str, range(int(ends[1]), int(ends[2]) + 1)) if ends else [name]
    return found


def read_axis(section: dict[str, str], numbers: dict[str, object], where: str) -> dict[str, list[str]]:
    """Points.  `4K 8K = map.cache_bytes=*` are two; a `*` at the left takes its names from the files at the right."""
    points: dict[str, list[str]] = {}
    for names, text in section.items():
        text = evaluate(text, numbers, where)
        for name in expand(names):
            if name == "*":
                first, *words = shlex.split(text)
                for path in sorted(glob.glob(first, recursive=True)):
                    stem = os.path.basename(path).split(".")[0]
                    points.setdefault(stem, [path, *(word.replace("*", stem) for word in words)])
                continue
            words = shlex.split(text if names == name else text.replace("*", name))
            if words and "*" in words[0] and "=" not in words[0]:
                found = sorted(glob.glob(words[0], recursive=True))
                if not found:
                    raise Mistake(f"{where}: {name}: there is no file {words[0]}")
                words[0] = found[0]
            points[name] = words
    return points


def read_published(path: str) -> list[Published]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and row[0][:1] != "#"]
    found = []
    for row in rows[1:]:
        row += [""] * (9 - len(row))
        if row[4] not in RELATIONS:
            raise Mistake(f'{path}: {row[0]}: "{row[4]}" should be {", ".join(RELATIONS[:-1])} or {RELATIONS[-1]}')
        share = row[7] or "25%"
        if share.endswith("%"):
            tolerance = float(share[:-1]) / 100 * max(abs(float(end)) for end in row[5].split())
            near = "within a quarter" if share == "25%" else f"within {share[:-1]} %"
        else:
            tolerance, near = float(share), f"within {share}"
        found.append(Published(*row[:7], tolerance, near, row[8]))
    return found


def read(path: str, given: list[str]) -> Experiment:
    """`given`: NAME=VALUE, in place of what [numbers] says."""
    path = os.path.join(path, "experiment.ini") if os.path.isdir(path) else path
    ini = configparser.ConfigParser(delimiters="=", comment_prefixes="#", inline_comment_prefixes=" #",
                                    interpolation=None, default_section="\0")
    ini.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        with open(path, encoding="utf-8") as file:
            ini.read_file(file)
    except (OSError, configparser.Error) as error:
        raise Mistake(" ".join(str(error).split())) from None
    sections = {name: dict(ini[name]) for name in ini.sections()}
    numbers = {key: number(text) for key, text in sections.get("numbers", {}).items()}
    for word in given:
        key, _, text = word.partition("=")
        if key not in numbers:
            raise Mistake(f"{word}: {path} has no number {key}; should be one of {', '.join(numbers) or '(none)'}")
        numbers[key] = number(text)

    headed = []  # [KIND NAME at POINT...]; one of `if NUMBER` counts while that is set, and replaces what stands before
    for name, section in sections.items():
        head, _, only = name.partition(" if ")
        head, _, at = head.partition(" at ")
        if not only or numbers.get(only):
            headed.append((*head.partition(" ")[::2], at.split(), section))

    def named(kind: str, at: str = "") -> dict[str, dict[str, str]]:
        return {name: section for word, name, points, section in headed if word == kind and (at in points if at else not points)}

    def read_axes(at: str = "") -> dict[str, dict[str, list[str]]]:
        return {name: read_axis(section, numbers, f"{path}: [axis {name}]") for name, section in named("axis", at).items()}

    axes = read_axes()
    instead = {point: read_axes(point) for _, _, points, _ in headed for point in points}
    for point, others in instead.items():
        if not any(point in points for points in axes.values()):
            raise Mistake(f"{path}: at {point}: no axis has such a point")
        for axis, points in others.items():
            if points.keys() - axes.get(axis, {}).keys():
                raise Mistake(f"{path}: [axis {axis} at {point}] {' '.join(points)}: should be points of [axis {axis}]")
    if "workload" not in axes:
        raise Mistake(f"{path}: there is no [axis workload]: a point of it is a profile or a trace")
    text = {name: evaluate(value, numbers, path) for name, value in sections.get("experiment", {}).items()}
    if "drive" in text and not os.path.isfile(text["drive"]):
        raise Mistake(f"{path}: [experiment] drive = {text['drive']}: should be a file of parameters")
    name = os.path.basename(os.path.dirname(os.path.abspath(path)) if path.endswith("experiment.ini") else path)
    experiment = Experiment(
        name.removesuffix(".ini"), os.path.dirname(path), text, numbers, axes, sections.get("defaults", {}),
        {grid: {axis: list(axes.get(axis, ())) if points == "*" else expand(points) for axis, points in section.items()}
         for grid, section in named("grid").items()},
        sections.get("measures", {}), sections.get("labels", {}), named("figure"), named("matrix"),
        read_published(os.path.join(os.path.dirname(path), "published.tsv") if path.endswith("experiment.ini")
                       else path.removesuffix(".ini") + ".tsv"), instead)
    experiment.grids.setdefault("", {})
    for grid, section in list(experiment.grids.items()) + [("defaults", {a: [p] for a, p in experiment.defaults.items()})]:
        for axis, points in section.items():
            if axis not in axes or not set(points) <= set(axes[axis]):
                raise Mistake(f"{path}: [grid {grid}] {axis} = {' '.join(points)}: "
                              f"should be of {' '.join(axes.get(axis, axes))}")
    return experiment
