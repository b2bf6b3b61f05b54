"""Sets of numbers, and what is known of them."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import merkhet as mk

from .base import Mirror


class _Set(Mirror):
    """A set of numbers; `grows`: more numbers are greater."""

    grows = True
    value: frozenset[int]

    def join(self, other: Any) -> Any:
        return self._like(self.value | other.value if self.grows else self.value & other.value)

    def covers(self, other: Any) -> bool:
        return bool(self.value >= other.value if self.grows else self.value <= other.value)


class PowerSet(_Set):
    def __init__(self, count: int) -> None:
        self.count, self.value = count, frozenset()

    def _checked(self, i: int) -> int:
        if not 0 <= i < self.count:
            raise IndexError(i)
        return i

    @mk.monotone
    def add(self, i: int) -> None:
        self.value |= {self._checked(i)}

    @mk.monotone
    def remove(self, i: int) -> None:
        self.value -= {self._checked(i)}

    @mk.monotone
    def clear(self) -> None:
        self.value = frozenset()

    @mk.rises
    def contains(self, i: int) -> bool:
        return self._checked(i) in self.value

    @mk.rises
    def size(self) -> int:
        return len(self.value)

    @mk.falls
    def isEmpty(self) -> bool:
        return not self.value

    def __repr__(self) -> str:
        return "{" + ", ".join(map(str, sorted(self.value))) + "}"


class _Bits(_Set):
    def __init__(self, dimensions: Optional[List[int]] = None) -> None:
        self.dimensions, self.value = tuple(dimensions or [1]), frozenset()
        self.count = 1
        for size in self.dimensions:
            self.count *= size

    def _place(self, at: Any) -> int:
        place = 0
        for index, size in zip(at if isinstance(at, tuple) else (at,), self.dimensions):
            if not 0 <= index < size:
                raise IndexError(at)
            place = place * size + index
        return place

    @mk.monotone
    def __setitem__(self, at: Any, value: int) -> None:
        self.value = self.value | {self._place(at)} if value else self.value - {self._place(at)}

    @mk.monotone
    def clearall(self) -> None:
        self.value = frozenset()

    @mk.monotone
    def setall(self) -> None:
        self.value = frozenset(range(self.count))

    def __repr__(self) -> str:
        digits = "".join("01"[i in self.value] for i in range(self.count))
        row = self.dimensions[-1]
        return " ".join(digits[first : first + row] for first in range(0, self.count, row))


class UnionBitVector(_Bits):
    @mk.rises
    def __getitem__(self, at: Any) -> bool:
        return self._place(at) in self.value

    @mk.rises
    def num1s(self) -> int:
        return len(self.value)

    @mk.falls
    def num0s(self) -> int:
        return self.count - len(self.value)


class IntersectionBitVector(_Bits):
    grows = False

    @mk.falls
    def __getitem__(self, at: Any) -> bool:
        return self._place(at) in self.value

    @mk.falls
    def num1s(self) -> int:
        return len(self.value)

    @mk.rises
    def num0s(self) -> int:
        return self.count - len(self.value)


class PresentAbsent(Mirror):
    """What is surely present, and what is surely absent; `None`: no database is possible."""

    value: Optional[Tuple[frozenset[int], frozenset[int]]]

    def __init__(self, size: int, empty: int = 0) -> None:
        self.size = size
        self.value = (frozenset(), frozenset(range(size) if empty else ()))

    def bottom(self) -> PresentAbsent:
        made: PresentAbsent = self._like(None)
        return made

    def join(self, other: PresentAbsent) -> PresentAbsent:
        if self.value is None or other.value is None:
            return other if self.value is None else self
        made: PresentAbsent = self._like((self.value[0] & other.value[0], self.value[1] & other.value[1]))
        return made

    def covers(self, other: PresentAbsent) -> bool:
        if other.value is None or self.value is None:
            return other.value is None
        return self.value[0] <= other.value[0] and self.value[1] <= other.value[1]

    def _record(self, i: int, present: bool, absent: bool) -> None:
        if not 0 <= i < self.size:
            raise IndexError(i)
        if self.value is not None:
            here, gone = self.value[0] - {i}, self.value[1] - {i}
            self.value = (here | {i} if present else here, gone | {i} if absent else gone)

    @mk.monotone
    def insert(self, i: int) -> None:
        self._record(i, True, False)

    @mk.monotone
    def remove(self, i: int) -> None:
        self._record(i, False, True)

    @mk.monotone
    def forget(self, i: int) -> None:
        self._record(i, False, False)

    @mk.monotone
    def forgetAll(self) -> None:
        self.value = None if self.value is None else (frozenset(), frozenset())

    @mk.monotone
    def clear(self) -> None:
        self.value = None if self.value is None else (frozenset(), frozenset(range(self.size)))

    @mk.rises
    @mk.monotone
    def assumePresent(self, i: int) -> bool:
        if self.mustLack(i):
            self.value = None
        self._record(i, True, False)
        return self.value is not None

    @mk.rises
    @mk.monotone
    def assumeAbsent(self, i: int) -> bool:
        if self.mustContain(i):
            self.value = None
        self._record(i, False, True)
        return self.value is not None

    @mk.rises
    def mayContain(self, i: int) -> bool:
        return not self.mustLack(i)

    @mk.rises
    def mayLack(self, i: int) -> bool:
        return not self.mustContain(i)

    @mk.falls
    def mustContain(self, i: int) -> bool:
        return self.value is None or i in self.value[0]

    @mk.falls
    def mustLack(self, i: int) -> bool:
        return self.value is None or i in self.value[1]

    @mk.falls
    def least(self) -> int:
        return self.size if self.value is None else len(self.value[0])

    @mk.rises
    def most(self) -> int:
        return 0 if self.value is None else self.size - len(self.value[1])

    def __repr__(self) -> str:
        if self.value is None:
            return "nothing"
        here, gone = ("{" + ", ".join(map(str, sorted(part))) + "}" for part in self.value)
        return f"({here}, {gone})"
