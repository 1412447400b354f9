#!/usr/bin/env python3
"""A cache simulator feeds its misses to a drive: what does the place of an object cost in flash?

A flash cache keeps objects of 16 KB.  What it does not have is fetched from elsewhere and written to the
drive: to the next slot of a ring, or to the slot that a hash of its key says, as caches of small objects do,
which then need no index.  Either way it replaces what was there.  A hit is read.

    python3 cache_misses.py [REQUESTS]
"""

from __future__ import annotations

import random
import sys

import ssdlab

OBJECT = 32  # sectors


class FlashCache:
    """Slots on a drive, each with a key."""

    def __init__(self, slots: int, ring: bool) -> None:
        self.key: list[int | None] = [None] * slots
        self.place: dict[int, int] = {}  # of each key
        self.next = 0 if ring else None

    def slot_for(self, key: int) -> int:
        if self.next is None:
            return key * 2654435761 % (1 << 32) % len(self.key)
        self.next = (self.next + 1) % len(self.key)
        return self.next

    def access(self, key: int) -> tuple[ssdlab.Kind, int]:
        """What the drive gets: (kind, slot)."""
        if key in self.place:
            return ssdlab.Kind.READ, self.place[key]
        slot = self.slot_for(key)
        replaced = self.key[slot]
        if replaced is not None:
            del self.place[replaced]
        self.key[slot], self.place[key] = key, slot
        return ssdlab.Kind.WRITE, slot


def serve(ring: bool, requests: int) -> tuple[float, float, float]:
    rng = random.Random(2)
    with ssdlab.Drive("class", host__mode="closed", precondition={"mode": "fill", "premap": "none"}) as drive:
        cache = FlashCache(drive.sectors // OBJECT, ring)
        accesses = [cache.access(int(rng.paretovariate(0.2))) for _ in range(requests)]
        kinds = [kind for kind, _ in accesses]
        places = [slot * OBJECT for _, slot in accesses]
        drive.submit(sector=places, sectors=[OBJECT] * requests, kind=kinds)
        drive.drain()
        statistics = drive.statistics
        hits = kinds.count(ssdlab.Kind.READ) / requests
        return hits, statistics["request.write.bytes"] / 1e6, statistics["waf"]


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 40000
    for ring in True, False:
        hits, megabytes, waf = serve(ring, requests)
        print(
            f"{'ring' if ring else 'hash':5} {hits:6.1%} hits, {megabytes:5.0f} MB written,"
            f" write amplification {waf:.2f}"
        )


if __name__ == "__main__":
    main()
