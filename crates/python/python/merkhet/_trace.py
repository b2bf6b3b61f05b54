"""Runs of models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _merkhet
from ._display import Drawing, table
from ._values import Number, State, Step, optional_number

if TYPE_CHECKING:
    import pandas

__all__ = ["Trace", "read_traces"]


class Trace:
    """A run that decides a query. It was replayed, unless it is spurious.

    A trace is a sequence of steps. States have exact clock values.
    """

    __slots__ = ("_native", "_value", "_states", "_pictures")

    def __init__(self, native: _merkhet.NativeTrace, pictures: Optional[Tuple[str, str]] = None) -> None:
        self._native = native
        self._pictures = pictures
        self._value: Dict[str, Any] = native.value()
        self._states: Optional[Tuple[State, ...]] = None

    @property
    def query(self) -> str:
        """The query that it decides."""
        return self._native.query()

    @property
    def spurious(self) -> bool:
        """Whether it is not a run: joined states or stopwatches approximate what is possible."""
        return bool(self._value.get("spurious", False))

    @property
    def start(self) -> State:
        """The first state."""
        return State._of(self._value["start"])

    @property
    def end(self) -> State:
        """The last state, after the last delay."""
        return State._of(self._value["end"])

    @property
    def steps(self) -> Tuple[Step, ...]:
        """The steps: time passes, then a transition is taken."""
        return tuple(Step._of(step) for step in self._value["steps"])

    @property
    def last_delay(self) -> Optional[Number]:
        """The delay after the last transition."""
        return optional_number(self._value["last_delay"])

    @property
    def ending(self) -> Optional[str]:
        """How it goes on: ``cycle``, ``waits for ever`` or ``stops``."""
        ending: Optional[str] = self._value["ending"]
        return ending

    @property
    def cycle(self) -> Optional[int]:
        """The number of the step at which the cycle starts, counted from 0."""
        cycle: Optional[int] = self._value["cycle"]
        return None if cycle is None else cycle - 1

    @property
    def states(self) -> Tuple[State, ...]:
        """The first state, and the state after each transition."""
        if self._states is None:
            self._states = tuple(self._walk())
        return self._states

    def _walk(self) -> Iterator[State]:
        state = self.start
        yield state
        for step in self.steps:
            locations, variables = dict(state.locations), dict(state.variables)
            elements, marking = dict(state.elements), None if state.marking is None else dict(state.marking)
            for edge in step.edges:
                locations[edge.process] = edge.target
            for change in step.changes:
                if isinstance(change.after, int):
                    variables[change.name] = change.after
                    if marking is not None:
                        marking[change.name] = change.after
                        if change.after == 0:
                            del marking[change.name]
                else:
                    elements[change.name] = change.after
            state = State(locations, variables, elements, step.clocks, marking)
            yield state

    @property
    def duration(self) -> Optional[Number]:
        """The time from the first state to the last one."""
        delays = [*(step.delay for step in self.steps), self.last_delay]
        known = [delay for delay in delays if delay is not None]
        return None if len(known) < len(delays) else sum(known)

    def __len__(self) -> int:
        return len(self._value["steps"])

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, number: int) -> Step:
        return self.steps[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self._native == other._native

    def __hash__(self) -> int:
        return hash((self.query, len(self)))

    def to_json(self, model: str = "") -> str:
        """Returns the text of a file that ``merkhet replay`` accepts."""
        return self._native.text(model)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes such a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __reduce__(self) -> Tuple[Any, ...]:
        # What pictures show is known as long as the model is.
        return (_read_one, (self.to_json(), self._drawn()))

    def _drawn(self) -> Optional[Tuple[str, str]]:
        if self._pictures is None:
            self._pictures = self._native.pictures()
        return self._pictures

    def _picture(self, number: int) -> Drawing:
        drawn = self._drawn()
        if drawn is None:
            raise ValueError("this trace has no picture: it is spurious, or was read from a file")
        return Drawing(drawn[number])

    def chart(self) -> Drawing:
        """Returns a sequence chart: a lifeline for each process or place, steps from top to bottom."""
        return self._picture(0)

    def timeline(self) -> Drawing:
        """Returns a timeline: a lane for each process, clock and variable, time from left to right."""
        return self._picture(1)

    def rows(self) -> List[Dict[str, object]]:
        """Returns a row for each state: the step that leads to it, the time, and all values."""
        rows: List[Dict[str, object]] = []
        time: Optional[Number] = 0 if not self.spurious else None
        steps: List[Optional[Step]] = [None, *self.steps]
        for step, state in zip(steps, self.states):
            if step is not None and time is not None and step.delay is not None:
                time += step.delay
            row: Dict[str, object] = {
                "delay": step.delay if step else None,
                "time": time,
                "transition": str(step.fires or ", ".join(map(str, step.edges))) if step else "start",
            }
            row.update(state)
            rows.append(row)
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """Returns the states as a frame of pandas, one row each, with exact times."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __str__(self) -> str:
        lines = [str(self.start)]
        for number, step in enumerate(self.steps, 1):
            lines.append(f"{number}. {step}")
            lines.extend(f"     {change}" for change in step.changes)
        if self.last_delay:
            lines.append(f"then a delay of {self.last_delay}")
        if self.ending:
            lines.append(f"then it {self.ending}" if self.ending != "cycle" else f"then back to step {self.cycle}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        what = "spurious trace" if self.spurious else "trace"
        return f"<{what} with {len(self)} transitions>"

    def _repr_html_(self) -> str:
        def changes(step: Step) -> str:
            return "\n".join(map(str, step.changes))

        rows = [
            (number, step.delay, step.fires or "\n".join(map(str, step.edges)), changes(step))
            for number, step in enumerate(self.steps, 1)
        ]
        steps = table(("step", "delay", "transition", "changes"), rows, repr(self).strip("<>"))
        drawn = self._drawn()
        return steps if drawn is None else f"<div>{drawn[0]}</div><div>{drawn[1]}</div>"


def _read_one(text: str, pictures: Optional[Tuple[str, str]]) -> Trace:
    return Trace(_merkhet.NativeTrace.read(text)[0], pictures)


def read_traces(path: Union[str, "os.PathLike[str]"]) -> List[Trace]:
    """Reads the traces that ``merkhet verify --trace-file`` or :meth:`Trace.save` wrote."""
    with open(path, encoding="utf-8") as file:
        return [Trace(native) for native in _merkhet.NativeTrace.read(file.read())]
