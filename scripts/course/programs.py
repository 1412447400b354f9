"""Points for exercises of docs/course that are programs: an FTL, a collection policy (labs.ini).

The student's program is compiled in a sandbox, where it finds the headers and objects of the tree and
nothing else, and is linked with the simulator.  Its process records what it asks of the drive.  Another
process, the judge's, plays the record on a drive of its own (player.c).  There the operations are judged and
counted, and from there come all points but those of the conformance suite.  Nothing that the program prints,
and nothing that it does to its own simulator, is a result.

Steps, in this order, as long as the last one leaves something to check: it compiles; it serves requests on a
drive for paper correctly, sector by sector and operation by operation; the run of the lab; its gates, without
which there are no points; its bound; the conformance suite.  The first failure is printed with the drive as
it was before that.
"""

import collections
import configparser
import fcntl
import functools
import hashlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator

import rules
from points import Points, Refused, evaluate, statistics, text_of
from sandbox import Box, ended

HERE = os.path.dirname(os.path.abspath(__file__))
# Of each kind: struct, prefix of its name, objects that have the list of them, the option that selects one.
KINDS = {
    "ftl": ("ftl_ops", "ftl", ["ftls.o"], "-s ftl=%s"),
    "gc": ("gc_policy_ops", "gc", ["settings.o", "policies.o"], "-s gc.policy=%s"),
}
# Groups of cases of the conformance suite, and their points.
ACTS = {"conforms": 10, "wears-out": 6, "saved": 14, "two-drives": 6, "spare": 4}
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
BUILD = os.environ.get("BUILD") or "build/dev"
KIT = os.path.join(BUILD, "kit")  # what the Makefile makes for the sandbox
OWN = "handed-in"  # the folder of the student's files in the sandbox
# Besides functions of the tree (kit/names), a program may call these of C.
C = """abs calloc ceil ceilf exp exp2 expf fabs floor floorf fmax fmin fmod fprintf fputc fputs free frexp
fwrite ilogb ldexp log log10 log1p log2 logf lround malloc memchr memcmp memcpy memmove memset pow
powf qsort realloc round roundf snprintf sqrt sqrtf stderr strchr strcmp strcpy strlen strncmp
strstr trunc __popcountdi2 __stack_chk_fail __assert_fail _GLOBAL_OFFSET_TABLE_""".split()
HUGE = "{}: the compiler fails on it: it is too large, perhaps once its macros are replaced"
CHARACTERS = 6000  # of a picture or a message that a program prints
# What the judge says of a program that does not play by the rules.
FOUL = re.compile("it changes the (drive's settings|counts of the simulator)|it does work that takes no time")
HINTS = {
    "dies twice": "was it looked up before the new page was taken?  Taking a page may collect, and move it",
}


def symbols(said: str, kinds: str) -> set[str]:
    """Names of these kinds (nm's letters)."""
    return set(re.findall(rf"^[0-9a-f ]+ [{kinds}] (\w+)$", said, re.M))


class Work:
    """The student's program: built in the sandbox's folder."""

    def __init__(self, kind: str, files: list[str], box: Box) -> None:
        self.box = box
        self.ops, self.prefix, self.lists, self.option = KINDS[kind]
        self.choose = shlex.split(self.option % "handed_in")
        for name in os.listdir(KIT):
            box.put(os.path.join(KIT, name), name)
        with open(box.path("compiler")) as file:
            self.compiler = dict(line.split("=", 1) for line in file.read().splitlines())
        self.sources, found = self.take(files)
        if len(found) != 1:
            raise Refused(
                f"{' '.join(files)}: should define one `const struct {self.ops}`, "
                f"not {', '.join(sorted(found)) or 'none'}"
            )
        self.name = found.pop()

    def take(self, files: list[str]) -> tuple[dict[str, str], set[str]]:
        """Copies the files into the sandbox.  Their names and texts, and those of the structs they define."""
        os.makedirs(self.box.path(OWN))
        sources: dict[str, str] = {}
        found: set[str] = set()
        for path in files:
            name = os.path.basename(path)
            if not re.fullmatch(r"\w[\w.+ -]*\.[ch]", name) or name in sources:
                raise Refused(f"{path}: a name of a file should end in .c or .h, and occur once")
            sources[name] = text_of(path)
            found.update(re.findall(rf"const struct {self.ops} {self.prefix}_(\w+)\s*=", sources[name]))
            with open(self.box.path(os.path.join(OWN, name)), "w", encoding="utf-8") as out:
                out.write(sources[name])
        return sources, found

    # ---- compiling ----

    @property
    def flags(self) -> str:
        return f"{self.compiler['CC']} {self.compiler['CFLAGS']}"

    def compile(self, name: str) -> str:
        """Messages, if it does not compile, or a complaint about a broken rule."""
        path = shlex.quote(os.path.join(OWN, name))
        status, text, said = self.box.call(["sh", "-c", f"{self.flags} -E {path}"])
        if status:
            said = said or ended(status)
        else:
            said = rules.of_compiled(name, text, OWN) or self.box.make(
                name + ".o", f'{self.flags} -c {path} -o "$made"'
            )
        return (
            HUGE.format(name)
            if re.search("internal compiler error|out of memory|Killed signal", said)
            else said
        )

    def join(self, objects: list[str]) -> str:
        """Links all into one object that exports only its struct of functions, and looks at it."""
        keep = f"{self.prefix}_{self.name}"
        files = " ".join(map(shlex.quote, objects))
        said = self.box.make(
            "own.o",
            f'ld -r -o "$made" {files} && objcopy --keep-global-symbol={keep} "$made" && '
            f'objcopy --redefine-sym {keep}={self.prefix}_handed_in "$made"',
        )
        if said:
            return said
        _, sections, _ = self.box.call(["readelf", "-SsW", "own.o"])
        said = rules.of_object(sections)
        return f"{' '.join(self.sources)}: {said}" if said else self.strangers()

    def strangers(self) -> str:
        """A complaint if the program calls what it may not."""
        with open(self.box.path("names")) as file:
            allowed = set(file.read().split()) | set(C)
        called = symbols(self.box.call(["nm", "own.o"])[1], "Uvw") - allowed
        if not called:
            return ""
        return (
            f"{' '.join(self.sources)}: calls {', '.join(sorted(called))}, which no program of the course "
            "may: of C, only what reads and writes nothing; fprintf(stderr, ...) is allowed"
        )

    def link(self, target: str, objects: list[str], more: str = "") -> str:
        return self.box.make(
            target,
            f'{self.compiler["CC"]} -o "$made" own.o {" ".join(objects)} rooms.a '
            f"{self.compiler['LDLIBS']} {more}",
        )

    def build(self, suite: bool) -> str:
        """The errors of the compiler, or a complaint about a broken rule; "" if there is none."""
        for name, text in self.sources.items():
            said = rules.of_text(name, text)
            if said:
                return said
        programs = [name for name in self.sources if name.endswith(".c")]
        for name in programs:
            said = self.compile(name)
            if said:
                return said
        recorder = symbols(self.box.call(["nm", "recorder.o"])[1], "T")
        wrapped = ["-Wl,--wrap=" + name[len("__wrap_") :] for name in sorted(recorder)]
        return (
            self.join([name + ".o" for name in programs])
            or self.link("ssd", wrapped + ["ssd.o", "commit.o", "recorder.o", *self.lists])
            or (
                self.link("test_ftl", ["test_ftl.o", "own_ftls.o", "undeclared.o"], "-lcmocka")
                if suite
                else ""
            )
        )

    # ---- running ----

    def run(self, words: str, read_all: bool = True) -> tuple[str, str]:
        """Runs the program, and its judge: what went wrong, "" if nothing did, and what the judge prints.
        With `read_all` every sector is read at the end, outside time."""
        split = shlex.split(words)
        (status, said), (judged, out, told) = self.box.pipe(
            ["./ssd", "run", "--verify", *self.choose, *split],
            ["./judge", "run", "--all", "--verify", *split, "-s", "ftl=handed_in"],
            **({"READ_ALL": "1"} if read_all else {}),
        )
        if judged and "it ended before its last request" not in told:
            return trouble(judged, told), ""
        return (trouble(status, said) or trouble(judged, told)), out

    def quietly(self, script: str) -> tuple[int, str, str]:
        """Runs a shell script without a record."""
        return self.box.call(["sh", "-c", "exec 3>/dev/null; " + script])

    def picture(self, request: int) -> str:
        """The drive after this request."""
        status, picture, said = self.quietly(
            f"exec ./ssd watch --plain --at {request} --columns 100 -s trace.limit={request} "
            + " ".join(self.choose + shlex.split(PAPER))
        )
        return picture[:CHARACTERS] if status == 0 else trouble(status, said)


def trouble(status: int, said: str) -> str:
    """The error message of a run, "" if it succeeded."""
    lines = [line for line in said.splitlines() if re.match(r"ssd: (?!warning|\d+ requests)", line)]
    if status == 0:
        return ""
    crashed = ended(status)
    if lines:
        text = lines[0][:CHARACTERS]
    elif crashed.startswith("it crashed"):
        text = crashed
    else:
        text = said.strip()[-300:] or crashed
    return re.sub(r"^ssd: BUG in scripts/course/player\.c:\d+: ", "", text)


def paper(work: Work, points: Points) -> bool:
    """Requests on a drive small enough to print.  Bisection finds the first request that breaks a rule."""

    def broken(requests: int, read_all: bool = False) -> str:
        return work.run(f"-s trace.limit={requests} {PAPER}", read_all)[0]

    what = broken(PAPER_REQUESTS, True)
    if FOUL.search(what):
        points.forfeit("no points: " + what)
        return False
    if points.give(
        0 if what else 20,
        20,
        f"{PAPER_REQUESTS} requests on a drive for paper, every sector and every operation judged",
    ):
        return True
    good, bad = 0, PAPER_REQUESTS + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if broken(middle) else (middle, bad)
    if bad <= PAPER_REQUESTS:
        what = broken(bad)
        points.tell(f"\nbroken by request {bad}: {what}")
    else:
        points.tell(f"\nbroken when every sector is read after the last request: {what}")
    for words, hint in HINTS.items():
        if words in what:
            points.tell(f"({hint})")
    points.tell("the drive before it:")
    points.tell(work.picture(bad - 1))
    return False


def conformance(work: Work, points: Points, seed: int) -> None:
    """The suite runs in the program's process.  It writes the name of each case that passes to a file; the
    names must be as many as the suite has for any FTL, and different ones."""

    def by_act(names: Iterable[str]) -> collections.Counter[str]:
        return collections.Counter(name.partition(":")[0] for name in names)

    status, names, said = work.box.call(
        ["sh", "-c", 'exec "$@" 3>&1 >&2', "sh", "./test_ftl", f":{work.name}+", "3"],
        OPERATIONS="500",
        SEED=str(seed),
    )
    with open(work.box.path("cases.txt")) as file:
        wanted = by_act(file)
    right = by_act({name for name in names.splitlines() if f":{work.name}+" in name})
    passed = {act: right[act] == wanted[act] for act in ACTS}
    points.give(
        sum(ACTS[act] for act in ACTS if passed[act]),
        40,
        "the conformance suite: "
        + ", ".join(act if right else "not " + act for act, right in passed.items()),
    )
    if not all(passed.values()):
        first = re.search(r"ssd: BUG in.*|state without a row.*", said)
        failed = re.search(r"^\[  FAILED  \] (\S+)", said, re.M)
        why = first[0] if first else said.strip()[-300:] or ended(status)
        points.tell((f"{failed[1]}: {why}" if failed else why)[:CHARACTERS])


def policies(work: Work, points: Points, seed: int) -> None:
    right = 0
    why: list[str] = []
    for words in POLICY_RUNS:
        what, _ = work.run(f"-s seed={seed} -s trace.limit=5000 {words}")
        if not what:
            right += 1
        else:
            why.append(words + ": " + what)
    same, said = goes_on(work, seed)
    if not same:
        why.append(
            "a run from a saved drive is another run: has its state a row for all that pick() looks at? "
            + said.strip()[:200]
        )
    points.give(
        6 * right + 10 * same,
        40,
        f"{right} of {len(POLICY_RUNS)} drives with other FTLs, judged; "
        f"a saved drive goes on {'as before' if same else 'otherwise'}",
    )
    for one in why:
        points.tell(one)


def goes_on(work: Work, seed: int) -> tuple[bool, str]:
    """Does a run from a loaded drive give the same results as the run that saved it?"""

    def run(number: int, option: str) -> str:
        return (
            f"./ssd run -q --verify --json $d/{number}.json {' '.join(work.choose)} -s seed={seed} "
            "-s trace.limit=5000 -s precondition.mode=trace -s precondition.trace=uniform "
            f"{option} $d/drive class zipf >&2"
        )

    status, out, said = work.quietly(
        f"d=$(mktemp -d) && {run(1, '--save-drive')} && {run(2, '--load-drive')} && "
        'cat "$d"/1.json && echo @@@ && cat "$d"/2.json'
    )
    halves = [re.sub(r'^ *"(run\.command|command)".*\n', "", half, flags=re.M) for half in out.split("@@@\n")]
    return status == 0 and len(halves) == 2 and halves[0].strip() == halves[1].strip(), said


# ---- other runs of the same ----


def cached(words: str) -> str:
    """Where the result of this run is kept while a class is graded; "" without a class."""
    folder = os.environ.get("GRADE_REFERENCES", "")
    return folder and os.path.join(folder, hashlib.sha256(words.encode()).hexdigest())


@functools.lru_cache(None)
def reference(words: str) -> str:
    """What the teacher's simulator prints of a run; "" if it refuses the drive."""
    kept = cached(words)
    if kept and os.path.exists(kept):
        with open(kept) as file:
            return file.read()
    done = subprocess.run(
        [os.path.join(BUILD, "ssd"), "run", "--all", *shlex.split(words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    out = done.stdout if done.returncode == 0 else ""
    if kept:
        with open(f"{kept}.{os.getpid()}", "w") as file:
            file.write(out)
        os.rename(file.name, kept)
    return out


def operations(printed: str) -> dict[str, str]:
    """Counts of the medium by name.  Whose blocks were erased only an FTL of the tree tells."""
    found = dict(re.findall(r"^(flash\.\S+) = (\S+)", printed, re.M))
    found.pop("flash.erase.map", None)
    return found


def known() -> Iterator[tuple[str, list[str]]]:
    """Options that select each FTL, or each policy, of the tree."""
    for kind, line in (("ftl", r"^FTL\((\w+)\)"), ("gc", r"^GC_POLICY\((\w+)\)")):
        with open(f"{kind}/list.h") as file:
            yield kind, [KINDS[kind][3] % name for name in re.findall(line, file.read(), re.M)]


def twin(kind: str, words: str, printed: str) -> str:
    """The option of what does the same in the same run, "" if there is none."""
    mine = operations(printed)
    for option in dict(known())[kind]:
        other = operations(reference(f"{option} {words}"))
        if other and all(other.get(name) == value for name, value in mine.items()):
            return option
    return ""


def measure(work: Work, lab: configparser.SectionProxy, points: Points, seed: int) -> bool:
    """The run of the lab, its gates and its bound.  False: there are no points."""
    words = f"-s seed={seed} {lab['run']}"
    what, out = work.run(words)
    if FOUL.search(what):
        points.forfeit("no points: " + what)
        return False
    points.give(0 if what else 10, 10, f"the run of the lab, judged: ssd run {words}")
    if what:
        points.tell(what)
        points.give(0, 20, f"bound: {lab['bound']}")
        return True
    against = lab["against"].strip().splitlines()
    results = [statistics(out)] + [statistics(reference(f"{other} {words}")) for other in against]
    same = twin(lab["kind"], words, out)
    if same:
        points.forfeit(
            f"no points: it does what {same[len('-s ') :]} does, each operation in this run; "
            "it should be a program of your own"
        )
        return False
    for gate in lab.get("gate", "").strip().splitlines():
        condition, _, meaning = gate.partition(":")
        if not evaluate(condition, results):
            points.forfeit(f"no points unless {meaning.strip()}")
            return False
    reached = evaluate(lab["bound"], results)
    names = dict.fromkeys(re.findall(r"\b(?:waf|[a-z_]+(?:\.[a-z_]\w*)+)(?:@\d)?", lab["bound"]))
    values = ", ".join(f"{name} = {evaluate(name, results):g}" for name in names)
    points.give(20 if reached else 0, 20, f"{lab['bound']} ({values}; @2: {against[0]})")
    return True


def labs() -> configparser.ConfigParser:
    found = configparser.ConfigParser(inline_comment_prefixes=None)
    found.read(os.path.join(HERE, "labs.ini"))
    return found


def prepare() -> None:
    """Builds the simulator's objects, without the flags of an outer make; one grader at a time."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")
    }
    commands = (
        ["scripts/deps", "grade"],
        ["make", "-s", f"-j{os.cpu_count() or 1}", "BUILD=" + BUILD, "grade-objects"],
    )
    with open("Makefile") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in commands:
            if subprocess.run(command, env=environment).returncode:
                sys.exit(2)


def grade(name: str, files: list[str], seed: int, box: Box, points: Points) -> None:
    lab = labs()[name]
    if not os.environ.get("GRADE_PREPARED"):
        prepare()
    work = Work(lab["kind"], files, box)
    print(f"lab {name}, {lab['title']}: {work.name}, seed {seed}")
    said = work.build(lab["kind"] == "ftl")
    if not points.give(0 if said else 10, 10, "it compiles, and calls nothing that it may not"):
        points.tell("\n".join(line[:300] for line in said.splitlines()[:12]))
    elif paper(work, points) and measure(work, lab, points, seed):
        (conformance if lab["kind"] == "ftl" else policies)(work, points, seed)
