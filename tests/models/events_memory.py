"""Memory for data that is written: docs/modern.md, "When a write is complete: memory, FLUSH and FUA".

Each program of the host takes room for a page until it is in flash. Room is given in the order in which
programs were made, to each when its request has asked for it.
"""

from collections import deque

from events_input import Settings
from events_ops import Call, Signal


class Memory:
    def __init__(self, settings: Settings, planes: int) -> None:
        page = int(settings["flash.page_bytes"])
        default = 2 * int(settings["flash.cell_bits"]) * planes
        self.free = int(settings["host.write_bytes"]) // page or default
        self.used = self.most = 0
        self.line: deque[tuple[Signal, Signal]] = deque()

    def room(self) -> tuple[Signal, Call]:
        """Room for the program that is made now, and what asks for it, after the program was released."""
        asked, given = Signal(), Signal()
        self.line.append((asked, given))

        def ask() -> None:
            asked.happen()
            self.give()

        return given, ask

    def give(self) -> None:
        while self.line and self.line[0][0].happened and self.used < self.free:
            given = self.line.popleft()[1]
            self.used += 1
            self.most = max(self.most, self.used)
            given.happen()

    def leave(self) -> None:
        self.used -= 1
        self.give()
