"""Page mapping, free blocks, placement and collection of the event model.

Rules: DESIGN.md, "One collection"; `ssd params placement`, `gc`, `wear`. State changes at once; the
schedule gets the operations.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from events_input import SECTOR, Settings
from events_ops import Call, Operations, Page, Part, Signal

HOST, GC = 0, 1
RESERVE = 1  # free blocks that only the collector opens


class Io:
    """The operations that belong together: of a request, or of a step of upkeep."""

    def __init__(self, released: Signal, room: Callable[[], tuple[Signal, Call]] | None = None) -> None:
        self.released, self.room = released, room
        self.awaited: list[Signal] = []
        self.parts: list[Part] = []  # programs of the host
        self.others: list[Part | Signal] = []  # of collections: programs, erases, reads
        self.lookups = 0


class Block:
    def __init__(self) -> None:
        self.erases, self.used = 0, 0
        self.live: dict[int, int] = {}  # page: logical page
        self.state = "free"
        self.stream = HOST
        self.since = 0  # when it reached its number of live pages


class Plane:
    def __init__(self, blocks: int) -> None:
        self.blocks = [Block() for _ in range(blocks)]
        self.open: list[int | None] = [None, None]
        self.begun: int | None = None  # a victim whose collection goes on later
        self.credit = Fraction(0)

    def free_blocks(self) -> list[int]:
        return [n for n, block in enumerate(self.blocks) if block.state == "free"]


class Space:
    def __init__(self, settings: Settings, flash: Operations) -> None:
        get = settings.__getitem__
        self.flash = flash
        self.pages, blocks = int(get("flash.pages")), int(get("flash.blocks"))
        count = len(flash.dies) * flash.planes
        self.plane = [Plane(blocks) for _ in range(count)]
        self.page_sectors = int(get("flash.page_bytes")) // SECTOR
        total = count * blocks * self.pages
        self.logical = int(total * (1 - Fraction(get("flash.over_provisioning"))))
        plane_pages = blocks * self.pages
        self.low = math.ceil(Fraction(get("gc.threshold")) * plane_pages)
        self.soft = max(self.low, math.ceil(Fraction(get("gc.soft")) * plane_pages))
        self.rate = Fraction(get("gc.copies_per_write"))
        self.together = get("gc.together") == "die"
        self.separate = get("gc.separate") == "true"
        self.copyback = get("flash.copyback") == "true"
        self.policy = get("placement.policy")
        chips, dies = int(get("flash.chips")), int(get("flash.dies"))
        self.striping = [
            ((channel * chips + chip) * dies + die) * flash.planes + plane
            for plane in range(flash.planes)
            for die in range(dies)
            for chip in range(chips)
            for channel in range(flash.channels)
        ]
        self.turn = 0
        self.turns = [0] * len(flash.dies)
        self.place = count - 1  # of superblocks: the plane used last
        self.map: dict[int, Page] = {}
        self.mask: dict[int, int] = {}  # logical page: sectors with data
        self.tick = 0
        self.timed = False
        self.collecting = False

    # ---- requests ----

    def write(self, io: Io, start: int, end: int) -> None:
        for lpn in range(start // self.page_sectors, -(-end // self.page_sectors)):
            first = lpn * self.page_sectors
            low, high = max(start, first) - first, min(end, first + self.page_sectors) - first
            self.write_page(io, lpn, (1 << high) - (1 << low))

    def write_page(self, io: Io, lpn: int, sectors: int) -> None:
        io.lookups += 1
        page = self.take_host(io, lpn)
        kept = self.mask.get(lpn, 0) & ~sectors
        after = [io.released]
        if kept and self.timed:
            read = self.flash.read(self.map[lpn], kept.bit_count(), "rmw", io.released)
            io.awaited.append(read)
            after.append(read)
        self.mask[lpn] = kept | sectors
        if self.timed:
            room, ask = io.room() if io.room else (None, None)
            part = self.flash.program(page, (kept | sectors).bit_count(), "host", after, room)
            io.parts.append(part)
            if ask:
                io.released.wait(ask)
        self.put(lpn, page)

    def read(self, io: Io, start: int, end: int) -> None:
        for lpn in range(start // self.page_sectors, -(-end // self.page_sectors)):
            first = lpn * self.page_sectors
            low, high = max(start, first) - first, min(end, first + self.page_sectors) - first
            io.lookups += 1
            wanted = self.mask.get(lpn, 0) & ((1 << high) - (1 << low))
            if wanted:
                io.awaited.append(self.flash.read(self.map[lpn], wanted.bit_count(), "host", io.released))

    # ---- blocks ----

    def put(self, lpn: int, page: Page) -> None:
        """The logical page is at this place now; its old one is dead."""
        old = self.map.get(lpn)
        self.map[lpn] = page
        block = self.plane[page[0]].blocks[page[1]]
        block.live[page[2]] = lpn
        if block.state == "open" and block.used == self.pages:
            self.close(page)
        if old is not None:
            block = self.plane[old[0]].blocks[old[1]]
            del block.live[old[2]]
            self.stamp(block)

    def close(self, page: Page) -> None:
        plane = self.plane[page[0]]
        block = plane.blocks[page[1]]
        block.state = "closed"
        plane.open[block.stream] = None
        self.stamp(block)

    def stamp(self, block: Block) -> None:
        self.tick += 1
        block.since = self.tick

    def free_pages(self, plane: Plane) -> int:
        rest = sum(self.pages - plane.blocks[n].used for n in plane.open if n is not None)
        return len(plane.free_blocks()) * self.pages + rest

    def hand_out(self, number: int, stream: int, reserve: int) -> Page | None:
        plane = self.plane[number]
        if plane.open[stream] is None:
            free = plane.free_blocks()
            if len(free) <= reserve:
                return None
            at = min(free, key=lambda n: (plane.blocks[n].erases, n))
            plane.open[stream] = at
            plane.blocks[at].state, plane.blocks[at].used, plane.blocks[at].stream = "open", 0, stream
        at_open = plane.open[stream]
        assert at_open is not None
        block = plane.blocks[at_open]
        block.used += 1
        return number, at_open, block.used - 1

    def take_host(self, io: Io, lpn: int) -> Page:
        """A page for data of the host, in the plane that placement names or the next that has one."""
        first = self.choose(lpn)
        for step in range(len(self.plane)):
            number = self.striping[(first + step) % len(self.plane)]
            if self.timed:
                self.make_room(io, number)
            page = self.hand_out(number, HOST, RESERVE)
            if page is not None:
                return page
        raise SystemExit("no page can be allocated in any plane")

    # ---- placement: the place in the striping order ----

    def choose(self, lpn: int) -> int:
        count = len(self.plane)
        if self.policy == "static":
            return lpn % count
        if self.policy == "round_robin":
            self.turn += 1
            return self.turn % count
        dies = len(self.flash.dies)
        if self.policy == "superblock":
            if self.place // dies == self.flash.planes - 1:
                self.place = self.least_loaded_die()
            else:
                self.place += dies
            return self.place
        die = self.least_loaded_die()
        self.turns[die] += 1
        return die + self.turns[die] % self.flash.planes * dies

    def least_loaded_die(self) -> int:
        """The place of its first plane; among equals the next one after the last one taken."""
        dies = len(self.flash.dies)
        best = min(range(dies), key=lambda n: (self.load_at((self.turn + n) % dies), n))
        die = (self.turn + best) % dies
        self.turn = die + 1
        return die

    def load_at(self, place: int) -> int:
        return self.flash.load[self.striping[place] // self.flash.planes]

    # ---- collection ----

    def make_room(self, io: Io, number: int) -> None:
        plane = self.plane[number]
        free = self.free_pages(plane)
        if free < self.low:
            self.collect(io, number, self.together)
        elif free < self.soft and self.rate:
            self.spend(io, plane, number)
        while plane.open[HOST] is None and len(plane.free_blocks()) <= RESERVE:
            if not self.collect(io, number, False):
                break

    def spend(self, io: Io, plane: Plane, number: int) -> None:
        """Each page of the host pays for copies; whole ones are made."""
        plane.credit += self.rate
        whole = int(plane.credit)
        if whole and not self.may_step(number):
            plane.credit = Fraction(0)
        elif whole:
            moved = self.step(io, number, whole)
            plane.credit -= moved
            self.flash.count["upkeep_rate_pages"] += moved

    def survivors(self, stream: int) -> int:
        return GC if self.separate else stream

    def room_for_copies(self, plane: Plane) -> int:
        at = plane.open[GC if self.separate else HOST]
        rest = self.pages - plane.blocks[at].used if at is not None else 0
        return rest + len(plane.free_blocks()) * self.pages

    def victim(self, plane: Plane) -> int | None:
        room = self.room_for_copies(plane)
        found = [
            n
            for n, block in enumerate(plane.blocks)
            if block.state == "closed" and len(block.live) < self.pages and len(block.live) <= room
        ]
        if not found:
            return None
        return min(found, key=lambda n: (len(plane.blocks[n].live), plane.blocks[n].since))

    def collect(self, io: Io, number: int, neighbours: bool) -> int:
        """One victim of the plane, with `neighbours` also of the planes of its die that are nearly low."""
        together = [number]
        if neighbours:
            die = number // self.flash.planes * self.flash.planes
            together += [n for n in range(die, die + self.flash.planes) if n != number and self.nearly_low(n)]
        if not self.may_step(number):
            return 0
        chosen = [n for n in together if self.begin(n) is not None]
        forced = len(chosen)
        self.flash.count["upkeep_forced"] += forced
        while chosen:
            for n in list(chosen):
                self.step(io, n, 1)
                if self.plane[n].begun is None:
                    chosen.remove(n)
        return forced

    def nearly_low(self, number: int) -> bool:
        plane = self.plane[number]
        return plane.begun is not None or self.free_pages(plane) < self.low + self.pages

    def may_step(self, number: int) -> bool:
        return self.plane[number].begun is not None or self.victim(self.plane[number]) is not None

    def begin(self, number: int) -> int | None:
        plane = self.plane[number]
        if plane.begun is None:
            plane.begun = self.victim(plane)
            if plane.begun is not None:
                plane.blocks[plane.begun].state = "begun"
        return plane.begun

    def step(self, io: Io, number: int, pages: int) -> int:
        """Moves so many pages of the plane's victim, and erases it when none is left."""
        at = self.begin(number)
        assert at is not None
        live = self.plane[number].blocks[at].live
        moved = 0
        while live and moved < pages:
            self.move(io, (number, at, min(live)))
            moved += 1
        if not live:
            self.plane[number].begun = None
            self.flash.count["collections"] += 1
            self.erase(io, number, at)
        return moved

    def due(self, number: int) -> bool:
        """Is the plane to be collected when the drive is idle?"""
        plane = self.plane[number]
        return plane.begun is not None or (self.free_pages(plane) < self.soft and self.may_step(number))

    def move(self, io: Io, source: Page) -> None:
        number, at, page = source
        block = self.plane[number].blocks[at]
        lpn = block.live[page]
        target = self.hand_out(number, self.survivors(block.stream), 0)
        assert target is not None
        self.flash.count["moved"] += 1
        if self.copyback and not self.flash.holds(source):
            io.others.append(self.flash.copy(source, target, "gc", io.released))
        else:
            sectors = self.mask[lpn].bit_count()
            read = self.flash.read(source, sectors, "gc", io.released)
            io.others += [read, self.flash.program(target, sectors, "gc", [io.released, read], None)]
        self.put(lpn, target)

    def erase(self, io: Io, number: int, at: int) -> None:
        block = self.plane[number].blocks[at]
        block.state, block.used = "free", 0
        block.erases += 1
        io.others.append(self.flash.erase(number, at, io.released))

    # ---- padding of wordlines ----

    def pad(self, io: Io, number: int, stream: int) -> None:
        """Fills the stream's open wordline; with two passes also the next one, if data wait for it."""
        plane = self.plane[number]
        while (at := plane.open[stream]) is not None and self.lacks(number, at):
            page = self.hand_out(number, stream, 0)
            assert page is not None
            if self.timed:
                self.flash.program(page, self.page_sectors, "pad", [io.released], None)
            if plane.blocks[at].used == self.pages:
                self.close(page)

    def lacks(self, number: int, at: int) -> bool:
        bits, used = self.flash.bits, self.plane[number].blocks[at].used
        if used % bits:
            return True
        return used > 0 and self.timed and self.flash.kept_back((number, at, used // bits - 1))

    def pad_all(self, io: Io, streams: tuple[int, ...]) -> None:
        for number in range(len(self.plane)):
            for stream in streams:
                self.pad(io, number, stream)
