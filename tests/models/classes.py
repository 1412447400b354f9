#!/usr/bin/env python3
"""Placement by class: SepBIT and DAC.

usage: classes.py --check [WORD]... | classes.py "sepbit planes=1 blocks=256 ppb=64 window=16" TRACE

Rules: docs/classes.md; core.py for what page mapping has, too.
"""

import sys

import core
import harness

CLASSES = [f"c{n}" for n in range(6)]


class Classes(core.Model):
    def __init__(self, drive: core.Drive):
        super().__init__(drive, dict.fromkeys(CLASSES, ""))

    def host_class(self, lpn: int) -> int:
        raise NotImplementedError

    def moved_class(self, lpn: int, source: int) -> int:
        raise NotImplementedError

    def written_to(self, lpn: int) -> None:
        """The host has written the page."""

    def moved_to(self, lpn: int) -> None:
        """A collection has moved it."""

    def write_page(self, lpn: int, mask: int) -> None:
        """The class is known before room is made."""
        to = self.host_class(lpn)
        self.program(lpn, mask, self.take(CLASSES[to]))
        self.count[f"host_c{to}"] += 1
        self.written_to(lpn)

    def live_pages(self, victim: int) -> list[int]:
        """What they hold."""
        ppb = self.drive.ppb
        return [self.owner[p] for p in range(victim * ppb, (victim + 1) * ppb) if p in self.owner]

    def fits(self, plane: core.Plane, victim: int) -> bool:
        """Each class that gets pages may need new blocks."""
        into = [self.moved_class(lpn, CLASSES.index(plane.stream[victim])) for lpn in self.live_pages(victim)]
        short = [into.count(n) - plane.rest(name) for n, name in enumerate(CLASSES)]
        return sum(-(-n // self.drive.ppb) for n in short if n > 0) <= len(plane.free)

    def chosen(self, plane: core.Plane, victim: int) -> None:
        self.count[f"victims_{plane.stream[victim]}"] += 1

    def survivor(self, owner: int, stream: str) -> str:
        to = CLASSES[self.moved_class(owner, CLASSES.index(stream))]
        self.count[f"gc_{to}"] += 1
        return to

    def moved(self, owner: int, page: int) -> None:
        super().moved(owner, page)
        self.moved_to(owner)


class Dac(Classes):
    """The class of a page rises with each write and falls with each move."""

    def __init__(self, drive: core.Drive):
        super().__init__(drive)
        self.low_water = max(self.low_water, len(CLASSES) * drive.ppb)
        self.of: dict[int, int] = {}

    def host_class(self, lpn: int) -> int:
        return self.of.get(lpn, 0)

    def moved_class(self, lpn: int, source: int) -> int:
        return self.of[lpn]

    def written_to(self, lpn: int) -> None:
        self.of[lpn] = min(5, self.of[lpn] + 1) if lpn in self.of else 0

    def moved_to(self, lpn: int) -> None:
        self.of[lpn] = max(0, self.of[lpn] - 1)


class SepBit(Classes):
    """Lifespans in pages that the host has written; the mean is `sum` / `window`."""

    def __init__(self, drive: core.Drive, window: int):
        super().__init__(drive)
        self.window, self.clock = window, 0
        self.when: dict[int, int] = {}  # LPN: the clock after its last write
        self.born: dict[int, int] = {}  # block: the clock when it was opened
        self.sum: int | None = None
        self.running: list[int] = []

    def take_in(self, plane: core.Plane, stream: str) -> int | None:
        page = super().take_in(plane, stream)
        if page is not None and page % self.drive.ppb == 0:
            self.born[page // self.drive.ppb] = self.clock
        return page

    def younger(self, age: int, means: int) -> bool:
        return self.sum is None or age * self.window < means * self.sum

    def host_class(self, lpn: int) -> int:
        return 0 if lpn in self.when and self.younger(self.clock - self.when[lpn], 1) else 1

    def moved_class(self, lpn: int, source: int) -> int:
        age = self.clock - self.when[lpn]
        return 2 if source == 0 else 3 if self.younger(age, 4) else 4 if self.younger(age, 16) else 5

    def written_to(self, lpn: int) -> None:
        self.clock += 1
        self.when[lpn] = self.clock

    def chosen(self, plane: core.Plane, victim: int) -> None:
        super().chosen(plane, victim)
        if plane.stream[victim] == CLASSES[0]:
            self.running.append(self.clock - self.born[victim])
            if len(self.running) == self.window:
                self.sum = sum(self.running)
                self.running.clear()
                self.count["means"] += 1


def make(name: str, words: harness.Words) -> harness.Simulated:
    drive = core.Drive(
        int(words["planes"]), int(words["blocks"]), int(words["ppb"]), threshold=0.05, reserve=4
    )
    model = SepBit(drive, int(words.get("window", 16))) if name == "sepbit" else Dac(drive)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"classes": ["sepbit", "dac"]}, __doc__))
