"""Lattices that are classes: opaal's own except its clocks, those that mirror built-in ones, and wrong ones."""

from __future__ import annotations

import contextlib
import functools
import gc
import traceback
import weakref
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest
from support import Run

import merkhet as mk


class UnionBitVector:
    """opaal's: sets that grow."""

    def __init__(self, dimensions: Optional[List[int]] = None, name: str = "", context: Any = None) -> None:
        self.bits = [False] * (dimensions[0] if dimensions else 8)

    def __getitem__(self, at: int) -> bool:
        return self.bits[at]

    def __setitem__(self, at: int, value: int) -> None:
        self.bits[at] = bool(value)

    def num0s(self) -> int:
        return self.bits.count(False)

    def num1s(self) -> int:
        return self.bits.count(True)

    def setall(self) -> None:
        self.bits = [True] * len(self.bits)

    def clearall(self) -> None:
        self.bits = [False] * len(self.bits)

    def join(self, other: UnionBitVector) -> UnionBitVector:
        joined = type(self)([len(self.bits)])
        joined.bits = [a or b for a, b in zip(self.bits, other.bits)]
        return joined

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnionBitVector) and self.bits == other.bits


class IntersectionBitVector(UnionBitVector):
    """opaal's: sets that shrink."""

    def join(self, other: UnionBitVector) -> UnionBitVector:
        joined = type(self)([len(self.bits)])
        joined.bits = [a and b for a, b in zip(self.bits, other.bits)]
        return joined


class MaxInteger:
    """opaal's: the greatest integer stands for the others."""

    start = 0

    def __init__(self, name: str = "", context: Any = None) -> None:
        self.n = self.start

    def __int__(self) -> int:
        return self.n

    def set(self, n: int) -> None:
        self.n = n

    def __iadd__(self, n: int) -> MaxInteger:
        self.n += n
        return self

    def __isub__(self, n: int) -> MaxInteger:
        self.n -= n
        return self

    def join(self, other: MaxInteger) -> MaxInteger:
        return self if self.n >= other.n else other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MaxInteger) and self.n == other.n


class MinInteger(MaxInteger):
    """opaal's: the least integer."""

    def join(self, other: MaxInteger) -> MaxInteger:
        return self if self.n <= other.n else other


class IntRange:
    """opaal's: pairs of bounds."""

    def __init__(self, name: str = "", context: Any = None) -> None:
        self.l = self.u = 0

    def __iadd__(self, n: Any) -> IntRange:
        l, u = (n.l, n.u) if isinstance(n, IntRange) else (n, n)
        self.l, self.u = self.l + l, self.u + u
        return self

    def __isub__(self, n: Any) -> IntRange:
        l, u = (n.l, n.u) if isinstance(n, IntRange) else (n, n)
        self.l, self.u = self.l - u, self.u - l
        return self

    def join(self, other: IntRange) -> IntRange:
        joined = IntRange()
        joined.l, joined.u = min(self.l, other.l), max(self.u, other.u)
        return joined

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IntRange) and (self.l, self.u) == (other.l, other.u)


class AbstractCache:
    """opaal's: what is in a cache for sure, and at most how old."""

    def __init__(self, lines: int = 4, name: str = "", context: Any = None) -> None:
        self.lines = lines
        self.ages: Dict[int, int] = {}

    def access(self, item: int) -> None:
        limit = self.ages.get(item, self.lines)
        older = {k: age + 1 if age < limit else age for k, age in self.ages.items() if k != item}
        self.ages = {k: age for k, age in older.items() if age < self.lines}
        self.ages[item] = 0

    def ishit(self, item: int) -> bool:
        return item in self.ages

    def join(self, other: AbstractCache) -> AbstractCache:
        joined = AbstractCache(self.lines)
        joined.ages = {k: max(self.ages[k], other.ages[k]) for k in self.ages.keys() & other.ages.keys()}
        return joined

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractCache) and self.ages == other.ages


def process(declarations: str, *edges: str, locations: str = "a, b") -> str:
    text = ", ".join(edges)
    return f"{declarations} process P() {{ state {locations}; init a; trans {text}; }} system P;"


def test_bit_vectors_of_opaal_are_joined() -> None:
    text = process(
        "extern UnionBitVector; UnionBitVector v[3];",
        "a -> a { select i : int[0,2]; assign v[i] = 1; }",
        "a -> b { guard v.num1s() >= 2; }",
    )
    m = mk.loads(text, lattices=[UnionBitVector])
    covered = m.verify("E<> P.b", monotone="assume")
    assert covered.answer == "satisfied"
    joined = m.verify("E<> P.b", join="always", monotone="assume")
    assert joined.answer == "satisfied" and joined.stats is not None
    assert m.verify("A[] v.num1s() <= 3").holds and not m.verify("A[] v.num0s() >= 1").holds
    # Sets of which three members are not known in one order only.
    assert m.verify("E<> v[0] && v[1] && v[2]").holds


def test_intersections_of_opaal_shrink() -> None:
    text = process(
        "extern IntersectionBitVector; IntersectionBitVector v[2];",
        "a -> a { assign v.setall(); }",
        "a -> a { assign v.clearall(); }",
        "a -> b { guard v.num0s() == 0; }",
    )
    m = mk.loads(text, lattices=[IntersectionBitVector])
    assert m.verify("E<> P.b").holds


@pytest.mark.parametrize("cls, limit", [(MaxInteger, 5), (MinInteger, 5)])
def test_integers_of_opaal_have_operators(cls: type, limit: int) -> None:
    text = process(
        f"extern {cls.__name__}; {cls.__name__} n;",
        f"a -> a {{ guard n < {limit}; assign n += 2; }}",
        f"a -> b {{ guard n > 3; assign n -= 1; }}",
    )
    m = mk.loads(text, lattices=[cls])
    assert m.verify("E<> P.b && n == 3").holds and m.verify("E<> P.b && n == 5").holds
    assert m.verify("A[] n <= 6").holds and not m.verify("A[] n <= 5").holds


def test_ranges_of_opaal_have_fields() -> None:
    text = process("extern IntRange; IntRange r;", "a -> a { guard r.u < 3; assign r += 1; }", "a -> b { guard r.l > 2; }")
    m = mk.loads(text, lattices=[IntRange])
    assert m.verify("E<> P.b && r.l == 3 && r.u == 3").holds
    # Joined with the range before, the lower bound stays, and `b` is reached by refinement alone.
    assert m.verify("E<> P.b", join="always").holds


def test_ranges_of_opaal_are_added_to_each_other() -> None:
    text = process(
        "extern IntRange; IntRange r, s;",
        "a -> a1 { assign s += 2; }",
        "a1 -> b { assign r += s, r += 1, s -= r; }",
        locations="a, a1, b",
    )
    end = mk.loads(text, lattices=[IntRange]).verify("E<> P.b && r.l == 3 && s.u == -1", trace="some").trace
    assert end is not None and end.end["r"] == "IntRange(l=3, u=3)"
    # A class whose elements are numbers gets the number.
    text = process("extern MaxInteger; MaxInteger n, m;", "a -> b { assign m += 2, n += m, n += m; }")
    assert mk.loads(text, lattices=[MaxInteger]).verify("E<> P.b && n == 4").holds


def test_caches_of_opaal_forget() -> None:
    text = process(
        "extern Small = AbstractCache(2); Small cache;",
        "a -> a1 { assign cache.access(1); }",
        "a1 -> a2 { assign cache.access(2); }",
        "a2 -> a3 { assign cache.access(3); }",
        "a3 -> b { guard cache.ishit(1); }",
        "a3 -> c { guard cache.ishit(2) && cache.ishit(3); }",
        locations="a, a1, a2, a3, b, c",
    )
    m = mk.loads(text, lattices=[AbstractCache])
    assert m.verify("E<> P.c").holds and not m.verify("E<> P.b").holds


class PowerSet:
    """Mirrors the built-in `PowerSet`."""

    def __init__(self, size: int) -> None:
        self.size, self.members = size, 0

    @mk.monotone
    def add(self, i: int) -> None:
        self.members |= 1 << i

    @mk.rises
    def contains(self, i: int) -> bool:
        return bool(self.members >> i & 1)

    def join(self, other: PowerSet) -> PowerSet:
        joined = PowerSet(self.size)
        joined.members = self.members | other.members
        return joined

    def covers(self, other: PowerSet) -> bool:
        return self.members & other.members == other.members

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerSet) and self.members == other.members

    def __hash__(self) -> int:
        return hash(self.members)


POOL = process(
    "extern Pool = PowerSet(3); Pool pool;",
    "a -> a { select i : int[0,2]; assign pool.add(i); }",
    "a -> b { guard pool.contains(0) && pool.contains(1); }",
)


@pytest.mark.parametrize("options", [{}, {"update": "simple"}, {"update": "join"}, {"update": "join", "no_refine": True}])
@pytest.mark.parametrize("query", ["E<> P.b", "A[] not P.b", "A[] pool.contains(2) imply P.a or P.b"])
def test_a_class_that_mirrors_a_built_in_lattice_has_the_same_states(query: str, options: Dict[str, Any]) -> None:
    ours, theirs = mk.loads(POOL, lattices={"PowerSet": PowerSet}), mk.loads(POOL)
    a, b = ours.verify(query, threads=1, **options), theirs.verify(query, threads=1, **options)
    assert a.answer == b.answer and a.stats is not None and b.stats is not None
    for name in ("explored", "generated", "stored", "refinements"):
        assert getattr(a.stats, name) == getattr(b.stats, name), name


def failing(*_: Any) -> Any:
    raise ZeroDivisionError("on purpose")


def recursing(*given: Any) -> Any:
    return recursing(*given)


def nothing(*_: Any) -> Any:
    return object()


COUNT = process(
    "extern Lattice; Lattice n; int k;",
    "a -> a { guard n < 3; assign n += 1, k = 1 - k; }",
    "a -> b { guard n >= 2; }",
)


@pytest.mark.parametrize("bad", [failing, recursing, nothing], ids=lambda bad: bad.__name__)
@pytest.mark.parametrize(
    "method",
    ["join", "covers", "__le__", "__eq__", "__hash__", "__int__", "__iadd__", "__isub__", "set", "__deepcopy__", "__init__"]
    + ["widen", "meet", "bottom", "__repr__", "__reduce_ex__"],
)
def test_a_wrong_class_is_named_and_the_interpreter_goes_on(method: str, bad: Callable[..., Any]) -> None:
    members: Dict[str, Any] = {method: bad}
    if method == "__eq__":
        members["__hash__"] = lambda self: 1
    cls = type("Lattice", (MaxInteger,), members)
    result: Optional[mk.Result] = None
    # Without the other variable, elements are joined often enough to be widened.
    text = COUNT.replace(", k = 1 - k", "") if method == "widen" else COUNT
    try:
        result = mk.loads(text, lattices=[cls]).verify(
            "A[] n <= 3", join="always", monotone="assume", threads=1, widen=1, trace="some"
        )
    except mk.FunctionError as error:
        assert (bad is nothing) == (error.__cause__ is None), error
        assert bad is nothing or isinstance(error.__cause__, (ZeroDivisionError, RecursionError))
        if error.__cause__ is not None:
            shown = "".join(traceback.format_exception(None, error.__cause__, error.__cause__.__traceback__))
            assert bad is nothing or "test_lattices.py" in shown
    except mk.ModelError as error:
        assert "Lattice" in str(error) or "purpose" in str(error)
    # A method that is never called, or whose result is not used, may be wrong.
    if result is not None:
        unused = {"set", "meet", "__le__", "__hash__", "__repr__", "__reduce_ex__", "__isub__"}
        lenient = {"__iadd__", "__init__"} if bad is nothing else set()
        assert method in unused | lenient or result.answer == "unknown", result
    assert mk.loads(POOL, lattices=[PowerSet]).verify("E<> P.b").holds


def test_an_exception_at_every_call_is_named_or_without_effect() -> None:
    calls, bad = 0, 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def count(*given: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == bad:
                raise ZeroDivisionError("on purpose")
            return function(*given, **named)

        return count

    class Plain(MaxInteger):
        def __hash__(self) -> int:
            return self.n

        def __repr__(self) -> str:
            return f"Plain({self.n})"

        def __deepcopy__(self, memo: Any) -> Plain:
            copied = type(self)()
            copied.n = self.n
            return copied

        def widen(self, other: MaxInteger) -> MaxInteger:
            return self.join(other)

        def bottom(self) -> Plain:
            made = type(self)()
            made.n = -1
            return made

    names = ("__init__", "join", "__eq__", "__hash__", "__repr__", "__deepcopy__", "__int__", "__iadd__", "widen", "bottom")
    cls = type("Lattice", (Plain,), {name: counted(getattr(Plain, name)) for name in names})
    text = COUNT.replace("n < 3;", "n < 6;")

    class Stack:
        def __init__(self) -> None:
            self.open: List[int] = []

        @counted
        def push(self, state: mk.StateView, number: int) -> None:
            self.open.append(number)

        @counted
        def pop(self) -> int:
            return self.open.pop()

    def ask(number: int) -> mk.Result:
        options: List[Dict[str, Any]] = [
            {"join": counted(lambda old, new, joined: joined["k"] == 0), "widen": 2},
            {"order": Stack},
            {"heuristic": counted(lambda state: 6 - state["n"].n), "order": "greedy"},
        ]
        m = mk.loads(text, lattices=[cls])
        return m.verify("E<> P.b && n >= 6", trace="some", threads=1, monotone="assume", **options[number])

    named = 0
    for number in range(3):
        calls = bad = 0
        assert ask(number).holds
        for bad in range(1, calls + 1):
            calls = 0
            try:
                r = ask(number)
                # What is only shown, or computed in case that it is needed, may fail.
                assert r.answer in ("satisfied", "unknown")
            except mk.FunctionError as error:
                assert isinstance(error.__cause__, ZeroDivisionError) and error.partial.answer == "unknown"
                named += 1
            except mk.ModelError as error:
                assert "on purpose" in str(error)
                named += 1
        bad = 0
        assert ask(number).holds
    assert named > 50


def test_classes_and_functions_are_freed() -> None:
    def use() -> List[Any]:
        class Lattice(MaxInteger):
            pass

        def heuristic(state: mk.StateView) -> int:
            return len(state.locations)

        def failing(state: mk.StateView) -> int:
            raise ZeroDivisionError("on purpose")

        m = mk.loads(COUNT, lattices=[Lattice])
        r = m.verify("E<> P.b", heuristic=heuristic, order="greedy", trace="some")
        assert r.holds and r.trace is not None
        m.state_space()
        m.simulate().random(3)
        for work in (m.verify, lambda _, **options: m.state_space(**options)):
            with contextlib.suppress(mk.FunctionError):
                work("E<> P.b", heuristic=failing, order="greedy")
        return [weakref.ref(thing) for thing in (Lattice, heuristic, failing)]

    references = [reference for _ in range(20) for reference in use()]
    gc.collect()
    assert sum(reference() is not None for reference in references) == 0


def test_a_run_leads_to_the_failure() -> None:
    class Lattice(MaxInteger):
        def __iadd__(self, n: int) -> MaxInteger:
            if self.n == 1:
                raise ArithmeticError("two is too many")
            return super().__iadd__(n)

    with pytest.raises(mk.FunctionError) as caught:
        mk.loads(COUNT, lattices=[Lattice]).verify("A[] n <= 3", trace="some", threads=1)
    error = caught.value
    assert isinstance(error.__cause__, ArithmeticError) and "Lattice" in error.function
    assert error.partial.answer == "unknown" and error.partial.trace is not None and len(error.partial.trace) == 1


class ChangesOther(MaxInteger):
    def covers(self, other: MaxInteger) -> bool:
        other.n += 1
        return True


class ChangesItself(MaxInteger):
    def join(self, other: MaxInteger) -> MaxInteger:
        self.n = max(self.n, other.n)
        return self

    def covers(self, other: MaxInteger) -> bool:
        return self.n >= other.n


class ChangesWhenRead(MaxInteger):
    def __int__(self) -> int:
        self.n += 1
        return self.n


@pytest.mark.parametrize("cls, name", [(ChangesOther, "covers"), (ChangesItself, "join"), (ChangesWhenRead, "__int__")])
def test_what_changes_its_operands_is_named_with_its_line(cls: type, name: str) -> None:
    m = mk.loads(COUNT, lattices={"Lattice": cls})
    with pytest.raises(mk.FunctionError, match="it changes the element") as caught:
        m.verify("A[] n <= 3", join="always", monotone="assume", threads=1)
    line = getattr(cls, name).__code__.co_firstlineno
    assert f"`{name}" in caught.value.function and f"test_lattices.py:{line}" in str(caught.value)


def test_numbers_of_models_have_32_bits() -> None:
    big = type("Lattice", (MaxInteger,), {"__int__": lambda self: 10**30})
    with pytest.raises(mk.FunctionError, match="32 bits"):
        mk.loads(COUNT, lattices=[big]).verify("A[] n <= 3")


def test_a_method_may_end_the_program() -> None:
    def end(self: Any) -> int:
        raise SystemExit(3)

    with pytest.raises(SystemExit) as caught:
        mk.loads(COUNT, lattices=[type("Lattice", (MaxInteger,), {"__int__": end})]).verify("A[] n <= 3")
    assert caught.value.partial.answer == "unknown"  # type: ignore[attr-defined]


def test_lattices_of_the_library_need_no_calls() -> None:
    calls = 0

    class Other(MaxInteger):
        def join(self, other: MaxInteger) -> MaxInteger:
            nonlocal calls
            calls += 1
            return super().join(other)

        def __eq__(self, other: object) -> bool:
            nonlocal calls
            calls += 1
            return super().__eq__(other)

    text = POOL.replace("Pool pool;", "Pool pool; extern Other; Other other;")
    m = mk.loads(text, lattices=[Other])
    found = []
    for query in ("E<> P.b", "A[] pool.size() <= 3"):
        calls = 0
        assert m.verify(query, update="join", threads=1).holds
        found.append(calls)
    # The other variable has one element; what is done with the pool takes no call.
    assert found[0] == found[1] <= 4


def test_what_is_no_lattice_is_refused() -> None:
    cases: List[Any] = [(int, "no method `join`"), (3, "is a class"), (type("X", (), {"join": nothing}), "__eq__")]
    for wrong, why in cases:
        with pytest.raises(TypeError, match=why):
            mk.loads(COUNT, lattices={"Lattice": wrong})


def test_laws_are_checked() -> None:
    class Lattice(MaxInteger):
        def join(self, other: MaxInteger) -> MaxInteger:
            joined = Lattice()
            joined.n = min(self.n, other.n) + 1
            return joined

    with pytest.raises(mk.ModelError, match="join") as caught:
        mk.loads(COUNT, lattices=[Lattice], laws="check")
    assert "(the join is Lattice(n=1))" in str(caught.value)
    assert f"`join` is at {__file__}:{Lattice.join.__code__.co_firstlineno}" in str(caught.value)
    assert mk.loads(COUNT, lattices={"Lattice": MaxInteger}, laws="check").verify("E<> P.b").holds


def test_laws_are_checked_on_what_searches_meet() -> None:
    class Lattice(MaxInteger):
        def join(self, other: MaxInteger) -> MaxInteger:
            joined = Lattice()
            joined.n = max(self.n, other.n) if max(self.n, other.n) < 2500 else 0
            return joined

        def covers(self, other: MaxInteger) -> bool:
            return self.n >= other.n

        def __hash__(self) -> int:
            return self.n

        def __deepcopy__(self, memo: object) -> MaxInteger:
            copied = Lattice()
            copied.n = self.n
            return copied

    text = COUNT.replace("n < 3;", "n < 2600;")
    m = mk.loads(text, lattices=[Lattice], laws="check")
    assert m.verify("A[] n <= 9 || n > 9", update="simple", state_limit=50, threads=1).answer == "unknown"
    with pytest.raises(mk.ModelError, match="upper bound"):
        m.verify("A[] n <= 2600", update="simple", threads=1)


def test_classes_are_imported_only_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command_line: Run
) -> None:
    (tmp_path / "mine.py").write_text(
        "class Counter:\n"
        "    def __init__(self): self.n = 0\n"
        "    def __int__(self): return self.n\n"
        "    def __iadd__(self, n): self.n += n; return self\n"
        "    def join(self, other): return self if self.n > other.n else other\n"
        "    def __eq__(self, other): return self.n == other.n\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    text = COUNT.replace("extern Lattice; Lattice n", "extern mine.Counter; Counter n")
    with pytest.raises(mk.ModelError, match="allow_import=True"):
        mk.loads(text)
    assert mk.loads(text, allow_import=True).verify("E<> P.b && n == 2").holds
    # The command line imports from the current folder.
    (tmp_path / "m.xta").write_text(text)
    monkeypatch.chdir(tmp_path)
    words = ("verify", "m.xta", "-q", "E<> P.b && n == 2")
    refused = command_line(*words)
    assert refused.returncode == 3 and "--allow-import" in refused.stderr
    assert command_line("--allow-import", *words).returncode == 0


def test_states_show_elements() -> None:
    m = mk.loads(POOL, lattices=[PowerSet])
    trace = m.verify("E<> P.b", trace="some", threads=1).trace
    assert trace is not None and "members=3" in str(trace.end["pool"])
    assert m.simulate().take(0).state["pool"] != m.simulate().state["pool"]

