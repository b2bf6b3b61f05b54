"""Random networks with lattices, whose text is the same for a lattice of the library and for its mirror."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple, Tuple

#: Writes a guard or an update of the variable `v`.
Write = Callable[[Random], str]


class Family(NamedTuple):
    """A lattice, and what models do with it."""

    name: str
    #: The constructor's arguments in models.
    arguments: str
    guards: Tuple[Write, ...]
    updates: Tuple[Write, ...]
    #: What follows the name of a variable.
    dimensions: str = ""
    #: Members that only the lattice of the library declares, and the arguments that its mirror has instead.
    members: int = 0
    #: What guards the updates that add, so that there are finitely many elements.
    bound: str = ""


def call(method: str, *ranges: int) -> Write:
    """A call whose arguments are below these numbers."""
    return lambda rng: f"v.{method}({', '.join(str(rng.randrange(limit)) for limit in ranges)})"


def compared(method: str, operators: str, *ranges: int) -> Write:
    """A comparison of the result of a call with a small number."""
    return lambda rng: f"{call(method, *ranges)(rng)} {rng.choice(operators.split())} {rng.randrange(5)}"


def entry(rng: Random) -> str:
    return f"v[{rng.randrange(3)}]"


def between(*members: int) -> Write:
    """A call of `between`, with a member before the bounds if there are any."""

    def write(rng: Random) -> str:
        low = rng.randrange(-3, 3)
        given = [rng.randrange(count) for count in members] + [low, low + rng.randrange(4)]
        return f"v.between({', '.join(map(str, given))})"

    return write


def bits(name: str, plain: str, more: str, less: str) -> Family:
    guards = (lambda rng: plain + entry(rng), lambda rng: entry(rng), compared(more, ">= ==", ), compared(less, "<= <"))
    sets = (lambda rng: f"{entry(rng)} = {rng.randrange(2)}", lambda rng: f"{entry(rng)} = {entry(rng)}")
    return Family(name, "", guards, (*sets, *sets, call("setall"), call("clearall")), "[3]")


def cache(name: str, *guards: Write) -> Family:
    return Family(name, "(4, 2)", guards, (call("access", 4),) * 4 + (call("clear"), call("unknown")))


SET_NUMBERS = (lambda rng: f"v = {rng.randrange(-2, 4)}", between(), call("forget"))
ADD_NUMBERS = (lambda rng: f"v += {rng.randrange(1, 4)}", lambda rng: f"v -= {rng.randrange(1, 4)}")
NUMBER_GUARDS = (call("mayBe", 4), compared("low", "<= < =="), compared("high", ">= > =="))


def number(name: str, arguments: str = "", adds: bool = True) -> Family:
    """Intervals without bounds would grow for ever if they are joined."""
    return Family(name, arguments, NUMBER_GUARDS, SET_NUMBERS + (ADD_NUMBERS if adds else ()))


def joint(name: str) -> Family:
    guards = (call("mayBe", 2, 4), compared("low", "<= <", 2), compared("high", ">= >", 2))
    return Family(name, "", guards, (between(2), between(2), call("forget", 2)), "", 2)


def ordered(name: str, plain: str) -> Family:
    guards = (lambda rng: f"v {plain} {rng.randrange(4)}", lambda rng: f"v {rng.choice('< >= =='.split())} {rng.randrange(4)}")
    updates = (lambda rng: f"v = {rng.randrange(4)}", lambda rng: f"v += {rng.randrange(3)}", lambda rng: f"v -= {rng.randrange(3)}")
    return Family(name, "", guards, (*updates, lambda rng: "v++"), bound="v > -4 && v < 6")


FAMILIES: Tuple[Family, ...] = (
    bits("UnionBitVector", "", "num1s", "num0s"),
    bits("IntersectionBitVector", "!", "num0s", "num1s"),
    Family(
        "PowerSet",
        "(4)",
        (call("contains", 4), compared("size", ">= > =="), call("isEmpty")),
        (call("add", 4), call("add", 4), call("remove", 4), call("clear")),
    ),
    Family(
        "PresentAbsent",
        "(3)",
        (call("mayContain", 3), call("mayLack", 3), call("mustContain", 3), compared("least", "<= <"), compared("most", ">=")),
        tuple(call(name, 3) for name in ("insert", "remove", "forget", "assumePresent", "assumeAbsent"))
        + (call("clear"), call("forgetAll")),
    ),
    number("Interval", "", False),
    number("Interval", "(-2, 5)"),
    number("IntRange", "(-3, 3)"),
    number("WideningInterval", "(-9, 9)"),
    number("WideningIntRange", "(1, 2, 4)", False),
    number("WrappingInterval", "", False),
    number("Constant"),
    number("Sign"),
    number("Parity"),
    number("Congruence"),
    number("Congruence", "(12)"),
    joint("Box"),
    joint("Octagon"),
    ordered("MaxInteger", ">="),
    ordered("MinInteger", "<="),
    cache("MustCache", call("mayMiss", 4), call("mustHit", 4), compared("oldest", ">= <", 4)),
    cache("AbstractCache", call("mayMiss", 4), call("ishit", 4)),
    cache("MayCache", call("mayHit", 4), call("mustMiss", 4), compared("youngest", "<= >", 4)),
    cache("Cache", call("mayMiss", 4), call("mayHit", 4), call("mustHit", 4)),
    Family(
        "Zone",
        "(2, 4)",
        (call("mayBeAtMost", 2, 4), call("mayBeAbove", 2, 4), call("isEmpty")),
        (call("up"), call("up"), call("reset", 2), call("free", 2))
        + tuple(call(name, 2, 4) for name in ("atMost", "below", "atLeast", "above"))
        + (lambda rng: f"v.differenceAtMost({rng.choice(('0, 1', '1, 0'))}, {rng.randrange(-3, 4)})",),
    ),
    Family(
        "DiscreteClock",
        "(4)",
        (call("mayBeAtMost", 4), call("mayBeAtLeast", 4), compared("least", "<="), compared("most", ">= ==")),
        (call("tick"), call("tick"), call("up"), call("reset"), call("atMost", 4), call("atLeast", 4)),
    ),
)


class Network(NamedTuple):
    """A network as text: with the lattice of the library, and for its mirror."""

    name: str
    library: str
    mirrored: str
    queries: List[str]


def network(seed: int) -> Network:
    """Writes a random network with one lattice."""
    rng = Random(seed)
    family = FAMILIES[seed % len(FAMILIES)]
    parts, queries = [], []
    processes = rng.choice((1, 1, 2))
    for number in range(processes):
        count = rng.randrange(2, 5)
        locations = [f"L{i}" + (" { x <= 3 }" if rng.random() < 0.2 else "") for i in range(count)]
        edges = []
        for at in range(count + rng.randrange(2, 6)):
            guards = [guard(rng) for guard in family.guards if rng.random() < 0.5 / len(family.guards)]
            guards += [f"x >= {rng.randrange(4)}"] * (rng.random() < 0.2) + [f"n == {rng.randrange(3)}"] * (rng.random() < 0.1)
            updates = [rng.choice(family.updates)(rng) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
            updates += ["x = 0"] * (rng.random() < 0.2) + [f"n = {rng.randrange(3)}"] * (rng.random() < 0.15)
            guards += [family.bound] * (family.bound != "" and any(mark in "".join(updates) for mark in ("+", "-")))
            sync = [f"sync c{rng.choice('!?')};"] * (processes > 1 and rng.random() < 0.2)
            guarded = f"guard {' && '.join(guards)};" if guards else ""
            assign = f"assign {', '.join(updates)};" if updates else ""
            edges.append(f"L{at % count} -> L{rng.randrange(count)} {{ {guarded} {' '.join(sync)} {assign} }}")
        parts.append(f"process P{number}() {{ state {', '.join(locations)}; init L0; trans {', '.join(edges)}; }}")
        queries += [f"E<> P{number}.L{i}" for i in range(1, count)]
    for guard in family.guards:
        queries.append(f"E<> P0.L{rng.randrange(2)} && {guard(rng)}")
    queries += ["A[] n <= 1", "E<> deadlock"]
    head = "clock x; int[0,2] n; chan c; "
    rest = " ".join(parts) + f" system {', '.join(f'P{i}' for i in range(processes))};"

    def text(arguments: str, members: int) -> str:
        declared = "".join(f" v.intvar m{i};" for i in range(members))
        # Without arguments, dimensions belong to the name of the lattice.
        extern = f"extern Own = {family.name}{arguments};" if arguments else f"extern {family.name};"
        return f"{head}{extern} {'Own' if arguments else family.name} v{family.dimensions};{declared} {rest}"

    mirrored = text(f"({family.members})" if family.members else family.arguments, 0)
    return Network(family.name, text(family.arguments, family.members), mirrored, queries)
