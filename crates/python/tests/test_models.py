"""Loading models, and what is in them."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any, List, Tuple

import pytest
from support import Run

import merkhet as mk

ROOT = Path(__file__).parents[3]

LAMP = """clock x;
int[0,5] n = 1;
process Lamp() {
    bool warm;
    state off, low, bright;
    init off;
    trans off -> low { assign x = 0; },
          low -> bright { guard x < 5; assign n = 2; },
          low -> off { guard x >= 5; };
}
system Lamp;
"""


def test_contents_have_places() -> None:
    m = mk.load("models/fischer.xta")
    assert [process.name for process in m.processes] == ["P(1)", "P(2)", "P(3)", "P(4)"]
    assert m.processes[0].locations == ("idle", "request", "waiting", "critical")
    assert (m.processes[0].template, m.processes[0].initial) == ("P", "idle")
    lines = Path("models/fischer.xta").read_text().splitlines()
    named: List[Tuple[Any, str]] = [(m.processes[0], "P"), (m.clocks[1], "x"), (m.variables[0], "id"), (m.queries[0], "A[]")]
    for declared, word in named:
        place = declared.place
        assert place.line is not None and place.column is not None
        text = Path(place.file).read_text().splitlines() if place.file != "models/fischer.xta" else lines
        assert text[place.line - 1][place.column - 1 :].startswith(word), declared
    assert m.clocks[1].name == "P(2).x" and m.variables[0].range == (0, 4)
    assert not m.is_net and mk.load("models/nets/crossing.net").is_net


def test_local_variables_have_places() -> None:
    m = mk.loads(LAMP)
    assert {v.name: (v.kind, v.place.line) for v in m.variables} == {"n": ("int", 2), "Lamp.warm": ("bool", 4)}


def test_constants_have_other_values() -> None:
    assert len(mk.load("models/fischer.xta", constants={"N": 2}).processes) == 2
    assert len(mk.load("models/fischer.xta", constants={"N": "1 + 2"}).processes) == 3
    with pytest.raises(mk.ModelError, match="there is no constant|no constant"):
        mk.load("models/fischer.xta", constants={"M": 2})
    with pytest.raises(TypeError):
        mk.load("models/fischer.xta", constants={"N": 2.5})  # type: ignore[dict-item]


#: Texts of models, right and wrong, with what `check` prints about them.
TEXTS = sorted(path for path in (ROOT / "crates/cli/tests/ui").iterdir() if path.suffix in (".xta", ".xml", ".tck"))


def test_mistakes_are_those_that_check_prints(command_line: Run) -> None:
    wrong = 0
    for path in TEXTS:
        printed = command_line("check", str(path))
        try:
            mk.load(path)
            assert printed.returncode == 0, path
        except mk.ModelError as error:
            wrong += 1
            assert str(error) == printed.stdout.rstrip(), path
            errors = [d for d in error.diagnostics if d.severity == "error"]
            assert errors and all(d.place.file == str(path) for d in errors) and printed.returncode == 3
            again = pickle.loads(pickle.dumps(error))
            assert (str(again), again.diagnostics) == (str(error), error.diagnostics)
    assert wrong > 3


def test_formats_are_named_or_guessed() -> None:
    m = mk.load("models/fischer.xta")
    xml = m.convert("xml")
    assert mk.loads(xml, "xml").verify("E<> P(1).critical").holds
    assert mk.loads(xml).verify("E<> P(1).critical").holds
    with pytest.raises(ValueError, match="there is no format `xtaa`; did you mean `xta`"):
        mk.loads(LAMP, "xtaa")
    with pytest.raises(ValueError, match="there is no format `xm`; did you mean `xml`"):
        m.convert("xm")
    with pytest.raises(ValueError, match="only nets"):
        m.convert("pnml")
    net = mk.load("models/nets/crossing.net")
    assert mk.loads(net.convert("pnml"), "pnml").is_net


def test_files_that_can_not_be_read_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        mk.load(tmp_path / "none.xta")
    with pytest.raises(IsADirectoryError):
        mk.load(tmp_path)
    binary = tmp_path / "binary.xta"
    binary.write_bytes(b"a\0b")
    with pytest.raises(mk.ModelError, match="is not a text file"):
        mk.load(binary)


def test_queries_are_read_from_the_file_beside_the_model(tmp_path: Path) -> None:
    model, queries = tmp_path / "lamp.xta", tmp_path / "lamp.q"
    model.write_text(LAMP)
    assert mk.load(model).queries == ()
    queries.write_text("// It can be bright.\nE<> Lamp.bright\nA[] Lamp.nowhere\n")
    m = mk.load(model)
    assert [(q.text, q.name) for q in m.queries] == [
        ("E<> Lamp.bright", "It can be bright."),
        ("A[] Lamp.nowhere", None),
    ]
    good, bad = m.verify_all()
    assert good.holds and good.place.file == str(queries)
    assert bad.answer is None and bad.reason == "the query is refused"
    assert bad.diagnostics[0].place.line == 3
    with pytest.raises(mk.Undecided):
        bad.holds


def test_models_can_be_pickled() -> None:
    m = mk.load("models/fischer.xta", constants={"N": 3})
    again = pickle.loads(pickle.dumps(m))
    assert again.processes == m.processes and again.queries == m.queries
    before, after = m.verify_all(), again.verify_all()
    assert [(r.query, r.answer) for r in before] == [(r.query, r.answer) for r in after]


def test_warnings_are_data() -> None:
    m = mk.loads("int unused; process P() { state a; init a; } system P;")
    assert any("unused" in d.message for d in m.warnings)
    assert all(d.severity == "warning" for d in m.warnings)


def test_drawings_are_pictures(tmp_path: Path) -> None:
    for path in ("models/fischer.xta", "models/nets/crossing.net"):
        m = mk.load(path)
        assert m._repr_svg_().startswith("<svg") and m.dot().startswith("digraph")
    drawing = mk.load("models/fischer.xta").graph("P")
    drawing.save(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text() == drawing
    with pytest.raises(ValueError, match="template"):
        mk.load("models/fischer.xta").graph("Q")


def test_one_session_uses_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fischer.xta").write_text(Path("models/fischer.xta").read_text())
    monkeypatch.chdir(tmp_path)
    m = mk.load("fischer.xta")
    assert len(mk.loads((tmp_path / "fischer.xta").read_text(), format="xta", constants={"N": 6}).processes) == 6
    assert m.processes and m.clocks and m.variables and m.queries == ()
    r = m.verify("A[] not deadlock", trace="short", time_limit=60, certificate=True)
    assert (r.answer, r.trace) == ("satisfied", None) and r.stats is not None and r.certificate is not None
    with pytest.raises(mk.Undecided):
        m.verify("A[] not deadlock", state_limit=3).holds
    answers = [r.holds for r in m.verify_all(["E<> P(1).critical", "A[] P(1).idle"], progress=True)]
    assert answers == [True, False]
    s = m.simulate(seed=1)
    assert s.moves and s.take(0, delay=Fraction(7, 2)).state["P(1).x"] == 0
    assert s.state["P(2).x"] == Fraction(7, 2) and len(s.back()) == 0
    assert all(m.certify(r.certificate))
    found = m.verify("E<> P(1).critical", trace="short").trace
    assert found is not None and m.replay(found)
    assert m.convert("xml").startswith("<?xml") and m.graph().startswith("<svg")
    space = m.state_space(limit=500)
    assert space.complete and len(space) == 282
