#!/usr/bin/env python3
"""A plain, slow event model of dies, buses and requests: tests/golden/time-counts.tsv and memory-counts.tsv.

Its rules come from DESIGN.md ("Time"), docs/modern.md, docs/tenants.md and `ssd params`.

usage: tests/models/events.py --check [WORD]...        rows whose set, trace and model contain every WORD
       tests/models/events.py "SETTINGS" TRACE [COUNTER]...  prints counts; SETTINGS as in the tables
"""

import sys
from pathlib import Path

import events_table
from events_drive import Drive
from events_input import read_trace, settings_of
from files import find

TABLES = "time-counts.tsv", "memory-counts.tsv"


def counts(model: str, trace: Path) -> dict[str, int]:
    drive = Drive(settings_of(model), read_trace(trace))
    drive.run()
    return drive.counters()


def counts_of(model: str, trace: str) -> dict[str, int] | None:
    path = find(trace)
    return counts(model, path) if path else None


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--check"]:
        return max(events_table.check(table, counts_of, arguments[1:]) for table in TABLES)
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
