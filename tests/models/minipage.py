#!/usr/bin/env python3
"""A plain, slow model of Minipage-FTL, PM-FTL and the page mapping beside them, made from their description
alone: it decides who is right where tests/golden/minipage-counts.tsv and the simulator differ.

usage: tests/models/minipage.py --check [WORD]...        rows whose trace and model contain every WORD
       tests/models/minipage.py --described --check ...  the same by the description, from which the table
                                                         departs in two points (docs/minipage.md)
       tests/models/minipage.py "SETTINGS" TRACE         prints counts; SETTINGS as in the table
"""

import collections
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import events_table
import files

MAP, HOST, GC = range(3)  # streams
MINIPAGE = 8  # sectors
Mask = dict[int, int]  # minipage of a page: its sectors


def sectors(part: Mask) -> int:
    return sum(mask.bit_count() for mask in part.values())


class Flash:
    """One plane.  A page is a list of what its slots hold, minipages or one mapping page; None is dead."""

    def __init__(self, slots: int, pages: int, blocks: int, low: int, collect: Callable[[int], None]) -> None:
        self.slots, self.pages, self.low, self.collect = slots, pages, low, collect
        self.free = list(range(blocks))  # ascending
        self.page: dict[int, list[int | None]] = {}
        self.live: collections.Counter[int] = collections.Counter()  # slots of a block
        self.stream: dict[int, int] = {}
        # block and next page; a full one counts until the next is opened
        self.open: dict[int, list[int] | None] = {MAP: None, HOST: None, GC: None}
        self.collecting = False

    def closed(self, asking: int) -> list[int]:
        spared = {
            at[0] for stream, at in self.open.items() if at and not (stream == asking and self.full(stream))
        }
        return [
            b
            for b in sorted(self.stream)
            if b not in spared and self.live[b] <= (self.pages - 1) * self.slots
        ]

    def victim(self, asking: int) -> int | None:
        blocks, full = self.closed(asking), self.pages * self.slots
        maps = [b for b in blocks if self.stream[b] == MAP]
        others = [b for b in blocks if self.stream[b] != MAP or self.live[b] <= full // 8]
        emptiest = min(maps, key=lambda b: self.live[b], default=None)
        best = min(others, key=lambda b: self.live[b], default=None)
        scarce = len(self.free) < self.low // 2 and emptiest is not None and self.live[emptiest] <= full // 2
        return emptiest if best is None or scarce else best

    def full(self, stream: int) -> bool:
        at = self.open[stream]
        return at is None or at[1] == self.pages

    def take(self, stream: int) -> int:
        while not self.collecting and self.full(stream) and len(self.free) < self.low:
            if (block := self.victim(stream)) is None:
                break
            self.collecting = True
            self.collect(block)
            self.collecting = False
            del self.stream[block]
            self.free = sorted([*self.free, block])
        at = self.open[stream]
        if at is None or at[1] == self.pages:
            at = self.open[stream] = [self.free.pop(0), 0]
            self.stream[at[0]] = stream
        at[1] += 1
        return at[0] * self.pages + at[1] - 1

    def fill(self, page: int, held: list[int | None]) -> None:
        self.page[page] = held
        self.live[page // self.pages] += self.slots if self.stream[page // self.pages] == MAP else len(held)

    def kill(self, page: int, slot: int) -> None:
        self.live[page // self.pages] -= self.slots if self.stream[page // self.pages] == MAP else 1
        self.page[page][slot] = None
        if not any(held is not None for held in self.page[page]):
            del self.page[page]


class Entry:
    def __init__(self, size: int, parts: set[int]) -> None:
        self.size, self.parts, self.dirty = size, parts, False


class Model:
    def __init__(self, ftl: str, o: dict[str, Any], top: int, as_table: bool) -> None:
        self.ftl, self.o, self.as_table = ftl, o, as_table
        self.k, self.sectors = o["page"] // 4, o["page"] * 2
        self.count: collections.Counter[str] = collections.Counter()
        self.pages = o["space"] // (o["page"] * 1024) if o["fill"] else -(-top // self.sectors)
        ppb = o.get("ppb", 128)
        blocks = -(-math.ceil(self.pages * 100 / (100 - o["op"])) // ppb) if o["fill"] else 65536
        self.flash = Flash(
            1 if ftl == "page-ftl" else self.k, ppb, blocks, o["low"] if o["fill"] else 0, self.collect
        )
        self.per_map = o["page"] * 256 // (self.k if ftl == "pm" else 1)  # keys of a mapping page
        self.place: dict[int, tuple[int, int]] = {}  # minipage, or page of Page-FTL: page of flash, slot
        self.written: collections.Counter[int] = collections.Counter()  # minipage: sectors
        self.directory: dict[int, int] = {}
        self.split: set[int] = set()  # pages in mode M
        self.cache: collections.OrderedDict[int, Entry] = collections.OrderedDict()
        self.buffer: collections.OrderedDict[int, Mask] = collections.OrderedDict()
        if o["fill"]:
            for page in range(self.pages):
                self.program(
                    HOST, [page] if ftl == "page-ftl" else [page * self.k + i for i in range(self.k)]
                )
                self.written.update({page * self.k + i: 255 for i in range(self.k)})
            for page in range(-(-self.pages * (self.k if ftl == "minipage" else 1) // self.per_map)):
                self.write_map(page, "")
            self.count.clear()

    # ---- flash ----

    def program(self, stream: int, held: list[int]) -> None:
        page = self.flash.take(stream)
        for slot, sub in enumerate(held):
            if sub in self.place:
                self.flash.kill(*self.place[sub])
            self.place[sub] = page, slot
        self.flash.fill(page, list(held))

    def write_map(self, page: int, counter: str) -> None:
        to = self.flash.take(MAP)
        self.count["read_" + counter] += page in self.directory
        self.count["prog_" + counter] += 1
        if page in self.directory:
            self.flash.kill(self.directory[page], 0)
        self.directory[page] = to
        self.flash.fill(to, [page])

    def collect(self, block: int) -> None:
        first = block * self.flash.pages
        pages = [self.flash.page[p] for p in range(first, first + self.flash.pages) if p in self.flash.page]
        held = [[sub for sub in page if sub is not None] for page in pages]
        self.count["erases"] += 1
        if self.flash.stream[block] == MAP:
            self.count["map_victims"] += 1
            for (page,) in held:
                self.write_map(page, "map_copy")
            return
        self.count["read_gc"] += len(held)
        subs = sorted(sub for page in held for sub in page)
        alive = collections.Counter(sub // self.k for sub in subs)
        whole = sorted(page for page, n in alive.items() if n == self.k and self.ftl == "pm")
        rest = [sub for sub in subs if self.ftl != "pm" or alive[sub // self.k] < self.k]
        groups = [[p * self.k + i for i in range(self.k)] for p in whole]
        groups += [rest[i : i + self.flash.slots] for i in range(0, len(rest), self.flash.slots)]
        for group in groups:
            self.count["prog_gc"] += 1
            self.program(GC, group)
        for page in self.follow(whole, rest):
            self.write_map(page, "map_gc")

    def follow(self, whole: list[int], rest: list[int]) -> list[int]:
        """Mapping pages of entries that have moved and are not in DRAM."""
        moved: dict[int, set[int]] = {}
        for sub in rest:
            moved.setdefault(sub // self.k if self.ftl == "pm" else sub, set()).add(sub % self.k)
        for page in whole:
            self.count["gc_full"] += 1
            self.page_again(page)
            moved[page] = set()
        owed = set()
        for key, parts in moved.items():
            entry = self.cache.get(key)
            if entry and (key not in self.split or parts <= entry.parts):
                entry.dirty = True
                self.count["gc_lazy"] += 1
            else:
                owed.add(key // self.per_map)
        return sorted(owed)

    def page_again(self, page: int) -> None:
        self.count["to_p"] += page in self.split
        self.split.discard(page)
        if page in self.cache:
            self.cache[page].size = 8

    # ---- the mapping cache ----

    def size(self, key: int, parts: set[int]) -> int:
        if key not in self.split:
            return 8
        return 8 + 4 * self.k if self.o["node"] == 8 else 4 + 4 * len(parts)

    def make_room(self, size: int) -> None:
        while sum(e.size for e in self.cache.values()) + size > self.o["cmt"]:
            key, entry = next(iter(self.cache.items()))
            self.count["evict_dirty" if entry.dirty else "evict_clean"] += 1
            if entry.dirty:
                self.write_map(key // self.per_map, "map")
                for other, e in self.cache.items() if self.o["batch"] else ():
                    if e.dirty and other != key and other // self.per_map == key // self.per_map:
                        e.dirty = False
                        self.count["batched"] += 1
            del self.cache[key]

    def enter(self, key: int, parts: set[int]) -> None:
        self.make_room(self.size(key, parts))
        self.cache[key] = Entry(self.size(key, parts), parts)

    def look_up(self, key: int, wanted: set[int], last: int = -1) -> None:
        every, entry = set(range(self.k)), self.cache.get(key)
        self.count["lookups"] += 1
        hit = entry is not None and (key not in self.split or wanted <= entry.parts)
        self.count["hits" if hit else "misses"] += 1
        if entry is None:
            self.enter(key, every if self.o["node"] == 8 or key not in self.split else set(wanted))
        self.count["read_map"] += not hit and key // self.per_map in self.directory
        self.cache.move_to_end(key)
        if entry is not None and not hit:
            self.count["grown"] += 1
            entry.parts |= wanted
            entry.size = self.size(key, entry.parts)
            self.make_room(0)
        if entry is None and self.o["load"] == "request" and (self.ftl != "pm" or self.o["node"] == 8):
            for other in range(
                key + 1, min(last, key + 256, (key // self.per_map + 1) * self.per_map - 1) + 1
            ):
                if other not in self.cache:
                    self.enter(other, every)
            if key in self.cache:
                self.cache.move_to_end(key)

    def touch(self, page: int, part: Mask, last: int) -> None:
        """Look-ups of a part of a page, except for a write as minipages."""
        for key in [page * self.k + i for i in part] if self.ftl == "minipage" else [page]:
            self.look_up(key, set(part), last)

    # ---- requests ----

    def read(self, parts: dict[int, Mask]) -> None:
        pages = set()
        for page, part in parts.items():
            self.touch(page, part, self.last(parts))
        for page, part in parts.items():
            subs = [page * self.k + i for i, mask in part.items() if self.written[page * self.k + i] & mask]
            pages |= {self.place[page if self.ftl == "page-ftl" else sub][0] for sub in subs}
        self.count["read_host"] += len(pages)

    def last(self, parts: dict[int, Mask]) -> int:
        page, part = list(parts.items())[-1]
        return page * self.k + max(part) if self.ftl == "minipage" else page

    def write(self, parts: dict[int, Mask]) -> None:
        last, rest = self.last(parts), {}
        for page, part in parts.items():
            if self.ftl == "page-ftl" or self.ftl == "pm" and part == dict.fromkeys(range(self.k), 255):
                self.write_page(page, part, last)
            else:
                rest[page] = part
        self.write_minipages(rest, last)

    def kept(self, page: int, part: Mask) -> list[bool]:
        return [bool(self.written[page * self.k + i] & ~part.get(i, 0)) for i in range(self.k)]

    def store(self, page: int, part: Mask) -> None:
        for i, mask in part.items():
            self.written[page * self.k + i] |= mask

    def write_page(self, page: int, part: Mask, last: int) -> None:
        pm = self.ftl == "pm"
        self.look_up(page, set(range(self.k)), last)
        self.program(HOST, [page * self.k + i for i in range(self.k)] if pm else [page])
        self.count["read_rmw"] += sum(self.kept(page, part)) if pm else any(self.kept(page, part))
        self.count["prog_full" if pm else "prog_host"] += 1
        self.store(page, part)
        if pm:
            self.page_again(page)
        self.cache[page].dirty = True

    def write_minipages(self, parts: dict[int, Mask], last: int) -> None:
        waiting: list[tuple[int, int, int]] = []
        for page, part in parts.items():
            if self.ftl == "pm":
                self.look_up(page, set(part), -1 if self.as_table else last)
            for i, mask in part.items():
                if self.ftl == "minipage":
                    self.look_up(page * self.k + i, set(), last)
                waiting.append((page, i, mask))
                if len(waiting) == self.k:
                    self.pack(waiting)
                    waiting = []
        if waiting:
            self.pack(waiting)

    def pack(self, waiting: list[tuple[int, int, int]]) -> None:
        self.program(HOST, [page * self.k + i for page, i, _ in waiting])
        self.count["prog_packed" if len(waiting) == self.k else "prog_partial"] += 1
        for page, i, mask in waiting:
            key = page if self.ftl == "pm" else page * self.k + i
            self.count["read_rmw"] += bool(self.written[page * self.k + i] & ~mask)
            self.store(page, {i: mask})
            if key not in self.cache or (key in self.split and i not in self.cache[key].parts):
                self.look_up(key, {i})
            if self.ftl == "pm" and page not in self.split:
                self.count["to_m"] += 1
                self.split.add(page)
                self.cache[page].parts = set(range(self.k))
                self.cache[page].size = self.size(page, self.cache[page].parts)
            self.cache[key].dirty = True
        self.make_room(0)

    # ---- the data buffer: least recently used by pages ----

    def buffered(self) -> int:
        return sum(map(sectors, self.buffer.values()))

    def missing(self, page: int, part: Mask) -> Mask:
        here = self.buffer.get(page, {})
        return {i: mask & ~here.get(i, 0) for i, mask in part.items() if mask & ~here.get(i, 0)}

    def buffer_write(self, parts: dict[int, Mask]) -> None:
        for page, part in parts.items():
            self.count["buf_parts"] += 1
            if page in self.buffer:
                self.count["buf_hits"] += 1
                self.buffer.move_to_end(page)
            while self.buffered() + sectors(self.missing(page, part)) > self.o["buf"] // 512:
                self.evict()
            here = self.buffer.setdefault(page, {})
            self.buffer[page] = {i: here.get(i, 0) | part.get(i, 0) for i in sorted({*here, *part})}

    def buffer_read(self, parts: dict[int, Mask]) -> None:
        absent = {page: self.missing(page, part) for page, part in parts.items()}
        for page, part in parts.items():
            if page in self.buffer and absent[page] != part:
                self.buffer.move_to_end(page)
        if any(absent.values()):
            self.read({page: part for page, part in absent.items() if part})

    def evict(self) -> None:
        self.count["buf_evict"] += 1
        page, part = next(iter(self.buffer.items()))
        if self.ftl == "pm" and len(part) == self.k:
            self.count["buf_full"] += 1
            self.write_page(page, self.buffer.pop(page), page)
        elif self.ftl == "pm" and self.o["coop"]:
            self.count["buf_pack"] += 1
            self.cooperate()
        else:
            self.write({page: self.buffer.pop(page)})

    def cooperate(self) -> None:
        pages = [(page, part) for page, part in self.buffer.items() if len(part) < self.k]
        dirty = [(page, i, mask) for page, part in pages for i, mask in part.items()][: self.k]
        for page in dict.fromkeys(page for page, _, _ in dirty):
            self.look_up(
                page, set(self.buffer[page]) if self.as_table else {i for p, i, _ in dirty if p == page}
            )
        for page, i, _ in dirty:
            del self.buffer[page][i]
            if not self.buffer[page]:
                del self.buffer[page]
        self.pack(dirty)

    def serve(self, first: int, length: int, reads: bool) -> None:
        total = self.pages * self.sectors
        if first + length > total:
            first %= total
            first -= max(0, -(-(first + length - total) // self.sectors)) * self.sectors
        parts: dict[int, Mask] = {}
        for sector in range(first, first + length):
            part = parts.setdefault(sector // self.sectors, {})
            i, bit = divmod(sector % self.sectors, MINIPAGE)
            part[i] = part.get(i, 0) | 1 << bit
        if self.o["buf"]:
            (self.buffer_read if reads else self.buffer_write)(parts)
        else:
            (self.read if reads else self.write)(parts)


def number(text: str) -> int | str:
    unit = {"K": 1024, "M": 1 << 20}.get(text[-1], 1)
    digits = text.rstrip("KM")
    return int(digits) * unit if digits.isdigit() else text


def count(trace: Path, model: str, as_table: bool) -> collections.Counter[str]:
    options: dict[str, int | str] = {"node": 4, "buf": 0, "coop": 0}
    options |= {key: number(value) for key, _, value in (word.partition("=") for word in model.split()[2:])}
    requests = [[int(field) for field in line.split()] for line in files.lines(trace)]
    simulated = Model(model.split()[1], options, max(r[2] + r[3] for r in requests), as_table)
    for _, _, first, length, kind in requests:
        simulated.serve(first, length, kind == 1)
    return simulated.count


def main() -> int:
    described = "--described" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--described"]

    def counts(model: str, trace: str) -> dict[str, int] | None:
        path = files.find(trace)
        return count(path, model, not described) if path else None

    return events_table.main("minipage-counts.tsv", counts, __doc__ or "")


if __name__ == "__main__":
    sys.exit(main())
