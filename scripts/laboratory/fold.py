"""A smaller drive that behaves alike.

Collections take turns over the planes of a drive: where these are many and small, its erases are a matter of
rounding.  So a drive at a fraction of its size gets fewer planes, with as many more blocks in each.  Planes
of a die take turns, so one of them does.  Then channels go with their dies, requests come as much slower, and
as many fewer may wait: the load of a die and of a bus stays, but less of a large request is done at once.
"""
from __future__ import annotations

import math

from laboratory.description import quantity


def folded(fold: int, drive: dict[str, str], settings: list[str]) -> list[str]:
    """Settings that give a drive `fold` times fewer planes.  `drive`: every parameter before `settings`."""
    asked = drive | {key: value for key, _, value in (setting.partition("=") for setting in settings)}

    def whole(name: str) -> int:
        return int(quantity(asked[name]) or 0)

    planes, channels, blocks = (max(whole(f"flash.{name}"), 1) for name in ("planes", "channels", "blocks"))
    shared = math.gcd(planes, fold) if asked["flash.multiplane"] == "off" else 1
    times = math.gcd(channels, fold // shared)
    if shared * times == 1:
        return []
    words = [f"flash.planes={planes // shared}", f"flash.channels={channels // times}",
             f"flash.blocks={blocks * shared * times}"]
    if times > 1:
        closed = asked["host.mode"] == "closed"
        limit = "host.queue_depth" if closed else "host.queue_limit"
        words.append(f"{limit}={-(-whole(limit) // times)}")
        if not closed:
            words.append(f"host.time_scale={float(asked['host.time_scale']) * times:.9g}")
    return words
