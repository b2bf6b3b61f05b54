"""State spaces."""

from __future__ import annotations

from typing import Any, Iterator, List, Mapping, Optional, Tuple

from . import _merkhet
from ._display import Drawing
from ._value import Value
from ._values import Edge, State

__all__ = ["Arc", "StateSpace", "SymbolicState"]


class SymbolicState(Value):
    """A symbolic state: locations and variables with a zone."""

    state: State
    #: The constraints on clocks, as text.
    zone: Tuple[str, ...]
    #: Whether it is the join of several states.
    joined: bool
    #: The number of the state that has replaced it.
    replaced_by: Optional[int]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> SymbolicState:
        return SymbolicState(State._of(entry["state"]), tuple(entry["zone"]), entry["joined"], entry["replaced_by"])


class Arc(Value):
    """A transition between symbolic states."""

    #: The number of its source; ``None`` for the arc to the initial state.
    source: Optional[int]
    target: int
    edges: Tuple[Edge, ...]
    #: Whether the target was there before and covers what was found.
    covered: bool

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Arc:
        edges = tuple(Edge._of(edge) for edge in entry["edges"])
        return Arc(entry["source"], entry["target"], edges, entry["covered"])


class StateSpace:
    """The symbolic states that a search explores, in the order in which it finds them."""

    __slots__ = ("_native", "states", "arcs", "reason", "_drawings")

    def __init__(self, native: _merkhet.NativeSpace) -> None:
        value = native.value()
        self._native: Optional[_merkhet.NativeSpace] = native
        self.states: Tuple[SymbolicState, ...] = tuple(SymbolicState._of(state) for state in value["states"])
        self.arcs: Tuple[Arc, ...] = tuple(Arc._of(arc) for arc in value["arcs"])
        #: Why there are more states; ``None``: these are all.
        self.reason: Optional[str] = native.reason()
        self._drawings: dict[str, str] = {}

    @property
    def complete(self) -> bool:
        """Whether these are all states."""
        return self.reason is None

    def __len__(self) -> int:
        return len(self.states)

    def __iter__(self) -> Iterator[SymbolicState]:
        return iter(self.states)

    def __getitem__(self, number: int) -> SymbolicState:
        return self.states[number]

    def successors(self, number: int) -> List[int]:
        """Returns the numbers of the states to which arcs lead from a state."""
        return [arc.target for arc in self.arcs if arc.source == number]

    def _draw(self, format: str) -> str:
        if format not in self._drawings and self._native is not None:
            self._drawings[format] = self._native.graph(format)
        return self._drawings[format]

    def svg(self) -> Drawing:
        """Returns a drawing."""
        return Drawing(self._draw("svg"))

    def dot(self) -> str:
        """Returns the graph in Graphviz's language."""
        return self._draw("dot")

    def __getstate__(self) -> Tuple[Any, ...]:
        # The drawings are all that needs the model.
        self._draw("svg"), self._draw("dot")
        return (self.states, self.arcs, self.reason, self._drawings)

    def __setstate__(self, state: Tuple[Any, ...]) -> None:
        self.states, self.arcs, self.reason, self._drawings = state
        self._native = None

    def __repr__(self) -> str:
        more = "" if self.complete else "; there are more"
        return f"<state space with {len(self.states)} states and {len(self.arcs)} arcs{more}>"

    def _repr_svg_(self) -> str:
        return self._draw("svg")
