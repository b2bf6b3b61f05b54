"""The figures of opaal's paper, with lattices and strategies in Python.

`python opaal.py` prints a table of them; the tests run the short rows.

A. E. Dalsgaard, R. R. Hansen, K. Y. Joergensen, K. G. Larsen, M. C. Olesen, P. Olsen, J. Srba: opaal: a lattice model
checker, NFM 2011, Figures 5 and 6.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, List, NamedTuple, Optional, Tuple

import merkhet as mk

MODELS = Path(__file__).parents[2] / "models" / "lattice"


class UnionBitVector:
    """A set that only grows, as opaal has it."""

    def __init__(self, dimensions: Optional[List[int]] = None) -> None:
        self.dimensions = dimensions or [1]
        self.bits = 0

    def _bit(self, at: Any) -> int:
        place = 0
        for index, size in zip(at if isinstance(at, tuple) else (at,), self.dimensions):
            place = place * size + index
        return 1 << place

    def _size(self) -> int:
        size = 1
        for dimension in self.dimensions:
            size *= dimension
        return size

    def _with(self, bits: int) -> UnionBitVector:
        made = type(self)(self.dimensions)
        made.bits = bits
        return made

    def __getitem__(self, at: Any) -> bool:
        return bool(self.bits & self._bit(at))

    def __setitem__(self, at: Any, value: int) -> None:
        self.bits = self.bits | self._bit(at) if value else self.bits & ~self._bit(at)

    def num1s(self) -> int:
        return bin(self.bits).count("1")

    def num0s(self) -> int:
        return self._size() - self.num1s()

    def setall(self) -> None:
        self.bits = (1 << self._size()) - 1

    def clearall(self) -> None:
        self.bits = 0

    def join(self, other: UnionBitVector) -> UnionBitVector:
        return self._with(self.bits | other.bits)

    def covers(self, other: UnionBitVector) -> bool:
        return self.bits & other.bits == other.bits

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnionBitVector) and self.bits == other.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __deepcopy__(self, memo: object) -> UnionBitVector:
        return self._with(self.bits)


class IntersectionBitVector(UnionBitVector):
    """A set that only shrinks, as opaal has it."""

    def join(self, other: UnionBitVector) -> UnionBitVector:
        return self._with(self.bits & other.bits)

    def covers(self, other: UnionBitVector) -> bool:
        return self.bits & other.bits == self.bits


class Row(NamedTuple):
    """A row of the paper."""

    figure: int
    size: int
    search: str
    #: The states of the paper.
    states: int
    #: Its seconds; None: less than one.
    seconds: Optional[int]


#: The rows with lattices or strategies. In rows 8, 10 and 16 of Figure 5 the paper counts other states, see
#: `merkhet bench lattice --figure 5`.
ROWS: Tuple[Row, ...] = (
    Row(6, 5, "cover", 37, None),
    Row(6, 6, "cover", 58, None),
    Row(6, 7, "cover", 86, 1),
    Row(6, 5, "join", 17, None),
    Row(6, 6, "join", 23, None),
    Row(6, 7, "join", 30, None),
    Row(6, 15, "join", 122, 2),
    Row(5, 9, "refined", 1238, 2),
    Row(5, 11, "refined", 1036, 2),
    Row(5, 12, "refined", 1707, 3),
    Row(6, 25, "join", 327, 12),
    Row(6, 15, "cover", 682, 261),
    Row(6, 50, "join", 1277, 259),
    Row(5, 17, "refined", 66490, 1501),
    Row(6, 25, "cover", 2927, 16996),
    Row(6, 100, "join", 5052, 5925),
)

#: The rows that take less than about a second.
SHORT = ROWS[:10]


def refined(size: int) -> Any:
    """The strategy of the paper, written by hand."""

    def join(stored: mk.StateView, new: mk.StateView) -> bool:
        return bool(stored["absent"].num0s() + new["absent"].num0s() < size)

    return join


def answer(row: Row) -> Tuple[int, float, mk.Result]:
    """Answers the query of a row. Returns the number of states as the paper counts them, and the CPU time."""
    path, query = ("leader.xta", 0) if row.figure == 6 else ("full.xml", 0)
    m = mk.load(MODELS / path, constants={"N": row.size}, lattices=[UnionBitVector, IntersectionBitVector])
    options: Any = {"monotone": "assume", "order": "bfs", "threads": 1, "no_refine": True}
    options["update"] = "cover" if row.search == "cover" else "join"
    if row.search == "refined":
        options["join"] = refined(row.size)
    start = time.process_time()
    result = m.verify(m.queries[query], **options)
    seconds = time.process_time() - start
    assert result.stats is not None
    return result.stats.stored if row.search == "refined" else result.stats.added, seconds, result


def main() -> None:
    """Prints the table."""
    print("| figure | size | search | states | the paper's seconds | seconds | factor |")
    print("|---|---|---|---|---|---|---|")
    for row in ROWS:
        states, seconds, result = answer(row)
        assert result.holds and states == row.states, (row, states, result)
        factor = "" if row.seconds is None else f"{row.seconds / seconds:.0f}"
        paper = "< 1" if row.seconds is None else str(row.seconds)
        print(f"| {row.figure} | {row.size} | {row.search} | {states} | {paper} | {seconds:.3f} | {factor} |", flush=True)


if __name__ == "__main__":
    main()
