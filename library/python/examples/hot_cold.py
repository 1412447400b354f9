#!/usr/bin/env python3
"""Hot and cold data told apart by a policy in Python: which blocks does it pay to collect?

80 % of the writes go to 20 % of the drive.  A block whose valid pages are cold does not get cheaper by
waiting; one with hot pages does, as these are soon written again.  So the policy takes cold blocks earlier.

`greedy` is ssdlab's own policy, `fewest` the same rule in Python.  They differ where several blocks have the
fewest valid pages: greedy takes the one that reached this number first, min() the first one shown.

    python3 hot_cold.py [REQUESTS]
"""

from __future__ import annotations

import random
import sys
from typing import Any, Callable

import ssdlab


@ssdlab.gc_policy
def fewest(_plane: int, blocks: Any) -> int:
    """What gc.policy = greedy does, but for the choice among equals."""
    return min(range(len(blocks)), key=lambda i: blocks[i].valid_pages)


@ssdlab.gc_policy
def cold_first(_plane: int, blocks: Any) -> int:
    """A block that has been full for long and is still valid is cold: it may cost more now."""

    def cost(i: int) -> float:
        valid, pages, age = int(blocks[i].valid_pages), int(blocks[i].pages), int(blocks[i].age)
        return float(valid / (pages - valid) / (1 + age) ** 0.5)

    return min(range(len(blocks)), key=cost)


def serve(policy: Callable[[int, Any], int | None] | None, requests: int) -> float:
    rng = random.Random(1)
    with ssdlab.Drive(
        "class",
        gc_policy=policy,
        host__mode="closed",
        precondition={"mode": "fill", "premap": "none"},
        flash__over_provisioning=0.15,
    ) as drive:
        pages = drive.sectors // 16
        hot = pages // 5
        sector = [
            16 * (rng.randrange(hot) if rng.random() < 0.8 else rng.randrange(hot, pages))
            for _ in range(requests)
        ]
        drive.submit(sector=sector, sectors=[16] * requests, kind=[ssdlab.Kind.WRITE] * requests)
        drive.drain()
        return drive.statistic("waf")


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 30000
    for name, policy in ("greedy", None), ("fewest", fewest), ("cold_first", cold_first):
        print(f"{name:12} write amplification {serve(policy, requests):.2f}")


if __name__ == "__main__":
    main()
