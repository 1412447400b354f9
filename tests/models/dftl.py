#!/usr/bin/env python3
"""DFTL, and `optimal`, which has all entries in DRAM.

usage: dftl.py --check [WORD]... | dftl.py "dftl entries=512 batch=1 slru=0" TRACE

Rules: docs/dftl.md; core.py and demand.py for what others share.
"""

import collections
import sys

import core
import demand
import harness


class Optimal(demand.Demand):
    def look_up(self, lpn: int, last: int, write: bool) -> bool:
        return True

    def relocated(self, lpn: int) -> bool:
        return True

    def finish(self) -> None:
        del self.count["gc_lazy"]


class Dftl(demand.Demand):
    """Entries in DRAM are in two LRU lists, of those used once and, with slru, of those used again."""

    def __init__(self, drive: core.Drive, entries: int, batch: bool, protected: int):
        super().__init__(drive)
        self.entries, self.batch, self.most = entries, batch, protected
        self.once: collections.OrderedDict[int, bool] = collections.OrderedDict()  # LPN: changed
        self.again: collections.OrderedDict[int, bool] = collections.OrderedDict()

    def of(self, lpn: int) -> collections.OrderedDict[int, bool]:
        return self.again if lpn in self.again else self.once

    def look_up(self, lpn: int, last: int, write: bool) -> bool:
        if lpn in self.of(lpn):
            self.use(lpn)
            return True
        if len(self.once) + len(self.again) == self.entries:
            self.evict()
        self.read_map(lpn // self.per_page)
        self.once[lpn] = False
        return False

    def use(self, lpn: int) -> None:
        self.of(lpn).move_to_end(lpn)
        if lpn in self.once and self.most:
            self.again[lpn] = self.once.pop(lpn)
            if len(self.again) > self.most:
                demoted, changed = self.again.popitem(last=False)
                self.once[demoted] = changed

    def evict(self) -> None:
        lpn = next(iter(self.once or self.again))
        if self.of(lpn)[lpn]:
            self.count["writebacks"] += 1
            self.program_map(lpn // self.per_page, reads=True)
            for entries in (self.once, self.again) if self.batch else ():
                for other, changed in entries.items():
                    if changed and other != lpn and other // self.per_page == lpn // self.per_page:
                        entries[other] = False
                        self.count["batch_cleaned"] += 1
        del self.of(lpn)[lpn]

    def changed(self, lpn: int) -> None:
        self.of(lpn)[lpn] = True

    def relocated(self, lpn: int) -> bool:
        if lpn in self.of(lpn):
            self.of(lpn)[lpn] = True
            return True
        return False


def make(name: str, words: harness.Words) -> core.Model:
    model: demand.Demand
    if name == "optimal":
        model = Optimal(demand.drive_of(1))
    else:
        entries, slru = int(words.get("entries", 512)), int(words.get("slru", 0))
        model = Dftl(demand.drive_of(2), entries, words.get("batch") == "1", slru)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"ftl": ["optimal", "dftl"]}, __doc__))
