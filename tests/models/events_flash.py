"""Dies and buses of the event model.

Rules: DESIGN.md, "Time", and docs/modern.md ("The cache register", "Planes together"). A die has three
places: `inn` (a command and its data come), `cells`, and `out` (data of a read leave). Without a cache
register one of them is taken at a time.
"""

import heapq

from events_input import SECTOR, Settings
from events_ops import Call, Command, Die, Entry, Operations

BUS, CELLS = 0, 1  # the order of the alarms of a die


class Flash(Operations):
    """The schedule.  `now` is the time of the event that is served."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.now = self.tick = 0
        self.alarms: list[tuple[int, int, int, int, Die, Call]] = []
        self.releases: list[tuple[int, int, Call]] = []

    # ---- events ----

    def alarm(self, after: int, die: Die, what: int, call: Call) -> None:
        self.tick += 1
        heapq.heappush(self.alarms, (self.now + after, die.number, what, self.tick, die, call))

    def cells_alarm(self, after: int, die: Die, call: Call) -> None:
        die.token += 1
        token = die.token
        self.alarm(after, die, CELLS, lambda: call() if die.token == token else None)

    def release(self, at: int, call: Call) -> None:
        self.tick += 1
        heapq.heappush(self.releases, (at, self.tick, call))

    def next_event(self) -> int | None:
        times = [event[0] for event in self.releases[:1]] + [event[0] for event in self.alarms[:1]]
        return min(times) if times else None

    def serve(self) -> None:
        """One event: the releases of a moment, or an alarm of a die."""
        time = self.next_event()
        assert time is not None
        self.now = time
        if not self.serve_releases():
            _, _, _, _, die, call = heapq.heappop(self.alarms)
            call()
            self.settle(die)

    def serve_releases(self) -> bool:
        """Requests whose look-ups are over, one after the other."""
        due = False
        while self.releases and self.releases[0][0] == self.now:
            due = True
            heapq.heappop(self.releases)[2]()
            self.settle(None)
        return due

    def settle(self, last: Die | None) -> None:
        """Dies that an event has woken take commands, the one whose command has ended as the last."""
        while self.woken:
            woken, self.woken = self.woken, []
            for die in woken:
                if die is not last:
                    self.take(die)
        if last is not None:
            self.take(last)
            if last.out is not None and last.out.left:
                last.out.left = 0
                self.ask(last, "data")
        for die in self.dies:
            self.pass_on(die)

    # ---- the bus ----

    def ask(self, die: Die, what: str) -> None:
        bus = die.bus
        bus.line.append((die, what))
        if bus.holder is None:
            self.grant(die)

    def grant(self, near: Die) -> None:
        bus = near.bus
        if not bus.line:
            return
        first = {"command_first": "command", "data_first": "data", "fifo": ""}[self.bus_order]
        choice = next((n for n, (_, what) in enumerate(bus.line) if what == first), 0)
        die, what = bus.line.pop(choice)
        bus.holder = die
        if what == "data":
            assert die.out is not None
            self.count["transferred"] += die.out.sectors * SECTOR
            self.alarm(self.transfer(die.out.sectors), die, BUS, lambda: self.data_left(die))
        else:
            assert die.inn is not None
            self.alarm(self.command_time(die.inn), die, BUS, lambda: self.loaded(die))

    def command_time(self, command: Command) -> int:
        twice = 2 if command.kind == "copy" else 1
        bits = self.bits if command.kind == "program" else 1
        time = (self.command_ns + (len(command.entries) - 1) * self.plane_ns) * twice * bits
        if command.kind == "program":
            self.count["transferred"] += command.sectors * SECTOR
            time += self.transfer(command.sectors)
        return time

    def pass_on(self, die: Die) -> None:
        """The bus is let go, after the die has taken its next command."""
        bus = die.bus
        if bus.holder is die and die.leaves:
            die.leaves = False
            bus.holder = None
            self.grant(die)

    # ---- a command's way through its die ----

    def loaded(self, die: Die) -> None:
        die.loaded, die.leaves = True, True
        if die.cells is None:
            self.begin_cells(die)

    def begin_cells(self, die: Die) -> None:
        command = die.inn
        assert command is not None
        die.inn, die.cells = None, command
        die.loaded = False
        self.run_cells(die, max(self.cell_time(entry) for entry in command.entries))

    def run_cells(self, die: Die, time: int) -> None:
        assert die.cells is not None
        die.cells.ends = self.now + time
        self.cells_alarm(time, die, lambda: self.cells_end(die))

    def cells_end(self, die: Die) -> None:
        command = die.cells
        assert command is not None
        if command.kind == "read":
            die.finished = True
            self.move_out(die)
            return
        die.cells = None
        self.end(command)
        if die.inn is not None and die.loaded:
            self.begin_cells(die)

    def move_out(self, die: Die) -> None:
        """Data of a read go to the second register, or keep the die busy from where they are."""
        if die.finished and die.out is None:
            die.out, die.cells, die.finished = die.cells, None, False
            assert die.out is not None
            die.out.left = 1  # has yet to ask for the bus

    def data_left(self, die: Die) -> None:
        command, die.out = die.out, None
        assert command is not None
        die.leaves = True
        self.end(command)
        self.move_out(die)

    def end(self, command: Command) -> None:
        for entry in command.entries:
            ring = self.ring.get(entry.page[:2], [])
            if entry in ring:
                ring.remove(entry)
            entry.done.happen()
            if entry.kind in ("program", "copy") and entry.again is None:
                self.programmed(entry)
            self.gate(entry.page[:2])

    def programmed(self, entry: Entry) -> None:
        """Its pages one after the other; the block's erase joins its queue before the last leaves memory."""
        self.counted_in.discard(entry)
        for part in entry.parts:
            if self.flying.get(part.page) is part:
                del self.flying[part.page]
            part.done.happen()
            if part is entry.parts[-1]:
                self.gate(entry.page[:2])
            part.left.happen()

    # ---- what a die takes next ----

    def take(self, die: Die) -> None:
        if die.suspending or die.inn is not None:
            return
        if die.cells is not None:
            self.take_beside(die)
        elif die.out is not None:
            if self.cache_read:
                self.take_read(die)
        elif self.reads_wait(die) and not self.others_turn(die):
            self.take_read(die)
        elif die.suspended is not None:
            self.resume(die)
        elif die.queue:
            die.passed_by = 0
            self.start(die, next((e for e in die.queue if e.kind != "read"), die.queue[0]))

    def reads_wait(self, die: Die) -> bool:
        return any(entry.kind == "read" for entry in die.queue)

    def others_turn(self, die: Die) -> bool:
        others = die.suspended is not None or any(entry.kind != "read" for entry in die.queue)
        return bool(self.limit and die.passed_by >= self.limit and others)

    def take_read(self, die: Die) -> None:
        read = next((entry for entry in die.queue if entry.kind == "read"), None)
        if read is None or self.others_turn(die):
            return
        if die.suspended is not None or any(entry.kind != "read" for entry in die.queue):
            die.passed_by += 1
        if die.out is not None:
            self.count["cache_reads"] += 1
        self.start(die, read)

    def take_beside(self, die: Die) -> None:
        """The cells work: a read may suspend them, a program may be loaded behind a program."""
        working = die.cells
        assert working is not None
        if working.kind == "read" or die.finished:
            return
        if self.reads_wait(die):
            if working.kind in self.suspend.split() and not self.others_turn(die):
                self.suspend_cells(die, working)
        elif self.cache_program and working.kind == "program" and die.queue and die.suspended is None:
            entry = die.queue[0]
            if entry.kind == "program":
                self.count["cache_programs"] += 1
                self.start(die, entry)

    def suspend_cells(self, die: Die, command: Command) -> None:
        command.left = command.ends - self.now
        die.suspended, die.cells, die.suspending = command, None, True
        self.count["suspensions"] += 1
        self.cells_alarm(self.suspend_ns, die, lambda: self.suspension_ends(die))

    def suspension_ends(self, die: Die) -> None:
        die.suspending = False

    def resume(self, die: Die) -> None:
        command, die.suspended = die.suspended, None
        assert command is not None
        die.passed_by = 0
        die.cells = command
        self.run_cells(die, self.resume_ns + command.left)
        self.take_beside(die)

    def start(self, die: Die, entry: Entry) -> None:
        entries = [entry]
        entry.started = True
        die.queue.remove(entry)
        if self.multiplane != "off" and self.planes > 1:
            self.join(die, entries)
        die.inn = Command(entries)
        die.loaded = False
        if len(entries) > 1:
            self.count["multiplane"] += 1
        self.ask(die, "program" if entry.kind == "program" else "command")

    def join(self, die: Die, entries: list[Entry]) -> None:
        for other in die.queue[: self.search]:
            if len(entries) == self.planes:
                break
            if other.plane not in [entry.plane for entry in entries] and self.may_join(entries[0], other):
                other.started = True
                entries.append(other)
        die.queue = [entry for entry in die.queue if entry not in entries]

    def may_join(self, first: Entry, other: Entry) -> bool:
        if first.kind != other.kind or first.turn != other.turn:
            return False
        if first.kind == "copy" and not self.join_copies:
            return False
        if other.kind in ("program", "copy"):
            ring = self.ring[other.page[:2]]
            if not all(entry.started for entry in ring[: ring.index(other)]):
                return False
        if self.multiplane == "any" or first.kind == "erase":
            return True
        if first.kind == "copy":
            sources = [entry.parts[0].source for entry in (first, other)]
            if sources[0] is None or sources[1] is None or sources[0][2] != sources[1][2]:
                return False
        return first.page[2] == other.page[2]
