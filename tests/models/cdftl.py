#!/usr/bin/env python3
"""CDFTL: entries in DRAM above a few whole mapping pages.

usage: cdftl.py --check [WORD]... | cdftl.py "cdftl 256+1 fold=1" TRACE

Rules: docs/cdftl.md; core.py and demand.py for what others share.
"""

import collections
import sys

import core
import demand
import harness


class Cdftl(demand.Demand):
    def __init__(self, drive: core.Drive, entries: int, pages: int, fold: bool):
        super().__init__(drive)
        self.most, self.most_pages, self.fold = entries, pages, fold
        self.entries: collections.OrderedDict[int, bool] = collections.OrderedDict()  # LPN: changed
        self.pages: collections.OrderedDict[int, bool] = collections.OrderedDict()  # mapping page: changed

    def look_up(self, lpn: int, last: int, write: bool) -> bool:
        page = lpn // self.per_page
        if lpn in self.entries:
            self.count["cmt_hits"] += 1
            self.entries.move_to_end(lpn)
            return True
        hit = page in self.pages
        self.count["ctp_hits"] += hit
        if len(self.entries) == self.most:
            self.evict_entry()
        if page in self.pages:
            self.pages.move_to_end(page)
        else:
            self.load(page)
        self.entries[lpn] = False
        return hit

    def evict_entry(self) -> None:
        """The first that is clean or has its page in DRAM; the one loaded last has."""
        free = (x for x, changed in self.entries.items() if not changed or x // self.per_page in self.pages)
        lpn = next(free)
        if self.entries.pop(lpn):
            self.pages[lpn // self.per_page] = True
            self.count["kicked_out"] += 1

    def load(self, page: int) -> None:
        if len(self.pages) == self.most_pages:
            self.evict_page()
        self.read_map(page)
        self.pages[page] = False

    def evict_page(self) -> None:
        page = next(iter(self.pages))
        if self.pages[page]:
            self.count["writebacks"] += 1
            self.program_map(page, reads=False)
            for lpn, changed in self.entries.items() if self.fold else ():
                if changed and lpn // self.per_page == page:
                    self.entries[lpn] = False
                    self.count["folded"] += 1
        del self.pages[page]

    def changed(self, lpn: int) -> None:
        self.entries[lpn] = True

    def relocated(self, lpn: int) -> bool:
        page = lpn // self.per_page
        if lpn in self.entries:
            self.entries[lpn] = True
        elif page in self.pages:
            self.pages[page] = True
            self.count["gc_ctp"] += 1
        return lpn in self.entries or page in self.pages

    def finish(self) -> None:
        self.count["gc_lazy"] -= self.count["gc_ctp"]
        self.count["batch_cleaned"] = self.count["folded"]


def make(name: str, words: harness.Words) -> core.Model:
    entries, pages = name.split()[1].split("+")
    model = Cdftl(demand.drive_of(2), int(entries), int(pages), words.get("fold") == "1")
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"mapping": ["cdftl"]}, __doc__))
