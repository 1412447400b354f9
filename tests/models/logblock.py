#!/usr/bin/env python3
"""Log-block FTLs on a filled drive: block, inorder, bast and fast.

usage: logblock.py --check [WORD]... | logblock.py "fast N=30 sw_break=random" TRACE

Rules: docs/log-block.md.  All data blocks are full: every page of a logical block (LBN) has a copy to merge.
"""

import collections
import sys

import core
import harness

Pages = collections.OrderedDict[int, list[int]]


class LogBlock:
    def __init__(self, logs: int):
        self.drive, self.logs = core.Drive(), logs
        self.ppb = self.drive.ppb
        self.count: harness.Count = collections.Counter()

    def serve(self, request: harness.Request) -> None:
        self.count["requests"] += 1
        parts, full = self.drive.parts(request), (1 << self.drive.sectors) - 1
        self.count["reads"] += len(parts) if request.kind == "R" else 0
        if request.kind == "W":
            self.count["programs"] += len(parts)
            self.count["rmw_reads"] += sum(mask != full for mask in parts.values())
            self.write(list(parts))

    def write(self, lpns: list[int]) -> None:
        for lpn in lpns:
            self.write_one(*divmod(lpn, self.ppb))

    def write_one(self, lbn: int, offset: int) -> None:
        raise NotImplementedError

    def copy(self, kind: str, pages: int, erases: int) -> None:
        self.count["copies"] += pages
        self.count[f"copies_{kind}"] += pages
        self.count[f"{kind}_merges"] += 1
        self.count["erases"] += erases

    def switch(self) -> None:
        self.count["switches"] += 1
        self.count["erases"] += 1

    def finish(self) -> None:
        """No blocks, no wear."""


class Block(LogBlock):
    """A block is rewritten once for all pages that a request writes in it."""

    def write(self, lpns: list[int]) -> None:
        for pages in collections.Counter(lpn // self.ppb for lpn in lpns).values():
            self.copy("full", self.ppb - pages, 1)


class InOrder(LogBlock):
    def __init__(self, logs: int):
        super().__init__(logs)
        self.open: collections.OrderedDict[int, int] = collections.OrderedDict()  # LBN: next offset

    def write_one(self, lbn: int, offset: int) -> None:
        if offset < self.open.get(lbn, 0):
            self.close(lbn)
        if lbn not in self.open and len(self.open) == self.logs:
            self.close(next(iter(self.open)))
        gap = offset - self.open.pop(lbn, 0)
        self.count["copies"] += gap
        self.count["gap_copies"] += gap
        self.open[lbn] = offset + 1
        if offset + 1 == self.ppb:
            self.close(lbn)

    def close(self, lbn: int) -> None:
        tail = self.ppb - self.open.pop(lbn)
        self.count["copies"] += tail
        self.count["tail_copies"] += tail
        self.switch()


class Bast(LogBlock):
    def __init__(self, logs: int):
        super().__init__(logs)
        self.log: Pages = collections.OrderedDict()  # LBN: offsets in its log; written least recently first

    def write_one(self, lbn: int, offset: int) -> None:
        if len(self.log.get(lbn, [])) == self.ppb:
            self.merge(lbn)
        if lbn not in self.log and len(self.log) == self.logs:
            self.merge(next(iter(self.log)))
        self.log[lbn] = [*self.log.pop(lbn, []), offset]
        if self.log[lbn] == list(range(self.ppb)):
            self.switch()
            del self.log[lbn]

    def merge(self, lbn: int) -> None:
        offsets = self.log.pop(lbn)
        if offsets == list(range(len(offsets))):
            self.copy("partial", self.ppb - len(offsets), 1)
        else:
            self.copy("full", self.ppb, 2)


class Fast(LogBlock):
    """One sequential log, and shared ones; `newest`: the shared log with the newest copy of an LPN."""

    def __init__(self, logs: int, include: bool):
        super().__init__(logs - 1)
        self.include = include
        self.owner, self.next = -1, 0  # of the sequential log: LBN or none, next offset
        self.shared: Pages = collections.OrderedDict()  # log: LPNs
        self.newest: dict[int, int] = {}
        self.opened = 0

    def write_one(self, lbn: int, offset: int) -> None:
        if offset == 0:
            if self.owner >= 0:
                self.merge_sequential()
            self.owner = lbn
        elif self.owner == lbn and offset != self.next and self.include:
            self.merge_with(offset)
            return
        elif self.owner == lbn and offset != self.next:
            self.merge_sequential()
        if self.owner == lbn:
            self.append_sequential(lbn, offset)
        else:
            self.append_shared(lbn * self.ppb + offset)

    def append_sequential(self, lbn: int, offset: int) -> None:
        self.newest.pop(lbn * self.ppb + offset, None)
        self.next = offset + 1
        if self.next == self.ppb:
            self.switch()
            self.free_sequential()

    def append_shared(self, lpn: int) -> None:
        last = next(reversed(self.shared), None)
        if last is None or len(self.shared[last]) == self.ppb:
            if len(self.shared) == self.logs:
                self.reclaim()
            self.opened = last = self.opened + 1
            self.shared[last] = []
        self.shared[last].append(lpn)
        self.newest[lpn] = last

    def reclaim(self) -> None:
        """The oldest shared log: each logical block with its newest copy there is merged."""
        victim = next(iter(self.shared))
        self.count["log_victims"] += 1
        for lpn in self.shared[victim]:
            if self.newest.get(lpn) == victim:
                self.count["victim_lbns"] += 1
                self.merge(lpn // self.ppb)
        del self.shared[victim]
        self.count["erases"] += 1

    def merge(self, lbn: int) -> None:
        if lbn == self.owner:
            self.merge_sequential()
        else:
            self.copy("full", self.ppb, 1)
            self.forget(lbn)

    def merge_sequential(self) -> None:
        self.copy("partial", self.ppb - self.next, 1)
        self.free_sequential()

    def merge_with(self, offset: int) -> None:
        """The page that is written goes to its place within the merge."""
        if offset > self.next:
            self.copy("partial", self.ppb - self.next - 1, 1)
        else:
            self.copy("full", self.ppb - 1, 2)
        self.free_sequential()

    def free_sequential(self) -> None:
        self.forget(self.owner)
        self.owner, self.next = -1, 0

    def forget(self, lbn: int) -> None:
        """All its newest copies are in its data block."""
        for lpn in range(lbn * self.ppb, (lbn + 1) * self.ppb):
            self.newest.pop(lpn, None)


def make(name: str, words: harness.Words) -> harness.Simulated:
    logs = int(words.get("N", 0))
    if name == "fast":
        return Fast(logs, words.get("sw_break", "include") == "include")
    return {"block": Block, "inorder": InOrder, "bast": Bast}[name](logs)


if __name__ == "__main__":
    sys.exit(harness.main(make, {"ftl": ["block", "inorder", "bast", "fast"]}, __doc__))
