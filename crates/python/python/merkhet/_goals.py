"""Goals that are functions."""

from __future__ import annotations

from typing import Callable

from ._merkhet import StateView
from ._value import Value

__all__ = ["Goal", "never", "possibly"]


class Goal(Value):
    """A predicate on the locations and variables of states, as a query."""

    predicate: Callable[[StateView], bool]
    #: Whether the query is satisfied by a state where it holds; otherwise by the lack of one.
    exists: bool
    name: str


def possibly(predicate: Callable[[StateView], bool]) -> Goal:
    """Asks whether a predicate holds in some state that can be reached."""
    return Goal(predicate, True, getattr(predicate, "__name__", "goal"))


def never(predicate: Callable[[StateView], bool]) -> Goal:
    """Asks whether a predicate holds in no state that can be reached.

    >>> import merkhet as mk
    >>> m = mk.loads("int n; process P() { state a; init a; trans a -> a { guard n < 9; assign n++; }; } system P;")
    >>> m.verify(mk.never(lambda state: state["n"] > 9)).holds
    True
    """
    return Goal(predicate, False, getattr(predicate, "__name__", "goal"))
