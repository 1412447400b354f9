"""The command line of the models that count: --check, or SETTINGS and TRACE."""

import sys
from collections.abc import Callable

import files

Counts = Callable[[str, str], dict[str, int] | None]


def compare(run: str, rows: list[tuple[str, int]], got: dict[str, int]) -> int:
    """How many rows are equal; prints the others."""
    wrong = [f"{name} {got.get(name, 0)}, not {value}" for name, value in rows if got.get(name, 0) != value]
    if wrong:
        print(f"{run}: {'; '.join(wrong)}")
    return len(rows) - len(wrong)


def check(table: str, counts: Counts, words: list[str]) -> int:
    equal = total = left_out = 0
    for (trace, model), counters in files.table(table).items():
        if not all(word in f"{trace} {model}" for word in words):
            continue
        got = counts(model, trace)
        if got is None:
            left_out += len(counters)
            continue
        equal += compare(f"{trace}, {model}", counters, got)
        total += len(counters)
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
