"""Reproduces the runs of a folder on another machine, and exports them to other programs."""
from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterable
from typing import Any

from laboratory.mistake import Mistake
from laboratory.runs import Run, Runs, digest, digest_of_file, write_whole

MANIFEST = "manifest.json"
TEXT_BYTES = 1 << 16  # parameter files and profiles up to this size are kept whole
VARYING = {"run.command", "run.version", "run.parameters", "run.workload"}  # names, not results


def version_of(ssd: str) -> str:
    return subprocess.run([ssd, "--version"], capture_output=True, text=True).stdout.strip()


# ---- what is kept with the results ----

def kept(path: str) -> dict[str, Any]:
    """Digest and size of a file, and the text of a small .cfg file without @include."""
    found: dict[str, Any] = {"sha256": digest_of_file(path, 64), "bytes": os.path.getsize(path)}
    if found["bytes"] <= TEXT_BYTES and path.endswith(".cfg"):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        found |= {} if "@include" in text else {"text": text}
    return found


def file_of(word: str) -> str:
    """The file that a word of a command names, alone or behind "="; "" if it names none."""
    named = [part for part in (word, word.partition("=")[2]) if os.path.isfile(part)]
    return named[0] if named else ""


def record(runs: Runs, all_runs: Iterable[Run]) -> None:
    """Writes beside the runs: version of the simulator, digests of the files they use, commands."""
    commands = {run.key: {"places": run.places, "command": run.command} for run in all_runs}
    words = {word for each in commands.values() for word in each["command"][1:]}
    by_name = {f"{folder}/{word}.cfg" for word in words for folder in ("traces/profiles", "parameters")}
    paths = set(map(file_of, words)) - {""} | set(filter(os.path.isfile, by_name))
    manifest = {"simulator": version_of(runs.ssd), "files": {path: kept(path) for path in sorted(paths)},
                "runs": commands}
    write_whole(os.path.join(runs.folder, MANIFEST), json.dumps(manifest, indent=1) + "\n")


# ---- repeating them ----

class Again:
    """Repeats the runs of a folder with this machine's simulator, in FOLDER/again."""

    def __init__(self, folder: str, ssd: str) -> None:
        self.folder, self.ssd = os.path.abspath(folder), os.path.abspath(ssd)
        self.files = os.path.join(self.folder, "again", "files")  # where the runs find drives and profiles
        try:
            with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
                self.manifest = json.load(file)
            self.stored = {path: self.store(path, found) for path, found in self.manifest["files"].items()}
            self.runs = [Run(key, self.command(each["command"]), each["places"])
                         for key, each in self.manifest["runs"].items()]
        except (OSError, ValueError, KeyError, TypeError) as why:
            raise Mistake(f"{folder}: no results that `lab run` made: {why}") from None

    def store(self, path: str, found: dict[str, Any]) -> str:
        """Path of the file on this machine.  A file whose text was kept is written first."""
        if "text" in found:
            inside = not os.path.isabs(path) and ".." not in path.split("/")
            copy = os.path.join(self.files, path if inside else f"{digest(path)}.cfg")
            write_whole(copy, found["text"])
            return path if inside else copy
        if not os.path.isfile(path) or digest_of_file(path, 64) != found["sha256"]:
            what = "is another file here" if os.path.isfile(path) else "is not here"
            raise Mistake(f"{path} {what}: {found['bytes']} bytes, SHA-256 {found['sha256']}")
        return os.path.abspath(path)

    def command(self, words: list[str]) -> list[str]:
        def here(word: str) -> str:
            name, is_set, value = word.rpartition("=")
            return f"{name}{is_set}{self.stored.get(value, value)}"

        return [self.ssd, *map(here, words[1:])]

    def do(self, run: Run) -> None:
        out = self.path("again/runs", run.key)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        os.makedirs(self.files, exist_ok=True)
        done = subprocess.run([*run.command[:2], "--quiet", "--json", out, *run.command[2:]],
                              capture_output=True, text=True, cwd=self.files)
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
        lines += ["", f"rule run_{run.key}:", f"    output: {runs.path(run.key)!r}",
                  f"    shell: {braced(shlex.join(runs.command(run)))}"]
    return "\n".join(lines) + "\n"


def commands(runs: Runs, all_runs: list[Run]) -> str:
    """A tab-separated line for each place: its axes and the command of its run."""
    axes = list(runs.experiment.axes)
    rows = [[*axes, "command"]]
    rows += [[*(place[axis] for axis in axes), shlex.join(runs.command(run))]
             for run in all_runs for place in run.places]
    return "".join("\t".join(row) + "\n" for row in rows)


def results(runs: Runs, all_runs: list[Run]) -> list[dict[str, Any]]:
    """Axes, parameters and statistics of each place whose run is done."""
    return [{"place": place, "parameters": found["parameters"], "statistics": found["statistics"]}
            for run in all_runs if (found := read(runs.path(run.key))) for place in run.places]


def read(path: str) -> dict[str, Any]:
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def json_lines(runs: Runs, all_runs: list[Run]) -> str:
    return "".join(json.dumps(one) + "\n" for one in results(runs, all_runs))


def parquet(runs: Runs, all_runs: list[Run], path: str) -> None:
    """A column for each axis and each statistic that is a number."""
    try:
        import pyarrow  # type: ignore[import-not-found]
        import pyarrow.parquet  # type: ignore[import-not-found]
    except ImportError:
        raise Mistake("export --as parquet needs pyarrow: pip install pyarrow") from None
    rows = [one["place"] | {name: value for name, value in one["statistics"].items()
                            if isinstance(value, (int, float))} for one in results(runs, all_runs)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    part = f"{path}.partial-{os.getpid()}"
    pyarrow.parquet.write_table(pyarrow.table(columns), part)
    os.replace(part, path)
