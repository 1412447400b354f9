"""What all models share: a drive's blocks, their collection, and a page map.

Rules: DESIGN.md ("One collection"), the parameters of gc.*, placement.* and wear.* (`ssd params`).
A page of flash is a number: (plane * blocks + block) * pages of a block + page.
"""

import collections
import math
from dataclasses import dataclass

from harness import Count, Request


@dataclass
class Drive:
    """What the rows of a table have in common, and the words of a row."""

    planes: int = 1
    blocks: int = 1024
    ppb: int = 64
    page_bytes: int = 2048
    over_provisioning: float = 0.125
    threshold: float = 0.02
    hysteresis: float = 0.0
    low: int = 0
    reserve: int = 1
    logical: int | None = None  # pages; None: what over-provisioning leaves

    @property
    def sectors(self) -> int:
        return self.page_bytes // 512

    @property
    def pages(self) -> int:
        if self.logical is not None:
            return self.logical
        return math.floor(self.planes * self.blocks * self.ppb * (1 - self.over_provisioning) + 1e-9)

    def parts(self, request: Request) -> dict[int, int]:
        """Logical pages of a request and the sectors it wants of them.  If it ends beyond the drive, it is
        taken modulo the drive's size, and moved back by whole pages if it still ends beyond."""
        size, total = self.sectors, self.pages * self.sectors
        first, length = request.first, request.length
        if first + length > total:
            first %= total
            first -= max(0, -(-(first + length - total) // size)) * size
        masks: dict[int, int] = {}
        for sector in range(first, first + length):
            masks[sector // size] = masks.get(sector // size, 0) | 1 << sector % size
        return masks


def share(part: float, pages: int) -> int:
    """So many of the pages, rounded up."""
    return math.ceil(part * pages - 1e-9)


class Plane:
    """Blocks of a plane: free, open (one for each stream), or closed."""

    def __init__(self, first: int, drive: Drive):
        self.first, self.drive = first, drive
        self.free = set(range(first, first + drive.blocks))
        self.open: dict[str, list[int]] = {}  # stream: block, next page
        self.stream: dict[int, str] = {}  # of open and closed blocks
        self.closed: set[int] = set()
        self.live = dict.fromkeys(self.free, 0)
        self.erases = dict.fromkeys(self.free, 0)
        self.reached: dict[int, int] = {}  # closed block: when it came to its number of live pages
        self.closed_at: dict[int, int] = {}
        self.new_pages = drive.ppb  # of a block that is opened next
        self.clock = 0

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def size(self, block: int) -> int:
        """Pages of a block."""
        return self.drive.ppb

    def free_pages(self) -> int:
        """Pages that can be handed out."""
        return sum(map(self.rest, self.open)) + len(self.free) * self.new_pages

    def next_free(self, stream: str) -> int:
        return min(self.free, key=lambda b: (self.erases[b], b))

    def open_block(self, stream: str) -> None:
        block = self.next_free(stream)
        self.free.remove(block)
        self.stream[block], self.open[stream] = stream, [block, 0]

    def hand_out(self, stream: str) -> int:
        if stream not in self.open:
            self.open_block(stream)
        at = self.open[stream]
        page = at[0] * self.drive.ppb + at[1]
        at[1] += 1
        if at[1] == self.size(at[0]):
            self.close(stream)
        return page

    def close(self, stream: str) -> None:
        block, _ = self.open.pop(stream)
        self.closed.add(block)
        self.reached[block] = self.closed_at[block] = self.tick()

    def rest(self, stream: str) -> int:
        at = self.open.get(stream)
        return self.size(at[0]) - at[1] if at else 0

    def erase(self, block: int) -> None:
        self.closed.discard(block)
        del self.stream[block]
        self.free.add(block)
        self.erases[block] += 1
        self.live[block] = 0


class Store:
    """Hands out pages of streams, after collecting where that is due.  Models say what collections mean."""

    def __init__(self, drive: Drive, survivors: dict[str, str]):
        self.drive, self.survivors = drive, survivors
        self.planes = [Plane(p * drive.blocks, drive) for p in range(drive.planes)]
        self.owner: dict[int, int] = {}  # live page of flash: what it holds
        self.count: Count = collections.Counter()
        self.collecting = False
        self.turn = 0
        self.low_water = share(drive.threshold, drive.blocks * drive.ppb)
        self.high_water = share(drive.threshold + drive.hysteresis, drive.blocks * drive.ppb)

    # What a model may replace

    def survivor(self, owner: int, stream: str) -> str:
        """Stream to which a live page of a victim goes."""
        return self.survivors[stream]

    def moved(self, owner: int, page: int) -> None:
        """A collection has moved it."""

    def sensed(self, page: int) -> None:
        """A live page is read: for the host, for the rest of a page written in part, or to move it."""

    def chosen(self, plane: Plane, victim: int) -> None:
        """A victim that will be collected."""

    def emptied(self, plane: Plane, victim: int) -> None:
        """Its live pages have been moved; it is not yet erased."""

    def fits(self, plane: Plane, victim: int) -> bool:
        into = self.survivors[plane.stream[victim]]
        return plane.live[victim] <= plane.rest(into) + len(plane.free) * plane.new_pages

    def order(self, pages: list[int]) -> list[int]:
        """Order in which live pages are moved."""
        return pages

    # Pages

    def plane_of(self, page: int) -> Plane:
        return self.planes[page // self.drive.ppb // self.drive.blocks]

    def put(self, page: int, owner: int) -> None:
        self.owner[page] = owner
        self.plane_of(page).live[page // self.drive.ppb] += 1

    def kill(self, page: int) -> None:
        plane, block = self.plane_of(page), page // self.drive.ppb
        del self.owner[page]
        plane.live[block] -= 1
        plane.reached[block] = plane.tick()

    def next_plane(self) -> int:
        """Planes take turns, beginning with the second."""
        self.turn += 1
        return self.turn % self.drive.planes

    def take(self, stream: str) -> int:
        """A page for the host, in the plane whose turn it is or the next one that has a page."""
        first = self.next_plane()
        for plane in self.planes[first:] + self.planes[:first]:
            page = self.take_in(plane, stream)
            if page is not None:
                return page
        raise RuntimeError("the drive is full")

    def take_in(self, plane: Plane, stream: str) -> int | None:
        self.make_room(plane, stream)
        if stream in plane.open or len(plane.free) > (0 if self.collecting else self.drive.reserve):
            return self.hand_out(plane, stream)
        return None

    def hand_out(self, plane: Plane, stream: str) -> int:
        return plane.hand_out(stream)

    # Collection

    def make_room(self, plane: Plane, stream: str) -> None:
        if self.collecting:
            return
        if self.drive.low:
            while stream not in plane.open and len(plane.free) < self.drive.low and self.reclaim(plane):
                pass
        elif plane.free_pages() < self.low_water and self.reclaim(plane):
            while plane.free_pages() < self.high_water and self.drive.hysteresis and self.reclaim(plane):
                pass
        while stream not in plane.open and len(plane.free) <= self.drive.reserve and self.reclaim(plane):
            pass

    def reclaim(self, plane: Plane) -> bool:
        """One block more is free."""
        return self.collect(plane)

    def candidates(self, plane: Plane) -> list[int]:
        return [b for b in plane.closed if plane.live[b] < plane.size(b)]

    def victim(self, plane: Plane) -> int | None:
        """Greedy: fewest live pages, of equals the one that came to that number first."""
        found = self.candidates(plane)
        return min(found, key=lambda b: (plane.live[b], plane.reached[b])) if found else None

    def collect(self, plane: Plane) -> bool:
        victim = self.victim(plane)
        if victim is None or not self.fits(plane, victim):
            return False
        self.chosen(plane, victim)
        self.count["collections"] += 1
        self.count["direct_erases"] += plane.live[victim] == 0
        self.count["gc_pages"] += self.empty(plane, victim)
        return True

    def empty(self, plane: Plane, victim: int) -> int:
        """Moves the live pages of a block and erases it."""
        plane.closed.discard(victim)
        self.collecting = True
        ppb, stream = self.drive.ppb, plane.stream[victim]
        pages = [p for p in range(victim * ppb, (victim + 1) * ppb) if p in self.owner]
        for page in self.order(pages):
            self.move(plane, page, self.survivor(self.owner[page], stream))
        self.emptied(plane, victim)
        self.collecting = False
        self.erase(plane, victim)
        return len(pages)

    def move(self, plane: Plane, page: int, into: str) -> None:
        self.sensed(page)
        to, owner = self.hand_out(plane, into), self.owner[page]
        self.kill(page)
        self.put(to, owner)
        self.moved(owner, to)

    def erase(self, plane: Plane, block: int) -> None:
        self.count["erases"] += 1
        plane.erase(block)

    def wear(self) -> None:
        erases = [n for plane in self.planes for n in plane.erases.values()]
        self.count["wear_min"], self.count["wear_max"] = min(erases), max(erases)


class Model(Store):
    """A page map above the store; the host's sectors."""

    def __init__(self, drive: Drive, survivors: dict[str, str]):
        super().__init__(drive, survivors)
        self.place: dict[int, int] = {}  # LPN: page of flash
        self.written: dict[int, int] = {}  # LPN: mask of sectors
        self.full = (1 << drive.sectors) - 1

    def fill(self) -> None:
        """Every logical page once, ascending; nothing of it is counted."""
        for lpn in range(self.drive.pages):
            self.write_page(lpn, self.full)
        self.filled()
        self.count.clear()

    def filled(self) -> None:
        """The data is written."""

    def moved(self, owner: int, page: int) -> None:
        self.place[owner] = page

    def serve(self, request: Request) -> None:
        for lpn, mask in self.drive.parts(request).items():
            if request.kind == "W":
                self.write_page(lpn, mask)
            else:
                self.read_page(lpn, mask)

    def read_page(self, lpn: int, mask: int) -> None:
        if self.written.get(lpn, 0) & mask:
            self.count["reads"] += 1
            self.sensed(self.place[lpn])

    def write_page(self, lpn: int, mask: int) -> None:
        page = self.take(self.host_stream(lpn))
        self.program(lpn, mask, page)

    def host_stream(self, lpn: int) -> str:
        return "host"

    def program(self, lpn: int, mask: int, page: int) -> None:
        old = self.written.get(lpn, 0)
        if old & ~mask:
            self.count["rmw_reads"] += 1
            self.sensed(self.place[lpn])
        self.count["programs"] += 1
        self.put(page, lpn)
        if lpn in self.place:
            self.kill(self.place[lpn])
        self.place[lpn], self.written[lpn] = page, old | mask

    def finish(self) -> None:
        """After the last request."""
        self.wear()
