#!/usr/bin/env python3
"""Placement handles, with blocks or with units that go over all planes.

usage: handles.py --check [WORD]... |
       handles.py "fdp by=hint handles=4 isolation=initially planes=1 blocks=256 ppb=64" TRACE

Rules: docs/placement.md; core.py for what page mapping has, too.  A unit of N planes is a block N times as
large.
"""

import sys

import core
import harness
import page


class Handles(core.Model):
    def __init__(self, drive: core.Drive, handles: int, persistently: bool, ranges: str, units: int):
        self.hosts = [f"host{n}" for n in range(handles)]
        into = {name: name.replace("host", "gc") if persistently else "gc" for name in self.hosts}
        super().__init__(drive, into | {name: name for name in into.values()})
        pairs = [pair.split(":") for pair in ranges.split(",") if pair]
        self.ranges = [(int(sector), int(handle)) for sector, handle in pairs]
        self.units = units  # blocks of a unit
        self.handle = 0  # of the request

    def valid(self, handle: int) -> int:
        return handle if handle < len(self.hosts) else 0

    def host_stream(self, lpn: int) -> str:
        handle = self.handle
        for sector, of in self.ranges:
            if sector <= lpn * self.drive.sectors:
                handle = self.valid(of)
        return self.hosts[handle]

    def serve(self, request: harness.Request) -> None:
        self.handle = self.valid(request.hint)
        if request.kind == "U":
            self.update(self.hosts[self.handle])
        else:
            self.count["fdp_invalid"] += not self.ranges and request.hint >= len(self.hosts)
            super().serve(request)

    def update(self, stream: str) -> None:
        """The rest of the handle's open blocks is padded."""
        self.count["fdp_updates"] += 1
        for plane in self.planes:
            for _ in range(plane.rest(stream)):
                plane.hand_out(stream)
                self.count["pad_pages"] += 1

    # Counts

    def opened(self, page: int) -> None:
        if page % self.drive.ppb == 0:
            self.count[f"units_{self.plane_of(page).stream[page // self.drive.ppb]}"] += 1

    def program(self, lpn: int, mask: int, page: int) -> None:
        super().program(lpn, mask, page)
        self.opened(page)
        self.count[f"{self.plane_of(page).stream[page // self.drive.ppb]}_pages"] += 1

    def moved(self, owner: int, page: int) -> None:
        super().moved(owner, page)
        self.opened(page)

    def empty(self, plane: core.Plane, victim: int) -> int:
        stream, moved = plane.stream[victim], super().empty(plane, victim)
        number = stream.removeprefix("host").removeprefix("gc")
        self.count[f"moved_{number or 'gc'}"] += moved
        self.count["erases"] += self.units - 1
        return moved


def make(name: str, words: harness.Words) -> harness.Simulated:
    drive = page.drive_of(words)
    units = drive.planes if words.get("unit") == "superblock" else 1
    if units > 1:
        drive.planes, drive.ppb = 1, drive.ppb * units
    persistently = words["isolation"] == "persistently"
    model = Handles(drive, int(words["handles"]), persistently, words.get("ranges", ""), units)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"space": ["fdp"]}, __doc__))
