"""Lines of LeaFTL: how they are learned, and the levels of a group of 256 logical pages.

Rules: docs/leaftl.md.
"""

from fractions import Fraction

ONE = 1 << 14  # of the fixed point of slopes


def rounded(slope: int, x: int) -> int:
    return (slope * x + ONE // 2) // ONE


class Segment:
    """Pages first..last: every `stride`-th one if accurate, else those of a list."""

    def __init__(self, points: list[tuple[int, int]], slope: int):
        self.slope, self.intercept = slope, points[0][1] - rounded(slope, points[0][0])
        xs = [x for x, _ in points]
        gaps = {b - a for a, b in zip(xs, xs[1:])}
        self.first, self.last = xs[0], xs[-1]
        self.stride = gaps.pop() if len(gaps) == 1 else 1
        exact = all(self.predict(x) == y for x, y in points)
        self.listed: set[int] | None = None if exact and not gaps else set(xs)

    def predict(self, x: int) -> int:
        return self.intercept + rounded(self.slope, x)

    def claims(self) -> set[int]:
        return set(range(self.first, self.last + 1, self.stride)) if self.listed is None else self.listed

    def overlaps(self, other: "Segment") -> bool:
        return self.first <= other.last and other.first <= self.last

    def trim(self, pages: set[int]) -> bool:
        """Without these pages; False if none is left.  An accurate one goes on claiming those inside."""
        left = self.claims() - pages
        if left:
            self.first, self.last = min(left), max(left)
            self.listed = None if self.listed is None else left
        return bool(left)

    def list_bytes(self) -> int:
        return 0 if self.listed is None else len(self.listed) + 1

    def bytes_released(self) -> int:
        if self.first == self.last:
            return 5
        here = self.claims()
        between = range(self.first, self.last - 1)
        return 8 + (0 if self.listed is None else sum((x in here) != (x + 1 in here) for x in between))


def learn(points: list[tuple[int, int]], gamma: int) -> list[Segment]:
    """Points are (logical page in the group, physical page), ascending."""
    segments = []
    while points:
        n, slope = reach(points, gamma)
        segment = Segment(points[:n], slope)
        missed = [i for i, (x, y) in enumerate(points[:n]) if abs(segment.predict(x) - y) > gamma]
        if missed:
            n = missed[0]
            segment = Segment(points[:n], slope)
        segments.append(segment)
        points = points[n:]
    return segments


def reach(points: list[tuple[int, int]], gamma: int) -> tuple[int, int]:
    """How many points one line through the first of them comes within gamma of, and the middle of its slopes.
    They lie in consecutive physical pages."""
    (x0, y0), low, high = points[0], Fraction(-ONE), Fraction(ONE)
    n = 1
    while n < len(points) and points[n][1] == points[n - 1][1] + 1:
        x, y = points[n]
        lower = max(low, Fraction(y - y0 - gamma, x - x0))
        upper = min(high, Fraction(y - y0 + gamma, x - x0))
        if lower > upper:
            break
        low, high, n = lower, upper, n + 1
    return n, 0 if n == 1 else (ONE * (low + high) + 1) // 2


class Group:
    def __init__(self) -> None:
        self.levels: list[list[Segment]] = []

    def segments(self) -> list[Segment]:
        return [segment for level in self.levels for segment in level]

    def bytes(self) -> int:
        return 4 + sum(8 + segment.list_bytes() for segment in self.segments())

    def find(self, x: int) -> tuple[Segment, int]:
        """The first segment downwards that has the page, and the levels visited."""
        for depth, level in enumerate(self.levels, 1):
            for segment in level:
                if segment.first <= x <= segment.last and x in segment.claims():
                    return segment, depth
        raise KeyError(x)

    def insert(self, segments: list[Segment]) -> None:
        """New ones enter level 0, ascending; what they overlap there loses their pages and, if it still
        overlaps, its level.  These go into level 1 if nothing there overlaps, all others into a new level
        above that."""
        top = self.levels.pop(0) if self.levels else []
        below = self.levels[0] if self.levels else []
        leave: list[Segment] = []
        for new in segments:
            met = [old for old in top if old.overlaps(new)]
            left = [old for old in met if old.trim(new.claims())]
            leave += [old for old in left if old.overlaps(new)]
            top = [old for old in top if old not in met] + [old for old in left if old not in leave] + [new]
        between: list[Segment] = []
        for old in sorted(leave, key=lambda s: s.first):
            fits = self.levels and not any(old.overlaps(other) for other in below)
            (below if fits else between).append(old)
        for level in (top, below):
            level.sort(key=lambda s: s.first)
        self.levels[:0] = [top, between] if between else [top]

    def compact(self) -> None:
        """Hidden pages go, then every segment rises as far as nothing overlaps."""
        for depth, level in enumerate(self.levels):
            for segment in level:
                for lower in range(depth + 1, len(self.levels)):
                    self.levels[lower] = [
                        s for s in self.levels[lower] if not s.overlaps(segment) or s.trim(segment.claims())
                    ]
        risen: list[list[Segment]] = []
        for level in self.levels:
            for segment in level:
                at = len(risen)
                while at > 0 and not any(segment.overlaps(other) for other in risen[at - 1]):
                    at -= 1
                if at == len(risen):
                    risen.append([])
                risen[at].append(segment)
        self.levels = [sorted(level, key=lambda s: s.first) for level in risen]
