#!/usr/bin/env python3
"""Parity over dies, a die that fails, bad blocks: tests/golden/parity-counts.tsv.

Its rules come from docs/parity.md and docs/placement.md ("Units").

usage: tests/models/parity.py --check [WORD]...         rows whose trace and model contain every WORD
       tests/models/parity.py "SETTINGS" TRACE          prints counts; SETTINGS as in the table
"""

import sys
from fractions import Fraction

import events_table
from events_counts import GC, Block, Pages, Place, Plane, Words, low_water, read_requests, words_of

DEFAULTS = "parity=1 fail_at=0 fail_die=0 rebuild=gc remap=1 bad= op=0.125"


def bad_blocks(words: Words, planes: int) -> list[set[int]]:
    """Of each plane."""
    blocks = int(words["blocks"])
    listed = [int(word) for word in words["bad"].split(",") if word]
    return [{n - plane * blocks for n in listed if n // blocks == plane} for plane in range(planes)]


def logical_pages(words: Words, planes: int) -> int:
    total = planes * int(words["blocks"]) * int(words["ppb"])
    return int(total * (1 - Fraction(words["op"])))


def bad_model(words: Words) -> Pages:
    """Planes that lack some of their blocks; the threshold is a share of all of them."""
    planes, blocks, pages = (int(words[key]) for key in ("planes", "blocks", "ppb"))
    made = [Plane(blocks, bad) for bad in bad_blocks(words, planes)]
    return Pages(made, pages, low_water(blocks * pages), logical_pages(words, planes))


class Units(Pages):
    """The drive as one plane whose blocks are units; only data pages are counted."""

    def __init__(self, words: Words) -> None:
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
        self.width_of: dict[Block, int] = {}
        size = (self.dies - self.parity) * self.per_die * self.ppb
        super().__init__([Plane(units, set())], size, low_water(units * size), logical_pages(words, planes))

    def on_open(self, block: Block) -> None:
        self.width_of[block] = self.width

    def on_page(self, block: Block, page: int) -> None:
        data = self.width_of[block] - 1
        self.count["parity_programs"] += self.parity and page % data == data - 1

    def empty(self, victim: Block, cause: str) -> None:
        super().empty(victim, cause)
        self.count["block_erases"] += self.width * self.per_die

    # ---- a die fails ----

    def on_request(self, number: int) -> None:
        if number == self.fail_at:
            self.fail()

    def parity_die(self, width: int, stripe: int) -> int:
        return width - 1 - stripe % width

    def lost(self, place: Place) -> bool:
        """On the failed die, in a unit that was opened before it failed."""
        block, page = place
        width = self.width_of[block]
        if self.width == self.dies or width < self.dies:
            return False
        stripe, turn = divmod(page, width - 1)
        die = turn + (turn >= self.parity_die(width, stripe))
        return die == self.fail_die

    def fail(self) -> None:
        plane = self.planes[0]
        for block in plane.open:
            if block is not None:
                stripe, begun = divmod(block.used, self.dies - 1)
                alive = self.parity_die(self.dies, stripe) != self.fail_die
                self.count["parity_programs"] += bool(begun) and alive
                block.size = block.used
                self.close(block)
        self.width -= 1
        self.pages = (self.width - 1) * self.per_die * self.ppb
        self.low = low_water(len(plane.blocks) * self.pages)
        if self.rebuild == "all":
            self.rebuild_all(plane)

    def rebuild_all(self, plane: Plane) -> None:
        for block in plane.blocks:
            for page, lpn in sorted(block.live.items()):
                if self.map[lpn] == (block, page) and self.lost((block, page)):
                    self.make_room(plane, GC)
                    if self.map[lpn] == (block, page):
                        self.on_read((block, page), "rebuild reads")
                        place = self.hand_out(plane, GC, 0)
                        assert place is not None
                        self.count["rebuilt_pages"] += 1
                        self.put(lpn, place)

    def on_read(self, place: Place, cause: str) -> None:
        super().on_read(place, cause)
        if self.lost(place):
            block, page = place
            data = self.width_of[block] - 1
            self.count["lost_reads"] += 1
            self.count["parity_reads"] += min(data, block.size - page // data * data)

    def collect(self, plane: Plane) -> bool:
        """As in Pages; a unit with more live pages than a new one holds is no candidate."""
        kept = [block for block in plane.blocks if block.state == "closed" and len(block.live) >= self.pages]
        for block in kept:
            block.state = "too full"
        done = super().collect(plane)
        for block in kept:
            block.state = "closed"
        return done


def counts(model: str, trace: str) -> dict[str, int] | None:
    requests = read_requests(trace)
    words = words_of(model, DEFAULTS)
    if requests is None:
        return None
    got = (bad_model(words) if model.split()[0] == "bad" else Units(words)).run(requests)
    return got | ({} if model.split()[0] == "bad" else {"erases": got.get("collections", 0)})


if __name__ == "__main__":
    sys.exit(events_table.main("parity-counts.tsv", counts, __doc__ or ""))
