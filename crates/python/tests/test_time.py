"""Lattices for which time passes, as for opaal's clocks: `delay`, `set_max_constant`, `delay_is_inclusive`, `add_clock`."""

from __future__ import annotations

import random
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest
from mirrors.clocks import Bound, Zone
from mirrors.clocks import DiscreteClock as Ticking

import merkhet as mk


class DiscreteClock:
    """opaal's: whole units of time. It can't be joined."""

    delay_is_inclusive = False

    def __init__(self, dimensions: Any = None, name: Any = None, context: Any = None) -> None:
        assert not dimensions
        self.clock = 0
        self.set_max_constant(10)

    def covers(self, other: DiscreteClock) -> bool:
        return self.clock == other.clock

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiscreteClock) and self.clock == other.clock

    def join(self, other: DiscreteClock) -> DiscreteClock:
        raise NotImplementedError

    def delay(self) -> bool:
        if self.clock > self.limit:
            return False
        self.clock += 1
        return True

    def reset(self) -> None:
        self.clock = 0

    def set_max_constant(self, limit: int) -> None:
        self.limit = limit
        self.clock = min(self.clock, limit + 1)

    def __int__(self) -> int:
        return self.clock


class Units(DiscreteClock):
    """The same without dimensions of its own, so that there may be arrays of it."""

    def __init__(self) -> None:
        super().__init__()


class Clock:
    """A clock of a federation, or the difference of two. Comparisons make constraints."""

    def __init__(self, left: int, right: int = -1) -> None:
        self.left, self.right = left, right

    def __sub__(self, other: Clock) -> Clock:
        return Clock(self.left, other.left)

    def __le__(self, n: int) -> Tuple[int, int, Bound]:
        return (self.left, self.right, (n, 1))

    def __lt__(self, n: int) -> Tuple[int, int, Bound]:
        return (self.left, self.right, (n, 0))

    def __ge__(self, n: int) -> Tuple[int, int, Bound]:
        return (self.right, self.left, (-n, 1))

    def __gt__(self, n: int) -> Tuple[int, int, Bound]:
        return (self.right, self.left, (-n, 0))


class DBMFederation:
    """opaal's, with one zone: clocks are added one by one, and are attributes then."""

    delay_is_inclusive = True

    def __init__(self, name: Any = None, dimensions: Any = None, context: Any = None) -> None:
        assert not dimensions
        self.names: List[str] = []
        self.zone = Zone(0)

    def add_clock(self, name: str, dimensions: Any = None, context: Any = None) -> None:
        assert not dimensions
        setattr(self, name, Clock(len(self.names)))
        self.names.append(name)
        self.zone = Zone(len(self.names))

    def set_max_constant(self, limit: int) -> None:
        self.zone.limit = limit

    def delay(self) -> bool:
        before = self.zone.value
        self.zone.up()
        return before != self.zone.value

    may_delay = delay

    def isEmpty(self) -> bool:
        return self.zone.value is None

    def __iand__(self, constraint: Tuple[int, int, Bound]) -> DBMFederation:
        self.zone._cut(*constraint)
        return self

    def updateValueInPlace(self, clock: Clock, value: int) -> None:
        x = clock.left
        self.zone.free(x)
        self.zone._cut(x, -1, (value, 1))
        self.zone._cut(-1, x, (-value, 1))

    def join(self, other: DBMFederation) -> DBMFederation:
        joined = DBMFederation()
        joined.__dict__.update(self.__dict__)
        joined.zone = self.zone.join(other.zone)
        return joined

    def covers(self, other: DBMFederation) -> bool:
        return self.zone.covers(other.zone)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DBMFederation) and self.zone == other.zone

    def __hash__(self) -> int:
        return hash(self.zone)


def network(seed: int, strict: bool, values: List[int]) -> Tuple[str, List[str]]:
    """Two processes with the clocks `{0}` to `{2}`, which are not declared; and queries about locations."""
    draw = random.Random(seed)
    clocks = ["{0}", "{1}", "{2}"]

    def constraint(upper: bool) -> str:
        operators = ["<=", "<"] if upper else [">=", ">"]
        return f"{draw.choice(clocks)} {draw.choice(operators) if strict else operators[0]} {draw.randint(1, 4)}"

    processes, queries = [], []
    for name in "PQ":
        count = draw.randint(3, 4)
        states = [f"l{i}" + (f" {{{{ {constraint(True)} }}}}" if draw.random() < 0.4 and i else "") for i in range(count)]
        edges = []
        for _ in range(count + draw.randint(0, 2)):
            source, target = draw.randrange(count), draw.randrange(count)
            guards = [constraint(draw.random() < 0.4) for _ in range(draw.randint(0, 2))]
            resets = [f"{clock} = {draw.choice(values)}" for clock in clocks if draw.random() < 0.3]
            text = f" guard {' && '.join(guards)};" if guards else ""
            text += f" sync {draw.choice(['c!', 'c?', 'u!', 'u?'])};" if draw.random() < 0.25 else ""
            edges.append(f"l{source} -> l{target} {{{{{text}" + (f" assign {', '.join(resets)};" if resets else "") + " }}")
        kinds = draw.choice(["", "", f" urgent l{count - 1};", f" commit l{count - 1};"])
        states = [state.split(" ")[0] if kinds and i == count - 1 else state for i, state in enumerate(states)]
        processes.append(
            f"process {name}() {{{{ state {', '.join(states)};{kinds} init l0; trans {', '.join(edges)}; }}}}\n"
        )
        queries += [f"E<> {name}.l{i}" for i in range(1, count)]
    # An edge that synchronises on an urgent channel has no guard with clocks.
    return "chan c; urgent chan u;\n" + "".join(processes) + "system P, Q;", queries


def with_clocks(text: str, declarations: str, names: Tuple[str, str, str]) -> str:
    return declarations + text.format(*names)


def with_resets(text: str) -> str:
    """opaal's clocks are reset by a method."""
    return re.sub(r"([xyz]\S*) = 0", r"\1.reset()", text)


SIMPLE: Dict[str, Any] = {"threads": 1, "order": "bfs", "state_limit": 20000}


def usable(text: str) -> bool:
    """UPPAAL's models have no clocks in guards of urgent channels."""
    return not any("sync u" in edge and "guard" in edge for edge in text.split("->"))


def networks(cases: int, first: int, strict: bool, values: List[int]) -> List[Tuple[int, str, List[str]]]:
    found: List[Tuple[int, str, List[str]]] = []
    seed = first
    while len(found) < cases:
        text, queries = network(seed, strict, values)
        if usable(text):
            found.append((seed, text, queries))
        seed += 1
    return found


def test_whole_units_of_time_reach_what_exact_time_reaches(cases: Callable[[int], int]) -> None:
    """Without strict constraints, whole units of time reach the same locations as exact time."""
    reached = 0
    for seed, text, queries in networks(cases(60), 0, False, [0]):
        exact = mk.loads(with_clocks(text, "clock x, y, z;", ("x", "y", "z")))
        declarations = "extern DiscreteClock; extern Units; DiscreteClock x; const int N = 2; Units y[N];"
        units = with_resets(with_clocks(text, declarations, ("x", "y[0]", "y[1]")))
        ours = mk.loads(units, lattices=[DiscreteClock, Units])
        for query in queries:
            a, b = exact.verify(query, threads=1), ours.verify(query, trace="some", **SIMPLE)
            assert a.known and a.answer == b.answer, (seed, query)
            reached += a.holds
            if b.trace is not None:
                assert ours.replay(b.trace).ok, (seed, query)
    assert reached > 0


def test_units_are_counted_like_integers(cases: Callable[[int], int]) -> None:
    """The states are those of a model with integers, and a process that counts them up."""
    declarations = """const int MAX = 4; int[0, MAX + 1] x, y, z; clock unit;
        void pass() { if (x <= MAX) x++; if (y <= MAX) y++; if (z <= MAX) z++; }
        process Time() { state passes { unit <= 1 }; init passes;
            trans passes -> passes { guard unit == 1; assign unit = 0, pass(); }; }\n"""
    for seed, text, queries in networks(cases(40), 1000, True, [0]):
        own = "const int MAX = 4; extern DiscreteClock; DiscreteClock x, y, z;\n"
        ours = mk.loads(with_resets(with_clocks(text, own, ("x", "y", "z"))), lattices=[DiscreteClock])
        theirs = mk.loads(with_clocks(text, declarations, ("x", "y", "z")).replace("system P, Q;", "system P, Q, Time;"))
        for query in [*queries, "A[] not (x > 3 && y < 2)"]:
            # Guards that compare integers are known to be so, and tell some states apart no more.
            a, b = (m.verify(query, **SIMPLE) for m in (ours, theirs))
            assert a.answer == b.answer and a.known, (seed, query)
        one, two = (m.verify(mk.never(lambda state: False), **SIMPLE) for m in (ours, theirs))
        assert one.stats is not None and two.stats is not None
        assert (one.stats.stored, one.stats.generated) == (two.stats.stored, two.stats.generated), seed


class Passing(Ticking):
    """The built-in `DiscreteClock` once more, for which time passes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)

    @mk.monotone
    def delay(self) -> None:
        self.tick()


@pytest.mark.parametrize("options", [{}, {"update": "simple"}, {"update": "join"}, {"update": "join", "no_refine": True}])
def test_a_clock_has_the_states_of_the_built_in_one(options: Dict[str, Any]) -> None:
    text = """extern T = DiscreteClock(6); T t, s[2]; {0}
        process P() {{ state a, b, c; init a;
            trans a -> a {{ guard t.mayBeAtLeast(2); assign t.atLeast(2), t.reset(); }},
                  a -> b {{ guard s[0].mayBeAtLeast(5); assign s[0].atLeast(5), s[1].reset(); }},
                  b -> c {{ guard s[1].mayBeAtMost(2) && t.mayBeAtLeast(4); }}; }}
        {1} system P{2};"""
    time = """process Time() { clock unit; state passes { unit <= 1 }; init passes;
        trans passes -> passes { guard unit == 1; assign unit = 0, t.tick(), pass(); }; }"""
    loop = "void pass() { for (i : int[0, 1]) s[i].tick(); }"
    ours = mk.loads(text.format("", "", ""), lattices={"DiscreteClock": Passing})
    theirs = mk.loads(text.format(loop, time, ", Time"))
    for query in ["E<> P.c", "A[] not P.b", "E<> P.b && t.least() >= 6"]:
        a, b = (m.verify(query, threads=1, order="bfs", **options) for m in (ours, theirs))
        assert a.answer == b.answer and a.stats is not None and b.stats is not None, query
        assert (a.stats.stored, a.stats.generated) == (b.stats.stored, b.stats.generated), query


def test_time_passes_beside_exact_clocks_in_whole_units() -> None:
    text = """extern DiscreteClock; DiscreteClock t; clock x;
        process P() {{ state a, b; {0} init a; trans a -> b {{ guard {1}; }}; }} system P;"""

    def reaches(guard: str, urgent: str = "") -> bool:
        m = mk.loads(text.format(urgent, guard), lattices=[DiscreteClock])
        return m.verify("E<> P.b", **SIMPLE).holds

    assert reaches("t == 3 && x >= 3 && x < 4") and not reaches("t == 3 && x < 3") and not reaches("t == 3 && x > 4")
    assert not reaches("t == 1", "urgent a;") and reaches("t == 0", "urgent a;")
    assert not reaches("t == 1", "commit a;")


def test_a_model_may_let_time_pass_itself() -> None:
    text = """extern DiscreteClock; DiscreteClock t;
        process P() { state a, b; init a; trans a -> a { assign t.delay(); }, a -> b { guard t == 3; }; } system P;"""
    m = mk.loads(text, lattices=[DiscreteClock])
    assert [process.name for process in m.processes] == ["P"] and m.verify("E<> P.b").holds
    # What is printed says how time passes, and means the same when it is read again.
    implied = mk.loads(text.replace("a -> a { assign t.delay(); }, ", ""), lattices=[DiscreteClock])
    assert [process.name for process in implied.processes] == ["P", "Time"]
    again = mk.loads(implied.convert("xta"), "xta", lattices=[DiscreteClock])
    assert len(again.processes) == 2 and again.verify("E<> P.b", **SIMPLE).holds
    assert not again.verify("A[] t <= 3", **SIMPLE).holds and again.verify("A[] t >= 0 && t < 3 imply P.a", **SIMPLE).holds


FEDERATION = "extern DBMFederation; extern DBMClock; DBMFederation dbm; DBMClock dbm.x; DBMClock dbm.y[2];"
NAMES = ("dbm.x", "dbm.y[0]", "dbm.y[1]")


def test_a_federation_reaches_what_clocks_reach(cases: Callable[[int], int]) -> None:
    reached = 0
    for seed, text, queries in networks(cases(50), 2000, True, [0, 0, 0, 2]):
        ours = mk.loads(with_clocks(text, FEDERATION, NAMES), lattices=[DBMFederation])
        theirs = mk.loads(with_clocks(text, FEDERATION, NAMES))
        assert not ours.clocks or [clock.name for clock in ours.clocks] == ["idle"]
        for query in queries:
            a, b = ours.verify(query, **SIMPLE), theirs.verify(query, threads=1)
            assert a.answer == b.answer and a.known, (seed, query)
            reached += a.holds
    assert reached > 0


@pytest.mark.parametrize("cls", [None, DBMFederation])
def test_clocks_of_a_federation_are_used_like_clocks(cls: Optional[type]) -> None:
    text = (
        FEDERATION
        + """DBMClock dbm.z[2][3]; const int N = 2;
        process P(const int i) { state a { dbm.x <= 5 }, b, c; init a;
            trans a -> b { guard dbm.x >= 3 && dbm.x - dbm.y[i] < 1; assign dbm.y[i] = 0, dbm.z[1][i] = 2; },
                  b -> c { guard dbm.y[i] == 1 && dbm.x > 5 && dbm.z[1][i] == 3; }; }
        P0 = P(0); P1 = P(1); system P0, P1;"""
    )
    m = mk.loads(text, lattices=[] if cls is None else [cls])
    for query, holds in [
        ("E<> P0.c", True),
        ("E<> P0.c && P1.c", True),
        ("E<> P0.b && dbm.x < 3", False),
        ("E<> P0.a && dbm.x > 5", False),
        ("E<> P0.a && dbm.x == 5", True),
        ("E<> P0.b && P1.a && dbm.x > 5", False),
        ("E<> P0.b && P1.b && dbm.y[0] - dbm.y[1] > 2", False),
        ("E<> P0.b && P1.b && dbm.y[0] - dbm.y[1] >= 2", True),
    ]:
        assert m.verify(query, **SIMPLE).holds == holds, query


def test_intersections_at_the_start_of_an_update_are_guards() -> None:
    text = FEDERATION + """process P() { state a { dbm.x <= 5 }, b; init a;
        trans a -> b { assign dbm &= (dbm.x >= {0}), dbm.x = 0; }; } system P;"""
    for bound, holds in [(5, True), (6, False)]:
        m = mk.loads(text.replace("{0}", str(bound)), lattices=[DBMFederation])
        assert m.verify("E<> P.b", **SIMPLE).holds == holds


def wrong(text: str, *expected: str, lattices: Any = (DiscreteClock, DBMFederation)) -> None:
    with pytest.raises(mk.ModelError) as caught:
        mk.loads(text, lattices=lattices)
    for part in expected:
        assert part in str(caught.value)


def test_mistakes_with_time_are_named() -> None:
    clock = "extern DiscreteClock; "
    body = "process P() { state a; init a; } "
    wrong(clock + "process P() { DiscreteClock t; state a; init a; } system P;", "time can't pass for `t`", "global variables")
    wrong(clock + "DiscreteClock t; " + body + "process Q() { state a; init a; } system P < Q;", "priorities may exclude")
    edge = FEDERATION + "int n; process P() {{ state a; init a; trans a -> a {{ {} }}; }} system P;"
    wrong(edge.format("assign dbm.x = dbm.y[0];"), "can only be set to an integer")
    wrong(edge.format("assign dbm.x++;"), "can only be set to an integer")
    wrong(edge.format("guard dbm.x + dbm.y[0] < 3;"), "the difference of two, is compared with an integer")
    wrong(edge.format("guard dbm.y[n] < 3;"), "must be known when the model is loaded")
    wrong(edge.format("guard dbm.y[2] < 3;"), "index 2 is outside of 0 to 1")
    wrong(FEDERATION + "DBMClock dbm.x; " + body + "system P;", "declared twice")
    m = mk.loads(clock + "DiscreteClock t; " + body + "system P;", lattices=[DiscreteClock])
    with pytest.raises(mk.QueryError, match="larger than all numbers of the model") as caught:
        m.verify("E<> t == 100")
    assert "const int LARGEST = 100;" in str(caught.value)
    with pytest.raises(TypeError, match="has clocks, but no method `isEmpty`"):
        mk.loads(FEDERATION, lattices=[type("DBMFederation", (DiscreteClock,), {"add_clock": lambda self, name: None})])


def test_a_class_with_clocks_that_fails_is_named() -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    text = FEDERATION + """process P() { state a { dbm.x <= 5 }, b; init a;
        trans a -> b { guard dbm.x >= 3; assign dbm.x = 0; }; } system P;"""
    for method in ("delay", "isEmpty", "updateValueInPlace", "__iand__"):
        cls = type("DBMFederation", (DBMFederation,), {method: failing})
        with pytest.raises(mk.FunctionError) as caught:
            mk.loads(text, lattices=[cls]).verify("E<> P.b && dbm.x > 4", **SIMPLE)
        assert isinstance(caught.value.__cause__, ZeroDivisionError), method
    for method in ("add_clock", "set_max_constant"):
        with pytest.raises(mk.ModelError, match="on purpose"):
            mk.loads(text, lattices=[type("DBMFederation", (DBMFederation,), {method: failing})])
