"""Operations of the event model, from their making until they stand in the queue of their die.

Rules: DESIGN.md, "Time" (the gate of a block, forwarding), and docs/modern.md ("Wordlines").
"""

from collections import Counter
from collections.abc import Callable

from events_input import SECTOR, Settings, numbers

Call = Callable[[], None]
Page = tuple[int, int, int]  # plane, block, page


class Signal:
    """Something that happens once; whoever waits for it is called in order."""

    def __init__(self, happened: bool = False) -> None:
        self.happened, self.waiting, self.last = happened, list[Call](), list[Call]()

    def wait(self, call: Call) -> None:
        if self.happened:
            call()
        else:
            self.waiting.append(call)

    def wait_last(self, call: Call) -> None:
        """Called behind all others, also those that come to wait later."""
        if self.happened:
            call()
        else:
            self.last.append(call)

    def happen(self) -> None:
        self.happened = True
        waiting, self.waiting = self.waiting, []
        for call in waiting + self.last:
            call()


def when_all(signals: list[Signal], call: Call) -> None:
    left = [len(signals)]

    def one() -> None:
        left[0] -= 1
        if left[0] == 0:
            call()

    for signal in signals:
        signal.wait(one)


class Users:
    """Operations that use a block before its next erase."""

    def __init__(self) -> None:
        self.count = 0


class Part:
    """A page that is programmed: `data` when it is complete in the controller, `done` when it is in flash."""

    def __init__(self, page: Page, cause: str, sectors: int) -> None:
        self.page, self.cause, self.sectors = page, cause, sectors
        self.data, self.done, self.ready = Signal(), Signal(), Signal()
        self.left = Signal()  # the memory that held it is free
        self.entry: Entry | None = None
        self.held = False  # in the controller's memory: reads are answered from there
        self.room: Signal | None = None
        self.source: Page | None = None  # of a copy on the chip
        self.before: Part | None = None  # that programs the source
        self.source_users = Users()


class Entry:
    """What one command does in one plane: a read, an erase, a copy, a page or a wordline."""

    def __init__(self, kind: str, page: Page, need: int = 1) -> None:
        self.kind, self.page, self.need = kind, page, need
        self.parts: list[Part] = []
        self.sectors, self.turn = 0, 1  # turn 2: the second pass of a wordline
        self.ready = self.passed = self.started = self.counted = False
        self.done = Signal()
        self.waited = False  # a page of it was ready
        self.again: Entry | None = None  # its second pass
        self.users = Users()  # that an erase waits for

    @property
    def plane(self) -> int:
        return self.page[0]


class Command:
    def __init__(self, entries: list[Entry]) -> None:
        self.entries, self.kind = entries, entries[0].kind
        self.sectors = sum(entry.sectors for entry in entries)
        self.left = 0  # of its time in the cells
        self.ends = 0


class Die:
    def __init__(self, number: int, bus: "Bus") -> None:
        self.number, self.bus = number, bus
        self.queue: list[Entry] = []
        self.inn: Command | None = None
        self.loaded = False  # inn has crossed the bus
        self.cells: Command | None = None
        self.finished = False  # cells hold data that wait for out
        self.out: Command | None = None
        self.suspended: Command | None = None
        self.suspending = False
        self.passed_by = 0  # reads begun while others waited
        self.leaves = False  # holds the bus, and needs it no more
        self.token = 0  # of the valid alarm of the cells


class Bus:
    def __init__(self) -> None:
        self.holder: Die | None = None
        self.line: list[tuple[Die, str]] = []


class Operations:
    """What is made, in its order, until it stands in the queue of its die."""

    def __init__(self, settings: Settings) -> None:
        get = settings.__getitem__
        self.planes = int(get("flash.planes"))
        ways = int(get("flash.chips")) * int(get("flash.dies"))
        self.channels = int(get("flash.channels"))
        buses = [Bus() for _ in range(self.channels)]
        self.dies = [Die(n, buses[n // ways]) for n in range(self.channels * ways)]
        self.read_ns, self.program_ns = numbers(get("flash.read_ns")), numbers(get("flash.program_ns"))
        self.erase_ns = int(get("flash.erase_ns"))
        self.command_ns, self.plane_ns = int(get("flash.command_ns")), int(get("flash.plane_command_ns"))
        self.rate = float(get("flash.bus_mb_per_s"))
        self.bus_order = get("flash.bus_order")
        self.multiplane, self.search = get("flash.multiplane"), int(get("flash.multiplane_search"))
        self.join_copies = get("flash.multiplane_copy") == "true"
        self.limit = int(get("flash.read_first_limit"))
        self.suspend = {"never": "", "erase": "erase", "program_and_erase": "program copy erase"}[
            get("flash.suspend")
        ]
        self.suspend_ns, self.resume_ns = int(get("flash.suspend_ns")), int(get("flash.resume_ns"))
        register = get("flash.cache_register")
        self.cache_read, self.cache_program = register in ("read", "both"), register in ("program", "both")
        self.bits = int(get("flash.cell_bits")) if get("flash.program_unit") == "wordline" else 1
        self.wordlines, self.passes = get("flash.program_unit") == "wordline", int(get("flash.passes"))
        self.forward_pages = int(get("flash.forward_bytes")) // int(get("flash.page_bytes"))
        self.pages = int(get("flash.pages"))
        self.woken: list[Die] = []
        self.ring: dict[tuple[int, int], list[Entry]] = {}
        self.users: dict[tuple[int, int], Users] = {}
        self.flying: dict[Page, Part] = {}
        self.kept: dict[Page, Entry] = {}  # the entry of a wordline, until it is done
        self.counted_in: set[Entry] = set()  # second passes in the ring
        self.held = 0
        self.load = [0] * len(self.dies)
        self.count: Counter[str] = Counter()

    # ---- operations are made ----

    def die_of(self, plane: int) -> Die:
        return self.dies[plane // self.planes]

    def transfer(self, sectors: int) -> int:
        return round(sectors * SECTOR * 1000 / self.rate)

    def read(self, page: Page, sectors: int, cause: str, after: Signal) -> Signal:
        """Reads sectors of a page; the answer is when they are there."""
        entry = Entry("read", page)
        entry.sectors = sectors
        part = self.flying.get(page)
        self.use(page, self.users_of(page), entry.done)
        if part is not None and part.held:
            self.forward(entry, part, after)
        else:
            self.add_load(entry, entry.done)
            after.wait(lambda: self.find(entry, page, part, cause))
        return entry.done

    def forward(self, entry: Entry, part: "Part", after: Signal) -> None:
        """The controller's memory has the page when the read is issued, and keeps it for the read."""
        self.count["forwarded"] += 1
        if self.wordlines and part.entry is not None and not part.entry.ready:
            self.count["forwarded_wordline"] += 1
        when_all([after, part.ready], entry.done.happen)

    def holds(self, page: Page) -> bool:
        """The controller's memory has the page."""
        part = self.flying.get(page)
        return part is not None and part.held

    def find(self, entry: Entry, page: Page, part: "Part | None", cause: str) -> None:
        """The read is ready: where is its data?"""
        if part is None or part.done.happened:
            entry.page = page
            self.count[f"read {cause}"] += 1
            self.enqueue(entry)
        elif part.source is not None and self.rests(part):
            self.use(part.source, part.source_users, entry.done)
            self.find(entry, part.source, part.before, cause)
        else:
            part.done.wait(lambda: self.find(entry, page, part, cause))

    def rests(self, part: Part) -> bool:
        """Copies in flight, one of the other, begin at a page that is in flash."""
        before = part.before
        return before is None or before.done.happened or (before.source is not None and self.rests(before))

    def users_of(self, page: Page) -> Users:
        return self.users.setdefault(page[:2], Users())

    def use(self, page: Page, users: Users, until: Signal) -> None:
        users.count += 1

        def leave() -> None:
            users.count -= 1
            self.gate(page[:2])

        until.last.append(leave)

    def program(self, page: Page, sectors: int, cause: str, after: list[Signal], room: Signal | None) -> Part:
        """Programs a page once its data (`after`) are there; with `room` it waits for that, too."""
        part = Part(page, cause, sectors)
        part.room = room
        self.hold(part, room)
        self.flying[page] = part
        self.count[f"program {cause}"] += 1
        entry = self.open_entry(part)
        when_all(after, part.data.happen)
        when_all([part.data] + ([room] if room else []), part.ready.happen)
        part.ready.wait_last(lambda: self.part_ready(entry))
        return part

    def hold(self, part: Part, room: Signal | None) -> None:
        if self.wordlines or room is not None:
            part.held = True
        elif self.held < self.forward_pages:
            part.held = True
            self.held += 1
            part.done.wait(self.give_back)

    def give_back(self) -> None:
        self.held -= 1

    def open_entry(self, part: Part) -> Entry:
        plane, block, page = part.page
        ring = self.ring.setdefault((plane, block), [])
        wordline = page // self.bits
        if page % self.bits:
            entry = self.kept[plane, block, wordline]
        else:
            entry = Entry("program", (plane, block, wordline), self.bits)
            self.kept[plane, block, wordline] = entry
            self.count["wordlines"] += self.wordlines
            ring.append(entry)
            if self.passes == 2 and part.cause != "pad":
                entry.again = Entry("program", (plane, block, wordline))
                entry.again.turn = 2
            if self.passes == 2:
                self.second_passes(plane, block, wordline, ring)
            self.add_load(entry, (entry.again or entry).done)
        entry.parts.append(part)
        part.entry = entry
        entry.sectors += part.sectors
        return entry

    def second_passes(self, plane: int, block: int, wordline: int, ring: list[Entry]) -> None:
        """F0 F1 N0 F2 N1 ... F(last) N(last - 1) N(last)."""
        last = wordline == self.pages // self.bits - 1
        for at in [wordline - 1] + ([wordline] if last else []):
            first = self.kept.get((plane, block, at))
            if first is not None and first.again is not None:
                ring.append(first.again)
                self.counted_in.add(first.again)
                if first.ready:
                    self.second_ready(first)

    def second_ready(self, first: Entry) -> None:
        again = first.again
        if again is not None and again in self.counted_in:
            again.parts, again.sectors = first.parts, first.sectors
            self.entry_ready(again)

    def kept_back(self, wordline: Page) -> bool:
        """Its second pass waits for a page of the next wordline to be made."""
        first = self.kept.get(wordline)
        again = first.again if first is not None else None
        return again is not None and again not in self.counted_in and not again.done.happened

    def waits_for_pages(self, part: Part) -> bool:
        entry = part.entry
        if entry is None or not part.ready.happened:
            return False
        return len(entry.parts) < entry.need or self.kept_back(entry.page)

    def part_ready(self, entry: Entry) -> None:
        if len(entry.parts) == entry.need and all(part.ready.happened for part in entry.parts):
            self.entry_ready(entry)
            self.second_ready(entry)

    def copy(self, source: Page, target: Page, cause: str, after: Signal) -> Part:
        """Inside the plane, never over the bus."""
        part = Part(target, cause, 0)
        part.source = source
        entry = Entry("copy", target)
        entry.parts.append(part)
        self.ring.setdefault(target[:2], []).append(entry)
        part.source_users = self.users_of(source)
        self.use(source, part.source_users, part.done)
        part.before = before = self.flying.get(source)
        self.flying[target] = part
        self.add_load(entry, entry.done)
        self.count["copies"] += 1
        self.count[f"program {cause}"] += 1
        when_all([after] + ([before.done] if before else []), lambda: self.entry_ready(entry))
        return part

    def erase(self, plane: int, block: int, after: Signal) -> Signal:
        entry = Entry("erase", (plane, block, 0))
        entry.users = self.users_of(entry.page)
        self.users[plane, block] = Users()
        self.ring.setdefault((plane, block), []).append(entry)
        self.count["erases"] += 1
        self.add_load(entry, entry.done)
        after.wait(lambda: self.entry_ready(entry))
        return entry.done

    # ---- load of a die, for placement ----

    def add_load(self, entry: Entry, until: Signal) -> None:
        entry.counted = True
        self.load[entry.plane // self.planes] += self.work(entry)
        until.wait(lambda: self.sub_load(entry))

    def sub_load(self, entry: Entry) -> None:
        if entry.counted:
            entry.counted = False
            self.load[entry.plane // self.planes] -= self.work(entry)

    def work(self, entry: Entry) -> int:
        """A wordline counts with both passes, even if pads alone fill it, which need no second one."""
        if entry.kind == "program" and self.passes == 2:
            return sum(self.program_ns[:2])
        return self.cell_time(entry)

    def cell_time(self, entry: Entry) -> int:
        page = entry.page[2]
        if entry.kind == "read":
            return self.read_ns[page % len(self.read_ns)]
        if entry.kind == "erase":
            return self.erase_ns
        if entry.kind == "copy":
            source = entry.parts[0].source
            assert source is not None
            return self.read_ns[source[2] % len(self.read_ns)] + self.program_ns[page % len(self.program_ns)]
        if self.passes == 2:
            return self.program_ns[entry.turn - 1]
        return self.program_ns[page % len(self.program_ns)]

    # ---- the gate of a block ----

    def entry_ready(self, entry: Entry) -> None:
        entry.ready = True
        self.gate(entry.page[:2])

    def gate(self, block: tuple[int, int]) -> None:
        """In the order in which they were made, entries that are ready join the queue of the die."""
        for n, entry in enumerate(self.ring.get(block, [])):
            if not entry.passed:
                if not entry.ready or (entry.kind == "erase" and (n > 0 or entry.users.count)):
                    return
                entry.passed = True
                self.enqueue(entry)
            if entry.kind == "erase":
                return

    def enqueue(self, entry: Entry) -> None:
        die = self.die_of(entry.plane)
        die.queue.append(entry)
        self.wake(die)

    def wake(self, die: Die) -> None:
        if die not in self.woken:
            self.woken.append(die)
