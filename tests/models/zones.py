#!/usr/bin/env python3
"""Zones: the device alone (golden/zns-counts.tsv) and the layer above it (golden/zoned-counts.tsv).

Its rules come from docs/zones.md. A list of commands has one a line: W write at the pointer, A append, R
read of the first pages, T reset, F finish, O open, C close; then the zone, then pages. As in the table,
a zone that is finished without padding is written to its end.

usage: tests/models/zones.py --check [WORD]...          rows whose trace and model contain every WORD
       tests/models/zones.py "SETTINGS" TRACE           prints counts; SETTINGS as in the tables
"""

import sys
from collections import Counter
from fractions import Fraction

import core
import events_table
import files
import harness

DEFAULTS = "sep=1"


class Zone:
    def __init__(self) -> None:
        self.state, self.explicit, self.pointer, self.used_at = "empty", False, 0, 0


class Device:
    def __init__(self, words: harness.Words) -> None:
        self.capacity = int(words["zone"])
        self.open_most, self.active_most = int(words["open"]), int(words["active"])
        self.pad = words["finish"] == "pad"
        self.zone = [Zone() for _ in range(int(words["zones"]))]
        self.count: Counter[str] = Counter()
        self.tick = 0

    def open_zones(self) -> list[Zone]:
        return [zone for zone in self.zone if zone.state == "open"]

    def active(self) -> int:
        return sum(zone.state in ("open", "closed") for zone in self.zone)

    def obey(self, letter: str, number: int, pages: int) -> None:
        zone = self.zone[number]
        self.tick += 1
        if letter in "WA":
            self.write(zone, pages, "writes" if letter == "W" else "appends")
        elif letter == "R":
            self.count["reads"] += min(pages, zone.pointer)
            self.count["unmapped_reads"] += max(0, pages - zone.pointer)
        elif letter == "T":
            self.reset(zone)
        elif letter == "F":
            self.finish(zone)
        elif letter == "O":
            self.open_it(zone)
        elif zone.state == "open":
            self.close(zone)
            self.count["closes"] += 1

    def write(self, zone: Zone, pages: int, kind: str) -> None:
        if zone.state == "full":
            self.count["error_full"] += 1
        elif zone.pointer + pages > self.capacity:
            self.count["error_boundary"] += 1
        elif self.may_open(zone):
            zone.used_at = self.tick
            zone.pointer += pages
            self.count[kind] += 1
            self.count["programs"] += pages
            if zone.pointer == self.capacity:
                zone.state = "full"
                self.count["filled"] += 1

    def may_open(self, zone: Zone) -> bool:
        """The zone is open then, or the command is refused."""
        if zone.state == "open":
            return True
        if zone.state == "empty" and self.active_most and self.active() >= self.active_most:
            self.count["error_active"] += 1
            return False
        if self.open_most and len(self.open_zones()) >= self.open_most:
            by_writes = [other for other in self.open_zones() if not other.explicit]
            if not by_writes:
                self.count["error_open"] += 1
                return False
            self.close(min(by_writes, key=lambda other: other.used_at))
            self.count["implicit_closes"] += 1
        zone.state, zone.explicit = "open", False
        return True

    def open_it(self, zone: Zone) -> None:
        if zone.state == "full":
            self.count["error_full"] += 1
        elif self.may_open(zone):
            zone.explicit, zone.used_at = True, self.tick
            self.count["explicit_opens"] += 1

    def close(self, zone: Zone) -> None:
        zone.state = "closed" if zone.pointer else "empty"

    def reset(self, zone: Zone) -> None:
        if zone.state != "empty":
            self.count["resets"] += 1
            self.count["erased_zones"] += zone.pointer > 0
            zone.state, zone.pointer = "empty", 0

    def finish(self, zone: Zone) -> None:
        if zone.state == "full":
            return
        if zone.state == "empty" and self.active_most and self.active() >= self.active_most:
            self.count["error_active"] += 1
            return
        self.count["finishes"] += 1
        self.count["pad_pages"] += self.capacity - zone.pointer if self.pad else 0
        zone.state, zone.pointer = "full", self.capacity


class Layer(core.Model):
    """The drive as one plane whose blocks are zones."""

    def __init__(self, words: harness.Words) -> None:
        zones, capacity = int(words["zones"]), int(words["zone"])
        exported = int(Fraction(words["share"]) * zones * capacity)
        survivors = {"host": "gc", "gc": "gc"} if words["sep"] == "1" else {"host": "host"}
        drive = core.Drive(blocks=zones, ppb=capacity, threshold=0, low=int(words["low"]), logical=exported)
        super().__init__(drive, survivors)

    def program(self, lpn: int, mask: int, page: int) -> None:
        """Only whole pages are written; the rest of a partial one is read first."""
        self.count["rmw_reads"] += lpn in self.place and mask != self.full
        super().program(lpn, self.full, page)


def make(_name: str, words: harness.Words) -> harness.Simulated:
    model = Layer(words)
    model.fill()
    return model


def counts(model: str, trace: str) -> dict[str, int] | None:
    name, words = harness.words_of(f"{DEFAULTS} {model}")
    if name == "zoned":
        path = files.find(trace)
        return harness.counts(make, f"{DEFAULTS} {model}", path) if path else None
    device = Device(words)
    for line in files.lines(files.GOLDEN / "traces" / f"{trace}.zones.xz"):
        letter, zone, pages = [*line.split(), "0"][:3]
        device.obey(letter, int(zone), int(pages))
    return dict(device.count) | {"open_end": len(device.open_zones()), "active_end": device.active()}


def both() -> int:
    if sys.argv[1:2] == ["--check"]:
        tables = ("zns-counts.tsv", "zoned-counts.tsv")
        return max(events_table.check(table, counts, sys.argv[2:]) for table in tables)
    return events_table.main("zns-counts.tsv", counts, __doc__ or "")


if __name__ == "__main__":
    sys.exit(both())
