"""Requests of the event model: arrival, the door of the drive, completion.

Rules: DESIGN.md ("Time"), docs/tenants.md, docs/modern.md ("When a write is complete").
"""

from events_door import Door, Request, with_flushes
from events_flash import Flash
from events_input import FLUSH, FUA, READ, Record, Settings
from events_memory import Memory
from events_ops import Part, Signal, when_all
from events_space import GC, HOST, Io, Space

COUNTED = """forwarded copies erases collections moved multiplane suspensions cache_reads cache_programs
transferred wordlines forwarded_wordline stalls memory_peak_pages upkeep_steps upkeep_idle_pages
upkeep_rate_pages upkeep_forced upkeep_interrupted"""


class Drive:
    def __init__(self, settings: Settings, records: list[Record]) -> None:
        get = settings.__getitem__
        self.settings = settings
        self.flash = Flash(settings)
        self.space = Space(settings, self.flash)
        self.memory = Memory(settings, len(self.space.plane)) if get("host.write_done") == "memory" else None
        self.plp = get("host.plp") == "true"
        self.lookup_ns = int(get("dram.access_ns"))
        self.idle_ns, self.step_pages = int(get("upkeep.idle_ns")), int(get("upkeep.step_pages"))
        self.wait_ns = int(get("flash.wordline_wait_ns")) if self.flash.wordlines else 0
        self.door = Door(settings, with_flushes(records, int(get("host.flush_every"))))
        self.requests = self.door.requests
        self.inside = 0
        self.fresh: list[Request] = []  # completed by the event that is served
        self.host_parts: list[Part] = []
        self.waits: list[tuple[int, Part]] = []  # wordlines of the host: when they are padded
        self.round: list[Part | Signal] = []
        self.chain = False  # nobody has come since the last round began
        self.completed_at = 0
        self.now = 0
        if get("precondition.mode") == "fill":
            self.fill()
        self.space.timed = True

    def fill(self) -> None:
        sectors, io = self.space.page_sectors, Io(Signal(True))
        for lpn in range(self.space.logical):
            self.space.write_page(io, lpn, (1 << sectors) - 1)
        self.space.pad_all(io, (HOST, GC))

    # ---- a run ----

    def run(self) -> None:
        while self.once():
            pass

    def once(self) -> bool:
        """What comes next: events of the flash, then waits of wordlines, a round of upkeep, an arrival."""
        event, wait, idle, arrival = self.times()
        due = [time for time in (event, wait, idle, arrival) if time is not None]
        shut = event is None and wait is None and self.inside >= self.door.slots and self.door.waiting()
        if not due or shut:
            return self.stall()
        self.now = min(due)
        if event == self.now:
            self.flash.serve()
            self.note()
        else:
            self.flash.now = self.now
            if wait == self.now:
                self.wait_is_over()
            elif idle == self.now:
                self.begin_round()
            else:
                self.door.arrive(self.now)
                self.fill_slots(False)
        return True

    def times(self) -> tuple[int | None, int | None, int | None, int | None]:
        self.waits = [(time, part) for time, part in self.waits if self.flash.waits_for_pages(part)]
        wait = self.waits[0][0] if self.waits else None
        return self.flash.next_event(), wait, self.idle_at(), self.door.next_arrival(self.now)

    def stall(self) -> bool:
        """Nothing can go on: all open wordlines are padded, if anything waits for one."""
        if not self.flash.flying:
            if self.inside or self.door.waiting():
                raise SystemExit("the model stands still")
            return False
        self.flash.count["stalls"] += 1
        before = self.flash.count["program pad"]
        self.space.pad_all(Io(Signal(True)), (HOST, GC))
        if self.flash.count["program pad"] == before:
            raise SystemExit("the model stands still: operations wait, but not for padding")
        self.flash.settle(None)
        self.note()
        return True

    def wait_is_over(self) -> None:
        _, part = self.waits.pop(0)
        self.space.pad(Io(Signal(True)), part.page[0], HOST)
        self.flash.settle(None)
        self.note()

    # ---- upkeep ----

    def idle_at(self) -> int | None:
        if not self.idle_ns or self.inside or self.door.waiting() or not self.door.comes():
            return None
        if not self.round_is_over() or not any(map(self.space.due, range(len(self.space.plane)))):
            return None
        return self.now if self.chain else max(self.now, self.completed_at + self.idle_ns)

    def round_is_over(self) -> bool:
        self.round = [item for item in self.round if not self.is_over(item)]
        return not self.round

    def is_over(self, item: Part | Signal) -> bool:
        """Done, or a program that waits for the rest of its wordline."""
        if isinstance(item, Signal):
            return item.happened
        return item.done.happened or self.flash.waits_for_pages(item)

    def begin_round(self) -> None:
        io = Io(Signal(True))
        for number in range(len(self.space.plane)):
            if self.space.due(number):
                self.flash.count["upkeep_steps"] += 1
                self.flash.count["upkeep_idle_pages"] += self.space.step(io, number, self.step_pages)
        self.round, self.chain = io.others, True
        self.flash.settle(None)

    # ---- requests ----

    def fill_slots(self, freed: bool) -> None:
        """All requests that wait enter before what completes at once leaves its slot.

        `freed`: a slot became free, at once the next request of a closed queue arrives.
        """
        while (request := self.door.next(self.now, self.inside, freed)) is not None:
            self.enter(request)
            self.flash.now = self.now
            self.flash.serve_releases()
        self.note()

    def note(self) -> None:
        """Requests that the event has completed leave their slots."""
        if self.fresh:
            fresh, self.fresh = self.fresh, []
            self.inside -= len(fresh)
            for request in fresh:
                self.door.leave(request)
            self.completed_at = self.now
            self.fill_slots(True)

    def enter(self, request: Request) -> None:
        self.inside += 1
        self.flash.count["upkeep_interrupted"] += not self.round_is_over()
        self.chain = False
        request.entered = self.now
        record = request.record
        memory = self.memory
        io = Io(Signal(), memory.room if memory is not None else None)
        if record.operation == FLUSH:
            self.flush(io)
        else:
            self.transfer(io, record)
        if record.operation == FUA and not self.plp:
            for number in sorted({part.page[0] for part in io.parts}):
                self.space.pad(io, number, HOST)
        self.host_parts += io.parts
        awaited = [io.released] + self.awaited(io, record.operation)
        when_all(awaited, lambda: self.complete(request))
        self.flash.release(self.now + io.lookups * self.lookup_ns, io.released.happen)

    def flush(self, io: Io) -> None:
        io.lookups += 1
        if not self.plp:
            self.host_parts = [part for part in self.host_parts if not part.done.happened]
            io.awaited = [part.done for part in self.host_parts]
            self.space.pad_all(io, (HOST,))

    def transfer(self, io: Io, record: Record) -> None:
        size = self.space.logical * self.space.page_sectors
        start = record.sector % size if self.settings["trace.fold"] == "true" else record.sector
        end = start + record.sectors
        for low, high in [(start, min(end, size))] + ([(0, end - size)] if end > size else []):
            if record.operation == READ:
                self.space.read(io, low, high)
            else:
                self.space.write(io, low, high)
        for part in io.parts:
            self.begin_wait(part)

    def begin_wait(self, part: Part) -> None:
        """The wait of a wordline begins when the first of its pages is ready."""
        if self.memory is not None:
            part.left.wait(self.memory.leave)
        if self.wait_ns:
            part.ready.wait(lambda: self.first_is_ready(part))

    def first_is_ready(self, part: Part) -> None:
        if part.entry is not None and not part.entry.waited:
            part.entry.waited = True
            self.waits.append((self.flash.now + self.wait_ns, part))

    def awaited(self, io: Io, operation: int) -> list[Signal]:
        if operation in (READ, FLUSH):
            return io.awaited
        if self.memory is None or (operation == FUA and not self.plp):
            return io.awaited + [part.done for part in io.parts]
        return [part.room for part in io.parts if part.room is not None]

    def complete(self, request: Request) -> None:
        request.completed = self.flash.now
        self.fresh.append(request)

    # ---- counters ----

    def counters(self) -> dict[str, int]:
        count = self.flash.count
        count["memory_peak_pages"] = self.memory.most if self.memory is not None else 0
        got = {
            "completed_sum": sum(r.completed for r in self.requests),
            "entered_sum": sum(r.entered for r in self.requests),
            "last": max(r.completed for r in self.requests),
            "reads_host": count["read host"],
            "reads_rmw": count["read rmw"],
            "programs_host": count["program host"],
            "programs_gc": count["program gc"],
            "pads": count["program pad"],
        }
        got |= {name: count[name] for name in COUNTED.split()}
        for kind in ("read", "write", "flush"):
            self.sums(got, kind, [r for r in self.requests if r.kind == kind])
        for tenant in range(int(self.settings["host.tenants"])):
            self.sums(got, f"tenant{tenant}", [r for r in self.requests if r.record.device == tenant])
        for place, request in enumerate(self.requests, 1):
            got[f"lat{place}"] = request.completed - request.arrival
        return got

    def sums(self, got: dict[str, int], name: str, requests: list[Request]) -> None:
        latencies = [r.completed - r.arrival for r in requests]
        got[f"{name}_n"] = len(latencies)
        got[f"{name}_latency_sum"] = sum(latencies)
        got[f"{name}_latency_max"] = max(latencies, default=0)
