"""The slowest requests of a log (ssd run --log), and where their time went."""

from __future__ import annotations

import csv
import heapq
import subprocess
from collections.abc import Iterator

from laboratory.mistake import Mistake

WHY = {
    "door_ns": "waiting for a slot",
    "controller_ns": "look-ups and DRAM",
    "map_ns": "mapping pages",
    "die_ns": "waiting for the die",
    "collection_ns": "behind collection",
    "bus_ns": "the bus",
    "cells_ns": "the cells",
    "link_ns": "the host's link",
}


def read(path: str) -> Iterator[str]:
    try:
        if not path.endswith(".zst"):
            with open(path, encoding="ascii") as file:
                yield from file
            return
        with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE, text=True) as unpacked:
            assert unpacked.stdout
            yield from unpacked.stdout
        if unpacked.returncode:
            raise Mistake(f"{path}: zstd cannot unpack it")
    except FileNotFoundError as error:
        if error.filename == "zstd":
            raise Mistake(f"{path}: zstd unpacks it, and is not installed here") from None
        raise Mistake(f"{path}: there is no such file") from None
    except (OSError, UnicodeError) as error:
        raise Mistake(f"{path}: {error}") from None


def rows(path: str, most: int = 10) -> Iterator[str]:
    log = csv.DictReader(read(path))
    if not {"number", "latency_ns", *WHY} <= set(log.fieldnames or ()):
        raise Mistake(f"{path}: should be a log, as `ssd run --log FILE` writes it")
    for row in heapq.nlargest(most, log, key=lambda row: int(row["latency_ns"])):
        latency = int(row["latency_ns"])
        parts = sorted(((int(row[part]), why) for part, why in WHY.items()), reverse=True)
        told = ", ".join(f"{100 * ns / latency:.0f} % {why}" for ns, why in parts if 100 * ns >= latency > 0)
        yield (
            f"{row['number']}: {row['type']} of {row['sectors']} sectors from {row['sector']}, "
            f"{latency / 1e6:.3f} ms: {told}; caused {row['gc_programs']} copies and {row['gc_erases']} "
            "erases of collection"
        )
