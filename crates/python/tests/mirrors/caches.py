"""Bounds on the ages of blocks."""

from __future__ import annotations

from typing import Any, Tuple

import merkhet as mk

from .base import Mirror

Ages = Tuple[int, ...]


class _Ages(Mirror):
    """Bounds on the ages of blocks: upper ones if `greatest`, and lower ones otherwise."""

    value: Ages
    greatest = True

    def __init__(self, blocks: int, ways: int, sets: int = 1, empty: int = 0) -> None:
        self.ways, self.sets = ways, sets
        self.value = (ways if self.greatest or empty else 0,) * blocks

    @mk.monotone
    def access(self, block: int) -> None:
        if block < 0:
            raise IndexError(block)
        used = self.value[block]

        def age(at: int, before: int) -> int:
            # In its set, what was younger than the block grows older; of lower bounds equal ones, too.
            grows = at % self.sets == block % self.sets and before < used + (not self.greatest)
            return 0 if at == block else min(self.ways, before + grows)

        self.value = tuple(age(at, before) for at, before in enumerate(self.value))

    @mk.monotone
    def clear(self) -> None:
        self.value = (self.ways,) * len(self.value)

    @mk.monotone
    def unknown(self) -> None:
        self.value = (self.ways if self.greatest else 0,) * len(self.value)

    def _hits(self, block: int) -> bool:
        return self.value[block] < self.ways

    def join(self, other: Any) -> Any:
        return self._like(tuple(map(max if self.greatest else min, self.value, other.value)))

    def covers(self, other: Any) -> bool:
        return bool(self.join(other) == self)

    def __repr__(self) -> str:
        lines = [[str(block) for block, age in enumerate(self.value) if age == line] for line in range(self.ways)]
        return ("must " if self.greatest else "may ") + "".join(f"[{' '.join(line)}]" for line in lines)


class MustCache(_Ages):
    @mk.falls
    def mustHit(self, block: int) -> bool:
        return self._hits(block)

    @mk.falls
    def ishit(self, block: int) -> bool:
        return self._hits(block)

    @mk.rises
    def mayMiss(self, block: int) -> bool:
        return not self._hits(block)

    @mk.rises
    def oldest(self, block: int) -> int:
        return self.value[block]


class MayCache(_Ages):
    greatest = False

    @mk.rises
    def mayHit(self, block: int) -> bool:
        return self._hits(block)

    @mk.falls
    def mustMiss(self, block: int) -> bool:
        return not self._hits(block)

    @mk.falls
    def youngest(self, block: int) -> int:
        return self.value[block]


class Cache(Mirror):
    """Both."""

    value: Tuple[MustCache, MayCache]

    def __init__(self, blocks: int, ways: int, sets: int = 1, empty: int = 0) -> None:
        self.value = (MustCache(blocks, ways, sets, empty), MayCache(blocks, ways, sets, empty))

    def _both(self, name: str, *given: int) -> None:
        must, may = self.value
        self.value = (must._like(must.value), may._like(may.value))
        for part in self.value:
            getattr(part, name)(*given)

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
