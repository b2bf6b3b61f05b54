"""What the package costs besides the work itself: `python measure.py` prints a table.

All numbers are CPU times, the least of several rounds. Install the package with optimisation before: `pip install .`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

import merkhet as mk

MODELS = Path(__file__).parents[2] / "models"

#: How many states the models below have.
STATES = 20_000

COUNTER = f"""extern MaxInteger; MaxInteger n;
process P() {{ state a; init a; trans a -> a {{ guard n < {STATES}; assign n += 1; }}; }} system P;"""
NUMBER = COUNTER.replace("extern MaxInteger; MaxInteger n", f"int[0,{STATES}] n")

#: The calls of the methods below.
CALLS: Dict[str, int] = {}


def counted(method: Any) -> Any:
    """Counts the calls of a method."""

    def call(*given: Any) -> Any:
        CALLS[method.__name__] = CALLS.get(method.__name__, 0) + 1
        return method(*given)

    return call


class Counter:
    """The lattice `MaxInteger`, written in Python."""

    def __init__(self, n: int = 0) -> None:
        self.n = n

    def __int__(self) -> int:
        return self.n

    def __iadd__(self, n: int) -> Counter:
        self.n += n
        return self

    def join(self, other: Counter) -> Counter:
        return self if self.n > other.n else other

    def covers(self, other: Counter) -> bool:
        return self.n >= other.n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counter) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)

    def __deepcopy__(self, memo: object) -> Counter:
        return type(self)(self.n)


def least(work: Callable[[], object], rounds: int = 5) -> float:
    """Returns the least CPU time of some rounds."""
    times: List[float] = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def program(code: str) -> float:
    """Returns the least CPU time of a program."""
    times: List[float] = []
    for _ in range(15):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def small() -> None:
    """Loads and verifies a small model."""
    m = mk.load(MODELS / "fischer.xta", constants={"N": 2})
    assert m.verify("E<> P(1).critical", threads=1).holds


def heuristic() -> float:
    """Returns what a call of a function costs besides the call itself, in seconds."""
    m, calls = mk.loads(NUMBER), 0
    kept: List[mk.StateView] = []

    def count(state: mk.StateView) -> int:
        nonlocal calls
        calls += 1
        kept[:] = [state]
        return 0

    def zero(state: mk.StateView) -> int:
        return 0

    options: Any = {"order": "greedy", "threads": 1}
    m.verify("E<> false", heuristic=count, **options)
    ours = least(lambda: m.verify("E<> false", heuristic=zero, **options))
    theirs = least(lambda: m.verify("E<> false", heuristic="user(0)", **options))
    view = kept[0]
    plain = least(lambda: [zero(view) for _ in range(calls)])
    return (ours - theirs - plain) / calls


def lattice() -> float:
    """Returns the same for the methods of a lattice."""
    methods = ("__int__", "__iadd__", "join", "covers", "__eq__", "__hash__", "__deepcopy__", "__init__")
    names = {name: counted(vars(Counter)[name]) for name in methods}
    options: Any = {"update": "simple", "threads": 1}
    mk.loads(COUNTER, lattices={"MaxInteger": type("Counted", (Counter,), names)}).verify("E<> false", **options)
    calls = dict(CALLS)
    calls.pop("__init__")
    ours, theirs = mk.loads(COUNTER, lattices={"MaxInteger": Counter}), mk.loads(COUNTER)
    used = least(lambda: ours.verify("E<> false", **options)) - least(lambda: theirs.verify("E<> false", **options))
    one, two = Counter(3), Counter(3)
    plain = 0.0
    for name, count in calls.items():
        method: Any = {"__hash__": hash, "__int__": int}.get(name, getattr(Counter, name))
        given = {"__iadd__": (two, 0), "__deepcopy__": (two, None)}.get(name, (one, two))
        arguments = given[:1] if name in ("__hash__", "__int__") else given
        plain += least(lambda: [method(*arguments) for _ in range(count)], 3)
    return (used - plain) / sum(calls.values())


def main() -> None:
    """Prints the table."""
    small()
    rows = [
        ("import of the package", program("import merkhet") - program("pass"), 1e3, "ms"),
        ("`load` and `verify` of a small model", least(small, 50), 1e3, "ms"),
        ("a call of a function with a state, besides the call itself", heuristic(), 1e6, "µs"),
        ("a call of a method of a lattice, besides the call itself", lattice(), 1e6, "µs"),
    ]
    print("| what | CPU time |")
    print("|---|---|")
    for what, seconds, factor, unit in rows:
        print(f"| {what} | {seconds * factor:.2f} {unit} |")


if __name__ == "__main__":
    main()
