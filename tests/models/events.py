#!/usr/bin/env python3
"""A plain, slow event model of dies, buses and requests: tests/golden/time-counts.tsv and memory-counts.tsv.

Its rules come from DESIGN.md ("Time"), docs/modern.md, docs/tenants.md and `ssd params`.

usage: tests/models/events.py --check [WORD]...        rows whose set, trace and model contain every WORD
       tests/models/events.py "SETTINGS" TRACE [COUNTER]...  prints counts; SETTINGS as in the tables
"""

import sys
from pathlib import Path

from events_counts import open_runs
from events_drive import Drive
from events_input import HERE, find_trace, read_table, read_trace, settings_of
from events_table import compare


def counts(model: str, trace: Path) -> dict[str, int]:
    drive = Drive(settings_of(model), read_trace(trace))
    drive.run()
    return drive.counters()


def check(words: list[str]) -> int:
    equal = total = 0
    for table in ("time-counts.tsv", "memory-counts.tsv"):
        undecided = open_runs(table)
        for (trace, model), rows in read_table(HERE / "golden" / table).items():
            if not all(word in f"{trace} {model}" for word in words):
                continue
            path = find_trace(trace)
            assert path is not None
            run = f"{table}: {trace}, {model}"
            right, compared = compare(run, rows, counts(model, path), (trace, model) in undecided)
            equal, total = equal + right, total + compared
    print(f"{equal} of {total} equal")
    return 0 if equal == total else 1


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--check"]:
        return check(arguments[1:])
    if len(arguments) < 2:
        print(__doc__)
        return 2
    path = Path(arguments[1])
    for name, value in counts(arguments[0], path).items():
        if len(arguments) == 2 or name in arguments[2:]:
            print(f"{name}\t{value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
