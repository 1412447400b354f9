"""Points for answers to the questions of questions.ini: sheets, right answers, grading.

Right answers are not stored: the commands of a question are run to compute them.  Each ID has drives and
lists of its own: a lab's section lists values of each variable, and the ID selects one.
"""

import configparser
import contextlib
import functools
import glob
import hashlib
import io
import math
import os
import re
import shlex
import textwrap
from collections.abc import Mapping
from types import MappingProxyType

from points import Points, Refused, Result, Wrong, evaluate, statistics, text_of
from sandbox import Box, ended

HERE = os.path.dirname(os.path.abspath(__file__))
SSD = os.environ.get("SSD", "./ssd")
QUESTIONS = configparser.ConfigParser(interpolation=None)
QUESTIONS.read(os.path.join(HERE, "questions.ini"))
LABS = [name for name in QUESTIONS.sections() if "." not in name]

Value = int | float | str
Known = Mapping[str, Value]  # values of the variables of an ID


def fifo_waf(share: float) -> float:
    """Lab 3: write amplification of fifo if this share of all pages holds data of the host."""
    u = 0.5
    for _ in range(200):
        u = math.exp(-(1 - u) / share)
    return 1 / (1 - u)


def draw(id_: str, what: str, n: int) -> int:
    """A pseudo-random number below n, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{id_} {what}".encode()).digest()[:8], "big") % n


def value_of(word: str) -> Value:
    try:
        return float(word) if "." in word else int(word)
    except ValueError:
        return word


def variables(lab: str, id_: str) -> Known:
    known: dict[str, Value] = {"seed": 1 + draw(id_, lab + " seed", 999999)}
    for name, choices in QUESTIONS[lab].items():
        words = choices.split()
        known[name] = value_of(words[draw(id_, f"{lab} {name}", len(words))])
    return known


def fill(text: str, known: Known) -> str:
    """{expression} becomes its value."""

    def one(match: re.Match[str]) -> str:
        value = eval(match[1], dict(known))
        return f"{value:.10g}" if isinstance(value, float) else str(value)

    return re.sub(r"\{([^{}]+)\}", one, text)


def furnish(box: Box) -> None:
    """Puts the program, and the files that commands name, into the sandbox's folder."""
    box.put(SSD, "ssd")
    for name in (
        *glob.glob("docs/*.cfg"),
        *glob.glob("docs/course/*.cfg"),
        *glob.glob("docs/course/*.list*"),
        "parameters",
        "traces/samples",
    ):
        box.put(name)


@functools.lru_cache(None)
def said(words: tuple[str, ...], find: str, box: Box) -> Result:
    """Statistics that the command prints, and `found`, the first match of `find`, if there is one."""
    if not os.path.exists(box.path("ssd")):
        furnish(box)
    status, out, errors = box.call(["./ssd", *words])
    if status != 0:
        raise Wrong(errors.strip().splitlines()[-1] if errors.strip() else ended(status))
    known = statistics(out) if words[0] == "run" else {}
    match = re.search(find, " ".join(out.split())) if find else None
    return {**known, "found": float(match[1])} if match else known


@functools.lru_cache(None)
def profiles(box: Box) -> list[str]:
    if not os.path.exists(box.path("ssd")):
        furnish(box)
    return re.findall(r"^  (\w+)", box.call(["./ssd", "list", "profiles"])[1], re.M)


def check_words(answer: str, box: Box) -> None:
    """Words that become part of a command name nothing of this machine."""
    words = answer.split()
    while words:
        word = words.pop(0)
        if word != "-s":
            if word not in profiles(box):
                raise Wrong(f"{word} is no profile; `./ssd list profiles` shows all")
        elif not words or not re.fullmatch(r"(workload|flash)\.\w+=[\w.+-]+", words.pop(0)):
            raise Wrong("-s takes settings workload.KEY=VALUE and flash.KEY=VALUE here")


def readings(text: str) -> list[float]:
    """Values that a text can mean: 0.65, 0,65, 65 %, 2/3; the comma of 1,234 may separate thousands."""
    match = re.fullmatch(r"([-+\d.,eE ]+?)(?:/([-+\d.,eE ]+?))?\s*(%?)", text)
    if not match:
        raise Wrong("it should be a number, as 0.65, 0,65, 65 % or 2/3")
    found = []
    for separator, point in (",", "."), (".", ","):
        number, below = (
            part.replace(separator, "").replace(point, ".") if part else "1" for part in match.group(1, 2)
        )
        with contextlib.suppress(ValueError, ZeroDivisionError):
            found.append(float(number) / float(below) / (100 if match[3] else 1))
    if not found:
        raise Wrong("it should be a number, as 0.65, 0,65, 65 % or 2/3")
    return found


class Question:
    def __init__(self, name: str, known: Known) -> None:
        self.name, self.known, self.text = name, known, QUESTIONS[name]

    @property
    def tried(self) -> bool:
        """True if the answer is words to put into the commands, not a number."""
        return "holds" in self.text

    @property
    def ask(self) -> str:
        return fill(self.text["ask"], self.known)

    def commands(self, answer: str) -> list[tuple[str, ...]]:
        """Words of each line of `run`."""
        lines = []
        for line in self.text["run"].strip().splitlines():
            words = shlex.split(fill(line, {**self.known, "answer": answer}))
            seed = ["-s", f"seed={self.known['seed']}"]
            lines.append((words[0], *(["--all", *seed] if words[0] == "run" else []), *words[1:]))
        return lines

    def value(self, box: Box, answer: str = "") -> float:
        """The value of the expression, computed from what the commands print."""
        find = fill(self.text.get("find", ""), self.known)
        results = [said(words, find, box) for words in self.commands(answer)]
        if "unseen" in self.text and not any("found" in result for result in results):
            raise Wrong(fill(self.text["unseen"], self.known))
        expression = fill(self.text["holds" if self.tried else "right"], self.known)
        return evaluate(expression, results, fifo_waf=fifo_waf, answer=answer)

    def check(self, answer: str, box: Box) -> None:
        """The answer becomes part of commands: it must be what the question asks for, and nothing else."""
        if any("'{answer}'" in line for line in self.text["run"].splitlines()):
            if re.search(r"['\"\\]", answer) or answer.startswith("-"):
                raise Wrong("it should be a list, as w0+4,w1,r1: no options and no quotes")
        elif "{int(answer)" in self.text["run"]:
            if not re.fullmatch(r"\d{1,9}", answer):
                raise Wrong("it should be a whole number")
        else:
            check_words(answer, box)

    def trouble(self, answer: str, box: Box) -> str:
        """What is wrong with the answer, "" if nothing is."""
        if not answer:
            return "no answer"
        try:
            if self.tried:
                self.check(answer, box)
                return "" if self.value(box, answer) else "does not cause what is asked"
            right = self.value(box)
            within = self.text.get("within", "0.5 %")
            room = float(within.split()[0]) / 100 * abs(right) + 1e-9
            near = any(abs(number - right) <= room for number in readings(answer))
            return "" if near else "not right" + f" (off by more than {within})" * (room > 1e-9)
        except Wrong as error:
            return str(error)


def questions(lab: str, id_: str) -> list[Question]:
    known = variables(lab, id_)
    return [
        Question(name, known)
        for name in QUESTIONS.sections()
        if name.partition(".")[0] == lab and "." in name
    ]


def wrapped(text: str, before: str = "") -> str:
    return textwrap.fill(" ".join(text.split()), 100, initial_indent=before, subsequent_indent=before)


def title(lab: str) -> str:
    path = glob.glob(f"docs/course/{lab}-*.md")[0]
    with open(path, encoding="utf-8") as file:
        return file.readline()[len("# Lab ") :].strip()


def sheet(lab: str, id_: str, given: Mapping[str, str] = MappingProxyType({})) -> str:
    """Questions with room for answers; `given`: answers to fill in."""
    asked = questions(lab, id_)
    out = [
        f"# Lab {title(lab)}",
        f"# Write answers after the =, and type: ./ssd grade {lab} FILE",
        "# This sheet is yours: its drives are drawn from your id.  Set the seed of all runs:"
        f" -s seed={asked[0].known['seed']}",
        f"id = {id_}",
    ]
    for question in asked:
        out += [
            "",
            wrapped(question.ask, "# "),
            f"{question.name} = {given.get(question.name, '')}".rstrip(),
        ]
    return "\n".join(out) + "\n"


def read(name: str, names: list[str]) -> dict[str, str]:
    """Answers of a sheet by their names, `id` among them."""
    given = {}
    with io.StringIO(text_of(name)) as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            key, equals, answer = (part.strip() for part in line.partition("="))
            if not equals:
                raise Refused(f"{name}:{number}: should be NAME = ANSWER, or begin with #")
            if key not in (*names, "id"):
                raise Refused(f"{name}:{number}: {key}: no such question; there are {', '.join(names)}")
            if key in given:
                raise Refused(f"{name}:{number}: {key} is answered twice")
            given[key] = answer
    return given


def grade(lab: str, files: list[str], id_: str | None, box: Box, points: Points) -> None:
    if len(files) != 1:
        raise Refused(
            f"one sheet at a time, not {len(files)} ({' '.join(files[:5]) + ' ...' * (len(files) > 5)}); "
            "a folder of submissions is graded in one command"
        )
    names = [name for name in QUESTIONS.sections() if name.startswith(lab + ".")]
    if not all("run" in QUESTIONS[name] for name in names):
        raise Refused(f"what is right is not in this tree: hand in {files[0]}")
    given = read(files[0], names)
    if not given.get("id"):
        raise Refused(f"{files[0]}: has no id: `ssd grade {lab} --id ID` prints a sheet")
    if id_ and given["id"] != id_:
        raise Refused(f"{files[0]}: is the sheet of {given['id']}, and was handed in by {id_}")
    asked = questions(lab, given["id"])
    print(f"lab {title(lab)}: {files[0]}, id {given['id']}, seed {asked[0].known['seed']}")
    for i, question in enumerate(asked):
        most = 100 * (i + 1) // len(asked) - 100 * i // len(asked)
        answer = given.get(question.name, "")
        trouble = question.trouble(answer, box)
        points.give(
            0 if trouble else most,
            most,
            f"{question.name} = {answer}{trouble and ': ' + trouble}",
        )
        points.tell(wrapped(fill(question.text["why"], question.known)), " " * 14)
        for line in question.text["run"].strip().splitlines() if trouble else ():
            line = re.sub(r"\{[^{}]*\banswer\b[^{}]*\}", "...", line)
            line = re.sub("^run ", f"run --all -s seed={question.known['seed']} ", fill(line, question.known))
            points.tell("look: ./ssd " + line, " " * 14)
