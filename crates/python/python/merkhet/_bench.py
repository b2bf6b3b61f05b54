"""Measurements of several configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from ._display import table
from ._model import Model
from ._value import Value
from ._values import Query

if TYPE_CHECKING:
    import pandas

__all__ = ["Measurement", "Measurements", "bench"]


class Measurement(Value):
    """One query, answered with one configuration."""

    model: str
    query: str
    configuration: str
    answer: Optional[str]
    explored: int
    generated: int
    stored: int
    #: The least time of all repetitions.
    seconds: float
    peak_bytes: int
    #: The number of transitions of the trace, if ``trace`` asks for one.
    length: Optional[int]


class Measurements(Sequence[Measurement]):
    """A table of measurements."""

    def __init__(self, rows: Sequence[Measurement]) -> None:
        self._rows = tuple(rows)

    def __getitem__(self, number: Any) -> Any:
        return self._rows[number]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._rows)

    def rows(self) -> List[Dict[str, object]]:
        """Returns a dictionary for each measurement."""
        return [dict(vars(row)) for row in self._rows]

    def to_frame(self) -> pandas.DataFrame:
        """Returns a frame of pandas."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<{len(self)} measurements>"

    def _repr_html_(self) -> str:
        head = ("model", "query", "configuration", "answer", "explored", "generated", "stored", "seconds", "length")
        rows = [tuple(getattr(row, name) for name in head) for row in self._rows]
        return table(head, rows)


def bench(
    models: Union[Model, Sequence[Model]],
    configurations: Mapping[str, Mapping[str, Any]],
    queries: Optional[Sequence[Union[str, Query]]] = None,
    *,
    repeat: int = 1,
) -> Measurements:
    """Answers each query of each model with each configuration, and counts.

    A configuration is a name with options: ``{"greedy": {"order": "greedy", "heuristic": "hu"}}``. Each query is
    answered by a search of its own, ``repeat`` times; the time is the least of them.

    >>> import merkhet as mk
    >>> m = mk.loads("int[0,9] n; process P() { state a; init a; trans a -> a { guard n < 9; assign n++; }; } system P;")
    >>> found = mk.bench(m, {"breadth": {"order": "bfs"}, "depth": {"order": "dfs"}}, ["E<> n == 9"])
    >>> [(row.configuration, row.answer) for row in found]
    [('breadth', 'satisfied'), ('depth', 'satisfied')]
    """
    rows: List[Measurement] = []
    for model in [models] if isinstance(models, Model) else models:
        for query in model.queries if queries is None else queries:
            for name, options in configurations.items():
                results = [model.verify(query, **options) for _ in range(max(repeat, 1))]
                result, stats = results[0], results[0].stats
                if stats is None:
                    raise ValueError(f"`{query}` was not answered: {result.reason}")
                seconds = min(each.stats.seconds for each in results if each.stats is not None)
                length = None if result.trace is None else len(result.trace)
                row = Measurement(
                    model.name,
                    str(query),
                    name,
                    result.answer,
                    stats.explored,
                    stats.generated,
                    stats.stored,
                    seconds,
                    stats.peak_bytes,
                    length,
                )
                rows.append(row)
    return Measurements(rows)
