#!/usr/bin/env python3
"""A plain, slow event model of dies, buses and requests: tests/golden/time-counts.tsv and memory-counts.tsv.

Its rules come from DESIGN.md ("Time"), docs/modern.md, docs/tenants.md and `ssd params`.

usage: tests/models/events.py --check [WORD]...        rows whose set, trace and model contain every WORD
       tests/models/events.py "SETTINGS" TRACE [COUNTER]...  prints counts; SETTINGS as in the tables
"""

import sys
from pathlib import Path

from events_drive import Drive
from events_input import HERE, find_trace, read_table, read_trace, settings_of


def counts(model: str, trace: Path) -> dict[str, int]:
    drive = Drive(settings_of(model), read_trace(trace))
    drive.run()
    return drive.counters()


def check(words: list[str]) -> int:
    equal = total = 0
    for table in ("time-counts.tsv", "memory-counts.tsv"):
        for (trace, model), rows in read_table(HERE / "golden" / table).items():
            if not all(word in f"{trace} {model}" for word in words):
                continue
            path = find_trace(trace)
            assert path is not None
            got = counts(model, path)
            wrong = [f"{name} {got.get(name)}, not {value}" for name, value in rows if got.get(name) != value]
            equal, total = equal + len(rows) - len(wrong), total + len(rows)
            if wrong:
                print(f"{table}: {trace}, {model}: {'; '.join(wrong)}")
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
