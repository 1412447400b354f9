#!/usr/bin/env python3
"""An SLC cache in front of page mapping.

usage: slc.py --check [WORD]... |
       slc.py "slc dynamic fold share=0.3 pre=fill planes=1 blocks=256 ppb=96" TRACE

Rules: docs/slc.md; core.py for what page mapping has, too.  Density 3: a block in SLC mode has a third of the
pages.
"""

import math
import sys

import core
import harness
import page

DENSITY = 3


class Plane(core.Plane):
    """`cap` blocks may be in SLC mode: the last ones, apart from the others (static), or any."""

    def __init__(self, first: int, drive: core.Drive, cap: int, static: bool):
        super().__init__(first, drive)
        self.cap, self.static = cap, static
        self.pool = set(range(first + drive.blocks - cap, first + drive.blocks)) if static else set[int]()
        self.free -= self.pool

    def slc(self) -> list[int]:
        return [block for block, stream in self.stream.items() if stream == "slc"]

    def size(self, block: int) -> int:
        return self.drive.ppb // DENSITY if self.stream[block] == "slc" else self.drive.ppb

    def open_block(self, stream: str) -> None:
        if stream == "slc" and self.static:
            block = min(self.pool, key=lambda b: (self.erases[b], b))
            self.pool.remove(block)
            self.stream[block], self.open[stream] = stream, [block, 0]
            return
        super().open_block(stream)

    def free_pages(self) -> int:
        """Of normal blocks."""
        return super().free_pages() - self.rest("slc")

    def erase(self, block: int) -> None:
        pooled = self.static and self.stream[block] == "slc"
        super().erase(block)
        if pooled:
            self.free.remove(block)
            self.pool.add(block)


class Slc(core.Model):
    def __init__(self, drive: core.Drive, mode: str, words: harness.Words):
        separate = words.get("sep", "1") == "1"
        streams = {"slc": "fold", "fold": "gc", "host": "gc", "gc": "gc"}
        super().__init__(drive, streams if separate else {"slc": "host", "host": "host"})
        self.static, self.folds = mode.split()[0] == "static", mode.split()[1] == "fold"
        self.greedy = words.get("victim") == "greedy"
        self.idle, self.keep = int(words.get("idle", 0)), int(words.get("keep", 0))
        self.last = -1  # arrival of the last request
        cap = max(1, math.floor(float(words["share"]) * drive.blocks))
        self.slc_planes = [Plane(p * drive.blocks, drive, cap, self.static) for p in range(drive.planes)]
        self.planes = list[core.Plane](self.slc_planes)
        pages = (drive.blocks - cap * self.static) * drive.ppb
        self.low_water = core.share(drive.threshold, pages)
        self.high_water = core.share(drive.threshold + drive.hysteresis, pages)
        self.least = int(words.get("slow", 0)) or -(-self.low_water // drive.ppb) + drive.reserve + 2
        self.past = True  # preconditioning goes past the cache

    # A page of the host

    def take_in(self, plane: core.Plane, stream: str) -> int | None:
        if stream != "host" or self.past:
            return super().take_in(plane, stream)
        at = self.slc_planes[self.planes.index(plane)]
        while self.folds and not self.open(at) and self.fold(at):
            pass
        if not self.open(at):
            found = super().take_in(plane, "host")
            self.count["direct_pages"] += found is not None
            if found is not None:
                self.count.setdefault("first_direct", self.count["programs"])
            return found
        self.count["slc_pages"] += 1
        found = at.hand_out("slc")
        in_use = sum(len(p.slc()) for p in self.slc_planes)
        self.count["slc_in_use_max"] = max(self.count["slc_in_use_max"], in_use)
        return found

    def open(self, plane: Plane) -> bool:
        """There is a block in SLC mode with a page, or one may be opened."""
        if "slc" in plane.open:
            return True
        if self.static:
            return bool(plane.pool)
        return len(plane.slc()) < plane.cap and len(plane.free) > self.least

    # Folding

    def fold_victim(self, plane: Plane) -> int | None:
        """Closed first; greedy: with the fewest live pages, of equals closed first."""
        closed = [block for block in plane.slc() if block in plane.closed]
        closed.sort(key=lambda b: (plane.live[b] if self.greedy else 0, plane.closed_at[b]))
        return closed[0] if closed and self.fits(plane, closed[0]) else None

    def fold(self, plane: Plane) -> bool:
        victim = self.fold_victim(plane)
        if victim is None:
            return False
        self.count.setdefault("first_fold", self.count["programs"])
        self.count["folded_blocks"] += 1
        self.count["fold_pages"] += plane.live[victim]
        if self.static:
            self.fold_page_by_page(plane, victim)
        else:
            self.empty(plane, victim)
        return True

    def fold_page_by_page(self, plane: Plane, victim: int) -> None:
        """Room is made for each page as for one of the host."""
        ppb = self.drive.ppb
        for source in [p for p in range(victim * ppb, (victim + 1) * ppb) if p in self.owner]:
            to, owner = super().take_in(plane, self.survivors["slc"]), self.owner[source]
            if to is None:
                raise RuntimeError("no page to fold into")
            self.kill(source)
            self.put(to, owner)
            self.moved(owner, to)
        self.erase(plane, victim)

    def reclaim(self, plane: core.Plane) -> bool:
        """A dynamic cache is folded before anything is collected."""
        at = self.slc_planes[self.planes.index(plane)]
        return (not self.static and self.fold(at)) or self.collect(plane)

    def candidates(self, plane: core.Plane) -> list[int]:
        return [block for block in super().candidates(plane) if plane.stream[block] != "slc"]

    # Requests

    def serve(self, request: harness.Request) -> None:
        if self.idle and 0 <= self.last < request.time - self.idle:
            self.fold_in_idle_time()
        self.last = request.time
        super().serve(request)

    def fold_in_idle_time(self) -> None:
        """One block of each plane in turn."""
        while True:
            folded = [p for p in self.slc_planes if len(p.slc()) > self.keep and self.fold(p)]
            self.count["idle_folds"] += len(folded)
            if not folded:
                return

    def program(self, lpn: int, mask: int, page: int) -> None:
        old = self.place.get(lpn)
        if old is not None:
            self.count["slc_died"] += self.plane_of(old).stream[old // self.drive.ppb] == "slc"
        super().program(lpn, mask, page)


def make(name: str, words: harness.Words) -> harness.Simulated:
    model = Slc(page.drive_of(words), name.removeprefix("slc "), words)
    if words["pre"] == "fill":
        model.fill()
    model.past = False
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"space": ["slc"]}, __doc__))
