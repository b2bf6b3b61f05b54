"""Random models: Python and the binary agree, and so do functions and classes with what they stand for.

`MERKHET_CASES=2000` draws that many models for each test.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence

import pytest
from mirrors import MIRRORS
from networks import FAMILIES, network

import merkhet as mk

#: What is counted, if there is a search.
COUNTS = ("explored", "generated", "added", "stored", "refinements")


@pytest.fixture
def samples(cases: Callable[[int], int], tmp_path: Path) -> List[Path]:
    """Random models of the oracle, with their queries beside them."""
    program = os.environ.get("MERKHET_SAMPLES")
    if not program:
        pytest.skip("`check` builds the program that writes random models")
    count, seed = cases(60), os.environ.get("MERKHET_SEED", "1")
    subprocess.run([program, str(tmp_path), str(count), seed], check=True)
    models = sorted(path for path in tmp_path.iterdir() if path.suffix != ".q")
    assert len(models) == count
    return models


def test_random_models_have_the_answers_of_the_binary(samples: Sequence[Path]) -> None:
    binary = os.environ.get("MERKHET_BINARY")
    if not binary:
        pytest.skip("`check` builds the binary")
    answers = traces = 0
    for path in samples:
        # Some models have more states than anybody waits for, or infinitely many.
        words = [binary, "verify", str(path), "--trace", "some", "--threads", "1", "--state-limit", "3000"]
        words += ["--format", "json"]
        report = json.loads(subprocess.run(words, capture_output=True, check=False).stdout)
        m = mk.load(path)
        results = m.verify_all(trace="some", threads=1, state_limit=3000)
        assert len(results) == len(report["results"])
        for r, expected in zip(results, report["results"]):
            assert (r.answer, r.reason, r.note) == (expected["answer"], expected["reason"], expected["note"]), path
            answers += r.known
            if r.stats is not None:
                for name in ("explored", "generated", "added", "stored"):
                    assert getattr(r.stats, name) == expected["stats"][name], (path, r.query)
            assert (r.trace is None) == (expected["trace"] is None)
            if r.trace is not None:
                assert json.loads(r.trace.to_json())["traces"][0]["trace"] == expected["trace"], (path, r.query)
                if not r.trace.spurious:
                    traces += m.replay(r.trace).ok
    assert answers > len(samples) and traces > len(samples) // 4


def same(ours: mk.Result, theirs: mk.Result, about: Any) -> None:
    """Two searches have the same answer, counts and trace."""
    assert (ours.answer, ours.reason, ours.note) == (theirs.answer, theirs.reason, theirs.note), about
    assert ours.stats is not None and theirs.stats is not None
    for name in COUNTS:
        assert getattr(ours.stats, name) == getattr(theirs.stats, name), (about, name)
    assert str(ours.trace) == str(theirs.trace), about


def nothing(state: mk.StateView) -> bool:
    """A goal that is never reached, of which no search knows: all states are explored."""
    return False


def same_states(ours: mk.Model, theirs: mk.Model, queries: Sequence[str], options: Any, shows: bool = True) -> None:
    """A lattice of the library and its mirror have the same states and answers.

    With a goal, searches drop states that can't lead there, and know more about lattices of the library: which results
    methods have, which guards can be split, and what entries of vectors become. So without `monotone="assume"` they may
    distinguish more elements of other classes.
    """
    about = (ours.name, options)
    for a, b in zip(ours.verify_all(queries, **options), theirs.verify_all(queries, **options)):
        assert a.answer == b.answer or not (a.known and b.known), (about, a.query)
        if a.trace is not None and not a.trace.spurious:
            assert ours.replay(a.trace).ok, (about, a.query)
    options = {**options, "monotone": "assume"}
    same(ours.verify(mk.never(nothing), **options), theirs.verify(mk.never(nothing), **options), about)
    limit = {**options, "state_limit": 100}
    one, two = ours.state_space(**limit), theirs.state_space(**limit)
    assert one.arcs == two.arcs and len(one) == len(two), about
    for x, y in zip(one, two):
        assert x.state.locations == y.state.locations and x.zone == y.zone and x.joined == y.joined, about
        assert not shows or x.state.elements == y.state.elements, about


class Queue:
    """The oldest state first, as breadth-first search has it."""

    def __init__(self) -> None:
        self.open: List[int] = []

    def push(self, state: mk.StateView, number: int) -> None:
        assert state.locations
        self.open.append(number)

    def pop(self) -> int:
        return self.open.pop(0)


def joinable(stored: mk.StateView, new: mk.StateView) -> bool:
    return bool(stored["n"] + new["n"] < 3)


#: Functions, and options without them that mean the same.
PAIRS: List[Any] = [
    ({"order": Queue}, {"order": "bfs"}),
    ({"order": "greedy", "heuristic": lambda state: 0}, {"order": "greedy", "heuristic": "user(0)"}),
    ({"order": "astar", "heuristic": lambda state: 1}, {"order": "astar", "heuristic": "user(1)"}),
]
#: The same for models with lattices.
JOINS: List[Any] = [
    ({"join": joinable}, {"join": "if(x.n + y.n < 3)"}),
    ({"join": joinable, "no_refine": True}, {"join": "if(x.n + y.n < 3)", "no_refine": True}),
    ({"join": lambda stored, new, joined: joined["n"] != 1}, {"join": "if(z.n != 1)"}),
]


def test_functions_guide_random_searches_like_what_they_stand_for(samples: Sequence[Path]) -> None:
    usual: Dict[str, Any] = {"threads": 1, "state_limit": 1000, "trace": "some"}
    goals = 0
    for number, path in enumerate(samples):
        m = mk.load(path)
        queries = [query for query in m.queries if query.text.startswith("E<> P")]
        pairs = PAIRS + JOINS if "extern" in path.read_text() else PAIRS
        functions, options = pairs[number % len(pairs)]
        for query in queries:
            same(m.verify(query, **usual, **functions), m.verify(query, **usual, **options), (path, query.text, options))
            process, _, location = query.text.removeprefix("E<> ").partition(".")
            if location.isidentifier():
                goals += 1
                found = m.verify(lambda state: state[process] == location, **usual)
                # Searches for a goal that can be read need fewer states.
                expected = m.verify(query, **usual)
                assert found.answer == expected.answer or not (found.known and expected.known), (path, query.text)
    assert goals > len(samples) // 2


#: The order that waits for covering states knows more about lattices of the library.
USUAL: Dict[str, Any] = {"threads": 1, "trace": "some", "order": "bfs", "state_limit": 300}

#: How elements are covered and joined.
UPDATES: List[Dict[str, Any]] = [
    {},
    {"update": "simple"},
    {"update": "join"},
    {"update": "join", "no_refine": True},
    {"update": "join", "widen": 2},
]


def test_classes_mirror_lattices_in_random_models_of_the_oracle(samples: Sequence[Path]) -> None:
    for number, path in enumerate(samples):
        text = path.read_text()
        if "extern" in text:
            theirs, ours = mk.loads(text, "xta", name=str(path)), mk.loads(text, "xta", name=str(path), lattices=MIRRORS)
            same_states(ours, theirs, [query.text for query in mk.load(path).queries], {**USUAL, **UPDATES[number % len(UPDATES)]})


def test_a_class_that_mirrors_a_lattice_has_the_same_states(cases: Callable[[int], int]) -> None:
    """Each lattice of the library, by the methods of its mirror."""
    first = 1000 * int(os.environ.get("MERKHET_SEED", "1"))
    for seed in range(first, first + cases(2 * len(FAMILIES))):
        net = network(seed)
        theirs = mk.loads(net.library, "xta")
        ours = mk.loads(net.mirrored, "xta", name=f"network {seed}", lattices={net.name: MIRRORS[net.name]})
        # These two have a simpler text, and no widening.
        plain = net.name in ("Zone", "Octagon")
        updates = UPDATES[:-1] if plain else UPDATES
        options = {**USUAL, **updates[seed // len(FAMILIES) % len(updates)]}
        same_states(ours, theirs, net.queries, options, shows=not plain)
