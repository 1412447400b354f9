"""The command line of the models that count: --check, or SETTINGS and TRACE."""

import sys
from collections.abc import Callable

import files

Counts = Callable[[str, str], dict[str, int] | None]


def open_runs(table: str) -> set[tuple[str, str]]:
    """Trace and model of the runs of open.tsv: program and model differ, and who is right is not known."""
    lines = (files.HERE / "models" / "open.tsv").read_text().splitlines()
    cells = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(trace, model) for name, trace, model in cells if name == table}


def compare(run: str, rows: list[tuple[str, int]], got: dict[str, int], undecided: bool) -> tuple[int, int]:
    """Equal rows and rows that count; prints the others.  Of an undecided run only equal rows count."""
    wrong = [f"{name} {got.get(name, 0)}, not {value}" for name, value in rows if got.get(name, 0) != value]
    equal = len(rows) - len(wrong)
    if wrong and undecided:
        print(f"{len(wrong)} rows open: {run}")
        return equal, equal
    if wrong:
        print(f"{run}: {'; '.join(wrong)}")
    return equal, len(rows)


def check(table: str, counts: Counts, words: list[str]) -> int:
    equal = total = left_out = 0
    undecided = open_runs(table)
    for (trace, model), counters in files.table(table).items():
        if not all(word in f"{trace} {model}" for word in words):
            continue
        got = counts(model, trace)
        if got is None:
            left_out += len(counters)
            continue
        right, compared = compare(f"{trace}, {model}", counters, got, (trace, model) in undecided)
        equal, total = equal + right, total + compared
    if left_out:
        print(f"{left_out} rows not compared: their trace is not in tests/golden/traces")
    print(f"{equal} of {total} equal")
    return 0 if equal == total else 1


def main(table: str, counts: Counts, usage: str) -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--check"]:
        return check(table, counts, arguments[1:])
    if len(arguments) != 2:
        print(usage)
        return 2
    got = counts(arguments[0], arguments[1])
    if got is None:
        print(f"{arguments[1]}: no such trace", file=sys.stderr)
        return 2
    for name, value in got.items():
        print(f"{name}\t{value}")
    return 0
