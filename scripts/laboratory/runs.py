"""Runs: named by what they depend on, checked before the first, done side by side, kept whole.

A run's key is the hash of the binary, the settings that matter (`ssd run --check` tells) and the workload; so places
that differ in nothing that matters share a run, and what is there need not run again, whoever made it.
"""
from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property

from laboratory.description import Experiment, Mistake, NotRun, Place, number, quantity


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def digest_of_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


@dataclass
class Run:
    key: str
    command: list[str]  # without where results go
    places: list[Place] = field(default_factory=list)
    error: str = ""


def write_whole(path: str, text: str) -> None:
    """Nobody ever sees half of it, and nothing is touched that is so already."""
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
    """`2 of 54, about 40 s left` on a terminal, a line a run elsewhere."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.monotonic()

    def tell(self, name: str, trouble: str) -> None:
        self.done += 1
        left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
        line = f"{self.done} of {self.total}" + (f", about {left:.0f} s left" if self.done < self.total else "")
        if trouble or not sys.stderr.isatty():
            print(f"{line}  {name}{': ' + trouble if trouble else ''}", file=sys.stderr)
        else:
            end = "" if self.done < self.total else "\n"
            print(f"\r\033[K{line}  {name}", end=end, file=sys.stderr, flush=True)


class Runs:
    """The runs of an experiment in its folder of results."""

    def __init__(self, experiment: Experiment, ssd: str, folder: str, jobs: int, drives: str = "") -> None:
        self.experiment, self.ssd, self.folder, self.jobs = experiment, ssd, folder, jobs
        self.drives = ["--drives", drives] if drives else []  # where prepared drives are kept
        self.run_of: dict[tuple[str, ...], Run] = {}
        self.of_grids = experiment.places(list(experiment.grids))
        self.columns = any(f.get("plot") == "cdf" for f in experiment.figures.values())
        self.identities: dict[str, str] = {}
        try:
            self.binary = digest_of_file(ssd)
        except OSError:
            raise Mistake(f"{ssd} is not there: `make` builds it") from None

    def path(self, key: str, ending: str = ".json") -> str:
        return os.path.join(self.folder, "runs", key + ending)

    # ---- what is to be run ----

    def identity(self, workload: str) -> str:
        """Of a trace or a profile its content."""
        if workload not in self.identities:
            paths = [workload, f"traces/profiles/{workload}.cfg"]
            self.identities[workload] = next((digest_of_file(p) for p in paths if os.path.isfile(p)), workload)
        return self.identities[workload]

    @cached_property
    def checked(self) -> dict[str, list[str]]:
        """What `ssd run --check` said, kept, since asking takes longer than everything else when nothing is new."""
        try:
            with open(os.path.join(self.folder, "checked.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    @cached_property
    def drive(self) -> dict[str, str]:
        """Every parameter before a place sets some."""
        found = {}
        for words in ["params"], ["run", "--check", "--quiet", self.experiment.options["drive"], "uniform"]:
            done = subprocess.run([self.ssd, *words], capture_output=True, text=True)
            if done.returncode:
                raise Mistake(done.stderr.strip())
            found |= {key: value.strip('"') for key, is_, value in (line.partition(" = ") for line in done.stdout.splitlines()) if is_}
        return found

    def folded(self, settings: list[str]) -> list[str]:
        """What besides makes a drive of `fold` times fewer planes, as [experiment] says, with as many more blocks in each.
        Planes of a die take turns, so one of them does; then channels go with their dies, requests come as much slower,
        and as many fewer may wait: the load of a die and of a bus stays, of large requests less is done at once."""
        fold = int(self.experiment.options["fold"])
        is_ = self.drive | {key: value for key, _, value in (s.partition("=") for s in settings)}
        planes, channels, blocks = (int(quantity(is_[f"flash.{name}"]) or 1) for name in ("planes", "channels", "blocks"))
        shared = math.gcd(planes, fold) if is_["flash.multiplane"] == "off" else 1
        times = math.gcd(channels, fold // shared)
        found = {"planes": planes // shared, "channels": channels // times, "blocks": blocks * shared * times}
        words = [f"flash.{name}={value}" for name, value in found.items()] if shared * times > 1 else []
        closed = is_["host.mode"] == "closed"
        limit = "host.queue_depth" if closed else "host.queue_limit"
        if times > 1:
            words.append(f"{limit}={-(-int(quantity(is_[limit]) or 0) // times)}")
        if times > 1 and not closed:
            words.append(f"host.time_scale={float(is_['host.time_scale']) * times:.9g}")
        return words

    def check(self, place: Place) -> tuple[str, list[str], list[str]]:
        """Key of what was asked; the command; the lines of `ssd run --check`, or its complaint behind "!"."""
        workload, settings = self.experiment.settings(place)
        if program := self.experiment.options.get("program"):
            files = (value for _, _, value in (s.partition("=") for s in settings) if os.path.isfile(value))
            said = [*settings, digest_of_file(program), *map(digest_of_file, files)]
            return "", [program, self.ssd, *settings, workload], said
        drive = self.experiment.options["drive"]
        options = [word for word in settings if word.startswith("--")]  # of `ssd run`, as --warmup=1000
        settings = [word for word in settings if not word.startswith("--")]
        words = [*options, *(word for setting in (*settings, *(self.folded(settings) if "fold" in self.experiment.options else ())) for word in ("-s", setting)), drive, workload]
        asked = digest(self.binary, digest_of_file(drive), self.identity(workload), *words)
        said = self.checked.get(asked)
        if said is None:
            done = subprocess.run([self.ssd, "run", "--check", "--quiet", *words], capture_output=True, text=True)
            said = [*done.stdout.splitlines(), *options] if not done.returncode else ["!" + done.stderr.strip()]
        return asked, [self.ssd, "run", *words], said

    def prepare(self, places: list[Place]) -> list[Run]:
        """The runs of these places, each once.  A Mistake if one of them cannot be.  Without a drive: only traces."""
        if not self.experiment.options.keys() & {"drive", "program"}:
            return []
        by_key: dict[str, Run] = {run.key: run for run in self.run_of.values()}
        idle, asked_now = set(), {}
        with ThreadPoolExecutor(self.jobs) as pool:
            for place, (asked, command, said) in zip(places, pool.map(self.check, places)):
                if said[0].startswith("!"):
                    raise Mistake(f"{' '.join(place.values())}: {said[0][1:]}")
                asked_now |= {asked: said} if asked else {}
                idle |= {line[2:] for line in said if line.startswith("#")}
                key = digest(self.binary, self.identity(command[-1]), *(s for s in said if not s.startswith("#")))
                run = by_key.setdefault(key, Run(key, command))
                run.places.append(place)
                self.run_of[tuple(place.values())] = run
        if asked_now.keys() - self.checked.keys():
            self.checked.update(asked_now)
            write_whole(os.path.join(self.folder, "checked.json"), json.dumps(self.checked))
        if len(by_key) < len(self.run_of):
            why = f" ({'; '.join(sorted(idle))})" if idle else ""
            print(f"{len(self.run_of)} places, {len(by_key)} runs{why}", file=sys.stderr)
        return list(by_key.values())

    # ---- running ----

    def is_done(self, key: str) -> bool:
        return bool(self.load(self.path(key))) and (not self.columns or os.path.exists(self.path(key, "/statistics.txt")))

    def command(self, run: Run) -> list[str]:
        """The whole of it, as `lab list` prints it."""
        if "program" in self.experiment.options:
            return run.command
        columns = ["-o", self.path(run.key, "")] if self.columns else []
        return [*run.command[:2], "--quiet", "--json", self.path(run.key), *columns, *self.drives, *run.command[2:]]

    def do(self, run: Run) -> None:
        os.makedirs(os.path.join(self.folder, "runs"), exist_ok=True)
        command = self.command(run)
        done = subprocess.run(command, capture_output=True, text=True)
        while "another program is writing it" in done.stderr and not self.is_done(run.key):
            time.sleep(0.1)  # of a kept drive, or of this very run somebody else's
            command = [word for word in command if word not in self.drives]
            done = subprocess.run(command, capture_output=True, text=True)
        if self.is_done(run.key):
            return
        if done.returncode not in (0, 3):  # 3: the modelled drive failed, which is a result
            ended_by = done.returncode - 128 if done.returncode > 128 else -done.returncode
            run.error = done.stderr.strip().replace("\n", " ") or f"ended by signal {ended_by}"
        elif "program" in self.experiment.options:
            lines = (line.partition(" = ") for line in done.stdout.splitlines())
            write_whole(self.path(run.key), json.dumps({"statistics": {key: number(value) for key, _, value in lines}}))

    def perform(self, runs: list[Run]) -> None:
        """Does what is missing.  One that fails does not stop the others; it is tried again the next time."""
        missing = [run for run in runs if not self.is_done(run.key)]
        self.side_by_side(self.do, missing, lambda run: " ".join(run.places[0].values()), lambda run: run.error)

    def side_by_side(self, work: Callable, items: list, name: Callable, trouble: Callable) -> None:
        progress = Progress(len(items))
        with ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(work, item): item for item in items}
            try:
                for future in as_completed(futures):
                    future.result()
                    progress.tell(name(futures[future]), trouble(futures[future]))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    # ---- what came out ----

    def measure_traces(self, places: Iterable[Place]) -> None:
        """`ssd trace stat` of what places replay, for the statistics trace.*."""
        missing = {path: place for place in places if not os.path.exists(path := self.trace_path(place))}
        self.side_by_side(self.measure_trace, list(missing.values()),
                          lambda place: f"statistics of {' '.join(place.values())}", lambda place: "")

    def replayed(self, place: Place) -> tuple[str, list[str]]:
        """The workload of a place, and what is set of its profile; of a seed it keeps its own."""
        workload, settings = self.experiment.settings(place)
        return workload, [word for word in settings if word.startswith("workload.")]

    def trace_path(self, place: Place) -> str:
        workload, words = self.replayed(place)
        return self.path("trace-" + digest(self.binary, self.identity(workload), *words))

    def measure_trace(self, place: Place) -> None:
        """Of a trace the whole file is measured, of a profile what its settings make of it."""
        path, (workload, words) = self.trace_path(place), self.replayed(place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(workload):
            done = subprocess.run([self.ssd, "trace", "stat", "--json", path, workload], capture_output=True, text=True)
        else:
            settings = [word for setting in words for word in ("-s", setting.removeprefix("workload."))]
            with subprocess.Popen([self.ssd, "trace", "generate", *settings, workload], stdout=subprocess.PIPE) as made:
                done = subprocess.run([self.ssd, "trace", "stat", "--format", "ssdsim", "--json", path, "-"],
                                      stdin=made.stdout, capture_output=True, text=True)
        if done.returncode:
            raise Mistake(f"{workload}: {done.stderr.strip()}")

    @cached_property
    def loaded(self) -> dict[str, dict]:
        return {}

    def load(self, path: str) -> dict:
        """Nothing as long as there is no result; the statistics so far of a run that a signal ended are none."""
        if path not in self.loaded:
            try:
                with open(path, encoding="utf-8") as file:
                    whole = json.load(file)
            except FileNotFoundError:
                return {}
            if whole.get("statistics", {}).get("run.interrupted"):
                return {}
            self.loaded[path] = whole
        return self.loaded[path]

    def has_results(self, place: Place) -> bool:
        run = self.run_of.get(tuple(place.values()))
        return bool(run and self.load(self.path(run.key)))

    def statistic(self, place: Place, name: str) -> object:
        """One number of what a place's run, parameters (param.) or trace (trace.) say; None if they say nothing."""
        if name.startswith("trace."):
            whole = self.load(self.trace_path(place))
            return whole.get("statistics", whole).get(name)
        run = self.run_of.get(tuple(place.values()))
        if not run:
            if place in self.of_grids:
                return None  # of a grid that is not asked for
            raise NotRun(f"{' '.join(place.values())} is not in what is run")
        whole = self.load(self.path(run.key))
        if name.startswith("param."):
            return whole.get("parameters", {}).get(name.removeprefix("param."))
        return whole.get("statistics", {}).get(name)
