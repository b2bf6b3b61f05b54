"""Integers: the greatest, the least, and those of which something is known."""

from __future__ import annotations

from math import gcd
from typing import Any, Dict, Sequence, Tuple

import merkhet as mk

from .base import Mirror


#: No bound.
INFINITY = float("inf")

#: What methods return instead.
LEAST, GREATEST = -(2**31), 2**31 - 1


class _Ordered(Mirror):
    up = True
    top = GREATEST

    def __init__(self) -> None:
        self.value = 0

    @mk.monotone
    def set(self, n: int) -> None:
        self.value = n

    @mk.monotone
    def __iadd__(self, n: int) -> Any:
        self.value += n if self.value != self.top else 0
        return self

    @mk.monotone
    def __isub__(self, n: int) -> Any:
        self.value -= n if self.value != self.top else 0
        return self

    def join(self, other: Any) -> Any:
        return self if self.covers(other) else other

    def widen(self, other: Any, thresholds: Sequence[int]) -> Any:
        if self.covers(other):
            return self
        stops = [stop for stop in thresholds if (stop >= other.value if self.up else stop <= other.value)]
        return self._like((min if self.up else max)(stops, default=self.top))

    def covers(self, other: Any) -> bool:
        return bool(self.value >= other.value if self.up else self.value <= other.value)

    def __repr__(self) -> str:
        return str(self.value) if self.value != self.top else "inf" if self.up else "-inf"


class MaxInteger(_Ordered):
    @mk.rises
    def __int__(self) -> int:
        return int(self.value)


class MinInteger(_Ordered):
    up = False
    top = LEAST

    @mk.falls
    def __int__(self) -> int:
        return int(self.value)


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
