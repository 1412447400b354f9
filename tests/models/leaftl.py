#!/usr/bin/env python3
"""LeaFTL: lines through sorted pages; without bytes the whole table is in DRAM.

usage: leaftl.py --check [WORD]... | leaftl.py "leaftl gamma=4 4096B buffer=64" TRACE

Rules: docs/leaftl.md; core.py and demand.py for what others share, segments.py for the lines.
"""

import sys

import core
import demand
import harness
from segments import Group, Segment, learn

GROUP = 256


class Leaftl(demand.Demand):
    STREAMS = {"host": "gc", "gc": "gc", "map": "map"}

    def __init__(self, drive: core.Drive, gamma: int, budget: int | None, room: int, every: int):
        super().__init__(drive, GROUP)
        self.gamma, self.budget = gamma, budget  # no budget: the whole table in DRAM
        self.room, self.every = room, every  # pages: of the sorting buffer, between two compactions
        self.groups = [Group() for _ in range(-(-drive.pages // GROUP))]
        self.cached: dict[int, bool] = {}  # group: changed; the one used least recently first
        self.buffer: dict[int, None] = {}
        self.flushed = 0
        self.moving: list[int] = []

    def filled(self) -> None:
        super().filled()
        for number in range(len(self.groups)):
            self.learn(number, list(range(number * GROUP, min((number + 1) * GROUP, self.drive.pages))))

    def learn(self, number: int, lpns: list[int]) -> None:
        points = [(lpn % GROUP, self.place[lpn]) for lpn in sorted(lpns)]
        self.groups[number].insert(learn(points, self.gamma))

    # Look-ups

    def find(self, lpn: int) -> tuple[bool, Segment]:
        """Whether its group was in DRAM, and the segment."""
        number = lpn // GROUP
        hit = self.budget is None or number in self.cached
        self.count["lookups"] += 1
        self.count["hits" if hit else "misses"] += 1
        if not hit:
            self.read_map(number)
        self.cached[number] = self.cached.pop(number, False)
        if not hit:
            self.shrink(number)
        segment, levels = self.groups[number].find(lpn % GROUP)
        self.count["levels"] += levels
        self.count["top"] += levels == 1
        self.count["accurate" if segment.listed is None else "approximate"] += 1
        return hit, segment

    def search(self, lpn: int, segment: Segment, host: bool) -> int:
        """Reads beyond the first that find the page."""
        ppb, place = self.drive.ppb, self.place[lpn]
        guess = segment.predict(lpn % GROUP)
        if guess == place:
            return 0
        extra = 1
        if guess // ppb != place // ppb:
            self.count["other_block"] += 1
            edge = place // ppb * ppb + (ppb - 1 if guess > place else 0)
            extra = 1 if edge == place else 2
        self.count["mispredicted"] += 1
        self.count["mispredict_reads"] += host * extra
        return extra

    def used(self) -> int:
        return sum(self.groups[number].bytes() for number in self.cached)

    def shrink(self, using: int) -> None:
        if self.budget is None:
            return
        while self.used() > self.budget and len(self.cached) > 1:
            number = next(number for number in self.cached if number != using)
            if self.cached[number]:
                self.make_room(self.planes[0], "map")
                self.groups[number].compact()
                if self.used() <= self.budget:
                    return
                self.count["writebacks"] += 1
                self.put_map(number, self.planes[0].hand_out("map"), reads=False)
            self.count["evictions"] += 1
            del self.cached[number]

    # Requests

    def serve(self, request: harness.Request) -> None:
        hits = True
        for lpn, mask in self.drive.parts(request).items():
            if lpn in self.buffer:
                self.count["buffer_hits"] += 1
            elif request.kind == "R":
                hit, segment = self.find(lpn)
                self.search(lpn, segment, host=True)
                self.read_page(lpn, mask)
                hits = hits and hit
            else:
                hits = self.buffer_page(lpn, mask) and hits
        self.count["requests"] += 1
        self.count["request_hits"] += hits

    def buffer_page(self, lpn: int, mask: int) -> bool:
        """The rest of the page is read when it enters."""
        hit = True
        if self.written[lpn] & ~mask:
            hit, segment = self.find(lpn)
            self.search(lpn, segment, host=True)
            self.count["rmw_reads"] += 1
        self.buffer[lpn] = None
        if len(self.buffer) == self.room:
            self.flush()
        return hit

    def flush(self) -> None:
        self.count["flushes"] += 1
        self.flushed += len(self.buffer)
        groups: dict[int, list[int]] = {}
        for lpn in sorted(self.buffer):
            groups.setdefault(lpn // GROUP, []).append(lpn)
        self.buffer.clear()
        for number, lpns in groups.items():
            for lpn in lpns:
                _, segment = self.find(lpn)
                if segment.listed is not None:
                    self.count["oob_reads"] += 1 + self.search(lpn, segment, host=False)
                self.program(lpn, self.full, self.take("host"))
            self.learn(number, lpns)
            self.cached[number] = True
            self.shrink(number)
        if self.flushed >= self.every:
            self.flushed = 0
            self.count["compactions"] += 1
            for number, group in enumerate(self.groups):
                if self.budget is None or number in self.cached:
                    group.compact()

    # Collection

    def order(self, pages: list[int]) -> list[int]:
        """In the order of what they hold: logical pages, or mapping pages."""
        return sorted(pages, key=lambda page: self.owner[page])

    def moved(self, owner: int, page: int) -> None:
        if owner >= self.drive.pages:
            self.directory[owner - self.drive.pages] = page
        else:
            self.place[owner] = page
            self.moving.append(owner)

    def emptied(self, plane: core.Plane, victim: int) -> None:
        groups: dict[int, list[int]] = {}
        for lpn in self.moving:
            groups.setdefault(lpn // GROUP, []).append(lpn)
        self.moving.clear()
        for number, lpns in sorted(groups.items()):
            self.learn(number, lpns)
            if self.budget is None or number in self.cached:
                self.count["gc_lazy"] += len(lpns)
                self.cached[number] = True
                continue
            self.groups[number].compact()
            self.count["gc_map_updates"] += 1
            self.count["gc_batched_entries"] += len(lpns)
            self.put_map(number, plane.hand_out("map"), reads=True)

    def finish(self) -> None:
        segments = [segment for group in self.groups for segment in group.segments()]
        self.count["table_bytes"] = sum(group.bytes() for group in self.groups)
        released = sum(segment.bytes_released() for segment in segments)
        self.count["table_bytes_code"] = 4 * len(self.groups) + released
        self.count["table_segments"] = len(segments)
        self.count["table_approx"] = sum(segment.listed is not None for segment in segments)
        self.count["table_crb"] = sum(segment.list_bytes() for segment in segments)
        self.count["table_max_levels"] = max(len(group.levels) for group in self.groups)
        self.count["table_max_group"] = max(group.bytes() for group in self.groups)


def make(name: str, words: harness.Words) -> harness.Simulated:
    budget = int(name.split()[1][:-1]) if len(name.split()) > 1 else None
    model = Leaftl(demand.drive_of(3), int(words["gamma"]), budget, int(words.get("buffer", 64)), 4096)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"leaftl": ["leaftl"]}, __doc__))
