"""Points for exercises of docs/course that are programs: an FTL, a collection policy (labs.ini).

The tree is not touched: the student's files are compiled with a list of FTLs (of collection policies) in
which theirs is, and linked in front of the rest.  Asked in this order, and no further once a step leaves no
drive to look at: that it compiles; that requests on a drive for paper are served right, sector by sector and
operation by operation; the conformance suite; a larger drive; the bound of the lab.  What breaks first is
told with the drive as it was before that.
"""

import configparser
import os
import re
import shlex
import subprocess
import sys
import tempfile

from points import Points, call, indent

HERE = os.path.dirname(os.path.abspath(__file__))
# What stands in the way of another list: sources that include it.
KINDS = {
    "ftl": ("ftl_ops", "ftl/list.h", "FTL(%s)", ["ftl/ftls.c"], "-s ftl=%s"),
    "gc": (
        "gc_policy_ops",
        "gc/list.h",
        "GC_POLICY(%s)",
        ["gc/collect.c", "gc/policies.c"],
        "-s gc.policy=%s",
    ),
}
# Groups of cases of the conformance suite, and their points.
ACTS = {"conforms": 10, "wears-out": 6, "forged": 6, "saved": 8, "two-drives": 6, "spare": 4}
PAPER = (
    "-s flash.channels=1 -s flash.planes=1 -s flash.page_bytes=8K -s flash.over_provisioning=0.4"
    " parameters/tiny.cfg lun1"
)
PAPER_REQUESTS = 2000
# A policy is tried with FTLs that ask it differently.
POLICY_RUNS = ["-s ftl=across -s flash.page_bytes=8K parameters/tiny.cfg lun1",
               "-s ftl=mrsm -s flash.page_bytes=8K parameters/tiny.cfg mixed",
               "-s ftl=dftl -s map.cache_bytes=1K -s flash.blocks=64 parameters/tiny.cfg financial",
               "-s gc.separate=false -s gc.hysteresis=0.1 parameters/tiny.cfg uniform",
               "-s wear.delta=2 -s wear.period=4 parameters/tiny.cfg zipf"]
# The objects that the tests link, too: a student's file is linked in a second.
BUILD = os.environ.get("BUILD") or "build/dev"


class Work:
    """The student's program: built in a folder of its own."""

    def __init__(self, kind, files, folder):
        self.compiler = dict(
            line.split("=", 1) for line in open(os.path.join(BUILD, "compiler")).read().splitlines()
        )
        self.folder = folder
        self.ops, self.list, self.line, self.others, self.choose = KINDS[kind]
        text = "".join(open(name).read() for name in files)
        found = re.search(r"const struct %s (?:ftl|gc)_(\w+)\s*=" % self.ops, text)
        if not found:
            sys.exit("grade: %s: no `const struct %s` is defined" % (" ".join(files), self.ops))
        self.name = found.group(1)
        self.files = files
        self.ssd = os.path.join(folder, "ssd")
        self.suite = os.path.join(folder, "test_ftl")

    def compile(self, source, flags):
        target = os.path.join(self.folder, source.replace("/", "_") + ".o")
        return call(flags + ["-c", source, "-o", target]) + (target,)

    def link(self, target, objects, libraries):
        return call(
            shlex.split(self.compiler["CC"])
            + ["-o", target]
            + objects
            + [os.path.join(BUILD, "rooms.a")]
            + shlex.split(self.compiler["LDLIBS"])
            + libraries
        )

    def build(self, suite):
        """The compiler's first message, or "" if it has none."""
        flags = shlex.split(self.compiler["CC"]) + ["-I" + self.folder] + shlex.split(self.compiler["CFLAGS"])
        os.makedirs(os.path.join(self.folder, os.path.dirname(self.list)))
        with open(os.path.join(self.folder, self.list), "w") as out:
            lines = open(self.list).read().splitlines()
            out.write(
                "\n".join(lines + [self.line % self.name] * (self.line % self.name not in lines)) + "\n"
            )
        own, others = [], []
        for source in self.files + self.others + ["tests/test_ftl.c"] * suite:
            status, _, said, target = self.compile(source, flags)
            if status:
                return said
            (own if source in self.files else others).append(target)
        main = [os.path.join(BUILD, name) for name in ("ssd.o", "commit.o")]
        status, _, said = self.link(self.ssd, main + own + others[:len(self.others)], [])
        if not status and suite:
            fixtures = [os.path.join(BUILD, "tests", name) for name in ("own_ftls.o", "undeclared.o")]
            status, _, said = self.link(self.suite, own + others[-1:] + fixtures, ["-lcmocka"])
        return said if status else ""

    def run(self, words):
        return call(
            [self.ssd, "run", "--all", "--verify"] + shlex.split(self.choose % self.name) + shlex.split(words)
        )


def trouble(status, said):
    """What a run that ended so says about itself, "" if all is well."""
    lines = [line for line in said.splitlines() if re.match(r"ssd: (?!warning|\d+ requests)", line)]
    if not status:
        return ""
    return lines[0] if lines else said.strip() or "it ends with status %d" % status


def paper(work, points):
    """A drive that can be printed; the request that breaks a law is found by shorter and shorter runs."""
    def broken(requests):
        status, _, said = work.run("-s trace.limit=%d %s" % (requests, PAPER))
        return trouble(status, said)

    what = broken(PAPER_REQUESTS)
    if points.give(
        0 if what else 20,
        20,
        "%d requests on a drive for paper, every sector and every operation judged" % PAPER_REQUESTS,
    ):
        return True
    good, bad = 0, PAPER_REQUESTS
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if broken(middle) else (middle, bad)
    print("\n  broken by request %d: %s\n  the drive before it:" % (bad, broken(bad) or what))
    _, picture, said = call([work.ssd, "watch", "--plain", "--at", str(bad - 1), "--columns", "100"] +
                            shlex.split(work.choose % work.name) + shlex.split(PAPER))
    indent(picture or said)
    return False


def conformance(work, points):
    passed, why = {}, ""
    for act in ACTS:
        environment = dict(os.environ, OPERATIONS="500", SSD=work.ssd)
        status, said, errors = call([work.suite, "%s:%s+" % (act, work.name)], env=environment)
        cases = len(re.findall(r"^\[ *OK \] %s:" % act, said, re.M))
        passed[act] = not status and cases > 0
        if not passed[act] and not why:
            first = re.search(r"ssd: BUG in.*|state without a row.*", said + errors)
            failed = re.search(r"^\[  FAILED  \] (\S+)", said, re.M)
            why = "%s: %s" % (
                failed.group(1) if failed else act,
                first.group() if first else errors.strip()[-300:],
            )
    points.give(sum(ACTS[act] for act in ACTS if passed[act]), 40, "the conformance suite: " +
                ", ".join(act if right else "not " + act for act, right in passed.items()))
    if why:
        indent(why)


def policies(work, points):
    right = 0
    for words in POLICY_RUNS:
        status, _, said = work.run("-s trace.limit=5000 " + words)
        if not trouble(status, said):
            right += 1
        else:
            indent(words + ": " + trouble(status, said))
    kept = os.path.join(work.folder, "drive")
    base = (
        "-s trace.limit=5000 -s precondition.mode=trace -s precondition.trace=uniform %s"
        " parameters/class.cfg zipf"
    )
    plain = work.run(base % ("--save-drive " + kept))
    loaded = work.run(base % ("--load-drive " + kept))
    numbers = [re.sub(r"^run\.command.*\n", "", done[1], flags=re.M) for done in (plain, loaded)]
    same = not plain[0] and numbers[0] == numbers[1]
    if not same:
        indent("a run from a saved drive is another run: does regions() visit all that pick() looks at? " +
               loaded[2].strip()[:200])
    points.give(
        6 * right + 10 * same,
        40,
        "%d of %d drives with other FTLs, judged; a saved drive goes on %s"
        % (right, len(POLICY_RUNS), "as before" if same else "otherwise"),
    )


def number(said, statistic):
    found = re.search(r"^%s = (\S+)" % re.escape(statistic), said, re.M)
    return float(found.group(1)) if found else None


def bound(work, lab, points):
    status, said, errors = work.run(lab["run"])
    what = trouble(status, errors)
    if not points.give(0 if what else 10, 10, "the run of the lab, judged: ssd run %s" % lab["run"]):
        indent(what)
    _, other, _ = call([work.ssd, "run", "--all"] + shlex.split(lab["reference"]) + shlex.split(lab["run"]))
    value, reference, factor = (
        number(said, lab["statistic"]),
        number(other, lab["statistic"]),
        float(lab["factor"]),
    )
    reached = value is not None and value <= factor * reference
    points.give(
        20 if reached else 0,
        20,
        "%s = %s; at most %g x %g (%s)"
        % (lab["statistic"], "none" if value is None else "%g" % value, factor, reference, lab["reference"]),
    )


def labs():
    found = configparser.ConfigParser(inline_comment_prefixes=None)
    found.read(os.path.join(HERE, "labs.ini"))
    return found


def prepare():
    """The simulator's objects, and how they were compiled.  An outer make's flags are not theirs."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")
    }
    for command in (["scripts/deps", "grade"],
                    ["make", "-s", "-j%d" % (os.cpu_count() or 1), "BUILD=" + BUILD, "grade-objects"]):
        if subprocess.run(command, env=environment).returncode:
            sys.exit(2)


def grade(name, files, points):
    lab = labs()[name]
    prepare()
    with tempfile.TemporaryDirectory() as folder:
        work = Work(lab["kind"], files, folder)
        print("lab %s, %s: %s" % (name, lab["title"], work.name))
        said = work.build(lab["kind"] == "ftl")
        if points.give(0 if said else 10, 10, "it compiles"):
            if paper(work, points):
                (conformance if lab["kind"] == "ftl" else policies)(work, points)
                bound(work, lab, points)
        else:
            indent("\n".join(said.splitlines()[:12]))
