#!/usr/bin/env python3
"""A key-value store's compaction against a drive, in a closed loop: does it pay to trim what was compacted?

A log-structured store writes its memory to a run of 96 KB when it is full, and merges the runs of a level
into the next one when there are four.  Old runs are deleted, with or without telling the drive, and a file
system that has aged gives new ones any free place.  The store waits for its drive: it writes what was read.

    python3 compaction.py [RUNS]
"""

from __future__ import annotations

import random
import sys

import ssdlab

RUN = 192  # sectors: 96 KB
REQUEST = 96  # sectors: the store reads and writes 48 KB at a time
FANOUT = 4


class Store:
    """Levels of runs, each of which is a list of places."""

    def __init__(self, drive: ssdlab.Drive, trims: bool) -> None:
        self.drive, self.trims = drive, trims
        self.places = drive.sectors // RUN
        self.free = list(range(self.places))
        self.random = random.Random(1)
        self.levels: list[list[list[int]]] = [[]]

    def serve(self, kind: ssdlab.Kind, places: list[int]) -> None:
        """Whole runs, at once; waits until all is done."""
        sectors = [place * RUN + at for place in places for at in range(0, RUN, REQUEST)]
        self.drive.submit(sector=sectors, sectors=[REQUEST] * len(sectors), kind=[kind] * len(sectors))
        self.drive.drain()

    def write(self, runs: int) -> list[int]:
        self.random.shuffle(self.free)
        places, self.free = self.free[:runs], self.free[runs:]
        self.serve(ssdlab.Kind.WRITE, places)
        return places

    def delete(self, places: list[int]) -> None:
        if self.trims:
            self.serve(ssdlab.Kind.TRIM, places)
        self.free += places

    def flush(self) -> None:
        """Memory is full: a run of level 0, and the merges that this leads to.  A quarter of keys are old."""
        self.levels[0].append(self.write(1))
        for level, runs in enumerate(self.levels):
            if len(runs) < FANOUT:
                break
            old = [place for run in runs for place in run]
            self.serve(ssdlab.Kind.READ, old)
            if level + 1 == len(self.levels):
                self.levels.append([])
            last = self.levels[level + 1]
            kept = max(1, len(old) * 3 // 4)
            if level == 2:  # the last level: replaced as a whole
                old += [place for run in last for place in run]
                last.clear()
                kept = min(len(old), int(0.6 * self.places))
            last.append(self.write(min(kept, len(self.free))))
            runs.clear()
            self.delete(old)


def waf(trims: bool, runs: int) -> tuple[float, float, float]:
    with ssdlab.Drive("class", precondition={"mode": "fill", "premap": "none"}) as drive:
        store = Store(drive, trims)
        for _ in range(runs):
            store.flush()
        statistics = drive.statistics
        return statistics["waf"], statistics["request.write.latency_p99_ns"] / 1e6, drive.now_ns / 1e9


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for trims in False, True:
        amplification, latency, seconds = waf(trims, runs)
        print(
            f"{'with' if trims else 'without'} trims: write amplification {amplification:.2f},"
            f" 99 % of writes within {latency:.1f} ms, {runs} runs in {seconds:.2f} s"
        )


if __name__ == "__main__":
    main()
