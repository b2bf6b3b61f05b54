"""Bounds on the ages of blocks."""

from __future__ import annotations

from typing import Any, Tuple

import merkhet as mk

from .base import Mirror


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
