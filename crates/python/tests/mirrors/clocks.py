"""Zones and clocks as elements."""

from __future__ import annotations

from typing import List, Optional, Tuple

import merkhet as mk

from .base import Mirror
from .numbers import INFINITY


#: A bound `<= n` is `(n, 1)` and `< n` is `(n, 0)`.
Bound = Tuple[float, int]
NONE: Bound = (INFINITY, 0)


class Zone(Mirror):
    """Bounds on differences of clocks, the last of which is always 0; `None`: the empty zone."""

    value: Optional[Tuple[Tuple[Bound, ...], ...]]

    def __init__(self, clocks: int, limit: int = 1 << 20) -> None:
        self.clocks, self.limit = clocks, limit
        self.value = (((0, 1),) * (clocks + 1),) * (clocks + 1)

    def bottom(self) -> Zone:
        made: Zone = self._like(None)
        return made

    def _closed(self, rows: List[List[Bound]]) -> Optional[List[List[Bound]]]:
        every = range(len(rows))
        for k in every:
            for i in every:
                for j in every:
                    (a, c), (b, d) = rows[i][k], rows[k][j]
                    rows[i][j] = min(rows[i][j], (a + b, c & d))
        return None if any(rows[i][i] < (0, 1) for i in every) else rows

    def _settle(self, rows: Optional[List[List[Bound]]]) -> None:
        """Forgets what is beyond the limit."""
        closed = None if rows is None else self._closed(rows)
        if closed is None:
            self.value = None
            return
        # The constant of the clock that is always 0.
        limits = [self.limit] * self.clocks + [0]
        for i, row in enumerate(closed):
            for j, bound in enumerate(row):
                if i != j and bound > (limits[i], 1):
                    row[j] = NONE
                elif i != j and bound < (-limits[j], 0):
                    row[j] = (-limits[j], 0)
        # A clock is never below 0.
        last = closed[-1]
        for j in range(self.clocks):
            last[j] = min(last[j], (0, 1))
        again = self._closed(closed)
        assert again is not None
        self.value = tuple(map(tuple, again))

    def _rows(self) -> Optional[List[List[Bound]]]:
        return None if self.value is None else [list(row) for row in self.value]

    @mk.monotone
    def up(self) -> None:
        rows = self._rows()
        if rows is not None:
            for row in rows[:-1]:
                row[-1] = NONE
            self._settle(rows)

    @mk.monotone
    def reset(self, x: int) -> None:
        rows = self._rows()
        if rows is not None:
            rows[x] = list(rows[-1])
            for row in rows:
                row[x] = row[-1]
            rows[x][x] = (0, 1)
            self._settle(rows)

    @mk.monotone
    def free(self, x: int) -> None:
        rows = self._rows()
        if rows is not None:
            rows[x] = [NONE] * len(rows)
            for row in rows:
                row[x] = row[-1]
            rows[x][x] = (0, 1)
            self._settle(rows)

    def _cut(self, x: int, y: int, bound: Bound) -> bool:
        rows = self._rows()
        if rows is not None:
            rows[x][y] = min(rows[x][y], bound)
            self._settle(rows)
        return self.value is not None

    def _may(self, x: int, y: int, bound: Bound) -> bool:
        made: Zone = self._like(self.value)
        return made._cut(x, y, bound)

    @mk.rises
    @mk.monotone
    def atMost(self, x: int, c: int) -> bool:
        return self._cut(x, -1, (c, 1))

    @mk.rises
    @mk.monotone
    def below(self, x: int, c: int) -> bool:
        return self._cut(x, -1, (c, 0))

    @mk.rises
    @mk.monotone
    def atLeast(self, x: int, c: int) -> bool:
        return self._cut(-1, x, (-c, 1))

    @mk.rises
    @mk.monotone
    def above(self, x: int, c: int) -> bool:
        return self._cut(-1, x, (-c, 0))

    @mk.rises
    @mk.monotone
    def differenceAtMost(self, x: int, y: int, c: int) -> bool:
        return self._cut(x, y, (c, 1))

    @mk.rises
    def mayBeAtMost(self, x: int, c: int) -> bool:
        return self._may(x, -1, (c, 1))

    @mk.rises
    def mayBeAbove(self, x: int, c: int) -> bool:
        return self._may(-1, x, (-c, 0))

    @mk.falls
    def isEmpty(self) -> bool:
        return self.value is None

    def join(self, other: Zone) -> Zone:
        if self.value is None or other.value is None:
            return other if self.value is None else self
        if self.covers(other):
            return self
        made: Zone = self._like(None)
        made._settle([list(map(max, a, b)) for a, b in zip(self.value, other.value)])
        return made

    def covers(self, other: Zone) -> bool:
        if self.value is None or other.value is None:
            return other.value is None
        return all(a >= b for row, others in zip(self.value, other.value) for a, b in zip(row, others))


class DiscreteClock(Mirror):
    """The least and the greatest number of units of time; `None`: no number is possible."""

    value: Optional[Tuple[int, int]]

    def __init__(self, limit: int) -> None:
        self.limit, self.value = limit, (0, 0)

    def bottom(self) -> DiscreteClock:
        made: DiscreteClock = self._like(None)
        return made

    def _cut(self, low: int, high: int) -> bool:
        if self.value is not None:
            low, high = max(self.value[0], low), min(self.value[1], high)
            self.value = (low, high) if low <= high else None
        return self.value is not None

    @mk.monotone
    def tick(self) -> None:
        if self.value is not None:
            low, high = (min(n + 1, self.limit + 1) for n in self.value)
            self.value = (low, high)

    @mk.monotone
    def up(self) -> None:
        if self.value is not None:
            self.value = (self.value[0], self.limit + 1)

    @mk.monotone
    def reset(self) -> None:
        if self.value is not None:
            self.value = (0, 0)

    @mk.rises
    @mk.monotone
    def atMost(self, c: int) -> bool:
        return self._cut(0, c)

    @mk.rises
    @mk.monotone
    def atLeast(self, c: int) -> bool:
        return self._cut(c, self.limit + 1)

    @mk.rises
    def mayBeAtMost(self, c: int) -> bool:
        return self.value is not None and self.value[0] <= c

    @mk.rises
    def mayBeAtLeast(self, c: int) -> bool:
        return self.value is not None and self.value[1] >= c

    @mk.falls
    def least(self) -> int:
        return self.limit + 1 if self.value is None else self.value[0]

    @mk.rises
    def most(self) -> int:
        return 0 if self.value is None else self.value[1]

    def join(self, other: DiscreteClock) -> DiscreteClock:
        if self.value is None or other.value is None:
            return other if self.value is None else self
        (a, b), (c, d) = self.value, other.value
        made: DiscreteClock = self._like((min(a, c), max(b, d)))
        return made

    def covers(self, other: DiscreteClock) -> bool:
        if self.value is None or other.value is None:
            return other.value is None
        return self.value[0] <= other.value[0] and other.value[1] <= self.value[1]

    def __repr__(self) -> str:
        if self.value is None:
            return "nothing"
        low, high = self.value
        if high > self.limit:
            return f">{self.limit}" if low > self.limit else f">={low}"
        return str(low) if low == high else f"[{low}, {high}]"
