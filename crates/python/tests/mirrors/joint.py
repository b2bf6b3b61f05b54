"""Several integers in one element."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import merkhet as mk

from .base import Mirror
from .numbers import GREATEST, INFINITY, LEAST, WideningInterval


class Box(Mirror):
    """The members of a box are numbered here."""

    value: Tuple[WideningInterval, ...]

    def __init__(self, members: int) -> None:
        self.value = tuple(WideningInterval() for _ in range(members))

    def _change(self, member: int, method: str, *given: int) -> None:
        changed = self.value[member]._like(self.value[member].value)
        getattr(changed, method)(*given)
        self.value = (*self.value[:member], changed, *self.value[member + 1 :])

    @mk.monotone
    def forget(self, member: int) -> None:
        self._change(member, "forget")

    @mk.monotone
    def between(self, member: int, low: int, high: int) -> None:
        self._change(member, "between", low, high)

    @mk.rises
    def mayBe(self, member: int, n: int) -> bool:
        return self.value[member].mayBe(n)

    @mk.falls
    def low(self, member: int) -> int:
        return self.value[member].low()

    @mk.rises
    def high(self, member: int) -> int:
        return self.value[member].high()

    def join(self, other: Box) -> Any:
        return self._like(tuple(a.join(b) for a, b in zip(self.value, other.value)))

    def widen(self, other: Box, thresholds: Sequence[int]) -> Any:
        return self._like(tuple(a.widen(b, thresholds) for a, b in zip(self.value, other.value)))

    def covers(self, other: Box) -> bool:
        return all(a.covers(b) for a, b in zip(self.value, other.value))

    def __repr__(self) -> str:
        return "(" + ", ".join(map(repr, self.value)) + ")"


#: The sums that octagons of two integers bound: the factors of both.
SUMS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Octagon(Mirror):
    """Two integers, with bounds on the sums above: the least ones that describe the same pairs."""

    value: Tuple[float, ...]

    def __init__(self, members: int) -> None:
        assert members == 2
        self.value = (0,) * len(SUMS)

    @staticmethod
    def _tight(bounds: Dict[Tuple[int, int], float]) -> Tuple[float, ...]:
        """Each bound follows from two others at most, and bounds on single integers are whole."""
        while True:
            before = dict(bounds)
            for (a, b) in SUMS:
                for (c, d) in SUMS:
                    x, y, both = a + c, b + d, bounds[a, b] + bounds[c, d]
                    if both == INFINITY or (x, y) == (0, 0):
                        continue
                    if x % 2 == 0 and y % 2 == 0:
                        x, y, both = x // 2, y // 2, both // 2
                    if (x, y) in bounds:
                        bounds[x, y] = min(bounds[x, y], both)
            if bounds == before:
                return tuple(bounds[place] for place in SUMS)

    @mk.monotone
    def forget(self, member: int) -> None:
        self.value = tuple(INFINITY if place[member] else bound for place, bound in zip(SUMS, self.value))

    @mk.monotone
    def between(self, member: int, low: int, high: int) -> None:
        self.forget(member)
        bounds = dict(zip(SUMS, self.value))
        bounds[(0, 1) if member else (1, 0)] = high
        bounds[(0, -1) if member else (-1, 0)] = -low
        self.value = self._tight(bounds)

    @mk.rises
    def mayBe(self, member: int, n: int) -> bool:
        return -self.value[2 * member + 1] <= n <= self.value[2 * member]

    @mk.falls
    def low(self, member: int) -> int:
        return int(max(-self.value[2 * member + 1], LEAST))

    @mk.rises
    def high(self, member: int) -> int:
        return int(min(self.value[2 * member], GREATEST))

    def join(self, other: Octagon) -> Any:
        return self._like(tuple(map(max, self.value, other.value)))

    def covers(self, other: Octagon) -> bool:
        return all(map(lambda a, b: a >= b, self.value, other.value))
