#!/usr/bin/env python3
"""Repeated reads and refresh: tests/golden/retention-counts.tsv.

Its rules come from docs/flash.md ("Reads that are repeated, and refresh") and `ssd params retry`, `refresh`.

usage: tests/models/retention.py --check [WORD]...      rows whose trace and model contain every WORD
       tests/models/retention.py "SETTINGS" TRACE       prints counts; SETTINGS as in the table
"""

import sys

import events_table
from events_counts import Block, Pages, Place, Plane, Words, low_water, read_requests, words_of

DEFAULTS = "T=0 base=0 age=0 rmax=24 history=0 per_step=0 rreads=0 rdays=0 per_request=1"
DAY = 86400
PE, DAYS = (0, 1000, 3000), (0, 10, 100)
STEPS = ((0, 1000, 2000), (500, 2000, 5000), (3000, 6000, 12000))  # thousandths of a sense


def cell(edges: tuple[int, ...], at: int) -> tuple[int, int, int]:
    """The entries beside a value: their place, how far it is behind the first, and their distance."""
    if at <= edges[0]:
        return 0, 0, 1
    if at >= edges[-1]:
        return len(edges) - 2, 1, 1
    place = max(n for n, edge in enumerate(edges) if edge <= at)
    return place, at - edges[place], edges[place + 1] - edges[place]


def table(erases: int, seconds: int) -> int:
    """Further senses in thousandths, rounded down once."""
    row, y, height = cell(PE, erases)
    column, x, width = cell(tuple(day * DAY for day in DAYS), seconds)
    left = STEPS[row][column] * (height - y) + STEPS[row + 1][column] * y
    right = STEPS[row][column + 1] * (height - y) + STEPS[row + 1][column + 1] * y
    return (left * (width - x) + right * x) // (height * width)


class Retention(Pages):
    def __init__(self, words: Words) -> None:
        number = {key: int(value) for key, value in words.items()}
        self.o = number
        planes, blocks, pages = number["planes"], number["blocks"], number["ppb"]
        logical = planes * blocks * pages * 7 // 8
        made = [Plane(blocks, set()) for _ in range(planes)]
        super().__init__(made, pages, low_water(blocks * pages), logical)
        self.senses: dict[Block, int] = {}
        self.born: dict[Block, int] = {}  # in the order of being opened
        self.worked: dict[Block, int] = {}
        self.due: dict[Plane, list[Block]] = {plane: [] for plane in self.planes}
        self.why: dict[Block, str] = {}  # of blocks that are due
        self.running = False

    def fill(self) -> None:
        super().fill()
        for block in self.born:
            self.born[block] = -self.o["age"] * DAY * 10**9
        self.running = True

    # ---- senses ----

    def on_read(self, place: Place, cause: str) -> None:
        super().on_read(place, cause)
        block, o = place[0], self.o
        by_table = 0
        if o["T"]:
            by_table = table(o["base"] + block.erases, (self.now - self.born[block]) // 10**9)
        disturb = 1000 * self.senses[block] // o["per_step"] if o["per_step"] else 0
        steps = min(o["rmax"], (by_table + disturb) // 1000)
        self.count["retry_failed"] += by_table >= 1000 * (o["rmax"] + 1)
        hit = bool(o["history"]) and self.worked[block] == steps
        if hit:
            self.count["retry_history_hits"] += steps > 0
        else:
            self.count["retry_reads"] += steps > 0
            self.count["retry_steps"] += steps
        self.worked[block] = steps
        self.count["senses"] += 1 if hit else 1 + steps
        self.senses[block] += 1 if hit else 1 + steps
        if block.state == "closed":
            self.look_at(block)

    def look_at(self, block: Block) -> None:
        if self.o["rreads"] and self.senses[block] >= self.o["rreads"]:
            self.list_it(block, "due_reads")

    def list_it(self, block: Block, why: str) -> None:
        if block not in self.due[block.plane]:
            self.due[block.plane].append(block)
            self.why[block] = why

    def on_open(self, block: Block) -> None:
        self.born.pop(block, None)
        self.born[block] = self.now
        self.senses[block] = self.worked[block] = 0

    def on_close(self, block: Block) -> None:
        if self.running:
            self.look_at(block)

    def empty(self, victim: Block, cause: str) -> None:
        if victim in self.due[victim.plane]:
            self.due[victim.plane].remove(victim)
        super().empty(victim, cause)

    # ---- refresh ----

    def on_request(self, number: int) -> None:
        if self.o["rdays"]:
            for block, born in self.born.items():
                if self.now - born < self.o["rdays"] * DAY * 10**9:
                    break
                if block.state == "closed":
                    self.list_it(block, "due_age")
        for plane in self.planes:
            for _ in range(self.o["per_request"]):
                if self.due[plane] and not self.refresh(plane):
                    break

    def refresh(self, plane: Plane) -> bool:
        block = self.due[plane][0]
        self.make_room(plane, 1)
        if not self.due[plane] or self.due[plane][0] is not block:
            return True
        if len(block.live) > self.room_for_copies(plane):
            self.count["postponed"] += 1
            return False
        self.count["refresh_blocks"] += 1
        self.count[self.why[block]] += 1
        self.empty(block, "refresh_pages")
        return True


def counts(model: str, trace: str) -> dict[str, int] | None:
    requests = read_requests(trace)
    return Retention(words_of(model, DEFAULTS)).run(requests) if requests is not None else None


if __name__ == "__main__":
    sys.exit(events_table.main("retention-counts.tsv", counts, __doc__ or ""))
