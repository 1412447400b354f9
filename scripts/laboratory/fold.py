"""A smaller drive that behaves like the original.

Collections take turns over the planes of a drive: where planes are many and small, erase counts are a matter
of rounding.  So a drive at a fraction of its size gets fewer planes, with as many more blocks in each.
Planes of a die work in turn (without multi-plane commands), so they are merged first.  Then channels are
removed with their dies; requests arrive more slowly and the queue is shorter by the same factor.  The load
of each die and bus stays the same, but less of a large request is served in parallel.
"""

from __future__ import annotations

import math

from laboratory.description import quantity


def folded(fold: int, drive: dict[str, str], settings: list[str]) -> list[str]:
    """Settings that give a drive `fold` times fewer planes.  `drive`: all parameters before `settings`."""
    asked = drive | {key: value for key, _, value in (setting.partition("=") for setting in settings)}

    def whole(name: str) -> int:
        return int(quantity(asked[name]) or 0)

    planes, channels, blocks = (max(whole(f"flash.{name}"), 1) for name in ("planes", "channels", "blocks"))
    shared = math.gcd(planes, fold) if asked["flash.multiplane"] == "off" else 1
    times = math.gcd(channels, fold // shared)
    if shared * times == 1:
        return []
    words = [
        f"flash.planes={planes // shared}",
        f"flash.channels={channels // times}",
        f"flash.blocks={blocks * shared * times}",
    ]
    if times > 1:
        closed = asked["host.mode"] == "closed"
        limit = "host.queue_depth" if closed else "host.queue_limit"
        words.append(f"{limit}={-(-whole(limit) // times)}")
        if not closed:
            words.append(f"host.time_scale={float(asked['host.time_scale']) * times:.9g}")
    return words
