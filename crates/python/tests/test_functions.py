"""Strategies, heuristics, orders and goals that are functions."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import pytest

import merkhet as mk

POOL = """
extern Pool = PowerSet(2);
Pool pool;
clock x;
int[0,5] n;
process P() {
    state start, sent, both;
    init start;
    trans start -> sent { select i : int[0,1]; assign pool.add(i), n = 3; },
          sent -> both { guard pool.contains(0) && pool.contains(1) && x > 2; };
}
system P;
"""


def fischer(n: int = 3) -> mk.Model:
    return mk.load("models/fischer.xta", constants={"N": n})


def test_a_strategy_of_two_states_decides_joins() -> None:
    m = mk.loads(POOL)
    seen: List[Tuple[str, int]] = []

    def same(stored: mk.StateView, new: mk.StateView) -> bool:
        seen.append((stored["P"], stored["n"]))
        assert stored.locations == new.locations and stored.variables == ["pool", "n"]
        assert stored.zone is not None
        return True

    joined = m.verify("E<> P.both", join=same, no_refine=True)
    assert joined.answer == "unknown" and joined.trace is not None and joined.trace.spurious
    assert joined.blame is not None and joined.blame.stored["P"] == "sent" and ("sent", 3) in seen
    assert m.verify("E<> P.both", join=same).answer == "not satisfied"
    apart = m.verify("E<> P.both", join=lambda x, y, z: False, no_refine=True)
    assert apart.answer == "not satisfied"
    # The same as words.
    words = m.verify("E<> P.both", join="always", no_refine=True)
    assert words.stats is not None and joined.stats is not None
    assert words.stats.stored == joined.stats.stored


def test_a_heuristic_guides_the_search() -> None:
    m = fischer(4)
    asked = 0

    def estimate(state: mk.StateView) -> int:
        nonlocal asked
        asked += 1
        return sum(location != "critical" for location in state.locations.values())

    r = m.verify("E<> P(3).critical", heuristic=estimate, order="greedy", trace="some")
    assert r.holds and asked > 3 and m.replay(r.trace).ok if r.trace else False
    safe = m.verify("E<> P(3).critical", heuristic=lambda state: None, order="greedy")
    assert safe.answer in ("satisfied", "unknown")
    both = m.verify("E<> P(3).critical", heuristic=lambda state: 0, order="astar", safe=True, admissible=True, trace="some")
    assert both.trace is not None and len(both.trace) == 3


class Stack:
    """The youngest state first."""

    def __init__(self) -> None:
        self.open: List[int] = []

    def push(self, state: mk.StateView, number: int) -> None:
        assert "P(1)" in state.locations
        self.open.append(number)

    def pop(self) -> Optional[int]:
        return self.open.pop() if self.open else None


class Queue(Stack):
    """The oldest state first."""

    def pop(self) -> Optional[int]:
        return self.open.pop(0) if self.open else None


def test_an_order_is_a_class() -> None:
    m = fischer()
    query = "A[] not (P(1).critical && P(2).critical)"
    for order in (Stack, Queue):
        assert m.verify(query, order=order).holds
    queue, bfs = m.verify(query, order=Queue, threads=1), m.verify(query, order="bfs", threads=1)
    assert queue.stats is not None and bfs.stats is not None and queue.stats.stored == bfs.stats.stored
    with pytest.raises(ValueError):
        m.verify(query, order=Queue, heuristic="hu")


def test_goals_are_predicates() -> None:
    m = fischer()

    def critical(state: mk.StateView) -> bool:
        return bool(state["P(1)"] == "critical" and state["id"] == 1)

    r = m.verify(critical, trace="some")
    assert r.holds and r.trace is not None and r.trace.end["P(1)"] == "critical"
    assert not m.verify(mk.never(critical)).holds

    def two(state: mk.StateView) -> bool:
        return sum(location == "critical" for location in state.locations.values()) > 1

    assert m.verify(mk.never(two)).holds and not m.verify(mk.possibly(two)).holds
    answers = m.verify_all([critical, "E<> P(2).critical", mk.never(two)])
    assert [r.answer for r in answers] == ["satisfied"] * 3


def test_the_user_drives_refinement() -> None:
    m = mk.loads(POOL)
    paths: List[int] = []

    def infeasible(path: List[mk.PathState]) -> bool:
        paths.append(len(path))
        assert path[0].reached["P"] == "start" and path[-1].stored["P"] == "both"
        return False

    def first(path: List[mk.PathState]) -> Optional[int]:
        return next((number for number, state in enumerate(path) if state.joined), None)

    r = m.verify("E<> P.both", update="join", feasible=infeasible, split=first)
    assert r.answer == "not satisfied" and r.stats is not None and r.stats.refinements == len(paths) == 1


def test_joins_are_taken_back_one_by_one() -> None:
    m = mk.loads(POOL)
    r = m.verify("E<> P.both", update="join", no_refine=True, threads=1)
    assert r.answer == "unknown" and r.spurious is not None and r.spurious.joins == (1,)
    decided = m.refine(r, at=r.spurious.joins[0])
    assert decided.answer == "not satisfied" and decided.spurious is None
    with pytest.raises(ValueError, match="no spurious trace"):
        m.refine(decided)
    full = mk.load("models/lattice/full.xml")
    r = full.verify(full.queries[0], update="join", no_refine=True, threads=1)
    rounds = 0
    while r.spurious is not None and rounds < 100:
        assert r.answer == "unknown" and not r.known
        r, rounds = full.refine(r), rounds + 1
    assert r.holds and 1 < rounds < 100


def wrong(*_: Any) -> Any:
    raise LookupError("on purpose")


def nonsense(*_: Any) -> Any:
    return "nonsense"


class WrongOrder(Stack):
    def push(self, state: mk.StateView, number: int) -> None:
        raise LookupError("on purpose")


class NonsenseOrder(Stack):
    def pop(self) -> Optional[int]:
        return 1_000_000


@pytest.mark.parametrize("function", [wrong, nonsense])
@pytest.mark.parametrize("option", ["join", "heuristic", "order", "feasible", "split", "goal"])
def test_functions_that_fail_are_named_and_the_interpreter_goes_on(option: str, function: Any) -> None:
    m = mk.loads(POOL)
    options = {"update": "join"} if option in ("feasible", "split") else {}
    if option == "split":
        options["feasible"] = lambda path: False  # type: ignore[assignment]
    if option == "order":
        function = WrongOrder if function is wrong else NonsenseOrder
    with pytest.raises(mk.FunctionError) as caught:
        if option == "goal":
            m.verify(function)
        else:
            m.verify("E<> P.both", **{**options, option: function})
    if function in (wrong, WrongOrder):
        assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.partial.answer == "unknown" and caught.value.function in str(caught.value)
    assert m.verify("E<> P.sent").holds


def test_results_of_strategies_are_kept_by_what_they_read() -> None:
    m = mk.load("models/lattice/full.xml", constants={"N": 8})
    asked = 0

    def few(stored: mk.StateView, new: mk.StateView) -> bool:
        nonlocal asked
        asked += 1
        return bool(stored["absent"].count("0") + new["absent"].count("0") < 8)

    options: Any = {"monotone": "assume", "order": "bfs", "threads": 1, "no_refine": True}
    ours = m.verify(m.queries[0], join=few, **options)
    theirs = m.verify(m.queries[0], join="if(x.absent.num0s() + y.absent.num0s() < 8)", **options)
    assert ours.stats is not None and theirs.stats is not None
    assert (ours.stats.stored, ours.stats.added) == (theirs.stats.stored, theirs.stats.added)
    assert 0 < asked < 5 * ours.stats.stored
    # Whoever looks at zones is asked each time, and so is a function that fails.
    assert m.verify(m.queries[0], join=lambda x, y: x.zone == y.zone, **options).answer == "unknown"


@pytest.mark.parametrize("count", [1, 4])
def test_strategies_take_two_or_three_states(count: int) -> None:
    strategy: Any = [None, lambda x: True, None, None, lambda x, y, z, w: True][count]
    with pytest.raises(TypeError, match="two states, or these and their join"):
        mk.loads(POOL).verify("E<> P.both", join=strategy)


def test_views_may_be_kept() -> None:
    m = fischer()
    kept: List[mk.StateView] = []

    def keep(state: mk.StateView) -> int:
        kept.append(state)
        return 0

    m.verify("E<> P(1).critical", heuristic=keep, order="greedy")
    assert kept[0]["id"] == 0 and kept[0]["P(1)"] == "idle" and kept[0].locations["P(2)"] == "idle"
    assert len(set(kept)) > 1 and "P(1).idle" in repr(kept[0])
    with pytest.raises(KeyError, match="did you mean `P\\(1\\)`"):
        kept[0]["P(11)"]
