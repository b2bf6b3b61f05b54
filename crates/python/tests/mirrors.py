"""The lattices of the library once more, as classes of Python that share no code with them.

Each has the order, the methods and the text of the one with its name, and says of its methods what that one says of its own.
Zones and octagons write their elements in another way.
"""

from __future__ import annotations

from math import gcd
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

import merkhet as mk


class Mirror:
    """An element that a value stands for."""

    value: Any

    def _like(self, value: Any) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.value = value
        return made

    def __deepcopy__(self, memo: object) -> Any:
        return self._like(self.value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self.value == other.value)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.value)


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


class _Ages(Mirror):
    """Bounds on the ages of blocks."""

    what = ""

    def __init__(self, blocks: int, ways: int, sets: int = 1, empty: int = 0) -> None:
        self.ways, self.sets = ways, sets
        self.value = (ways if self.what == "must" or empty else 0,) * blocks

    def _used(self, block: int) -> Tuple[int, ...]:
        if block < 0:
            raise IndexError(block)
        used = self.value[block]

        def ages(at: int, age: int) -> int:
            if at % self.sets != block % self.sets:
                return age
            older = age < used if self.what == "must" else age <= used
            return min(self.ways, age + 1) if older else age

        return tuple(0 if at == block else ages(at, age) for at, age in enumerate(self.value))

    def _all(self, age: int) -> Tuple[int, ...]:
        return (age,) * len(self.value)

    def _better(self, other: Any) -> Tuple[int, ...]:
        choose = max if self.what == "must" else min
        return tuple(map(choose, self.value, other.value))

    def __repr__(self) -> str:
        lines = [[str(block) for block, age in enumerate(self.value) if age == line] for line in range(self.ways)]
        return f"{self.what} " + "".join(f"[{' '.join(line)}]" for line in lines)


class MustCache(_Ages):
    what = "must"

    @mk.monotone
    def access(self, block: int) -> None:
        self.value = self._used(block)

    @mk.monotone
    def clear(self) -> None:
        self.value = self._all(self.ways)

    @mk.monotone
    def unknown(self) -> None:
        self.value = self._all(self.ways)

    @mk.falls
    def mustHit(self, block: int) -> bool:
        return bool(self.value[block] < self.ways)

    @mk.falls
    def ishit(self, block: int) -> bool:
        return self.mustHit(block)

    @mk.rises
    def mayMiss(self, block: int) -> bool:
        return not self.mustHit(block)

    @mk.rises
    def oldest(self, block: int) -> int:
        return int(self.value[block])

    def join(self, other: MustCache) -> Any:
        return self._like(self._better(other))

    def covers(self, other: MustCache) -> bool:
        return all(map(lambda a, b: a >= b, self.value, other.value))


class MayCache(_Ages):
    what = "may"

    @mk.monotone
    def access(self, block: int) -> None:
        self.value = self._used(block)

    @mk.monotone
    def clear(self) -> None:
        self.value = self._all(self.ways)

    @mk.monotone
    def unknown(self) -> None:
        self.value = self._all(0)

    @mk.rises
    def mayHit(self, block: int) -> bool:
        return bool(self.value[block] < self.ways)

    @mk.falls
    def mustMiss(self, block: int) -> bool:
        return not self.mayHit(block)

    @mk.falls
    def youngest(self, block: int) -> int:
        return int(self.value[block])

    def join(self, other: MayCache) -> Any:
        return self._like(self._better(other))

    def covers(self, other: MayCache) -> bool:
        return all(map(lambda a, b: a <= b, self.value, other.value))


class Cache(Mirror):
    """Both."""

    value: Tuple[MustCache, MayCache]

    def __init__(self, blocks: int, ways: int, sets: int = 1, empty: int = 0) -> None:
        self.value = (MustCache(blocks, ways, sets, empty), MayCache(blocks, ways, sets, empty))

    def _both(self, method: str, *given: int) -> None:
        made = tuple(part._like(part.value) for part in self.value)
        for part in made:
            getattr(part, method)(*given)
        self.value = made

    @mk.monotone
    def access(self, block: int) -> None:
        self._both("access", block)

    @mk.monotone
    def clear(self) -> None:
        self._both("clear")

    @mk.monotone
    def unknown(self) -> None:
        self._both("unknown")

    @mk.falls
    def mustHit(self, block: int) -> bool:
        return self.value[0].mustHit(block)

    @mk.rises
    def mayMiss(self, block: int) -> bool:
        return self.value[0].mayMiss(block)

    @mk.rises
    def mayHit(self, block: int) -> bool:
        return self.value[1].mayHit(block)

    @mk.falls
    def mustMiss(self, block: int) -> bool:
        return self.value[1].mustMiss(block)

    @mk.rises
    def oldest(self, block: int) -> int:
        return self.value[0].oldest(block)

    @mk.falls
    def youngest(self, block: int) -> int:
        return self.value[1].youngest(block)

    def join(self, other: Cache) -> Any:
        return self._like((self.value[0].join(other.value[0]), self.value[1].join(other.value[1])))

    def covers(self, other: Cache) -> bool:
        return self.value[0].covers(other.value[0]) and self.value[1].covers(other.value[1])

    def __repr__(self) -> str:
        return f"{self.value[0]}, {self.value[1]}"


class _Ordered(Mirror):
    up = True

    def __init__(self) -> None:
        self.value = 0

    @mk.monotone
    def set(self, n: int) -> None:
        self.value = n

    @mk.monotone
    def __iadd__(self, n: int) -> Any:
        self.value += n
        return self

    @mk.monotone
    def __isub__(self, n: int) -> Any:
        self.value -= n
        return self

    def join(self, other: Any) -> Any:
        return self if self.covers(other) else other

    def covers(self, other: Any) -> bool:
        return bool(self.value >= other.value if self.up else self.value <= other.value)

    def __repr__(self) -> str:
        return str(self.value)


class MaxInteger(_Ordered):
    @mk.rises
    def __int__(self) -> int:
        return int(self.value)


class MinInteger(_Ordered):
    up = False

    @mk.falls
    def __int__(self) -> int:
        return int(self.value)


#: No bound.
INFINITY = float("inf")

#: What methods return instead.
LEAST, GREATEST = -(2**31), 2**31 - 1


class _Number(Mirror):
    """An integer of which something is known."""

    def __init__(self) -> None:
        self.value = self._of(0)

    def _of(self, n: int) -> Any:
        raise NotImplementedError

    def _top(self) -> Any:
        raise NotImplementedError

    def _between(self, low: int, high: int) -> Any:
        raise NotImplementedError

    def _moved(self, n: int) -> Any:
        raise NotImplementedError

    def _bounds(self) -> Tuple[float, float]:
        raise NotImplementedError

    def _has(self, n: int) -> bool:
        raise NotImplementedError

    @mk.monotone
    def set(self, n: int) -> None:
        self.value = self._of(n)

    @mk.monotone
    def __iadd__(self, n: int) -> Any:
        self.value = self._moved(n)
        return self

    @mk.monotone
    def __isub__(self, n: int) -> Any:
        self.value = self._moved(-n)
        return self

    @mk.monotone
    def forget(self) -> None:
        self.value = self._top()

    @mk.monotone
    def between(self, low: int, high: int) -> None:
        self.value = self._of(low) if low == high else self._between(low, high)

    @mk.rises
    def mayBe(self, n: int) -> bool:
        return self._has(n)

    @mk.falls
    def low(self) -> int:
        return int(max(self._bounds()[0], LEAST))

    @mk.rises
    def high(self) -> int:
        return int(min(self._bounds()[1], GREATEST))


class Interval(_Number):
    def __init__(self, *bounds: int) -> None:
        self.least, self.most = bounds if len(bounds) == 2 else (LEAST + 1, GREATEST - 1)
        self.stops: Sequence[int] = ()
        super().__init__()

    def _fit(self, low: float, high: float) -> Tuple[float, float]:
        low = -INFINITY if low < self.least else min(low, self.most)
        return low, INFINITY if high > self.most else max(high, self.least)

    def _of(self, n: int) -> Any:
        return self._fit(n, n)

    def _top(self) -> Any:
        return (-INFINITY, INFINITY)

    def _between(self, low: int, high: int) -> Any:
        return self._fit(low, high)

    def _moved(self, n: int) -> Any:
        return self._fit(self.value[0] + n, self.value[1] + n)

    def _bounds(self) -> Tuple[float, float]:
        low, high = self.value
        return low, high

    def _has(self, n: int) -> bool:
        return bool(self.value[0] <= n <= self.value[1])

    @property
    @mk.falls
    def l(self) -> int:
        return self.low()

    @property
    @mk.rises
    def u(self) -> int:
        return self.high()

    def join(self, other: Any) -> Any:
        return self._like((min(self.value[0], other.value[0]), max(self.value[1], other.value[1])))

    def covers(self, other: Any) -> bool:
        return bool(self.value[0] <= other.value[0] and other.value[1] <= self.value[1])

    def __repr__(self) -> str:
        low, high = self.value
        if low == -INFINITY or high == INFINITY:
            return "any" if low == -high else f"<={high}" if low == -INFINITY else f">={low}"
        return str(low) if low == high else f"[{low}, {high}]"


class WideningInterval(Interval):
    def _stops(self, thresholds: Sequence[int]) -> Sequence[int]:
        return thresholds

    def widen(self, other: WideningInterval, thresholds: Sequence[int]) -> Any:
        joined, stops = self.join(other).value, self._stops(thresholds)
        low, high = self.value
        if joined[0] < low:
            low = max((stop for stop in stops if stop <= joined[0]), default=-INFINITY)
        if joined[1] > high:
            high = min((stop for stop in stops if stop >= joined[1]), default=INFINITY)
        return self._like(self._fit(low, high))


class WideningIntRange(WideningInterval):
    def __init__(self, *stops: int) -> None:
        super().__init__()
        self.own = stops

    def _stops(self, thresholds: Sequence[int]) -> Sequence[int]:
        return self.own or thresholds


class WrappingInterval(Interval):
    def _fit(self, low: float, high: float) -> Tuple[float, float]:
        return (low, high) if LEAST <= low and high <= GREATEST else (LEAST, GREATEST)

    def _top(self) -> Any:
        return (LEAST, GREATEST)


class Constant(_Number):
    """`None`: not known."""

    def _of(self, n: int) -> Any:
        return n if LEAST <= n <= GREATEST else None

    def _top(self) -> Any:
        return None

    def _between(self, low: int, high: int) -> Any:
        return None

    def _moved(self, n: int) -> Any:
        return None if self.value is None else self._of(self.value + n)

    def _bounds(self) -> Tuple[float, float]:
        return (-INFINITY, INFINITY) if self.value is None else (self.value, self.value)

    def _has(self, n: int) -> bool:
        return self.value is None or bool(self.value == n)

    def join(self, other: Constant) -> Any:
        return self if self.value == other.value else self._like(None)

    def covers(self, other: Constant) -> bool:
        return self.value is None or bool(self.value == other.value)

    def __repr__(self) -> str:
        return "any" if self.value is None else str(self.value)


class _Classes(_Number):
    """A set of classes of integers, by the names of the classes."""

    names: Tuple[str, ...] = ()

    def _class(self, n: int) -> str:
        raise NotImplementedError

    def _of(self, n: int) -> Any:
        return frozenset({self._class(n)})

    def _top(self) -> Any:
        return frozenset(self.names)

    def _has(self, n: int) -> bool:
        return self._class(n) in self.value

    def join(self, other: Any) -> Any:
        return self._like(self.value | other.value)

    def covers(self, other: Any) -> bool:
        return bool(self.value >= other.value)

    def __repr__(self) -> str:
        return " or ".join(name for name in self.names if name in self.value)


class Sign(_Classes):
    names = ("negative", "zero", "positive")

    def _class(self, n: int) -> str:
        return self.names[(n > 0) - (n < 0) + 1]

    def _between(self, low: int, high: int) -> Any:
        return frozenset(self.names[self.names.index(self._class(low)) : self.names.index(self._class(high)) + 1])

    def _moved(self, n: int) -> Any:
        added = self._class(n)
        sums = [{added} if old == "zero" else {old} if added in ("zero", old) else set(self.names) for old in self.value]
        return frozenset().union(*sums)

    def _bounds(self) -> Tuple[float, float]:
        bounds: Dict[str, Tuple[float, float]] = {"negative": (-INFINITY, -1), "zero": (0, 0), "positive": (1, INFINITY)}
        each = [bounds[name] for name in self.value]
        return min(low for low, _ in each), max(high for _, high in each)


class Parity(_Classes):
    names = ("even", "odd")

    def _class(self, n: int) -> str:
        return self.names[n % 2]

    def _between(self, low: int, high: int) -> Any:
        return self._top()

    def _moved(self, n: int) -> Any:
        return frozenset(self.names[(self.names.index(old) + n) % 2] for old in self.value)

    def _bounds(self) -> Tuple[float, float]:
        return -INFINITY, INFINITY


class Congruence(_Number):
    """A step and a rest; with the step 0 an integer that is known."""

    def __init__(self, modulus: int = 1_862_340_480) -> None:
        self.modulus = modulus
        super().__init__()

    def _fit(self, step: int, rest: int) -> Tuple[int, int]:
        if step == 0 and LEAST <= rest <= GREATEST:
            return 0, rest
        step = gcd(step, self.modulus)
        return step, rest % step

    def _of(self, n: int) -> Any:
        return self._fit(0, n)

    def _top(self) -> Any:
        return (1, 0)

    def _between(self, low: int, high: int) -> Any:
        return self._top()

    def _moved(self, n: int) -> Any:
        return self._fit(self.value[0], self.value[1] + n)

    def _bounds(self) -> Tuple[float, float]:
        return (self.value[1], self.value[1]) if self.value[0] == 0 else (-INFINITY, INFINITY)

    def _has(self, n: int) -> bool:
        return self.covers(self._like((0, n)))

    def join(self, other: Congruence) -> Any:
        (step, rest), (other_step, other_rest) = self.value, other.value
        return self._like(self._fit(gcd(gcd(step, other_step), rest - other_rest), rest))

    def covers(self, other: Congruence) -> bool:
        (step, rest), (other_step, other_rest) = self.value, other.value
        if step == 0:
            return bool(other_step == 0 and rest == other_rest)
        return bool((rest - other_rest) % step == 0 and other_step % step == 0)

    def __repr__(self) -> str:
        step, rest = self.value
        return str(rest) if step == 0 else "any" if step == 1 else f"{rest} mod {step}"


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


#: All of them, by the names by which models find them.
MIRRORS: Dict[str, Type[Mirror]] = {
    "UnionBitVector": UnionBitVector,
    "IntersectionBitVector": IntersectionBitVector,
    "PowerSet": PowerSet,
    "PresentAbsent": PresentAbsent,
    "Interval": Interval,
    "IntRange": Interval,
    "WideningInterval": WideningInterval,
    "WideningIntRange": WideningIntRange,
    "WrappingInterval": WrappingInterval,
    "Box": Box,
    "Constant": Constant,
    "Sign": Sign,
    "Parity": Parity,
    "Congruence": Congruence,
    "Octagon": Octagon,
    "MaxInteger": MaxInteger,
    "MinInteger": MinInteger,
    "MustCache": MustCache,
    "AbstractCache": MustCache,
    "MayCache": MayCache,
    "Cache": Cache,
    "Zone": Zone,
    "DiscreteClock": DiscreteClock,
}
