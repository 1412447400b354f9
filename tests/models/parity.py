#!/usr/bin/env python3
"""Parity over dies, a die that fails, bad blocks: tests/golden/parity-counts.tsv.

Its rules come from docs/parity.md and docs/placement.md ("Units").

usage: tests/models/parity.py --check [WORD]...         rows whose trace and model contain every WORD
       tests/models/parity.py "SETTINGS" TRACE          prints counts; SETTINGS as in the table
"""

import sys

import core
import harness

DEFAULTS = "parity=1 fail_at=0 fail_die=0 rebuild=gc remap=1 bad= op=0.125"
SURVIVORS = {"host": "gc", "gc": "gc"}


def bad_blocks(words: harness.Words, planes: int) -> list[set[int]]:
    """Of each plane."""
    blocks = int(words["blocks"])
    listed = [int(word) for word in words["bad"].split(",") if word]
    return [{n - plane * blocks for n in listed if n // blocks == plane} for plane in range(planes)]


def flash_of(words: harness.Words, planes: int) -> core.Drive:
    """Its blocks, bad ones among them."""
    blocks, pages = int(words["blocks"]), int(words["ppb"])
    return core.Drive(planes=planes, blocks=blocks, ppb=pages, over_provisioning=float(words["op"]))


class Bad(core.Model):
    """Planes that lack some of their blocks; the threshold is a share of all of them."""

    def __init__(self, words: harness.Words) -> None:
        super().__init__(flash_of(words, int(words["planes"])), SURVIVORS)
        for plane, bad in zip(self.planes, bad_blocks(words, self.drive.planes)):
            for block in (plane.first + n for n in bad):
                plane.free.remove(block)
                del plane.erases[block], plane.live[block]


class Plane(core.Plane):
    """Of units; those that are opened after a die has failed are smaller."""

    def __init__(self, drive: core.Drive) -> None:
        super().__init__(0, drive)
        self.pages: dict[int, int] = {}  # of a unit

    def size(self, block: int) -> int:
        return self.pages[block]

    def open_block(self, stream: str) -> None:
        super().open_block(stream)
        self.pages[self.open[stream][0]] = self.new_pages


class Units(core.Model):
    """The drive as one plane whose blocks are units; only data pages are counted."""

    def __init__(self, words: harness.Words) -> None:
        self.dies, self.per_die = int(words["dies"]), int(words["pd"])
        planes, blocks = self.dies * self.per_die, int(words["blocks"])
        bad = bad_blocks(words, planes)
        if words["remap"] == "1":
            units = min(blocks - len(of_plane) for of_plane in bad)
        else:
            units = blocks - len(set().union(*bad))
        self.ppb, self.parity = int(words["ppb"]), words["parity"] == "1"
        self.fail_at, self.fail_die = int(words["fail_at"]), int(words["fail_die"])
        self.rebuild = words["rebuild"]
        self.width = self.dies  # of units that are opened
        self.width_of: dict[int, int] = {}
        self.requests = 0
        size = (self.dies - self.parity) * self.per_die * self.ppb
        super().__init__(core.Drive(blocks=units, ppb=size, logical=flash_of(words, planes).pages), SURVIVORS)
        self.plane = Plane(self.drive)
        self.planes = [self.plane]

    def hand_out(self, plane: core.Plane, stream: str) -> int:
        page = super().hand_out(plane, stream)
        block, n = divmod(page, self.drive.ppb)
        if n == 0:
            self.width_of[block] = self.width
        data = self.width_of[block] - 1
        self.count["parity_programs"] += self.parity and n % data == data - 1
        return page

    def empty(self, plane: core.Plane, victim: int) -> int:
        moved = super().empty(plane, victim)
        self.count["block_erases"] += self.width * self.per_die
        return moved

    def finish(self) -> None:
        super().finish()
        self.count["erases"] = self.count["collections"]

    # ---- a die fails ----

    def serve(self, request: harness.Request) -> None:
        self.requests += 1
        if self.requests == self.fail_at:
            self.fail()
        super().serve(request)

    def parity_die(self, width: int, stripe: int) -> int:
        return width - 1 - stripe % width

    def lost(self, page: int) -> bool:
        """On the failed die, in a unit that was opened before it failed."""
        block, n = divmod(page, self.drive.ppb)
        width = self.width_of[block]
        if self.width == self.dies or width < self.dies:
            return False
        stripe, turn = divmod(n, width - 1)
        die = turn + (turn >= self.parity_die(width, stripe))
        return die == self.fail_die

    def fail(self) -> None:
        plane = self.plane
        for stream in [stream for stream in SURVIVORS if stream in plane.open]:
            block, used = plane.open[stream]
            stripe, begun = divmod(used, self.dies - 1)
            alive = self.parity_die(self.dies, stripe) != self.fail_die
            self.count["parity_programs"] += bool(begun) and alive
            plane.pages[block] = used
            plane.close(stream)
        self.width -= 1
        plane.new_pages = (self.width - 1) * self.per_die * self.ppb
        self.low_water = core.share(self.drive.threshold, self.drive.blocks * plane.new_pages)
        if self.rebuild == "all":
            self.rebuild_all()

    def rebuild_all(self) -> None:
        ppb = self.drive.ppb
        for block in range(self.drive.blocks):
            pages = [page for page in range(block * ppb, (block + 1) * ppb) if page in self.owner]
            for page, lpn in [(page, self.owner[page]) for page in pages]:
                if self.place[lpn] == page and self.lost(page):
                    self.make_room(self.plane, "gc")
                    if self.place[lpn] == page:
                        self.count["rebuilt_pages"] += 1
                        self.move(self.plane, page, "gc")

    def sensed(self, page: int) -> None:
        if self.lost(page):
            block, n = divmod(page, self.drive.ppb)
            data = self.width_of[block] - 1
            self.count["lost_reads"] += 1
            self.count["parity_reads"] += min(data, self.plane.size(block) - n // data * data)

    def candidates(self, plane: core.Plane) -> list[int]:
        """A unit with more live pages than a new one holds is none."""
        return [block for block in super().candidates(plane) if plane.live[block] < plane.new_pages]


def make(name: str, words: harness.Words) -> harness.Simulated:
    words = harness.words_of(DEFAULTS)[1] | words
    model = Bad(words) if name == "bad" else Units(words)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"parity": ["parity", "bad"]}, __doc__))
