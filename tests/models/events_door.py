"""The door of the drive: arrival, queues of tenants, the arbiter.

Rules: docs/tenants.md; `ssd params host`.
"""

from collections import deque
from dataclasses import dataclass

from events_input import FLUSH, FUA, READ, WRITE, Record, Settings


@dataclass
class Request:
    record: Record
    number: int
    arrival: int = 0
    entered: int = 0
    completed: int = -1

    @property
    def kind(self) -> str:
        return {READ: "read", FLUSH: "flush"}.get(self.record.operation, "write")


def with_flushes(records: list[Record], every: int) -> list[Record]:
    """A FLUSH behind each so many writes, at the arrival of the last one."""
    result: list[Record] = []
    writes = 0
    for record in records:
        result.append(record)
        writes += record.operation in (WRITE, FUA)
        if every and record.operation in (WRITE, FUA) and writes % every == 0:
            result.append(Record(record.time, record.device, 0, 0, FLUSH))
    return result


class Arbiter:
    """Names the queue whose first request enters; a decision holds for up to `burst` requests."""

    def __init__(self, settings: Settings) -> None:
        get = settings.__getitem__
        tenants = int(get("host.tenants"))
        self.policy, self.burst = get("host.arbitration"), int(get("host.burst"))
        letters = get("host.classes").split(",") if get("host.classes") else ["M"] * tenants
        self.members = {c: [t for t, letter in enumerate(letters) if letter == c] for c in "UHML"}
        self.weight = dict(zip("HML", map(int, get("host.weights").split(","))))
        self.last = {c: len(members) - 1 for c, members in self.members.items()}
        self.last_of_all = tenants - 1
        self.turn, self.credit = "H", self.weight["H"]
        self.named, self.left = 0, 0
        self.paid = False  # commands of the decision count against the turn of a class

    def choose(self, queues: list[deque[Request]]) -> int:
        if self.policy == "fifo":
            waiting = [queue[0] for queue in queues if queue]
            first = min(waiting, key=lambda request: (request.arrival, request.number))
            return next(n for n, queue in enumerate(queues) if queue and queue[0] is first)
        if self.left == 0 or not queues[self.named]:
            self.decide(queues)
        self.left -= 1
        self.credit -= self.paid
        return self.named

    def decide(self, queues: list[deque[Request]]) -> None:
        self.left = self.burst
        if self.policy == "round_robin":
            count = len(queues)
            order = [(self.last_of_all + 1 + n) % count for n in range(count)]
            self.named = self.last_of_all = next(n for n in order if queues[n])
            return
        waiting = [c for c in "UHML" if any(queues[n] for n in self.members[c])]
        chosen = waiting[0]
        if self.policy == "weighted" and chosen != "U":
            chosen = self.class_in_turn(waiting)
            self.left = min(self.burst, self.credit)
        self.paid = self.policy == "weighted" and chosen != "U"
        members = self.members[chosen]
        order = [(self.last[chosen] + 1 + n) % len(members) for n in range(len(members))]
        place = next(n for n in order if queues[members[n]])
        self.last[chosen], self.named = place, members[place]

    def class_in_turn(self, waiting: list[str]) -> str:
        if self.turn not in waiting or self.credit == 0:
            at = "HML".index(self.turn)
            self.turn = next(c for c in ("HML" * 2)[at + 1 : at + 4] if c in waiting)
            self.credit = self.weight[self.turn]
        return self.turn


class Door:
    """Requests wait here for a slot.  A closed queue always has `depth` requests here and in the drive."""

    def __init__(self, settings: Settings, records: list[Record]) -> None:
        get = settings.__getitem__
        self.closed = get("host.mode") == "closed"
        self.depth = int(get("host.queue_depth"))
        self.tenants = int(get("host.tenants"))
        slots = int(get("host.queue_limit"))
        if self.closed:
            slots = int(get("host.slots")) or self.tenants * self.depth
        self.slots = slots or 1 << 60
        self.requests = [Request(record, n) for n, record in enumerate(records, 1)]
        self.coming: list[deque[Request]] = [deque() for _ in range(self.tenants)]
        for request in self.requests:
            self.coming[self.tenant(request)].append(request)
        self.queue: list[deque[Request]] = [deque() for _ in range(self.tenants)]
        self.arbiter = Arbiter(settings)
        self.alive = [0] * self.tenants  # in the queue and the drive

    def tenant(self, request: Request) -> int:
        return request.record.device if self.tenants > 1 else 0

    def waiting(self) -> bool:
        return any(self.queue)

    def comes(self) -> bool:
        return any(self.coming)

    def next_arrival(self, now: int) -> int | None:
        times = [self.arrival_of(tenant, now) for tenant in range(self.tenants)]
        return min((time for time in times if time is not None), default=None)

    def arrival_of(self, tenant: int, now: int) -> int | None:
        if not self.coming[tenant]:
            return None
        if self.closed:
            return now if self.alive[tenant] < self.depth else None
        return self.coming[tenant][0].record.time

    def arrive(self, now: int) -> None:
        """One request joins its queue."""
        tenant = min(range(self.tenants), key=lambda n: (self.arrival_of(n, now) != now, self.place(n)))
        request = self.coming[tenant].popleft()
        request.arrival = now
        self.alive[tenant] += 1
        self.queue[tenant].append(request)

    def place(self, tenant: int) -> int:
        if self.closed or not self.coming[tenant]:
            return tenant
        return self.coming[tenant][0].number

    def next(self, now: int, inside: int, freed: bool) -> Request | None:
        """The request that enters now."""
        if self.tenants > 1:
            while self.next_arrival(now) is not None and (self.next_arrival(now) or 0) <= now:
                self.arrive(now)
        if inside >= self.slots:
            return None
        if freed and not self.waiting() and self.closed and self.next_arrival(now) == now:
            self.arrive(now)
        if not self.waiting():
            return None
        return self.queue[self.arbiter.choose(self.queue)].popleft()

    def leave(self, request: Request) -> None:
        self.alive[self.tenant(request)] -= 1
