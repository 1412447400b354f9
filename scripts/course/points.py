"""Shared by all grading: points, printed as they are given, and conditions on the output of a run."""

import json
import os
import re
import textwrap

MOST_BYTES = 1 << 20  # of a file that is handed in


class Wrong(Exception):
    """No value can be computed: a statistic is missing, a run failed, an answer is malformed."""


class Refused(Exception):
    """What was handed in cannot be graded."""


def text_of(name):
    """The text of a file that was handed in."""
    if os.path.islink(name):
        raise Refused("%s: is a symbolic link; hand in the file itself" % name)
    if not os.path.isfile(name):
        raise Refused("%s: no such file" % name)
    with open(name, "rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise Refused("%s: is larger than %d MB" % (name, MOST_BYTES >> 20))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in raw[:4]:
        raise Refused("%s: is UTF-16; save it as UTF-8" % name)
    return raw.decode("utf-8-sig", errors="replace")


class Points:
    """Steps of an exercise, printed as they are graded and kept for results.json."""

    def __init__(self):
        self.steps = []
        self.nothing = ""

    def give(self, won, most, text):
        self.steps.append({"name": text, "score": won, "max_score": most, "output": ""})
        print("  %3d of %3d  %s" % (won, most, text), flush=True)
        return won == most

    def tell(self, text, indent="    "):
        """Prints a text about the last step."""
        text = textwrap.indent(text.rstrip(), indent)
        print(text, flush=True)
        if self.steps:
            self.steps[-1]["output"] += text + "\n"

    def forfeit(self, why):
        self.nothing = why
        print("  %s" % why, flush=True)

    @property
    def won(self):
        return 0 if self.nothing else sum(step["score"] for step in self.steps)


def write_results(folder, points, refused, seconds):
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


def statistics(printed):
    """Values by name, from lines `name = value`.  A name must not occur twice."""
    found = {}
    for name, value in re.findall(r"^([a-z_][\w.]*) = ([-+.\de]+)\s", printed, re.M):
        if name in found:
            raise Wrong("%s is printed twice" % name)
        found[name] = float(value)
    return found


def evaluate(expression, results, **known):
    """An expression over names of statistics; `waf@2` is that of the second result, `waf` of the first."""

    def one(match):
        result = results[int(match[2] or 1) - 1]
        if match[1] not in result:
            raise Wrong("%s is not printed" % match[1])
        return repr(result[match[1]])

    text = re.sub(r"\b(waf|found|[a-z_]+(?:\.[a-z_]\w*)+)(?:@(\d))?(?![\w(.=])", one, expression)
    return eval(text, {"min": min, "abs": abs, **known})
