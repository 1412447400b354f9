#!/usr/bin/env python3
"""Repeated reads and refresh: tests/golden/retention-counts.tsv.

Its rules come from docs/flash.md ("Reads that are repeated, and refresh") and `ssd params retry`, `refresh`.

usage: tests/models/retention.py --check [WORD]...      rows whose trace and model contain every WORD
       tests/models/retention.py "SETTINGS" TRACE       prints counts; SETTINGS as in the table
"""

import sys

import core
import harness

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


class Retention(core.Model):
    def __init__(self, words: harness.Words) -> None:
        self.o = {key: int(value) for key, value in words.items()}
        drive = core.Drive(planes=self.o["planes"], blocks=self.o["blocks"], ppb=self.o["ppb"])
        super().__init__(drive, {"host": "gc", "gc": "gc"})
        self.senses: dict[int, int] = {}
        self.born: dict[int, int] = {}  # in the order of being opened
        self.worked: dict[int, int] = {}
        self.due: list[list[int]] = [[] for _ in self.planes]
        self.why: dict[int, str] = {}  # of blocks that are due
        self.running = False
        self.now = 0
        self.begin: int | None = None  # when the first request arrives

    def filled(self) -> None:
        for block in self.born:
            self.born[block] = -self.o["age"] * DAY * 10**9
        self.running = True

    # ---- senses ----

    def sensed(self, page: int) -> None:
        block, plane, o = page // self.drive.ppb, self.plane_of(page), self.o
        by_table = 0
        if o["T"]:
            by_table = table(o["base"] + plane.erases[block], (self.now - self.born[block]) // 10**9)
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
        if block in plane.closed:
            self.look_at(block)

    def look_at(self, block: int) -> None:
        if self.o["rreads"] and self.senses[block] >= self.o["rreads"]:
            self.list_it(block, "due_reads")

    def due_in(self, block: int) -> list[int]:
        """Blocks that are due in the plane of this one."""
        return self.due[block // self.drive.blocks]

    def list_it(self, block: int, why: str) -> None:
        if block not in self.due_in(block):
            self.due_in(block).append(block)
            self.why[block] = why

    def hand_out(self, plane: core.Plane, stream: str) -> int:
        page = super().hand_out(plane, stream)
        block, n = divmod(page, self.drive.ppb)
        if n == 0:
            self.born.pop(block, None)
            self.born[block] = self.now
            self.senses[block] = self.worked[block] = 0
        return page

    def put(self, page: int, owner: int) -> None:
        """The last page of a block closes it."""
        super().put(page, owner)
        block, n = divmod(page, self.drive.ppb)
        if self.running and n == self.drive.ppb - 1:
            self.look_at(block)

    def empty(self, plane: core.Plane, victim: int) -> int:
        if victim in self.due_in(victim):
            self.due_in(victim).remove(victim)
        return super().empty(plane, victim)

    # ---- refresh ----

    def serve(self, request: harness.Request) -> None:
        if self.begin is None:
            self.begin = request.time
        self.now = request.time - self.begin
        self.refresh_what_is_due()
        super().serve(request)

    def refresh_what_is_due(self) -> None:
        if self.o["rdays"]:
            for block, born in self.born.items():
                if self.now - born < self.o["rdays"] * DAY * 10**9:
                    break
                if block in self.planes[block // self.drive.blocks].closed:
                    self.list_it(block, "due_age")
        for plane, due in zip(self.planes, self.due):
            for _ in range(self.o["per_request"]):
                if due and not self.refresh(plane, due):
                    break

    def refresh(self, plane: core.Plane, due: list[int]) -> bool:
        block = due[0]
        self.make_room(plane, "gc")
        if not due or due[0] != block:
            return True
        if not self.fits(plane, block):
            self.count["postponed"] += 1
            return False
        self.count["refresh_blocks"] += 1
        self.count[self.why[block]] += 1
        self.count["refresh_pages"] += self.empty(plane, block)
        return True


def make(_name: str, words: harness.Words) -> harness.Simulated:
    model = Retention(harness.words_of(DEFAULTS)[1] | words)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"retention": ["retention"]}, __doc__))
