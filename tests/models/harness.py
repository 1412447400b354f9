"""Traces, golden tables and the command line of all models."""

import collections
import configparser
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import files

Words = dict[str, str]
Count = collections.Counter[str]


@dataclass
class Request:
    kind: str  # R, W, or U: the handle continues in a new unit
    first: int  # sector
    length: int
    time: int  # ns
    hint: int = 0


def requests(path: Path) -> Iterator[Request]:
    """Lines "ns device sector sectors 1-if-read", as `ssd trace generate` prints, or a csv with hints."""
    for line in files.lines(path):
        if "," in line:
            time, kind, first, length, hint = line.split(",")
            yield Request(kind, int(first or 0), int(length or 0), int(time), int(hint or 0))
        else:
            time, device, first, length, reads = line.split()
            yield Request("R" if reads == "1" else "W", int(first), int(length), int(time), int(device))


class Simulated(Protocol):
    count: Count

    def serve(self, request: Request) -> None: ...

    def finish(self) -> None: ...


Make = Callable[[str, Words], Simulated]


def words_of(model: str) -> tuple[str, Words]:
    """The words without "=" (the model's name and its first arguments), and the others."""
    words = model.split()
    return " ".join(w for w in words if "=" not in w), dict(w.split("=", 1) for w in words if "=" in w)


def counts(make: Make, model: str, path: Path) -> Count:
    simulated = make(*words_of(model))
    for request in requests(path):
        simulated.serve(request)
    simulated.finish()
    return simulated.count


def rows(table: str, names: list[str]) -> dict[tuple[str, str], dict[str, int]]:
    """Rows of a table of the models with these names, by trace and model."""
    found = files.table(f"{table}-counts.tsv", tuple(f"{name} " for name in names))
    return {key: dict(row) for key, row in found.items()}


def known_to_differ() -> list[tuple[set[str], set[str], str]]:
    """Words of models, counters and why the table is wrong there: `differs` in tests/counts.d."""
    found = []
    for path in sorted((files.HERE / "counts.d").glob("*.ini")):
        ini = configparser.ConfigParser(interpolation=None, delimiters=("=",))
        ini.read(path)
        for name in ini.sections():
            for line in ini[name].get("differs", "").strip().splitlines():
                words, counters, why = line.split(":", 2)
                found.append((set(f"{name} {words}".split()), set(counters.split()), why.strip()))
    return found


def one(job: tuple[Make, str, Path]) -> Count:
    return counts(*job)


def check(make: Make, tables: dict[str, list[str]], only: list[str]) -> int:
    wanted = {
        key: row
        for table, names in tables.items()
        for key, row in rows(table, names).items()
        if all(word in " ".join(key) for word in only)
    }
    jobs = {key: (make, key[1], path) for key in wanted if (path := files.find(key[0]))}
    equal = total = 0
    known = known_to_differ()
    with multiprocessing.Pool(2) as pool:
        for (trace, model), got in zip(jobs, pool.imap(one, jobs.values())):
            for name, value in wanted[trace, model].items():
                reasons = [why for words, of, why in known if name in of and words <= set(model.split())]
                if got[name] != value and reasons:
                    print(f"1 row known to differ: {name}: {reasons[0]}")
                    continue
                equal, total = equal + (got[name] == value), total + 1
                if got[name] != value:
                    print(f"{trace}, {model}: {name} {got[name]}, not {value}", flush=True)
    for trace in sorted({trace for trace, model in wanted if (trace, model) not in jobs}):
        absent = sum(len(row) for (name, _), row in wanted.items() if name == trace)
        print(f"{absent} rows not compared: no file of trace {trace}")
    print(f"{equal} of {total} equal")
    return int(equal != total or not total)


def main(make: Make, tables: dict[str, list[str]], doc: str | None) -> int:
    """NAME.py --check [WORD]...: the rows that contain every WORD; NAME.py MODEL TRACE: the counts."""
    words = sys.argv[1:]
    if words[:1] == ["--check"]:
        return check(make, tables, words[1:])
    path = files.find(words[-1]) if len(words) == 2 else None
    if path is None:
        print(doc, file=sys.stderr)
        return 2
    for name, value in sorted(counts(make, words[0], path).items()):
        if value:
            print(f"{words[-1]}\t{words[0]}\t{name}\t{value}")
    return 0
