"""Points for exercises of docs/course that are programs: an FTL, a collection policy (labs.ini).

The tree is not changed: the student's files are compiled with a list of FTLs (or of collection policies) that
includes theirs, and linked before the rest.  They may call what an FTL of the tree may, and a few functions
of C that do no input or output; so a program cannot just print the expected numbers and exit.  If a program
is compared with another, the other is the teacher's, run by the teacher's simulator.

Steps, in this order, as long as the last one leaves something to check: it compiles; it serves requests on a
drive for paper correctly, sector by sector and operation by operation; the run of the lab; its gates, without
which there are no points; its bound; the conformance suite.  The first failure is printed with the drive as
it was before that.
"""

import collections
import configparser
import csv
import glob
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from points import Refused, Wrong, evaluate, statistics
from sandbox import call

HERE = os.path.dirname(os.path.abspath(__file__))
# Of each kind: struct, list, a line of it, the sources that include it, the option that selects a program.
KINDS = {
    "ftl": ("ftl_ops", "ftl/list.h", "FTL(%s)", ["ftl/ftls.c"], "-s ftl=%s"),
    "gc": (
        "gc_policy_ops",
        "gc/list.h",
        "GC_POLICY(%s)",
        ["gc/settings.c", "gc/policies.c"],
        "-s gc.policy=%s",
    ),
}
# Groups of cases of the conformance suite, and their points.
ACTS = {"conforms": 10, "wears-out": 6, "forged": 6, "saved": 8, "two-drives": 6, "spare": 4}
PAPER = (
    "-s flash.channels=1 -s flash.planes=1 -s flash.page_bytes=8K -s flash.over_provisioning=0.4 tiny lun1"
)
PAPER_REQUESTS = 2000
# A policy is tried with FTLs that call it in different ways.
POLICY_RUNS = [
    "-s ftl=across -s flash.page_bytes=8K tiny lun1",
    "-s ftl=mrsm -s flash.page_bytes=8K tiny mixed",
    "-s ftl=dftl -s map.cache_bytes=1K -s flash.blocks=64 tiny financial",
    "-s gc.separate=false -s gc.hysteresis=0.1 tiny uniform",
    "-s wear.delta=2 -s wear.period=4 tiny zipf",
]
# Has the objects that the tests link; with them a student's file is linked in a second.
BUILD = os.environ.get("BUILD") or "build/dev"
# A program may call these rooms, except what prints reports, and these functions of C.
ROOMS = "base flash space pagemap gc ftl observe/oracle stats/table stats/histogram".split()
C = """abs calloc ceil ceilf exp exp2 expf fabs floor floorf fmax fmin fmod fprintf fputc fputs free frexp
fwrite ilogb ldexp log log10 log1p log2 logf lround malloc memchr memcmp memcpy memmove memset pow
powf qsort realloc round roundf snprintf sqrt sqrtf stderr strchr strcmp strcpy strlen strncmp
strstr trunc __popcountdi2 __stack_chk_fail __assert_fail _GLOBAL_OFFSET_TABLE_""".split()


def symbols(kinds, *files):
    """Names of these kinds (nm's letters) in objects."""
    said = subprocess.run(["nm", *files], stdout=subprocess.PIPE, text=True).stdout
    return set(
        re.findall(r"^[0-9a-f ]+ [%s] %s(\w+)$" % (kinds, "_" * (sys.platform == "darwin")), said, re.M)
    )


class Work:
    """The student's program: built in a folder of its own."""

    def __init__(self, kind, files, folder, limit):
        with open(os.path.join(BUILD, "compiler")) as file:
            self.compiler = dict(line.split("=", 1) for line in file.read().splitlines())
        self.limit = limit
        self.folder = folder
        self.ops, self.list, self.line, self.others, self.choose = KINDS[kind]
        text = ""
        for name in files:
            with open(name, errors="replace") as file:
                text += file.read()
        found = re.findall(r"const struct %s (?:ftl|gc)_(\w+)\s*=" % self.ops, text)
        if len(set(found)) != 1:
            raise Refused(
                "%s: should define one `const struct %s`, not %s"
                % (" ".join(files), self.ops, ", ".join(found) or "none")
            )
        self.name = found[0]
        self.files = files
        self.ssd = os.path.join(folder, "ssd")
        self.suite = os.path.join(folder, "test_ftl")
        self.own = os.path.join(folder, "own.o")

    @property
    def flags(self):
        return (
            shlex.split(self.compiler["CC"]) + ["-I" + self.folder] + shlex.split(self.compiler["CFLAGS"])
        )

    def compile(self, source):
        target = os.path.join(self.folder, source.replace("/", "_") + ".o")
        return call(self.flags + ["-c", source, "-o", target], self.limit) + (target,)

    def link(self, target, objects, libraries):
        return call(
            shlex.split(self.compiler["CC"])
            + ["-o", target]
            + objects
            + [os.path.join(BUILD, "rooms.a")]
            + shlex.split(self.compiler["LDLIBS"])
            + libraries,
            self.limit,
        )

    def forbidden(self, source):
        """A complaint if a source has machine code, sets the judges or includes a file from elsewhere."""
        status, text, said = call(self.flags + ["-E", source], self.limit)
        if status != 0:
            return said
        here, rooms = os.path.dirname(os.path.abspath(source)), os.getcwd()
        file = ""
        for line in text.splitlines():
            marked = re.match(r'# \d+ "(.*?)"', line)
            if marked:
                file = marked[1]
                if (
                    not file.startswith(("<", "/usr/", self.folder))
                    and not file.endswith("//")
                    and not os.path.realpath(file).startswith(
                        (here + "/", rooms + "/", os.path.realpath(here) + "/")
                    )
                ):
                    return "%s: includes %s, which is none of the tree's files" % (source, file)
            elif file == source and re.search(r"\b(asm|__asm|__asm__)\b|->\s*(oracle|judge)\s*=[^=]", line):
                return "%s: has machine code (asm), or touches what judges it: %s" % (source, line.strip())
        return ""

    def join(self, objects):
        """Links all into one object that exports only its struct of functions."""
        for command in (
            ["ld", "-r", "-o", self.own, *objects],
            ["objcopy", "--keep-global-symbol=%s_%s" % (self.list.split("/")[0], self.name), self.own],
        ):
            status, _, said = call(command, self.limit)
            if status != 0:
                return said
        return ""

    def strangers(self):
        """A complaint if the program calls what it may not."""
        rooms = [
            name
            for room in ROOMS
            for name in glob.glob(os.path.join(BUILD, room, "**/*.o"), recursive=True)
            + glob.glob(os.path.join(BUILD, room + ".o"))
        ]
        called = symbols("Uvw", self.own) - symbols("TDBRVW", *rooms) - set(C)
        return (
            ""
            if not called
            else (
                "%s: calls %s, which no program of the course may: of C, only what reads and writes nothing; "
                "fprintf(stderr, ...) is allowed" % (" ".join(self.files), ", ".join(sorted(called)))
            )
        )

    def write_list(self):
        os.makedirs(os.path.join(self.folder, os.path.dirname(self.list)))
        with open(self.list) as file:
            lines = file.read().splitlines()
        if self.line % self.name not in lines:
            lines.append(self.line % self.name)
        with open(os.path.join(self.folder, self.list), "w") as out:
            out.write("\n".join(lines) + "\n")

    def build(self, suite):
        """The errors of the compiler, or a complaint about a broken rule; "" if there is none."""
        self.write_list()
        own, others = [], []
        for source in self.files:
            if not source.endswith(".h"):
                said = self.forbidden(source)
                if said:
                    return said
        for source in self.files + self.others + ["tests/test_ftl.c"] * suite:
            if source.endswith(".h"):
                continue
            status, _, said, target = self.compile(source)
            if status != 0:
                return said
            (own if source in self.files else others).append(target)
        said = self.join(own) or self.strangers()
        if said:
            return said
        main = [os.path.join(BUILD, name) for name in ("ssd.o", "commit.o")]
        status, _, said = self.link(self.ssd, main + [self.own] + others[: len(self.others)], [])
        if not status and suite:
            fixtures = [os.path.join(BUILD, "tests", name) for name in ("own_ftls.o", "undeclared.o")]
            status, _, said = self.link(self.suite, [self.own] + others[-1:] + fixtures, ["-lcmocka"])
        os.chmod(self.folder, 0o755)
        return said if status else ""

    def call(self, command, **more):
        return call(command, self.limit, self.folder, **more)

    def script(self, *lines):
        """Runs lines in a shell with a folder $d; a line is the options of a run, or a command `cut`.
        Returns status, output of each line and messages."""
        run = "%s run --all --verify %s " % (shlex.quote(self.ssd), self.choose % self.name)
        script = " && echo @@@ && ".join(line if line.startswith("cut ") else run + line for line in lines)
        status, out, said = self.call(
            ["sh", "-c", "d=$(mktemp -d) && %s; s=$?; rm -rf $d; exit $s" % script]
        )
        return status, (out.split("\n@@@\n") + [""] * len(lines))[: len(lines)], said

    def page_bytes(self, words):
        """The page size of the drive, from the teacher's simulator."""
        _, said, _ = call(
            [os.path.join(BUILD, "ssd"), "run", "--all", "--check", *shlex.split(words)], self.limit
        )
        return float(re.search(r"^flash\.page_bytes = (\d+)", said, re.M)[1])

    def run(self, words):
        return self.call(
            [self.ssd, "run", "--all", "--verify"]
            + shlex.split(self.choose % self.name)
            + shlex.split(words)
        )


def trouble(status, said):
    """The error message of a run, "" if it succeeded."""
    lines = [line for line in said.splitlines() if re.match(r"ssd: (?!warning|\d+ requests)", line)]
    if status == 0:
        return ""
    return lines[0] if lines else said.strip()[-300:] or "it ends with status %s" % status


def paper(work, points):
    """Requests on a drive small enough to print.  Bisection finds the first request that breaks a rule."""

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
    while bad - good > 1 and work.limit.left > 0:
        middle = (good + bad) // 2
        good, bad = (good, middle) if broken(middle) else (middle, bad)
    if work.limit.left <= 0:
        points.tell(what)
        return False
    points.tell("\nbroken by request %d: %s\nthe drive before it:" % (bad, broken(bad) or what))
    _, picture, said = work.call(
        [work.ssd, "watch", "--plain", "--at", str(bad - 1), "--columns", "100"]
        + shlex.split(work.choose % work.name)
        + shlex.split(PAPER)
    )
    points.tell(picture or said)
    return False


def conformance(work, points, seed):
    passed, why = {}, ""
    for act in ACTS:
        environment = dict(os.environ, OPERATIONS="500", SEED=str(seed))
        status, said, errors = work.call([work.suite, "%s:%s+" % (act, work.name)], env=environment)
        cases = len(re.findall(r"^\[ *OK \] %s:" % act, said, re.M))
        passed[act] = status == 0 and cases > 0
        if not passed[act] and not why:
            first = re.search(r"ssd: BUG in.*|state without a row.*", said + errors)
            failed = re.search(r"^\[  FAILED  \] (\S+)", said, re.M)
            why = "%s: %s" % (
                failed.group(1) if failed else act,
                first.group() if first else errors.strip()[-300:],
            )
    points.give(
        sum(ACTS[act] for act in ACTS if passed[act]),
        40,
        "the conformance suite: "
        + ", ".join(act if right else "not " + act for act, right in passed.items()),
    )
    if why:
        points.tell(why)


def policies(work, points, seed):
    right, why = 0, []
    for words in POLICY_RUNS:
        status, _, said = work.run("-s seed=%d -s trace.limit=5000 %s" % (seed, words))
        if not trouble(status, said):
            right += 1
        else:
            why.append(words + ": " + trouble(status, said))
    same, said = goes_on(work, seed)
    if not same:
        why.append(
            "a run from a saved drive is another run: has its state a row for all that pick() looks at? "
            + said.strip()[:200]
        )
    points.give(
        6 * right + 10 * same,
        40,
        "%d of %d drives with other FTLs, judged; a saved drive goes on %s"
        % (right, len(POLICY_RUNS), "as before" if same else "otherwise"),
    )
    for one in why:
        points.tell(one)


def goes_on(work, seed):
    """Does a run from a loaded drive give the same results as the run that saved it?"""
    words = (
        "-s seed=%d -s trace.limit=5000 -s precondition.mode=trace -s precondition.trace=uniform "
        "%%s class zipf" % seed
    )
    status, halves, said = work.script(words % "--save-drive $d/drive", words % "--load-drive $d/drive")
    halves = [re.sub(r"^run\.command.*\n", "", half, flags=re.M).strip() for half in halves]
    return status == 0 and halves[0] == halves[1], said


def counted_twice(kept, log, page_bytes):
    """The medium's counts must agree with the log, which counts operations independently."""
    sums = collections.Counter()
    for row in csv.DictReader(io.StringIO(log.strip())):
        sums["bytes"] += 512 * int(row["sectors"]) * (row["type"] == "write")
        for group in ("", "map_", "gc_"):
            for kind in ("read", "program", "erase"):
                sums[group + kind] += int(row["%s%ss" % (group, kind)])
    for kind in ("read", "program", "erase"):
        gc = sum(
            kept.get("flash.%s.%s" % (kind, cause), 0) for cause in ("gc", "gc_map", "gc_update", "wear")
        )
        of_map = kept.get("flash.%s.map" % kind, 0) * (kind != "erase")
        counted = [kept["flash.%s.total" % kind] - gc - of_map, of_map, gc]
        if counted != [sums[kind], sums["map_" + kind], sums["gc_" + kind]]:
            raise Wrong(
                "its counts of %ss are not those of the log: it has changed counts of the simulator" % kind
            )
    pages = sum(sums[group + "program"] for group in ("", "map_", "gc_"))
    if (
        sums["bytes"] != kept["request.write.bytes"]
        or abs(kept["waf"] * sums["bytes"] - pages * page_bytes) > 1e-6 * sums["bytes"]
    ):
        raise Wrong("its waf is not that of the log: it has changed counts of the simulator")


def operations(printed):
    """Counts of the medium, as one value that can be compared."""
    return re.findall(r"^(flash\.\S+ = \S+)", printed, re.M)


def measure(work, lab, points, seed):
    """The run of the lab, its gates and its bound.  False: there are no points."""
    words = "-s seed=%d %s" % (seed, lab["run"])
    status, halves, errors = work.script("--log $d/log " + words, "cut -d, -f5,7,18-26 $d/log")
    what, said = trouble(status, errors), halves[0]
    points.give(0 if what else 10, 10, "the run of the lab, judged: ssd run %s" % words)
    if what:
        points.tell(what)
        points.give(0, 20, "bound: %s" % lab["bound"])
        return True
    results, same = [], []
    try:
        results.append(statistics(said))
        counted_twice(results[0], halves[1], work.page_bytes(words))
        for reference in lab["against"].strip().splitlines():
            _, other, _ = call(
                [os.path.join(BUILD, "ssd"), "run", "--all", *shlex.split(reference + " " + words)],
                work.limit,
            )
            results.append(statistics(other))
            same.append(operations(other) == operations(said))
        for gate in lab.get("gate", "").strip().splitlines():
            condition, _, meaning = gate.partition(":")
            if not evaluate(condition, results, same=same):
                points.forfeit("no points unless %s" % meaning.strip())
                return False
    except Wrong as error:
        points.forfeit(str(error))
        return False
    except (TypeError, ValueError, KeyError):
        points.forfeit("its log or its statistics are not those that the simulator prints")
        return False
    reached = evaluate(lab["bound"], results)
    names = dict.fromkeys(re.findall(r"\b(?:waf|[a-z_]+(?:\.[a-z_]\w*)+)(?:@\d)?", lab["bound"]))
    points.give(
        20 if reached else 0,
        20,
        "%s (%s; @2: %s)"
        % (
            lab["bound"],
            ", ".join("%s = %g" % (name, evaluate(name, results)) for name in names),
            lab["against"].strip().splitlines()[0],
        ),
    )
    return True


def labs():
    found = configparser.ConfigParser(inline_comment_prefixes=None)
    found.read(os.path.join(HERE, "labs.ini"))
    return found


def prepare():
    """Builds the simulator's objects, without the flags of an outer make."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")
    }
    for command in (
        ["scripts/deps", "grade"],
        ["make", "-s", "-j%d" % (os.cpu_count() or 1), "BUILD=" + BUILD, "grade-objects"],
    ):
        if subprocess.run(command, env=environment).returncode:
            sys.exit(2)


def grade(name, files, seed, limit, points):
    lab = labs()[name]
    if not os.environ.get("GRADE_PREPARED"):
        prepare()
    folder = tempfile.mkdtemp()
    try:
        work = Work(lab["kind"], files, folder, limit)
        print("lab %s, %s: %s, seed %d" % (name, lab["title"], work.name, seed))
        said = work.build(lab["kind"] == "ftl")
        if not points.give(0 if said else 10, 10, "it compiles, and calls nothing that it may not"):
            points.tell("\n".join(said.splitlines()[:12]))
        elif paper(work, points) and measure(work, lab, points, seed):
            (conformance if lab["kind"] == "ftl" else policies)(work, points, seed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
