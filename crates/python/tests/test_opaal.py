"""The figures of opaal's paper, with lattices and strategies in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import opaal
import pytest

import merkhet as mk


@pytest.mark.parametrize("row", opaal.SHORT, ids=str)
def test_rows_have_the_states_of_the_paper(row: opaal.Row) -> None:
    states, _, result = opaal.answer(row)
    assert result.holds and states == row.states


@pytest.mark.parametrize("search", ["simple", "cover", "join"])
def test_classes_that_mirror_built_in_ones_give_equal_searches(search: Any) -> None:
    for name in ("leader.xta", "database.xta"):
        path = Path("models/lattice") / name
        size = {"leader.xta": 4, "database.xta": 2}[name]
        ours = mk.load(path, constants={"N": size}, lattices=[opaal.UnionBitVector, opaal.IntersectionBitVector])
        theirs = mk.load(path, constants={"N": size})
        for query in ours.queries:
            results = [m.verify(query, update=search, monotone="assume", threads=1) for m in (ours, theirs)]
            stats = [(r.answer, r.stats.explored, r.stats.added, r.stats.stored) for r in results if r.stats]
            assert stats[0] == stats[1] and len(stats) == 2, (name, query)
