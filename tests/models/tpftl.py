#!/usr/bin/env python3
"""TPFTL: entries in nodes of a mapping page, prefetch, and victims from the coldest node.

usage: tpftl.py --check [WORD]... | tpftl.py "tpftl rsbc 4096B order=lru gc_clean=1" TRACE

Rules: docs/tpftl.md; core.py and demand.py for what others share.
"""

import collections
import sys

import core
import demand
import harness


class Entry:
    def __init__(self) -> None:
        self.stamp, self.dirty = 0, False


class Node:
    """Entries of one mapping page in the order of their last use."""

    def __init__(self, page: int):
        self.page, self.sum = page, 0
        self.entries: collections.OrderedDict[int, Entry] = collections.OrderedDict()

    def hotter(self, other: "Node") -> bool:
        """Whether the mean of the last uses is larger, exactly."""
        return self.sum * len(other.entries) > other.sum * len(self.entries)


class Tpftl(demand.Demand):
    ENTRY, NODE, SWITCH = 6, 8, 3  # bytes, bytes, nodes

    def __init__(self, drive: core.Drive, policy: str, budget: int, lru: bool, gc_clean: bool):
        super().__init__(drive)
        self.policy, self.budget, self.lru, self.gc_clean = policy, budget, lru, gc_clean
        self.nodes: list[Node] = []  # coldest first
        self.clock = self.balance = 0  # uses; nodes more than at the last switch
        self.selective = False

    def node(self, page: int) -> Node | None:
        return next((node for node in self.nodes if node.page == page), None)

    def entry(self, lpn: int) -> Entry | None:
        node = self.node(lpn // self.per_page)
        return node.entries.get(lpn) if node else None

    def used(self) -> int:
        return sum(self.NODE + self.ENTRY * len(node.entries) for node in self.nodes)

    # Heat

    def stamp(self, node: Node, lpn: int) -> None:
        self.clock += 1
        entry = node.entries[lpn]
        node.sum += self.clock - entry.stamp
        entry.stamp = self.clock
        node.entries.move_to_end(lpn)
        if self.lru:
            self.nodes.remove(node)
            self.nodes.append(node)
        else:
            self.place_again(node)

    def place_again(self, node: Node) -> None:
        if self.lru:
            return
        nodes, i = self.nodes, self.nodes.index(node)
        while i + 1 < len(nodes) and node.hotter(nodes[i + 1]):
            nodes[i], nodes[i + 1], i = nodes[i + 1], node, i + 1
        while i > 0 and nodes[i - 1].hotter(node):
            nodes[i], nodes[i - 1], i = nodes[i - 1], node, i - 1

    def switch(self, by: int) -> None:
        """A node was made (1) or removed (-1)."""
        self.balance += by
        if abs(self.balance) == self.SWITCH:
            self.selective, self.balance = self.balance < 0, 0

    # Look-ups

    def look_up(self, lpn: int, last: int, write: bool) -> bool:
        page = lpn // self.per_page
        node = self.node(page)
        if node and lpn in node.entries:
            self.stamp(node, lpn)
            return True
        self.load(page, lpn, self.end(lpn, last, node))
        return False

    def end(self, lpn: int, last: int, node: Node | None) -> int:
        """Last entry to be loaded by this miss."""
        border = min((lpn // self.per_page + 1) * self.per_page, self.drive.pages) - 1
        end = min(last if "r" in self.policy else lpn, border)
        if "s" in self.policy and self.selective and node:
            before = lpn
            while before - 1 in node.entries:
                before -= 1
            end = min(max(end, lpn + lpn - before), border)
            self.count["selective"] += end > lpn
        return end

    def load(self, page: int, wanted: int, end: int) -> None:
        loaded = set[int]()
        victim: list[Node] = []  # at most one node
        for lpn in [x for x in range(wanted, end + 1) if not self.entry(x)]:
            if not self.room(page, victim, loaded):
                self.count["prefetch_cut"] += 1
                break
            if lpn == wanted:
                self.read_map(page)
            self.enter(page, lpn)
            loaded.add(lpn)
        self.count["prefetched"] += len(loaded) - 1

    def enter(self, page: int, lpn: int) -> None:
        node = self.node(page)
        if node is None:
            node = Node(page)
            self.nodes.append(node)
            self.switch(1)
        node.entries[lpn] = Entry()
        self.stamp(node, lpn)

    # Room

    def room(self, page: int, victim: list[Node], loaded: set[int]) -> bool:
        """For one entry: all victims of a miss are of one node; entries that it has loaded are none."""
        while self.used() + self.ENTRY + (0 if self.node(page) else self.NODE) > self.budget:
            if not victim:
                others = [node for node in self.nodes if node.page != page]
                victim.append((others or self.nodes)[0])
            left = [lpn for lpn in victim[0].entries if lpn not in loaded] if victim[0] in self.nodes else []
            if not left:
                return False
            clean = [lpn for lpn in left if not victim[0].entries[lpn].dirty] if "c" in self.policy else []
            self.evict(victim[0], (clean or left)[0])
        return True

    def evict(self, node: Node, lpn: int) -> None:
        self.count["replaced"] += 1
        if node.entries[lpn].dirty:
            self.count["dirty_victims"] += 1
            self.count["writebacks"] += 1
            self.program_map(node.page, reads=True)
            if "b" in self.policy:
                self.count["batch_cleaned"] += sum(e.dirty for x, e in node.entries.items() if x != lpn)
                self.clean(node)
        node.sum -= node.entries.pop(lpn).stamp
        if node.entries:
            self.place_again(node)
        else:
            self.nodes.remove(node)
            self.switch(-1)

    def clean(self, node: Node) -> None:
        for entry in node.entries.values():
            entry.dirty = False

    # Changes

    def changed(self, lpn: int) -> None:
        self.relocated(lpn)

    def relocated(self, lpn: int) -> bool:
        entry = self.entry(lpn)
        if entry:
            entry.dirty = True
        return entry is not None

    def map_written(self, page: int) -> None:
        node = self.node(page)
        if self.gc_clean and node:
            self.clean(node)


def make(name: str, words: harness.Words) -> core.Model:
    _, policy, budget = name.split()
    gc_clean, lru = words.get("gc_clean") == "1", words.get("order") == "lru"
    model = Tpftl(demand.drive_of(2), policy, int(budget[:-1]), lru, gc_clean)
    model.fill()
    return model


if __name__ == "__main__":
    sys.exit(harness.main(make, {"mapping": ["tpftl"]}, __doc__))
