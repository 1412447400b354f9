#!/usr/bin/env python3
"""Page mapping: `ftl = page`, with survivors apart or not (rows base, nosep, sepgc), and on an empty drive
where nothing is collected (rows ftl page).

usage: page.py --check [WORD]... | page.py "base planes=1 blocks=256 ppb=64 sep=1" TRACE

Rules: DESIGN.md ("One write", "One collection"); `ssd params gc.policy`.
"""

import sys

import core
import harness

TABLES = {"space": ["base"], "classes": ["nosep", "sepgc"], "buffer": ["ftl page"]}


def drive_of(words: harness.Words, threshold: float = 0.02) -> core.Drive:
    """The drive of a row, as in tests/counts.d/space.cfg."""
    return core.Drive(
        planes=int(words.get("planes", 1)),
        blocks=int(words.get("blocks", 256)),
        ppb=int(words.get("ppb", 64)),
        threshold=float(words.get("thr", threshold)),
        hysteresis=float(words.get("hyst", 0)),
        low=int(words.get("low", 0)),
    )


class Empty(core.Model):
    """The counters of rows `ftl page`."""

    def finish(self) -> None:
        self.count["prog_host"], self.count["read_host"] = self.count["programs"], self.count["reads"]
        self.count["read_rmw"] = self.count["rmw_reads"]


class Queue(core.Model):
    """gc.policy=fifo: a block without a dead page goes to the end of the queue."""

    def victim(self, plane: core.Plane) -> int | None:
        for _ in range(len(plane.closed)):
            first = min(plane.closed, key=lambda b: plane.closed_at[b])
            if plane.live[first] < plane.size(first):
                return first
            plane.closed_at[first] = plane.tick()
        return None


def make(name: str, words: harness.Words) -> harness.Simulated:
    if name.startswith("ftl page"):
        size = int(name.split()[2].removesuffix("K")) * 1024
        return Empty(core.Drive(blocks=65536, ppb=128, page_bytes=size), {"host": "host"})
    separate = words.get("sep") == "1" if name == "base" else name == "sepgc"
    survivors = {"host": "gc", "gc": "gc"} if separate else {"host": "host"}
    kind = Queue if words.get("policy") == "fifo" else core.Model
    model = kind(drive_of(words, 0.02 if name == "base" else 0.05), survivors)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, TABLES, __doc__))
