"""Counts of page mapping with greedy collection: no time, and none of the code of the event model.

Rules: DESIGN.md, "One collection"; `ssd params gc`. A block is collected when a plane has fewer free
pages than gc.threshold; the victim has the fewest live pages, among equals the one that reached that
number first; the free block with the fewest erases, then the lowest number, is used next. Models of a
feature override `on_...`.
"""

import math
from collections import Counter
from fractions import Fraction

from files import find, lines

HOST, GC = 0, 1
SECTORS = 4  # of a page of 2,048 bytes
Words = dict[str, str]
Request = tuple[int, int, int, bool]  # time, sector, sectors, is a read
Place = tuple["Block", int]


class Block:
    def __init__(self, plane: "Plane", number: int) -> None:
        self.plane, self.number = plane, number
        self.live: dict[int, int] = {}
        self.state, self.stream = "free", HOST
        self.used = self.erases = self.since = self.size = 0


class Plane:
    def __init__(self, blocks: int, bad: set[int]) -> None:
        self.blocks = [Block(self, n) for n in range(blocks) if n not in bad]
        self.open: list[Block | None] = [None, None]

    def free(self) -> list[Block]:
        return [block for block in self.blocks if block.state == "free"]


class Pages:
    def __init__(self, planes: list[Plane], pages: int, low: int, logical: int) -> None:
        self.planes, self.pages, self.low, self.logical = planes, pages, low, logical
        self.map: dict[int, Place] = {}
        self.mask: dict[int, int] = {}
        self.count: Counter[str] = Counter()
        self.survivors = GC
        self.turn = self.tick = self.now = 0

    # ---- what a feature adds ----

    def on_read(self, place: Place, cause: str) -> None:
        self.count[cause] += 1

    def on_open(self, block: Block) -> None:
        pass

    def on_close(self, block: Block) -> None:
        pass

    def on_page(self, block: Block, page: int) -> None:
        pass

    def on_request(self, number: int) -> None:
        pass

    # ---- a run ----

    def fill(self) -> None:
        for lpn in range(self.logical):
            self.write_page(lpn, (1 << SECTORS) - 1)
        self.count.clear()

    def run(self, requests: list[Request]) -> dict[str, int]:
        self.fill()
        for number, (time, start, sectors, reads) in enumerate(requests, 1):
            self.now = time
            self.on_request(number)
            for lpn, mask in self.parts(start, sectors):
                if reads:
                    if self.mask.get(lpn, 0) & mask:
                        self.on_read(self.map[lpn], "reads")
                else:
                    self.write_page(lpn, mask)
        wear = [block.erases for plane in self.planes for block in plane.blocks]
        return dict(self.count) | {"wear_min": min(wear), "wear_max": max(wear)}

    def parts(self, start: int, sectors: int) -> list[tuple[int, int]]:
        masks: dict[int, int] = {}
        first = start % (self.logical * SECTORS)
        for sector in range(first, first + sectors):
            at = sector % (self.logical * SECTORS)
            masks[at // SECTORS] = masks.get(at // SECTORS, 0) | 1 << at % SECTORS
        return list(masks.items())

    def write_page(self, lpn: int, mask: int) -> None:
        place = self.take()
        kept = self.mask.get(lpn, 0) & ~mask
        if kept:
            self.on_read(self.map[lpn], "rmw_reads")
        self.mask[lpn] = kept | mask
        self.count["programs"] += 1
        self.put(lpn, place)

    def put(self, lpn: int, place: Place) -> None:
        old = self.map.get(lpn)
        block, page = place
        block.live[page] = lpn
        self.map[lpn] = place
        if block.used == block.size:
            self.close(block)
        if old is not None:
            del old[0].live[old[1]]
            self.stamp(old[0])

    def stamp(self, block: Block) -> None:
        self.tick += 1
        block.since = self.tick

    def close(self, block: Block) -> None:
        block.state = "closed"
        block.plane.open[block.stream] = None
        self.stamp(block)
        self.on_close(block)

    # ---- free blocks ----

    def free_pages(self, plane: Plane) -> int:
        rest = sum(block.size - block.used for block in plane.open if block is not None)
        return rest + len(plane.free()) * self.pages

    def take(self) -> Place:
        self.turn += 1
        for step in range(len(self.planes)):
            plane = self.planes[(self.turn + step) % len(self.planes)]
            self.make_room(plane, HOST)
            if (place := self.hand_out(plane, HOST, 1)) is not None:
                return place
        raise SystemExit("no page can be allocated in any plane")

    def hand_out(self, plane: Plane, stream: int, reserve: int) -> Place | None:
        block = plane.open[stream]
        if block is None:
            free = plane.free()
            if len(free) <= reserve:
                return None
            block = plane.open[stream] = min(free, key=lambda b: (b.erases, b.number))
            block.state, block.stream, block.used, block.size = "open", stream, 0, self.pages
            self.on_open(block)
        block.used += 1
        self.on_page(block, block.used - 1)
        return block, block.used - 1

    def make_room(self, plane: Plane, stream: int) -> None:
        if self.free_pages(plane) < self.low:
            self.collect(plane)
        while plane.open[stream] is None and len(plane.free()) <= 1:
            if not self.collect(plane):
                break

    def room_for_copies(self, plane: Plane) -> int:
        block = plane.open[self.survivors]
        return len(plane.free()) * self.pages + (block.size - block.used if block is not None else 0)

    def collect(self, plane: Plane) -> bool:
        room = self.room_for_copies(plane)
        found = [
            b for b in plane.blocks if b.state == "closed" and len(b.live) < b.size and len(b.live) <= room
        ]
        if not found:
            return False
        victim = min(found, key=lambda b: (len(b.live), b.since))
        self.count["collections"] += 1
        self.count["direct_erases"] += not victim.live
        self.empty(victim, "gc_pages")
        return True

    def empty(self, victim: Block, cause: str) -> None:
        """Live pages go to the survivors' stream, in page order; then the erase."""
        victim.state = "emptied"
        for page in sorted(victim.live):
            lpn = victim.live[page]
            self.on_read((victim, page), "copy reads")
            place = self.hand_out(victim.plane, self.survivors, 0)
            assert place is not None
            self.count[cause] += 1
            self.put(lpn, place)
        victim.state = "free"
        victim.erases += 1
        self.count["erases"] += 1


def low_water(pages: int) -> int:
    """gc.threshold = 0.02 of counts.d/space.cfg."""
    return math.ceil(Fraction("0.02") * pages)


def read_requests(name: str) -> list[Request] | None:
    """SSDsim's format; times begin with the first request."""
    path = find(name)
    if path is None:
        return None
    rows = [[int(word) for word in line.split()[:5]] for line in lines(path)]
    begin = rows[0][0] if rows else 0
    return [(time - begin, sector, sectors, operation == 1) for time, _, sector, sectors, operation in rows]


def words_of(model: str, defaults: str) -> Words:
    return dict(word.split("=", 1) for word in f"{defaults} {model}".split() if "=" in word)
