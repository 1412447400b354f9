"""Shared by all grading: points, printed as they are given, and conditions on the output of a run."""

import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TypedDict

MOST_BYTES = 1 << 20  # of a file that is handed in

Result = dict[str, float]  # statistics of a run, by name


class Step(TypedDict):
    """A test of results.json."""

    name: str
    score: int
    max_score: int
    output: str


class Wrong(Exception):
    """No value can be computed: a statistic is missing, a run failed, an answer is malformed."""


class Refused(Exception):
    """What was handed in cannot be graded."""


def text_of(name: str) -> str:
    """The text of a file that was handed in."""
    if os.path.islink(name):
        raise Refused(f"{name}: is a symbolic link; hand in the file itself")
    if not os.path.isfile(name):
        raise Refused(f"{name}: no such file")
    with open(name, "rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise Refused(f"{name}: is larger than {MOST_BYTES >> 20} MB")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in raw[:4]:
        raise Refused(f"{name}: is UTF-16; save it as UTF-8")
    return raw.decode("utf-8-sig", errors="replace")


class Points:
    """Steps of an exercise, printed as they are graded and kept for results.json."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.nothing = ""

    def give(self, won: int, most: int, text: str) -> bool:
        self.steps.append({"name": text, "score": won, "max_score": most, "output": ""})
        print(f"  {won:3} of {most:3}  {text}", flush=True)
        return won == most

    def tell(self, text: str, indent: str = "    ") -> None:
        """Prints a text about the last step."""
        text = textwrap.indent(text.rstrip(), indent)
        print(text, flush=True)
        if self.steps:
            self.steps[-1]["output"] += text + "\n"

    def forfeit(self, why: str) -> None:
        self.nothing = why
        print(f"  {why}", flush=True)

    @property
    def won(self) -> int:
        return 0 if self.nothing else sum(step["score"] for step in self.steps)


def write_results(folder: str, points: Points, refused: str, seconds: float) -> None:
    """Writes results.json for Gradescope."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "results.json"), "w") as out:
        json.dump(
            {
                "score": points.won,
                "output": refused or points.nothing,
                "execution_time": round(seconds, 1),
                "tests": points.steps,
                "extra_data": {"refused": bool(refused)},
            },
            out,
            indent=1,
        )
        out.write("\n")


def statistics(printed: str) -> Result:
    """Values by name, from lines `name = value`.  A name must not occur twice."""
    found: Result = {}
    for name, value in re.findall(r"^([a-z_][\w.]*) = ([-+.\de]+)\s", printed, re.M):
        if name in found:
            raise Wrong(f"{name} is printed twice")
        found[name] = float(value)
    return found


def evaluate(expression: str, results: Sequence[Mapping[str, float]], **known: object) -> float:
    """An expression over names of statistics; `waf@2` is that of the second result, `waf` of the first."""

    def one(match: re.Match[str]) -> str:
        result = results[int(match[2] or 1) - 1]
        if match[1] not in result:
            raise Wrong(f"{match[1]} is not printed")
        return repr(result[match[1]])

    text = re.sub(r"\b(waf|found|[a-z_]+(?:\.[a-z_]\w*)+)(?:@(\d))?(?![\w(.=])", one, expression)
    return float(eval(text, {"min": min, "abs": abs, **known}))
