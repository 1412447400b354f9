"""Points for answers to the questions of questions.ini: the sheet, what is right, what was answered.

What is right is not written down: the commands of a question are run, and say it.
"""
import configparser
import functools
import glob
import math
import os
import re
import shlex
import sys
import textwrap

from points import call

HERE = os.path.dirname(os.path.abspath(__file__))
SSD = os.environ.get("SSD", "./ssd")
QUESTIONS = configparser.ConfigParser(interpolation=None)
QUESTIONS.read(os.path.join(HERE, "questions.ini"))
LABS = list(dict.fromkeys(name.split(".")[0] for name in QUESTIONS.sections()))  # "2" of "2.1a"


class Wrong(Exception):
    """The answer is none that can be tried."""


def fifo_waf(share):
    """Lab 3: write amplification of fifo where so large a share of all pages holds data of the host."""
    u = 0.5
    for _ in range(200):
        u = math.exp(-(1 - u) / share)
    return 1 / (1 - u)


@functools.lru_cache(None)
def said(words, find):
    """Statistics of what the command prints, and `found`, the first that `find` matches."""
    status, out, errors = call([SSD, *words])
    if status:
        raise Wrong(errors.strip().splitlines()[-1] if errors else "it ends with status %d" % status)
    found = {name: float(value) for name, value in re.findall(r"^([a-z_][\w.]*) = ([-+.\de]+)", out, re.M)}
    match = re.search(find, " ".join(out.split())) if find else None
    return {**found, "found": float(match[1])} if match else found


class Question:
    def __init__(self, name, seed):
        self.name, self.seed, self.text = name, seed, QUESTIONS[name]

    @property
    def tried(self):
        """The answer is words that are put into the commands, not a number."""
        return "holds" in self.text

    def commands(self, answer):
        """Words of each line of `run`; {expression} may use the answers where a command is several."""
        lines = []
        for line in self.text["run"].strip().splitlines():
            line = re.sub(r"\{(.*?)\}", lambda m: str(eval(m[1], {"answer": answer, "int": int})), line)
            words = shlex.split(line)
            lines.append(
                (words[0], *(["--all", "-s", "seed=%s" % self.seed] if words[0] == "run" else []), *words[1:])
            )
        return lines

    def value(self, answer=""):
        """Of the expression, over what the commands print; `waf@2` is of the second."""
        results = [said(words, self.text.get("find", "")) for words in self.commands(answer)]

        def one(match):
            known = results[int(match[2] or 1) - 1]
            if match[1] not in known:
                raise Wrong("%s is not printed" % match[1])
            return repr(known[match[1]])
        text = re.sub(
            r"\b(waf|found|[a-z_]+(?:\.\w+)+)(?:@(\d))?", one, self.text["holds" if self.tried else "right"]
        )
        return eval(text, {"fifo_waf": fifo_waf, "min": min, "abs": abs})

    def trouble(self, answer):
        """What is wrong with the answer, "" if nothing is."""
        if not answer:
            return "no answer"
        try:
            if self.tried:
                if re.search(r"['\"\\]", answer) or any(
                    word.startswith("-") and word != "-s" for word in answer.split()
                ):
                    raise Wrong("of options only -s is taken, and no quotes")
                return "" if self.value(answer) else "it does not do that"
            right = self.value()
            number = float(answer)
        except ValueError:
            return "it should be a number"
        except Wrong as error:
            return str(error)
        within = self.text.get("within", "0.5 %")
        return (
            ""
            if abs(number - right) <= float(within.split()[0]) / 100 * abs(right) + 1e-9
            else "it is another number (within %s)" % within
        )


def questions(lab, seed):
    return [Question(name, seed) for name in QUESTIONS.sections() if name.split(".")[0] == lab]


def wrapped(text, before):
    return textwrap.fill(" ".join(text.split()), 100, initial_indent=before, subsequent_indent=before)


def title(lab):
    path = glob.glob("docs/course/%s-*.md" % lab)[0]
    with open(path, encoding="utf-8") as file:
        return file.readline()[len("# Lab "):].strip()


def sheet(lab, seed="1", given={}):
    """Questions with room for answers; `given`: answers that stand there already."""
    out = ["# Lab %s.  Write answers behind the =, and type: ./ssd grade %s FILE" % (title(lab), lab),
           "# The seed of all runs is that below: -s seed=%s" % seed, "seed = %s" % seed]
    for question in questions(lab, seed):
        out += [
            "",
            wrapped(question.text["ask"], "# "),
            ("%s = %s" % (question.name, given.get(question.name, ""))).rstrip(),
        ]
    return "\n".join(out) + "\n"


def grade(lab, files, points):
    text = "".join(open(name, encoding="utf-8", errors="replace").read() for name in files)
    given = {name: answer.strip() for name, answer in re.findall(r"^ *([\w.]+) *=(.*)$", text, re.M)}
    if not given.get("seed", "1").isdigit():
        sys.exit("grade: seed = %s: should be a number" % given["seed"])
    asked = questions(lab, given.get("seed", "1"))
    print("lab %s: %s, seed %s" % (title(lab), " ".join(files), asked[0].seed))
    for i, question in enumerate(asked):
        most = 100 * (i + 1) // len(asked) - 100 * i // len(asked)
        answer = given.get(question.name, "")
        trouble = question.trouble(answer)
        points.give(
            0 if trouble else most, most, "%s = %s%s" % (question.name, answer, trouble and ": " + trouble)
        )
        print(wrapped(question.text["why"], " " * 14))
        if trouble:
            for line in question.text["run"].strip().splitlines():
                line = re.sub("^run ", "run --all ", line.replace("{answer}", "..."))
                print(" " * 14 + "look: ./ssd " + line)
