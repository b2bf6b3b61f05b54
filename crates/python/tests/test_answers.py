"""Answers, their evidence, and options."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, List

import pytest
from support import Run

import merkhet as mk

#: The models of README and manual that have queries of their own.
EXAMPLES = sorted(
    path for path in Path(__file__).parents[3].joinpath("models").iterdir() if path.with_suffix(".q").exists()
)

HASTY = (Path(__file__).parents[3] / "models/fischer.xta").read_text().replace("x > K", "x >= K")
MUTEX = "A[] not (P(1).critical && P(2).critical)"


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.suffix != ".q"], ids=lambda path: path.name)
def test_examples_have_the_answers_and_counts_of_the_command_line(path: Path, command_line: Run) -> None:
    words = ["verify", str(path), "--trace", "some", "--threads", "1", "--format", "json"]
    report = json.loads(command_line(*words).stdout)
    results = mk.load(path).verify_all(trace="some", threads=1)
    assert len(results) == len(report["results"]) > 0
    for r, expected in zip(results, report["results"]):
        assert (r.query, r.name, r.answer) == (expected["query"], expected["name"], expected["answer"])
        assert (r.reason, r.note) == (expected["reason"], expected["note"])
        assert (r.stats is None) == (expected["stats"] is None)
        if r.stats is not None:
            for name in ("explored", "generated", "added", "stored", "queries", "refinements"):
                assert getattr(r.stats, name) == expected["stats"][name], (r.query, name)
        assert (r.trace is None) == (expected["trace"] is None)
        if r.trace is not None:
            written = json.loads(r.trace.to_json(str(path)))["traces"][0]
            assert written["trace"] == expected["trace"]


def test_a_trace_is_a_run_with_exact_times(tmp_path: Path, command_line: Run) -> None:
    m = mk.loads(HASTY, "xta", constants={"N": 2})
    r = m.verify(MUTEX, trace="shortest")
    assert not r.holds and r.trace is not None
    trace = r.trace
    assert len(trace) == 6 and not trace.spurious
    assert trace.start["P(1)"] == "idle" and trace.end.locations == {"P(1)": "critical", "P(2)": "critical"}
    assert trace.states[-1].locations == trace.end.locations and trace.states[-1].variables == trace.end.variables
    assert trace.duration == sum(step.delay or 0 for step in trace) == 4
    assert trace.states[-1].clocks == trace.end.clocks == {"P(1).x": 4, "P(2).x": 2}
    assert m.replay(trace).ok and bool(m.replay(trace))
    path = tmp_path / "t.json"
    trace.save(path)
    assert mk.read_traces(path) == [trace]
    again = pickle.loads(pickle.dumps(trace))
    assert again == trace and again.chart() == trace.chart() and m.replay(again).ok
    # Another model refuses it.
    assert mk.loads(HASTY.replace("x >= K", "x > K"), "xta", constants={"N": 2}).replay(trace).outcome == "wrong"
    rational = mk.loads("clock x; process P() { state a, b; init a; trans a -> b { guard x > 2; }; } system P;")
    end = rational.verify("E<> P.b and x < 3", trace="some").trace
    assert end is not None and isinstance(end.end["x"], Fraction) and 2 < end.end["x"] < 3


def test_results_are_pictures_and_tables() -> None:
    m = mk.loads(HASTY, "xta", constants={"N": 2})
    r = m.verify(MUTEX, trace="some")
    assert r.trace is not None
    assert r.trace.chart().startswith("<svg") and r.trace.timeline().startswith("<svg")
    html = r._repr_html_()
    assert MUTEX.replace("&", "&amp;") in html and html.count("<svg") == 2
    pandas = pytest.importorskip("pandas")
    frame = r.trace.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(r.trace) + 1
    assert list(frame["P(1)"])[-1] == "critical" and frame["time"].iloc[-1] == r.trace.duration


def test_answers_are_a_table() -> None:
    results = mk.load("models/fischer.xta", constants={"N": 2}).verify_all()
    assert results._repr_html_().count("satisfied") == len(results) == 3
    assert [row["answer"] for row in results.rows()] == ["satisfied"] * 3
    assert pickle.loads(pickle.dumps(results)) == results
    pandas = pytest.importorskip("pandas")
    assert isinstance(results.to_frame(), pandas.DataFrame)


def test_certificates_are_checked() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 3})
    r = m.verify(MUTEX, certificate=True)
    assert r.certificate is not None and r.unproved is None
    claims = m.certify(r.certificate)
    assert [claim.proved for claim in claims] == [True] and claims[0].states == r.certificate.states
    hasty = mk.loads(HASTY, "xta", constants={"N": 3})
    refused = hasty.certify(r.certificate.text)
    assert not refused[0] and refused[0].reason
    with pytest.raises(ValueError, match="certificate|line|merkhet"):
        m.certify("nonsense")
    reached = m.verify("E<> P(1).critical", certificate=True)
    assert reached.certificate is None and reached.unproved


def test_bounds_are_numbers() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 2})
    r = m.verify("bounds: id, P(1).x")
    assert r.values is not None
    assert r.values[0] == mk.Bounds("id", mk.Limit(0, False), mk.Limit(2, False))


def test_estimates_have_intervals_and_trajectories() -> None:
    m = mk.load("models/queue.xta")
    r = m.verify("Pr[<=60](<> lost > 0)", seed=1)
    assert isinstance(r.value, mk.Estimate) and r.value is r.estimate
    low, high = r.value.interval or (1.0, 0.0)
    assert 0.7 < low < float(r.value) < high < 0.9 and r.value.level == 0.95
    assert r.value.successes is not None and 0 < r.value.successes < r.value.runs
    assert "CI" in str(r.value) and "estimate" in r._repr_html_() and pickle.loads(pickle.dumps(r)) == r
    assert m.verify("Pr[<=60](<> lost > 0)", seed=1).value == r.value
    against = m.verify("Pr[<=60](<> lost > 0) >= Pr[<=10](<> lost > 0)").estimate
    assert against is not None and against.against is not None and float(against.against) < float(against)
    mean = m.verify("E[<=60; 100](max: waiting)").value
    assert isinstance(mean, mk.Estimate) and mean.successes is None and 3 < float(mean) <= 5
    runs = m.verify("simulate[<=60; 3]{waiting, busy}").value
    assert isinstance(runs, mk.Estimate) and runs.trajectories is not None and len(runs.trajectories) == 3
    first = runs.trajectories[0]
    assert first.expressions == ("waiting", "busy") and first.rows()[0] == {"time": 0, "waiting": 0, "busy": 0}
    with pytest.raises(ValueError, match="nothing was estimated"):
        float(runs)
    pytest.importorskip("pandas")
    frame = runs.to_frame()
    assert list(frame.columns) == ["run", "time", "waiting", "busy"] and sorted(set(frame["run"])) == [0, 1, 2]
    assert list(first.to_frame()["time"]) == list(first.times) and first.times[-1] == 60
    # Other queries with one number have it, too.
    bounded = mk.load("models/fischer.xta", constants={"N": 2})
    assert [bounded.verify(f"{what}: id").value for what in ("sup", "inf", "bounds")] == [2, 0, None]
    assert bounded.verify("E<> P(1).critical").value is None


def test_unknown_answers_say_why() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 9})
    r = m.verify(MUTEX, state_limit=100)
    assert r.answer == "unknown" and not r.known
    with pytest.raises(mk.Undecided) as caught:
        r.holds
    assert caught.value.reason == r.reason and str(r.reason) in str(caught.value)
    again = pickle.loads(pickle.dumps(r))
    assert again == r


WRONG: List[Dict[str, Any]] = [
    {"ordr": "bfs"},
    {"order": "bfss"},
    {"heuristic_tabel": 3},
    {"weight": 0},
    {"weight": 2.5},
    {"time_limit": -1},
    {"time_limit": "10d"},
    {"no_refine": 1},
    {"threads": -1},
    {"join": 3},
    {"heuristic": "hx", "order": "greedy"},
    {"bound": 3, "engine": "zones"},
    {"encoding": "event", "engine": "smt"},
]


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_wrong_options_are_errors(options: Dict[str, Any]) -> None:
    m = mk.load("models/fischer.xta", constants={"N": 2})
    with pytest.raises((ValueError, TypeError)) as caught:
        m.verify(MUTEX, **options)
    assert next(iter(options)).replace("_", "-").split("-")[0] in str(caught.value).replace("_", "-")


def test_wrong_options_have_suggestions() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 2})
    with pytest.raises(ValueError, match="there is no option `heuristic_tabel`; did you mean `heuristic_table`"):
        m.verify(MUTEX, heuristic_tabel=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="`trace` has no value `shortst`; did you mean `shortest`"):
        m.verify(MUTEX, trace="shortst")  # type: ignore[arg-type]


#: Pairs of options, with the values of the second: answers do not depend on them.
PAIRS: List[Dict[str, Any]] = [
    {"order": "dfs", "trace": "some"},
    {"order": "greedy", "heuristic": "hu,hl"},
    {"order": "astar", "weight": 3},
    {"abstraction": "extra-m", "update": "simple"},
    {"certificate": True, "trace": "short"},
    {"engine": "smt", "bound": 8},
    {"threads": 2, "order": "waiting"},
    {"time_limit": "10m", "memory_limit": "1G"},
    {"no_refine": True, "join": "always"},
    {"order": None, "seed": 3},
]


@pytest.mark.parametrize("options", PAIRS, ids=str)
def test_options_go_together(options: Dict[str, Any]) -> None:
    r = mk.loads(HASTY, "xta", constants={"N": 2}).verify(MUTEX, **options)
    assert r.answer == "not satisfied"


def test_arguments_of_wrong_types_are_named() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 2})
    wrong: List[Any] = [
        (lambda: m.verify_all(MUTEX), "list of queries"),
        (lambda: m.replay("x"), "`str`"),  # type: ignore[arg-type]
        (lambda: mk.loads(None), "`NoneType`"),  # type: ignore[arg-type]
        (lambda: mk.load("models/fischer.xta", constants=[1]), "mapping"),  # type: ignore[arg-type]
        (lambda: mk.load("models/fischer.xta", lattices=int), "list of classes"),  # type: ignore[arg-type]
    ]
    for work, why in wrong:
        with pytest.raises(TypeError, match=why):
            work()
    with pytest.raises(ValueError, match="seed"):
        m.simulate(-1)
    with pytest.raises(ValueError, match="`time_limit`"):
        m.verify(MUTEX, time_limit="x")
    with pytest.raises(mk.QueryError, match="verify_all"):
        m.verify("A[] true\nE<> true")
    assert "goals that are functions" in str(m.verify(lambda state: True, engine="smt").reason)


def test_a_wrong_query_is_an_error_with_its_place() -> None:
    m = mk.load("models/fischer.xta")
    with pytest.raises(mk.QueryError, match="unknown-name") as caught:
        m.verify("E<> P(1).critcal")
    (wrong,) = caught.value.diagnostics
    assert wrong.help == ("did you mean `critical`?",) and wrong.place.column == 10


def test_formulas_can_be_kept() -> None:
    r = mk.load("models/fischer.xta", constants={"N": 2}).verify(MUTEX, engine="smt", bound=3, smt_lib=True)
    assert r.formula is not None and "(check-sat)" in r.formula


def test_state_spaces_have_all_states() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 2})
    space = m.state_space()
    assert space.complete and len(space) > 10
    assert space[0].state["P(1)"] == "idle" and space.arcs[0].source is None
    for arc in space.arcs[1:]:
        assert arc.source is not None and arc.target in space.successors(arc.source)
        for edge in arc.edges:
            assert space[arc.source].state[edge.process] == edge.source
            # A covering state may be reached instead, with the same locations.
            assert space[arc.target].state[edge.process] == edge.target
    some = m.state_space(limit=5)
    assert not some.complete and some.reason and len(some) < len(space)
    again = pickle.loads(pickle.dumps(space))
    assert again.svg() == space.svg() and again.states == space.states and again.dot().startswith("digraph")


def test_measurements_are_tables() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 3})
    found = mk.bench(m, {"bfs": {"order": "bfs"}, "greedy": {"order": "greedy", "trace": "some"}}, ["E<> P(2).critical"])
    assert [(row.configuration, row.answer) for row in found] == [("bfs", "satisfied"), ("greedy", "satisfied")]
    assert found[1].length and found[0].length is None and "greedy" in found._repr_html_()
    pandas = pytest.importorskip("pandas")
    assert list(found.to_frame()["explored"]) == [row.explored for row in found]
    assert isinstance(found.to_frame(), pandas.DataFrame)
