"""What FTLs have in common whose page table lies in flash: mapping pages and their collection.

Rules: docs/dftl.md, DESIGN.md ("One collection").  Data and mapping pages have blocks of their own, also
after a collection; survivors of data go where data of the host goes.  A request's pages are looked up and
served one after another: look-up, room for the page, read of the old data that is kept, program, change of
the entry.
"""

import core
import harness


def drive_of(reserve: int) -> core.Drive:
    """The drive of tests/counts.d/t0.cfg."""
    return core.Drive(reserve=reserve)


class Demand(core.Model):
    STREAMS = {"host": "host", "map": "map"}

    def __init__(self, drive: core.Drive, per_page: int = 0):
        super().__init__(drive, self.STREAMS)
        self.per_page = per_page or drive.page_bytes // 4  # entries of a mapping page
        self.directory: dict[int, int] = {}  # mapping page: page of flash
        self.owed: dict[int, int] = {}  # mapping page: its entries that this collection changed in flash
        self.filling = True

    def filled(self) -> None:
        for page in range(-(-self.drive.pages // self.per_page)):
            self.program_map(page, reads=False)
        self.filling = False

    # What a model of this family says

    def look_up(self, lpn: int, last: int, write: bool) -> bool:
        """Whether the entry was in DRAM; afterwards it is.  `last`: last page of the request."""
        raise NotImplementedError

    def changed(self, lpn: int) -> None:
        """The host has written the page; its entry is in DRAM."""

    def relocated(self, lpn: int) -> bool:
        """Collection has moved the page: whether its entry was changed in DRAM."""
        raise NotImplementedError

    def map_written(self, page: int) -> None:
        """A collection has written a mapping page."""

    # Mapping pages in flash

    def read_map(self, page: int) -> None:
        self.count["map_reads"] += page in self.directory

    def program_map(self, page: int, reads: bool) -> None:
        """Room first, which may collect."""
        self.put_map(page, self.take("map"), reads)

    def put_map(self, page: int, to: int, reads: bool) -> None:
        if reads:
            self.read_map(page)
        self.count["map_writes"] += 1
        if page in self.directory:
            self.kill(self.directory[page])
        self.directory[page] = to
        self.put(to, self.drive.pages + page)

    # Collection

    def moved(self, owner: int, page: int) -> None:
        if owner >= self.drive.pages:
            self.directory[owner - self.drive.pages] = page
            return
        self.place[owner] = page
        if self.relocated(owner):
            self.count["gc_lazy"] += 1
        else:
            self.owed[owner // self.per_page] = self.owed.get(owner // self.per_page, 0) + 1

    def emptied(self, plane: core.Plane, victim: int) -> None:
        """Mapping pages of moved entries that are not in DRAM are written, ascending, before the erase."""
        for page, entries in sorted(self.owed.items()):
            self.count["gc_map_updates"] += 1
            self.count["gc_batched_entries"] += entries
            self.put_map(page, plane.hand_out("map"), True)
            self.map_written(page)
        self.owed.clear()

    def empty(self, plane: core.Plane, victim: int) -> int:
        maps = plane.stream[victim] == "map"
        moved = super().empty(plane, victim)
        self.count["gc_map_copies" if maps else "gc_data_copies"] += moved
        self.count["trans_erases"] += maps
        return moved

    # Requests

    def serve(self, request: harness.Request) -> None:
        parts = self.drive.parts(request)
        hits = 0
        for lpn, mask in parts.items():
            hit = self.look_up(lpn, max(parts), request.kind == "W")
            hits += hit
            self.count["hits" if hit else "misses"] += 1
            if request.kind == "W":
                self.write_page(lpn, mask)
            else:
                self.read_page(lpn, mask)
        self.count["lookups"] += len(parts)
        self.count["requests"] += 1
        self.count["request_hits"] += hits == len(parts)

    def write_page(self, lpn: int, mask: int) -> None:
        super().write_page(lpn, mask)
        if not self.filling:
            self.changed(lpn)
