"""Simulations: moves, delays, states, and going back."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import merkhet as mk


def test_moves_are_taken_after_exact_delays() -> None:
    s = mk.load("models/fischer.xta", constants={"N": 2}).simulate(seed=1)
    assert [move.edges[0].process for move in s.moves] == ["P(1)", "P(2)"]
    s.take(0, delay=Fraction(7, 2))
    assert s.state["P(2).x"] == Fraction(7, 2) and s.state["P(1).x"] == 0 and s.time == Fraction(7, 2)
    assert s.state["P(1)"] == "request" and len(s) == 1
    assert "invariant" in (s.limit or "") and s.delays.greatest == 2
    s.wait(2)
    assert s.state["P(1).x"] == 2 and s.delays.greatest == 0
    s.back()
    assert s.time == Fraction(7, 2)
    s.forward()
    assert s.time == Fraction(11, 2)
    s.go(0)
    assert s.time == 0 and s.state["P(1)"] == "idle"
    move = s.moves[1]
    s.take(move)
    assert s.history[0].edges == move.edges


def test_what_is_not_possible_is_an_error() -> None:
    s = mk.load("models/fischer.xta", constants={"N": 2}).simulate()
    with pytest.raises(IndexError, match="no transition"):
        s.take(7)
    with pytest.raises(IndexError):
        s.take(-3)
    s.take(-1)
    with pytest.raises(ValueError, match="it is possible"):
        s.take(1, delay=3)
    with pytest.raises(ValueError, match="time can't pass"):
        s.wait(3)
    with pytest.raises(TypeError, match="times are exact"):
        s.wait(0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        s.wait(-1)
    with pytest.raises(IndexError):
        s.back(2)
    with pytest.raises(IndexError):
        s.forward()
    assert len(s) == 1


def test_random_runs_are_runs() -> None:
    m = mk.load("models/train_gate.xta")
    for seed in range(5):
        s = m.simulate(seed)
        assert s.random(20) == 20
        trace = s.trace
        assert m.replay(trace).ok and len(trace) == 20
        assert trace.end.locations == s.state.locations and trace.duration == s.time
        again = m.simulate(seed)
        again.random(20)
        assert again.trace == trace
        other = m.simulate()
        other.load(trace).forward(20)
        assert other.state == s.state


def test_chosen_moves_agree_with_their_delays() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 3})
    rng = random.Random(7)
    s = m.simulate()
    for _ in range(30):
        number = rng.randrange(len(s.moves))
        move = s.moves[number]
        least = move.delays[0]
        delay = least.least if least.least_included else least.least + Fraction(1, 3)
        assert delay in least
        before = s.time
        s.take(number, delay)
        assert s.time == before + delay
        for edge in move.edges:
            assert s.state[edge.process] == edge.target


def test_deadlocks_and_errors_are_known() -> None:
    stuck = mk.loads("process P() { state a, b; init a; trans a -> b { }; } system P;").simulate()
    assert not stuck.deadlock
    assert stuck.take(0).deadlock and stuck.random(3) == 0
    text = "int[0,1] n = 1; process P() { state a; init a; trans a -> a { assign n = n + 1; }; } system P;"
    failing = mk.loads(text).simulate()
    assert failing.errors and failing.errors[0].place == "<string>:1:70" and not failing.moves


def test_states_are_drawn() -> None:
    for path in ("models/fischer.xta", "models/nets/crossing.net"):
        s = mk.load(path).simulate()
        assert s.graph().startswith("<svg") and "<table" in s._repr_html_()


def test_states_are_mappings() -> None:
    state = mk.load("models/fischer.xta", constants={"N": 2}).simulate().state
    assert dict(state) == {"P(1)": "idle", "P(2)": "idle", "id": 0, "P(1).x": 0, "P(2).x": 0}
    assert len(state) == 5 and "id" in state and state == state and hash(state) == hash(state)
    with pytest.raises(KeyError):
        state["none"]
