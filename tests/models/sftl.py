#!/usr/bin/env python3
"""S-FTL: whole mapping pages in DRAM, made small by bitmaps.

usage: sftl.py --check [WORD]... | sftl.py "sftl 1-bit 4096B" TRACE

Rules: docs/sftl.md; core.py and demand.py for what others share.
"""

import sys

import core
import demand
import harness


def heads_1(places: list[int]) -> int:
    """Entries that do not follow from the one before; those without a page (-1) are one run."""
    return 1 + sum(b != (a + 1 if a >= 0 else -1) for a, b in zip(places, places[1:]))


def heads_2(places: list[int]) -> int:
    """With two bits: an entry continues the long run, else the short one before it, else begins a short run
    if the long one goes on later, else a long one."""
    heads, long, short = 1, 0, False

    def follows(i: int, head: int) -> bool:
        return places[i] == (places[head] + i - head if places[head] >= 0 else -1)

    for i in range(1, len(places)):
        if follows(i, long):
            short = False
        elif short and follows(i, i - 1):
            pass
        else:
            heads += 1
            short = any(follows(j, long) for j in range(i + 1, len(places)))
            long = long if short else i
    return heads


class Cached:
    def __init__(self) -> None:
        self.bitmap, self.size = False, 0  # bytes as a bitmap, whatever its form
        self.dirty: set[int] = set()
        self.spared = False  # has had its second chance


class Sftl(demand.Demand):
    def __init__(self, drive: core.Drive, bits: int, cache_bytes: int, buffer_entries: int = 50):
        super().__init__(drive)
        self.bits, self.room = bits, buffer_entries
        self.budget = cache_bytes - 8 * buffer_entries if cache_bytes >= drive.page_bytes else 0
        self.stack: list[int] = []  # mapping pages, the one used last first
        self.cached: dict[int, Cached] = {}
        self.buffer: set[int] = set()  # LPNs

    # Sizes

    def size(self, page: int) -> int:
        first = page * self.per_page
        after = min(first + self.per_page, self.drive.pages)
        places = [self.place.get(lpn, -1) for lpn in range(first, after)]
        heads = heads_1(places) if self.bits == 1 else heads_2(places)
        return -(-self.bits * self.per_page // 8) + 2 + 4 * heads

    def charge(self, page: int) -> int:
        entry = self.cached[page]
        return entry.size if entry.bitmap else self.drive.page_bytes

    def used(self) -> int:
        return sum(self.charge(page) for page in self.stack)

    def resize(self, page: int) -> None:
        entry, whole = self.cached[page], self.drive.page_bytes
        entry.size = self.size(page)
        entry.bitmap = 10 * entry.size <= 9 * whole if entry.bitmap else 10 * entry.size < 8 * whole

    # Look-ups

    def look_up(self, lpn: int, last: int, write: bool) -> bool:
        page = lpn // self.per_page
        if page in self.cached:
            self.stack.remove(page)
            self.stack.insert(0, page)
            self.cached[page].spared = False
            return True
        if lpn in self.buffer:
            self.count["buffer_hits"] += 1
            return True
        self.load(page)
        return False

    def load(self, page: int) -> None:
        while True:
            size = self.size(page)
            size = size if 10 * size < 8 * self.drive.page_bytes else self.drive.page_bytes
            if self.used() + size <= self.budget or not self.stack:
                break
            self.evict()
        self.read_map(page)
        if size > self.budget:
            self.count["uncached"] += 1
            return
        entry = self.cached[page] = Cached()
        self.stack.insert(0, page)
        entry.dirty = self.take_buffered(page)
        self.resize(page)

    def take_buffered(self, page: int) -> set[int]:
        here = {lpn for lpn in self.buffer if lpn // self.per_page == page}
        self.buffer -= here
        return here

    def evict(self) -> None:
        page = self.stack[-1]
        entry, share = self.cached[page], 100 * self.charge(page)
        if entry.bitmap and not entry.spared and share < 60 * self.drive.page_bytes:
            thirds = 1 if share < 30 * self.drive.page_bytes else 2
            self.count[f"reinsert{thirds}"] += 1
            entry.spared = True
            self.stack.pop()
            self.stack.insert(thirds * len(self.stack) // 3, page)
            return
        self.count["evictions"] += 1
        few = 100 * len(entry.dirty) < 5 * self.per_page
        if few and len(self.buffer) + len(entry.dirty) <= self.room:
            self.buffer |= entry.dirty
            self.count["diverted"] += len(entry.dirty)
        elif entry.dirty:
            self.program_map(page, reads=False)
        self.stack.remove(page)
        del self.cached[page]

    # Changes

    def write_page(self, lpn: int, mask: int) -> None:
        self.was_buffered = lpn in self.buffer
        super().write_page(lpn, mask)

    def changed(self, lpn: int) -> None:
        page = lpn // self.per_page
        if page in self.cached:
            self.cached[page].dirty.add(lpn)
            self.resize(page)
            while self.used() > self.budget:
                self.evict()
        elif self.was_buffered:
            self.buffer.add(lpn)
        else:
            self.program_map(page, reads=False)

    def relocated(self, lpn: int) -> bool:
        page = lpn // self.per_page
        if page in self.cached:
            self.cached[page].dirty.add(lpn)
            self.resize(page)
        return page in self.cached or lpn in self.buffer

    def map_written(self, page: int) -> None:
        self.take_buffered(page)


def make(name: str, words: harness.Words) -> core.Model:
    _, bits, cache_bytes = name.split()
    model = Sftl(demand.drive_of(2), int(bits[0]), int(cache_bytes[:-1]))
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"ftl": ["sftl"]}, __doc__))
