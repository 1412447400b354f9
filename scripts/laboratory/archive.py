"""Reproduces the runs of a folder on another machine, and exports them to other programs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

from laboratory.files import PROFILES, Digests, Files, is_inside
from laboratory.mistake import Mistake
from laboratory.runs import Run, Runs, digest, write_whole

MANIFEST = "manifest.json"
VARYING = {"run.command", "run.version", "run.parameters", "run.workload"}  # names, not results


def version_of(ssd: str) -> str:
    return subprocess.run([ssd, "--version"], capture_output=True, text=True).stdout.strip()


# ---- what is kept with the results ----


def record(runs: Runs, all_runs: Iterable[Run]) -> None:
    """Writes beside the runs: the simulator, the files that they read, as they were then, and commands."""
    commands: dict[str, object] = {}
    files: Digests = {}
    for run in all_runs:
        commands[run.key] = {"places": run.places, "command": run.command}
        files |= run.files
    manifest = {
        "simulator": runs.version,
        "binary": runs.files.kept(runs.ssd, runs.binary)["sha256"],
        "files": {path: runs.files.kept(path, files[path]) for path in sorted(files)},
        "runs": commands,
    }
    write_whole(os.path.join(runs.folder, MANIFEST), json.dumps(manifest, indent=1) + "\n")


# ---- repeating them ----


class Again:
    """Repeats the runs of a folder with this machine's simulator, in FOLDER/again."""

    def __init__(self, folder: str, ssd: str) -> None:
        self.folder, self.ssd, self.here = os.path.abspath(folder), os.path.abspath(ssd), Files(ssd)
        self.files = os.path.join(self.folder, "again", "files")  # where the runs find drives and profiles
        shutil.rmtree(self.files, ignore_errors=True)
        try:
            with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
                self.manifest = json.load(file)
            self.stored = {path: self.store(path, found) for path, found in self.manifest["files"].items()}
            self.runs = [
                Run(key, self.command(each["command"]), places=each["places"])
                for key, each in self.manifest["runs"].items()
            ]
        except (OSError, ValueError, KeyError, TypeError) as why:
            raise Mistake(f"{folder}: no results that `lab run` made: {why}") from None

    def store(self, path: str, found: dict[str, Any]) -> str:
        """Path of the file on this machine, seen from the folder of the runs.  A text that was kept is
        written there first; for any other file there is a link, as a parameter file may name it."""
        inside = path if is_inside(path) else f"{digest(path)}.cfg"
        if "text" in found:
            kept_as = found.get("as", inside)
            kept_as = kept_as if is_inside(kept_as) else inside
            write_whole(os.path.join(self.files, kept_as), found["text"])
            return kept_as
        if not os.path.isfile(path) or self.here.content(path).sha256 != found["sha256"]:
            what = "is another file here" if os.path.isfile(path) else "is not here"
            raise Mistake(f"{path} {what}: {found['bytes']} bytes, SHA-256 {found['sha256']}")
        link = os.path.join(self.files, path)
        if is_inside(path) and not os.path.lexists(link):
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.abspath(path), link)
        return os.path.abspath(path)

    def check_plug_ins(self, named: list[str]) -> None:
        """Results may be a stranger's: only the command line makes the simulator load the file of an FTL."""
        allowed = {os.path.abspath(path) for path in named}
        for run in self.runs:
            for option, path in zip(run.command, run.command[1:]):
                if option.startswith("--plugin") and os.path.abspath(path) not in allowed:
                    raise Mistake(
                        f"run {run.key} is of the FTL in {path}: name it on the command line, "
                        f"--plugin {path}, to load it"
                    )
                if option == "-s" and path.startswith("ftl=") and "/" in path:
                    raise Mistake(f"run {run.key}: {path}: results cannot start a program")

    def command(self, words: list[str]) -> list[str]:
        def here(word: str) -> str:
            name, is_set, value = word.rpartition("=")
            return f"{name}{is_set}{self.stored.get(value, value)}"

        return [self.ssd, *map(here, words[1:])]

    def do(self, run: Run) -> None:
        out = self.path("again/runs", run.key)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        os.makedirs(self.files, exist_ok=True)
        profiles = {"SSDLAB_PROFILES": os.path.join(self.files, PROFILES)}  # before those of this machine
        done = subprocess.run(
            [*run.command[:2], "--quiet", "--json", out, *run.command[2:]],
            capture_output=True,
            text=True,
            cwd=self.files,
            env=os.environ | profiles,
        )
        if done.returncode not in (0, 3):
            run.error = done.stderr.strip().replace("\n", " ")
        else:
            run.error = "; ".join(self.differences(run.key))

    def path(self, folder: str, key: str) -> str:
        return os.path.join(self.folder, folder, f"{key}.json")

    def differences(self, key: str) -> list[str]:
        both = []
        for folder in "runs", "again/runs":
            with open(self.path(folder, key), encoding="utf-8") as file:
                both.append(json.load(file)["statistics"])
        was, now = both
        names = [name for name in was | now if name not in VARYING and was.get(name) != now.get(name)]
        return [f"{name}: {was.get(name)} was, {now.get(name)} is" for name in names[:3]]


# ---- exports ----


def snakemake(runs: Runs, all_runs: list[Run]) -> str:
    """A rule for each run, and one that requires all."""

    def braced(text: str) -> str:
        return repr(text.replace("{", "{{").replace("}", "}}"))

    lines = ["rule all:", "    input:"]
    lines += [f"        {runs.path(run.key)!r}," for run in all_runs]
    for run in all_runs:
        lines += [
            "",
            f"rule run_{run.key}:",
            f"    output: {runs.path(run.key)!r}",
            f"    shell: {braced(shlex.join(runs.command(run)))}",
        ]
    return "\n".join(lines) + "\n"


def commands(runs: Runs, all_runs: list[Run]) -> str:
    """A tab-separated line for each place: its axes and the command of its run."""
    axes = list(runs.experiment.axes)
    rows = [[*axes, "command"]]
    rows += [
        [*(place[axis] for axis in axes), shlex.join(runs.command(run))]
        for run in all_runs
        for place in run.places
    ]
    return "".join("\t".join(row) + "\n" for row in rows)


def results(runs: Runs, all_runs: list[Run]) -> list[dict[str, Any]]:
    """Axes, parameters, statistics and any warnings of each place whose run is done."""
    parts = ("parameters", "statistics", "warnings")
    return [
        {"place": place} | {part: found[part] for part in parts if part in found}
        for run in all_runs
        if (found := read(runs.path(run.key)))
        for place in run.places
    ]


def read(path: str) -> dict[str, Any]:
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def json_lines(runs: Runs, all_runs: list[Run]) -> str:
    return "".join(json.dumps(one) + "\n" for one in results(runs, all_runs))


def parquet(runs: Runs, all_runs: list[Run], path: str) -> None:
    """A column for each axis and each statistic that is a number."""
    try:
        import pyarrow  # type: ignore  # it may be missing
        import pyarrow.parquet  # type: ignore  # it may be missing
    except ImportError:
        raise Mistake("export --as parquet needs pyarrow: pip install pyarrow") from None
    rows = [
        one["place"]
        | {name: value for name, value in one["statistics"].items() if isinstance(value, (int, float))}
        for one in results(runs, all_runs)
    ]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    part = f"{path}.partial-{os.getpid()}"
    pyarrow.parquet.write_table(pyarrow.table(columns), part)
    os.replace(part, path)
