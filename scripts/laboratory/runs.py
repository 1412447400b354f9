"""Runs: named by what they depend on, checked before the first starts, done in parallel, kept whole.

A run's key is the hash of the binary, the settings that matter (`ssd run --check` prints them) and the
contents of the files that it reads.  So places that differ only in settings without effect share a run, and
an existing run is not repeated, whoever made it.
"""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from laboratory.children import Children
from laboratory.description import Experiment, Place, number
from laboratory.files import Digests, Files
from laboratory.fold import folded
from laboratory.mistake import Mistake, NotRun
from laboratory.real_traces import ENOUGH

PLUG_IN = re.compile(r'(?:ftl|--plugin)\s*=\s*"?([^"\s]*[/.][^"\s]*)')
REFUSED = "!ssd: cannot be simulated: "
ALONE = re.compile(r"alone\.(tenant\.(\d+)\..*)|tenant\.(\d+)\.slowdown|tenant\.fairness")
# Settings of the arbitration among tenants, without effect on a tenant that is alone.
AMONG = ("host.arbitration =", "host.classes =", "host.weights =", "host.burst =")
LATENCIES = ("reads", "writes", "all")  # columns of latency.txt
OF_FOLDER = ("statistics.txt", "latency.txt", "wear.txt")  # what `ssd run -o` writes

Said = dict[str, Any]  # what `ssd run --check` said, and digests of the files that it named
Result = dict[str, Any]  # the JSON of a run
Item = TypeVar("Item")
Made = TypeVar("Made")


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@dataclass
class Checked:
    """What is known of a place before its run."""

    command: list[str]  # without the options that say where results go
    said: list[str]  # by `ssd run --check`: the settings; or "!" and its error message
    contents: list[str]  # of the files that are read in the run: digests
    files: Digests  # these and those that `said` was made from
    makers: str  # of its prepared drive: digest of the simulator and a plug-in


@dataclass
class Run:
    key: str
    command: list[str]  # without the options that say where results go
    files: Digests = field(default_factory=dict)  # that it depends on
    makers: str = ""  # of its prepared drive; "": it prepares one for itself
    places: list[Place] = field(default_factory=list)
    error: str = ""
    alone: str = ""  # name of a run of one tenant alone, which has no places


def name_of(run: Run) -> str:
    return run.alone or " ".join(run.places[0].values())


def kind_of(warning: str) -> str:
    """The same for warnings that differ only in their numbers."""
    return re.sub(r"\d[\d.,e+-]*", "", warning)


def write_whole(path: str, text: str) -> None:
    """Replaces the file atomically; does not touch it if it has this text already."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = f"{path}.partial-{os.getpid()}"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def write_or_remove(path: str, text: str) -> None:
    """A file that is there only if there is something to say."""
    if text:
        write_whole(path, text)
    elif os.path.exists(path):
        os.remove(path)


class Progress:
    """`2 of 54, about 40 s left` on a terminal, one line per run elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()

    def tell(self, name: str, trouble: str) -> None:
        self.done += 1
        left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
        line = f"{self.done} of {self.total}"
        line += f", about {left:.0f} s left" if self.done < self.total else ""
        if trouble or not sys.stderr.isatty():
            print(f"{line}  {name}{': ' + trouble if trouble else ''}", file=sys.stderr)
        else:
            end = "" if self.done < self.total else "\n"
            print(f"\r\033[K{line}  {name}", end=end, file=sys.stderr, flush=True)


class Runs:
    """The runs of an experiment in its folder of results."""

    def __init__(
        self,
        experiment: Experiment,
        ssd: str,
        folder: str,
        jobs: int,
        drives: str = "",
        plug_ins: Sequence[str] = (),
    ) -> None:
        """`plug_ins`: files of FTLs, which the command line names; a description chooses them by name."""
        self.plug_ins = {os.path.basename(path).partition(".")[0]: path for path in plug_ins}
        self.experiment, self.ssd, self.folder, self.jobs = experiment, ssd, folder, jobs
        self.children = Children()
        self.drives = drives  # folder in which prepared drives are kept; "": none are
        self.run_of: dict[tuple[str, ...], Run] = {}
        self.refused: dict[tuple[str, ...], str] = {}  # places that cannot be simulated, and why
        self.prepared: dict[str, Place] = {}  # the first place with these settings
        self.same_as: dict[tuple[str, ...], Place] = {}
        self.alone: dict[tuple[str, ...], list[Run]] = {}  # a run for each tenant
        self.columns = any(figure.get("plot") == "cdf" for figure in experiment.figures.values()) or any(
            "above(" in measure for measure in experiment.measures.values()
        )
        self.files = Files(ssd)
        self.said_now: dict[str, Said] = {}
        self.told: set[str] = set()  # kinds of warnings
        try:
            self.binary = self.files.digests([ssd])[ssd]
            self.version = self.children.run([ssd, "--version"]).stdout.strip()
        except FileNotFoundError:
            raise Mistake(f"{ssd} is not there: `make` builds it") from None

    def path(self, key: str, ending: str = ".json") -> str:
        return os.path.join(self.folder, "runs", key + ending)

    # ---- what is to be run ----

    @cached_property
    def of_grids(self) -> set[tuple[str, ...]]:
        return {tuple(place.values()) for place in self.experiment.places(list(self.experiment.grids))}

    @cached_property
    def statistics(self) -> set[str]:
        """Names of the simulator's statistics; empty for another program."""
        if "program" in self.experiment.options:
            return set()
        listed = self.children.run([self.ssd, "list", "statistics"]).stdout
        return {line.split()[0] for line in listed.splitlines() if line.startswith(" ")}

    @cached_property
    def patterns(self) -> re.Pattern[str] | None:
        """Of all names of statistics; None if they are not known, as those of a program are not."""
        if not self.experiment.options.get("drive"):
            return None
        names = {re.sub(r"\d+", "0", name) for name in self.statistics}
        names |= {f"{name}.*" for name in self.plug_ins}
        return re.compile("|".join(map(fnmatch.translate, sorted(names))))

    @cached_property
    def said_before(self) -> dict[str, Said]:
        """Kept output of `ssd run --check`: with all results there, checking would take most of the time."""
        try:
            with open(os.path.join(self.folder, "checked.json"), encoding="utf-8") as file:
                kept: dict[str, Said] = json.load(file)
        except (OSError, ValueError):
            return {}
        return kept

    @cached_property
    def drive(self) -> dict[str, str]:
        """All parameters, before those that a place sets."""
        found: dict[str, str] = {}
        for words in ["params"], ["run", "--check", "--quiet", self.experiment.options["drive"], "uniform"]:
            done = self.children.run([self.ssd, *words])
            if done.returncode:
                raise Mistake(done.stderr.strip())
            pairs = (line.partition(" = ") for line in done.stdout.splitlines())
            found |= {key: value.strip('"') for key, is_, value in pairs if is_}
        return found

    def words(self, settings: list[str]) -> list[str]:
        """Arguments of `ssd run`: options (--warmup=1000) as they are, settings with -s."""
        options = [word for word in settings if word.startswith("--")]
        settings = [word for word in settings if not word.startswith("--")]
        if "fold" in self.experiment.options:
            settings += folded(int(self.experiment.options["fold"]), self.drive, settings)
        return [*options, *(word for setting in settings for word in ("-s", setting))]

    def plug_in_of(self, settings: list[str]) -> str:
        """The file of the FTL that the settings choose; "": it is built in.  A description cannot name one:
        whoever reads a stranger's would run his program."""
        for word in settings:
            if found := PLUG_IN.match(word):
                name = os.path.basename(found[1]).partition(".")[0]
                raise Mistake(
                    f"{word}: a description cannot start a program; name it on the command line, "
                    f"--plugin {found[1]}, and write ftl={name}"
                )
        chosen = [word.removeprefix("ftl=") for word in settings if word.startswith("ftl=")]
        return self.plug_ins.get(chosen[-1], "") if chosen else ""

    def check(self, place: Place) -> Checked:
        workloads, settings = self.experiment.settings(place)
        read = [self.files.of_workload(workload) for workload in workloads]
        contents = [" ".join(its.values()) or name for its, name in zip(read, workloads)]
        if program := self.experiment.options.get("program"):
            named = self.files.of_words([f"program={program}", *settings])
            command, said = [program, self.ssd, *settings, *workloads], settings
        else:
            drive = self.experiment.options["drive"]
            words = [*self.words(settings), drive, *workloads]
            read.append(self.files.of_drive(drive))
            plug_in = self.plug_in_of(settings)
            if plug_in:  # not loaded before the run: what it makes of its settings shows then
                words, said = ["--plugin", plug_in, *words], [*settings, f"ftl = {plug_in}"]
            else:
                said = self.ask(words, settings, read)
            command, named = [self.ssd, "run", *words], self.files.of_words([*settings, *said])
        files: Digests = {}
        for its in [*read, named]:
            files |= its
        makers = self.files.of_words(line for line in said if line.startswith("ftl =")).values()
        return Checked(command, said, [*contents, *named.values()], files, digest(self.binary, *makers))

    def ask(self, words: list[str], settings: list[str], read: list[Digests]) -> list[str]:
        """What `ssd run --check` says; kept as long as the files are the same, and those that it names."""
        files = [content for its in [*read, self.files.of_words(settings)] for content in its.values()]
        asked = digest(self.binary, *words, *files)
        known = self.said_before.get(asked)
        if not known or self.files.changed(known["files"]):
            done = self.children.run([self.ssd, "run", "--check", "--quiet", *words])
            options = [word for word in settings if word.startswith("--")]
            said = ["!" + done.stderr.strip()] if done.returncode else [*done.stdout.splitlines(), *options]
            known = self.said_now[asked] = {"said": said, "files": self.files.of_words(said)}
        lines: list[str] = known["said"]
        return lines

    def prepare(self, places: list[Place]) -> list[Run]:
        """The runs of these places, each once; none without a drive.  A Mistake in one of them ends all; one
        whose settings are right, but cannot be simulated together, is refused."""
        if not self.experiment.options.keys() & {"drive", "program"}:
            return []
        by_key: dict[str, Run] = {run.key: run for run in self.run_of.values()}
        idle = set()
        for place, checked in zip(places, self.side_by_side(self.check, places)):
            mistake = "".join(checked.said[:1])
            if mistake.startswith(REFUSED):
                self.refused[tuple(place.values())] = mistake.removeprefix(REFUSED)
                continue
            if mistake.startswith("!"):
                raise Mistake(f"{' '.join(place.values())}: {mistake[1:]}")
            idle |= {line[2:] for line in checked.said if line.startswith("#")}
            matters = (line for line in checked.said if not line.startswith("#"))
            key = digest(self.binary, *checked.contents, *matters)
            run = by_key.setdefault(key, Run(key, checked.command, checked.files, checked.makers))
            run.places.append(place)
            self.run_of[tuple(place.values())] = run
            if self.experiment.searches:
                self.prepared.setdefault(self.experiment.identity(place), place)
            if self.experiment.options.get("alone") == "yes":
                self.alone[tuple(place.values())] = self.each_alone(place, checked, by_key)
        if self.said_now:
            self.said_before.update(self.said_now)
            write_whole(os.path.join(self.folder, "checked.json"), json.dumps(self.said_before))
        self.tell_refused(len(places))
        if len(by_key) < len(self.run_of):
            why = f" ({'; '.join(sorted(idle))})" if idle else ""
            print(f"{len(self.run_of)} places, {len(by_key)} runs{why}", file=sys.stderr)
        return list(by_key.values())

    def tell_refused(self, places: int) -> None:
        for place, why in self.refused.items():
            what = f"{' '.join(place)}: {why}"
            if len(self.refused) == places:
                raise Mistake(what if places == 1 else f"none of {places} places can be simulated: {what}")
            print(f"{len(self.refused)} of {places} places are refused: {what}", file=sys.stderr)
            return

    def same(self, place: Place) -> Place:
        """The place itself if it was prepared, or else one that was, with the same settings: searches do not
        prepare all of theirs."""
        key = tuple(place.values())
        if key in self.run_of or not self.experiment.searches:
            return place
        if key not in self.same_as:
            self.same_as[key] = self.prepared.get(self.experiment.identity(place), place)
        return self.same_as[key]

    def each_alone(self, place: Place, checked: Checked, by_key: dict[str, Run]) -> list[Run]:
        """The runs of a place with one of its tenants alone, a run for each tenant."""
        workloads, said, command = self.experiment.settings(place)[0], checked.said, checked.command
        tenants = next((int(line.split()[2]) for line in said if line.startswith("host.tenants =")), 1)
        matters = [line for line in said if not line.startswith(("#", *AMONG))]
        found = []
        for i in range(tenants) if tenants > 1 else ():
            operands = len(command) - 1 - len(workloads)
            words = [*command[:operands], "-s", f"host.alone={i}", *command[operands:]]
            key = digest(self.binary, *checked.contents, *matters, f"host.alone = {i}")
            name = f"{' '.join(place.values())}, tenant {i} alone"
            run = Run(key, words, checked.files, checked.makers, alone=name)
            found.append(by_key.setdefault(key, run))
        return found

    # ---- running ----

    def is_done(self, key: str) -> bool:
        columns = not self.columns or os.path.exists(self.path(key, "/statistics.txt"))
        return bool(self.load(self.path(key))) and columns

    def command(self, run: Run) -> list[str]:
        """The whole command, as `lab list` prints it."""
        if "program" in self.experiment.options:
            return run.command
        columns = ["-o", self.path(run.key, "")] if self.columns else []
        drives = ["--drives", os.path.join(self.drives, run.makers)] if self.drives and run.makers else []
        options = ["--quiet", "--json", self.path(run.key), *columns, *drives]
        return [*run.command[:2], *options, *run.command[2:]]

    def do(self, run: Run) -> None:
        os.makedirs(os.path.join(self.folder, "runs"), exist_ok=True)
        command = self.command(run)
        done = self.children.run(command)
        while "another program is writing it" in done.stderr and not self.is_done(run.key):
            time.sleep(0.1)  # it writes the kept drive, or the results of this run
            command = self.command(dataclasses.replace(run, makers=""))
            done = self.children.run(command)
        if changed := self.files.changed(run.files | {self.ssd: self.binary}):
            self.forget(run.key)
            run.error = f"{changed} changed before the run ended; the same command does the run again"
        if run.error or self.is_done(run.key):
            return
        if done.returncode not in (0, 3):  # 3: the modelled drive failed, which is a result
            ended_by = done.returncode - 128 if done.returncode > 128 else -done.returncode
            run.error = done.stderr.strip().replace("\n", " ") or f"ended by signal {ended_by}"
        elif "program" in self.experiment.options:
            lines = (line.partition(" = ") for line in done.stdout.splitlines())
            said = {key: number(value) for key, _, value in lines}
            parts = (line.partition("warning: ") for line in done.stderr.splitlines())
            warnings = [warning for _, marked, warning in parts if marked]
            found = {"statistics": said} | ({"warnings": warnings} if warnings else {})
            write_whole(self.path(run.key), json.dumps(found))

    def trouble(self, run: Run) -> str:
        """Why it failed; or its warnings, those of each kind when the first run has one."""
        found = {kind_of(warning): f"warning: {warning}" for warning in self.warnings(run)}
        new = [found[kind] for kind in found if kind not in self.told]
        self.told |= found.keys()
        return run.error or "; ".join(new)

    def forget(self, key: str) -> None:
        """Removes the results of a run that was made from other files than those that it is named by."""
        self.loaded.pop(self.path(key), None)
        for path in (self.path(key), *(self.path(key, f"/{name}") for name in OF_FOLDER)):
            if os.path.exists(path):
                os.remove(path)

    def perform(self, runs: list[Run]) -> None:
        """Does missing runs.  One that fails stops no other, and is tried again next time."""
        missing = [run for run in runs if not self.is_done(run.key)]
        progress = Progress(len(missing))
        self.side_by_side(self.do, missing, lambda run: progress.tell(name_of(run), self.trouble(run)))

    def side_by_side(
        self,
        work: Callable[[Item], Made],
        items: list[Item],
        done: Callable[[Item], object] = lambda item: None,
    ) -> list[Made]:
        """Results of `work` for all items, in order; calls done(item) after each.  A signal or a Mistake ends
        all."""
        with ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(work, item): item for item in items}
            try:
                for future in as_completed(futures):
                    future.result()
                    done(futures[future])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.children.end()
                raise
        return [future.result() for future in futures]

    # ---- what came out ----

    def measure_traces(self, places: Iterable[Place]) -> None:
        """Runs `ssd trace stat` on the workloads of the places, for the statistics trace.*."""
        missing = {path: place for place in places if not os.path.exists(path := self.trace_path(place))}
        progress = Progress(len(missing))
        self.side_by_side(
            self.measure_trace,
            list(missing.values()),
            lambda place: progress.tell(f"statistics of {' '.join(place.values())}", ""),
        )

    def replayed(self, place: Place) -> tuple[str, list[str]]:
        """The workload of a place and the settings of its profile; the place's `seed` does not change it.
        Of a real trace of the experiment, how many requests are replayed."""
        (workload, *others), settings = self.experiment.settings(place)
        if others:
            raise Mistake(f"{' '.join(place.values())}: several workloads have no statistics trace.*")
        own = "trace.limit=" if workload in self.experiment.traces else "workload."
        return workload, [word for word in settings if word.startswith(own)]

    def trace_path(self, place: Place) -> str:
        workload, words = self.replayed(place)
        contents = self.files.of_workload(workload).values() or [workload]
        return self.path("trace-" + digest(self.binary, *contents, *words))

    def measure_trace(self, place: Place) -> None:
        """Measures the whole file of a trace (of a real trace of the experiment what is replayed), or the
        trace that a profile generates with these settings."""
        path, (workload, words) = self.trace_path(place), self.replayed(place)
        files = self.files.of_workload(workload)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(workload):
            limits = [f"--limit={word.partition('=')[2]}" for word in words if word.startswith("trace.")]
            done = self.children.run([self.ssd, "trace", "stat", *limits, "--json", path, workload])
        else:
            settings = [word for setting in words for word in ("-s", setting.removeprefix("workload."))]
            command = [self.ssd, "trace", "stat", "--format", "ssdsim", "--json", path, "-"]
            made = self.children.start([self.ssd, "trace", "generate", *settings, workload])
            done = self.children.run(command, made.stdout)
            self.children.finish(made)
        if done.returncode:
            raise Mistake(f"{workload}: {done.stderr.strip()}")
        if changed := self.files.changed(files):
            os.remove(path)
            raise Mistake(f"{changed} changed while it was measured; the same command measures it again")

    @cached_property
    def loaded(self) -> dict[str, Result]:
        return {}

    def load(self, path: str) -> Result:
        """Empty if there is no result; a run that a signal ended has none."""
        if path not in self.loaded:
            try:
                with open(path, encoding="utf-8") as file:
                    whole: Result = json.load(file)
            except (OSError, ValueError):
                return {}
            if whole.get("statistics", {}).get("run.interrupted"):
                return {}
            self.loaded[path] = whole
        return self.loaded[path]

    def too_short(self, runs: Iterable[Run]) -> dict[str, str]:
        """Real traces far shorter than these runs asked for: name, and how long they were in the shortest."""
        found: dict[str, tuple[float, str]] = {}
        for run in runs if self.experiment.traces else ():
            whole = self.load(self.path(run.key))
            said, given = whole.get("statistics", {}), whole.get("parameters", {})
            for trace in (self.experiment.traces.get(word) for word in run.command):
                if not trace or not said or said.get("run.drive_failed"):
                    continue
                asked, had = int(given.get("trace.limit") or trace.requests), int(said["run.requests"])
                if had < ENOUGH * asked:
                    told = f"{had:,} of {asked:,} requests ({trace.path})"
                    found[trace.name] = min(found.get(trace.name, (1.0, "")), (had / asked, told))
        return {name: told for name, (_, told) in found.items()}

    def warnings(self, run: Run) -> list[str]:
        warnings: list[str] = self.load(self.path(run.key)).get("warnings", [])
        return warnings

    def latencies(self, place: Place, kind: str) -> list[tuple[float, int]]:
        """Rows of latency.txt: (upper end of a bin in ms, number of requests in it)."""
        run = self.run_of.get(tuple(place.values()))
        path = self.path(run.key, "/latency.txt") if run else ""
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            words = [line.split() for line in file if line.strip() and line[0] != "#"]
        return [(float(word[0]) / 1e6, int(word[1 + LATENCIES.index(kind)])) for word in words]

    def has_results(self, place: Place) -> bool:
        run = self.run_of.get(tuple(place.values()))
        return bool(run and self.load(self.path(run.key)))

    def statistic(self, place: Place, name: str) -> object:
        """A statistic of a place's run or trace (trace.*), or a parameter (param.*); None if it has none."""
        if of_alone := ALONE.fullmatch(name):
            return self.compared_with_alone(place, name, of_alone)
        return self.reported(place, name).get(name.removeprefix("param."))

    def reported(self, place: Place, name: str) -> dict[str, object]:
        """All statistics, or parameters, where this one would be; also those without a value."""
        if name.startswith("trace."):
            whole = self.load(self.trace_path(place))
            measured: dict[str, object] = whole.get("statistics", whole)
            return measured
        run = self.run_of.get(tuple(place.values()))
        if not run:
            self.check_is_run(place)  # in a grid that is not run this time
            return {}
        part = "parameters" if name.startswith("param.") else "statistics"
        found: dict[str, object] = self.load(self.path(run.key)).get(part, {})
        return found

    def reports(self, place: Place, name: str) -> bool:
        """True also if it has no value, as the mean latency of no reads has none."""
        if ALONE.fullmatch(name):
            return self.statistic(place, name) is not None
        return name.removeprefix("param.") in self.reported(place, name)

    @cached_property
    def identities(self) -> set[str]:
        """Of the places of all grids: a search runs one of those that have the same settings."""
        if not self.experiment.searches:
            return set()
        return set(map(self.experiment.identity, self.experiment.places(list(self.experiment.grids))))

    def check_is_run(self, place: Place) -> None:
        if (
            tuple(place.values()) not in self.of_grids
            and self.experiment.identity(place) not in self.identities
        ):
            raise NotRun(f"{' '.join(place.values())} is not in what is run")

    def check_statistic(self, name: str) -> None:
        """Refuses a name that no run can report, if that can be known."""
        of_alone = ALONE.fullmatch(name)
        if of_alone and self.experiment.options.get("alone") != "yes":
            raise Mistake(f"{name}: needs alone = yes in [experiment]")
        name = of_alone[1] if of_alone else name
        if (
            not name
            or name.startswith(("trace.", "param."))
            or not self.patterns
            or self.patterns.match(re.sub(r"\d+", "0", name))
        ):
            return
        nearest = difflib.get_close_matches(name, self.statistics, 1)
        meant = f"; did you mean {nearest[0]}?" if nearest else ""
        raise Mistake(f"{name}: there is no such statistic{meant} (ssd list statistics)")

    def compared_with_alone(self, place: Place, name: str, found: re.Match[str]) -> object:
        """alone.tenant.N.NAME: a statistic of tenant N alone; tenant.N.slowdown: how many times its mean
        latency is what it is alone; tenant.fairness: the least slowdown over the largest."""
        self.check_statistic(name)
        alone = self.alone.get(tuple(place.values()), [])
        if found[1]:
            i = int(found[2])
            whole = self.load(self.path(alone[i].key)) if i < len(alone) else {}
            return whole.get("statistics", {}).get(found[1])
        slowdowns = [self.slowdown(place, i) for i in range(len(alone))]
        if found[3]:
            return slowdowns[int(found[3])] if int(found[3]) < len(slowdowns) else None
        there = [slowdown for slowdown in slowdowns if slowdown]
        return min(there) / max(there) if there and len(there) == len(slowdowns) else None

    def slowdown(self, place: Place, tenant: int) -> float | None:
        latency = f"tenant.{tenant}.all.latency_mean_ns"
        together, alone = self.statistic(place, latency), self.statistic(place, f"alone.{latency}")
        if not isinstance(together, (int, float)) or not isinstance(alone, (int, float)):
            return None
        return together / alone if together and alone else None
