"""Runs: named by what they depend on, checked before the first starts, done in parallel, kept whole.

A run's key is the hash of the binary, the settings that matter (`ssd run --check` prints them) and the
workload.  So places that differ only in settings without effect share a run, and an existing run is not
repeated, whoever made it.
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property

from laboratory.children import Children
from laboratory.description import Experiment, Place, number
from laboratory.fold import folded
from laboratory.mistake import Mistake, NotRun

ALONE = re.compile(r"alone\.(tenant\.(\d+)\..*)|tenant\.(\d+)\.slowdown|tenant\.fairness")
# Settings of the arbitration among tenants, without effect on a tenant that is alone.
AMONG = ("host.arbitration =", "host.classes =", "host.weights =", "host.burst =")
LATENCIES = ("reads", "writes", "all")  # columns of latency.txt


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def digest_of_file(path: str, length: int = 16) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:length]


@dataclass
class Run:
    key: str
    command: list[str]  # without the options that say where results go
    places: list[Place] = field(default_factory=list)
    error: str = ""
    alone: str = ""  # name of a run of one tenant alone, which has no places


def name_of(run: Run) -> str:
    return run.alone or " ".join(run.places[0].values())


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

    def __init__(self, experiment: Experiment, ssd: str, folder: str, jobs: int, drives: str = "") -> None:
        self.experiment, self.ssd, self.folder, self.jobs = experiment, ssd, folder, jobs
        self.children = Children()
        self.drives = ["--drives", drives] if drives else []  # where prepared drives are kept
        self.run_of: dict[tuple[str, ...], Run] = {}
        self.prepared: dict[str, Place] = {}  # the first place with these settings
        self.same_as: dict[tuple[str, ...], Place] = {}
        self.alone: dict[tuple[str, ...], list[Run]] = {}  # a run for each tenant
        self.columns = any(figure.get("plot") == "cdf" for figure in experiment.figures.values()) \
            or any("above(" in measure for measure in experiment.measures.values())
        self.identities: dict[str, str] = {}
        try:
            self.binary = digest_of_file(ssd)
        except OSError:
            raise Mistake(f"{ssd} is not there: `make` builds it") from None

    def path(self, key: str, ending: str = ".json") -> str:
        return os.path.join(self.folder, "runs", key + ending)

    # ---- what is to be run ----

    def identity(self, name: str, folder: str = "traces/profiles") -> str:
        """Digest of a trace, a profile or a drive; of one that is built into the simulator, its name."""
        by_name = f"{folder}/{name}.cfg"
        if by_name not in self.identities:
            contents = (digest_of_file(path) for path in (name, by_name) if os.path.isfile(path))
            self.identities[by_name] = next(contents, name)
        return self.identities[by_name]

    @cached_property
    def of_grids(self) -> list[Place]:
        return self.experiment.places(list(self.experiment.grids))

    @cached_property
    def statistics(self) -> set[str]:
        """Names of the simulator's statistics; empty for another program."""
        if "program" in self.experiment.options:
            return set()
        listed = self.children.run([self.ssd, "list", "statistics"]).stdout
        return {line.split()[0] for line in listed.splitlines() if line.startswith(" ")}

    @cached_property
    def checked(self) -> dict[str, list[str]]:
        """Kept output of `ssd run --check`: with all results there, checking would take most of the time."""
        try:
            with open(os.path.join(self.folder, "checked.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    @cached_property
    def drive(self) -> dict[str, str]:
        """All parameters, before those that a place sets."""
        found = {}
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

    def check(self, place: Place) -> tuple[str, list[str], list[str]]:
        """Key of the check; the command; what `ssd run --check` said, or "!" and its error message."""
        workloads, settings = self.experiment.settings(place)
        if program := self.experiment.options.get("program"):
            files = (value for _, _, value in (s.partition("=") for s in settings) if os.path.isfile(value))
            said = [*settings, digest_of_file(program), *map(digest_of_file, files)]
            return "", [program, self.ssd, *settings, *workloads], said
        drive = self.experiment.options["drive"]
        words = [*self.words(settings), drive, *workloads]
        files = [self.identity(drive, "parameters"), *map(self.identity, workloads)]
        asked = digest(self.binary, *files, *words)
        said = self.checked.get(asked)
        if said is None:
            done = self.children.run([self.ssd, "run", "--check", "--quiet", *words])
            options = [word for word in settings if word.startswith("--")]
            said = ["!" + done.stderr.strip()] if done.returncode else [*done.stdout.splitlines(), *options]
        return asked, [self.ssd, "run", *words], said

    def prepare(self, places: list[Place]) -> list[Run]:
        """The runs of these places, each once; none without a drive.  A Mistake if one is impossible."""
        if not self.experiment.options.keys() & {"drive", "program"}:
            return []
        by_key: dict[str, Run] = {run.key: run for run in self.run_of.values()}
        idle, asked_now = set(), {}
        for place, (asked, command, said) in zip(places, self.side_by_side(self.check, places)):
            if said[0].startswith("!"):
                raise Mistake(f"{' '.join(place.values())}: {said[0][1:]}")
            asked_now |= {asked: said} if asked else {}
            idle |= {line[2:] for line in said if line.startswith("#")}
            matters = (line for line in said if not line.startswith("#"))
            workloads = self.experiment.settings(place)[0]
            key = digest(self.binary, *map(self.identity, workloads), *matters)
            run = by_key.setdefault(key, Run(key, command))
            run.places.append(place)
            self.run_of[tuple(place.values())] = run
            if self.experiment.searches:
                self.prepared.setdefault(self.experiment.identity(place), place)
            if self.experiment.options.get("alone") == "yes":
                self.alone[tuple(place.values())] = self.each_alone(place, command, said, by_key)
        if asked_now.keys() - self.checked.keys():
            self.checked.update(asked_now)
            write_whole(os.path.join(self.folder, "checked.json"), json.dumps(self.checked))
        if len(by_key) < len(self.run_of):
            why = f" ({'; '.join(sorted(idle))})" if idle else ""
            print(f"{len(self.run_of)} places, {len(by_key)} runs{why}", file=sys.stderr)
        return list(by_key.values())

    def same(self, place: Place) -> Place:
        """The place itself if it was prepared, or else one that was, with the same settings: searches do not
        prepare all of theirs."""
        key = tuple(place.values())
        if key in self.run_of or not self.experiment.searches:
            return place
        if key not in self.same_as:
            self.same_as[key] = self.prepared.get(self.experiment.identity(place), place)
        return self.same_as[key]

    def each_alone(self, place: Place, command: list[str], said: list[str],
                   by_key: dict[str, Run]) -> list[Run]:
        """The runs of a place with one of its tenants alone, a run for each tenant."""
        workloads = self.experiment.settings(place)[0]
        tenants = next((int(line.split()[2]) for line in said if line.startswith("host.tenants =")), 1)
        matters = [line for line in said if not line.startswith(("#", *AMONG))]
        found = []
        for i in range(tenants) if tenants > 1 else ():
            operands = len(command) - 1 - len(workloads)
            words = [*command[:operands], "-s", f"host.alone={i}", *command[operands:]]
            key = digest(self.binary, *map(self.identity, workloads), *matters, f"host.alone = {i}")
            name = f"{' '.join(place.values())}, tenant {i} alone"
            found.append(by_key.setdefault(key, Run(key, words, alone=name)))
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
        options = ["--quiet", "--json", self.path(run.key), *columns, *self.drives]
        return [*run.command[:2], *options, *run.command[2:]]

    def do(self, run: Run) -> None:
        os.makedirs(os.path.join(self.folder, "runs"), exist_ok=True)
        command = self.command(run)
        done = self.children.run(command)
        while "another program is writing it" in done.stderr and not self.is_done(run.key):
            time.sleep(0.1)  # it writes the kept drive, or the results of this run
            command = [word for word in command if word not in self.drives]
            done = self.children.run(command)
        if self.is_done(run.key):
            return
        if done.returncode not in (0, 3):  # 3: the modelled drive failed, which is a result
            ended_by = done.returncode - 128 if done.returncode > 128 else -done.returncode
            run.error = done.stderr.strip().replace("\n", " ") or f"ended by signal {ended_by}"
        elif "program" in self.experiment.options:
            lines = (line.partition(" = ") for line in done.stdout.splitlines())
            said = {key: number(value) for key, _, value in lines}
            write_whole(self.path(run.key), json.dumps({"statistics": said}))

    def perform(self, runs: list[Run]) -> None:
        """Does missing runs.  One that fails stops no other, and is tried again next time."""
        missing = [run for run in runs if not self.is_done(run.key)]
        progress = Progress(len(missing))
        self.side_by_side(self.do, missing, lambda run: progress.tell(name_of(run), run.error))

    def side_by_side(self, work: Callable, items: list, done: Callable = lambda item: None) -> list:
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
        self.side_by_side(self.measure_trace, list(missing.values()),
                          lambda place: progress.tell(f"statistics of {' '.join(place.values())}", ""))

    def replayed(self, place: Place) -> tuple[str, list[str]]:
        """The workload of a place and the settings of its profile; the place's `seed` does not change it."""
        (workload, *others), settings = self.experiment.settings(place)
        if others:
            raise Mistake(f"{' '.join(place.values())}: several workloads have no statistics trace.*")
        return workload, [word for word in settings if word.startswith("workload.")]

    def trace_path(self, place: Place) -> str:
        workload, words = self.replayed(place)
        return self.path("trace-" + digest(self.binary, self.identity(workload), *words))

    def measure_trace(self, place: Place) -> None:
        """Measures the whole file of a trace, or the trace that a profile generates with these settings."""
        path, (workload, words) = self.trace_path(place), self.replayed(place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(workload):
            done = self.children.run([self.ssd, "trace", "stat", "--json", path, workload])
        else:
            settings = [word for setting in words for word in ("-s", setting.removeprefix("workload."))]
            command = [self.ssd, "trace", "stat", "--format", "ssdsim", "--json", path, "-"]
            made = self.children.start([self.ssd, "trace", "generate", *settings, workload])
            done = self.children.run(command, made.stdout)
            self.children.finish(made)
        if done.returncode:
            raise Mistake(f"{workload}: {done.stderr.strip()}")

    @cached_property
    def loaded(self) -> dict[str, dict]:
        return {}

    def load(self, path: str) -> dict:
        """Empty if there is no result; a run that a signal ended has none."""
        if path not in self.loaded:
            try:
                with open(path, encoding="utf-8") as file:
                    whole = json.load(file)
            except (OSError, ValueError):
                return {}
            if whole.get("statistics", {}).get("run.interrupted"):
                return {}
            self.loaded[path] = whole
        return self.loaded[path]

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
        if name.startswith("trace."):
            whole = self.load(self.trace_path(place))
            return whole.get("statistics", whole).get(name)
        if of_alone := ALONE.fullmatch(name):
            return self.compared_with_alone(place, name, of_alone)
        run = self.run_of.get(tuple(place.values()))
        if not run:
            if place in self.of_grids:
                return None  # in a grid that is not run this time
            raise NotRun(f"{' '.join(place.values())} is not in what is run")
        whole = self.load(self.path(run.key))
        if name.startswith("param."):
            return whole.get("parameters", {}).get(name.removeprefix("param."))
        return whole.get("statistics", {}).get(name)

    def check_alone(self, name: str) -> None:
        if ALONE.fullmatch(name) and self.experiment.options.get("alone") != "yes":
            raise Mistake(f"{name}: needs alone = yes in [experiment]")

    def compared_with_alone(self, place: Place, name: str, found: re.Match[str]) -> object:
        """alone.tenant.N.NAME: a statistic of tenant N alone; tenant.N.slowdown: how many times its mean
        latency is what it is alone; tenant.fairness: the least slowdown over the largest."""
        self.check_alone(name)
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
        return together / alone if together and alone else None  # type: ignore[operator]
