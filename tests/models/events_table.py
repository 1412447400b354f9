"""The command line of the models that count: --check, or SETTINGS and TRACE."""

import sys
from collections.abc import Callable

from events_counts import HERE

Counts = Callable[[str, str], dict[str, int] | None]


def check(table: str, counts: Counts, words: list[str]) -> int:
    rows: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for line in (HERE / "golden" / table).read_text().splitlines():
        if line and not line.startswith(("#", "set\t")):
            _, trace, model, counter, value = line.split("\t")
            rows.setdefault((trace, model), []).append((counter, int(value)))
    equal = total = left_out = 0
    for (trace, model), counters in rows.items():
        if not all(word in f"{trace} {model}" for word in words):
            continue
        got = counts(model, trace)
        if got is None:
            left_out += len(counters)
            continue
        have = [(name, got.get(name, 0), value) for name, value in counters]
        wrong = [f"{name} {mine}, not {value}" for name, mine, value in have if mine != value]
        equal, total = equal + len(counters) - len(wrong), total + len(counters)
        if wrong:
            print(f"{trace}, {model}: {'; '.join(wrong)}")
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
