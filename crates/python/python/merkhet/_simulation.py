"""Simulations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping, Optional, Tuple, Union

from . import _merkhet
from ._display import Drawing, table
from ._trace import Trace
from ._value import Value
from ._values import DelayRange, Edge, Number, State, Step, number

__all__ = ["Move", "RunTimeError", "Simulation"]


class Move(Value):
    """A transition that is possible now or later."""

    #: The edges: the sender first, then the receivers.
    edges: Tuple[Edge, ...]
    #: The delays after which it is possible.
    delays: Tuple[DelayRange, ...]
    #: The transition of a net that fires.
    fires: Optional[str] = None

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Move:
        edges = tuple(Edge._of(edge) for edge in entry["edges"])
        return Move(edges, tuple(DelayRange._of(delay) for delay in entry["delays"]), entry.get("fires"))

    def __str__(self) -> str:
        what = f"{self.fires} fires" if self.fires else ", ".join(map(str, self.edges))
        return f"{what}, after {' or '.join(map(str, self.delays))}"


class RunTimeError(Value):
    """A failure of the model that is possible now or later."""

    message: str
    #: Its place: file, line and column.
    place: Optional[str]
    delays: Tuple[DelayRange, ...]
    edges: Tuple[Edge, ...]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> RunTimeError:
        delays = tuple(DelayRange._of(delay) for delay in entry["delays"])
        return RunTimeError(
            entry["message"], entry["place"], delays, tuple(Edge._of(edge) for edge in entry["edges"])
        )


class Simulation:
    """A run of a model that is made move by move."""

    __slots__ = ("_model", "_native", "_now")

    def __init__(self, model: Any, native: _merkhet.NativeSimulation) -> None:
        self._model = model
        self._native = native
        self._now: Optional[Mapping[str, Any]] = None

    def _situation(self) -> Mapping[str, Any]:
        if self._now is None:
            self._now = self._native.situation()
        return self._now

    @property
    def state(self) -> State:
        """The current state."""
        return State._of(self._situation()["state"])

    @property
    def time(self) -> Number:
        """The time since the start."""
        return number(self._situation()["time"])

    @property
    def moves(self) -> Tuple[Move, ...]:
        """The transitions that are possible, each after some delays."""
        return tuple(Move._of(entry) for entry in self._situation()["transitions"])

    @property
    def errors(self) -> Tuple[RunTimeError, ...]:
        """The run-time errors that are possible."""
        return tuple(RunTimeError._of(entry) for entry in self._situation()["errors"])

    @property
    def delays(self) -> DelayRange:
        """The delays that are allowed."""
        return DelayRange._of(self._situation()["wait"])

    @property
    def limit(self) -> Optional[str]:
        """Why no longer delay is allowed."""
        why: Optional[str] = self._situation()["limit"]
        return why

    @property
    def deadlock(self) -> bool:
        """Whether no transition is possible after any delay, nor a run-time error."""
        return bool(self._situation()["deadlock"])

    @property
    def history(self) -> Tuple[Step, ...]:
        """The moves so far."""
        return tuple(Step._of(step) for step in self._native.moves())

    @property
    def trace(self) -> Trace:
        """The run so far. It was replayed."""
        return Trace(self._native.trace())

    def take(self, move: Union[int, Move], delay: Optional[Number] = None) -> Simulation:
        """Takes a transition of :attr:`moves`, after a delay; without one as early as possible."""
        if isinstance(move, Move):
            move = self.moves.index(move)
        elif move < 0:
            move += len(self._situation()["transitions"])
            if move < 0:
                raise IndexError(f"there is no transition {move - len(self._situation()['transitions'])} here")
        self._native.take(move, _exact(delay))
        self._now = None
        return self

    def wait(self, delay: Number) -> Simulation:
        """Lets time pass."""
        self._native.wait(_exact(delay))
        self._now = None
        return self

    def random(self, count: int = 1) -> int:
        """Takes random transitions after random delays. Returns how many were possible.

        A run-time error of the model may be chosen, too: it is a ``ValueError``, and the moves before it are kept.
        """
        taken = self._native.random(count)
        self._now = None
        return taken

    def back(self, count: int = 1) -> Simulation:
        """Undoes moves."""
        return self.go(self._situation()["moves"] - count)

    def forward(self, count: int = 1) -> Simulation:
        """Makes moves again that were undone, or those of a trace."""
        return self.go(self._situation()["moves"] + count)

    def go(self, moves: int) -> Simulation:
        """Goes to the state after some moves from the start."""
        if moves < 0:
            raise IndexError("there are not as many moves to undo")
        self._native.go(moves)
        self._now = None
        return self

    def load(self, trace: Trace) -> Simulation:
        """Goes to the start of a trace; :meth:`forward` makes its steps."""
        self._native.load(trace._native)
        self._now = None
        return self

    def graph(self) -> Drawing:
        """Draws the automata with their active locations, or the net with its marking."""
        return Drawing(self._native.picture())

    def __len__(self) -> int:
        return int(self._situation()["moves"])

    def __repr__(self) -> str:
        return f"<simulation after {len(self)} moves, at time {self.time}>"

    def _repr_html_(self) -> str:
        values = [(name, value) for name, value in self.state.items()]
        moves = [
            (number, move.fires or "\n".join(map(str, move.edges)), " or ".join(map(str, move.delays)))
            for number, move in enumerate(self.moves)
        ]
        state = table(("", "value"), values, repr(self).strip("<>"))
        return f"<div>{self._native.picture()}</div>" + state + table(("move", "transition", "delays"), moves)


def _exact(delay: Optional[Number]) -> Optional[Number]:
    if delay is None or isinstance(delay, (int, Fraction)):
        return delay
    raise TypeError(f"a delay is an `int` or a `Fraction`, not a `{type(delay).__name__}`: times are exact")
