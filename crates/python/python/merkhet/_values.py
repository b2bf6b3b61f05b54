"""Values: places, diagnostics, states, steps. All of them are immutable, and can be pickled."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ._value import Value

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Bounds",
    "Change",
    "Clock",
    "DelayRange",
    "Diagnostic",
    "Distribution",
    "Edge",
    "Limit",
    "Location",
    "Note",
    "Number",
    "Place",
    "Process",
    "Query",
    "State",
    "Stats",
    "Step",
    "Variable",
]

#: An exact number.
Number = Union[int, Fraction]


def number(text: str) -> Number:
    """Returns the number that reports write as ``3`` or ``7/2``."""
    return Fraction(text) if "/" in text else int(text)


def optional_number(text: Optional[str]) -> Optional[Number]:
    return None if text is None else number(text)


class Place(Value):
    """A place in a source text. Lines and columns count from 1."""

    #: The file, or the name of the text.
    file: str
    #: The line in the file.
    line: Optional[int]
    #: The column in that line.
    column: Optional[int]
    #: The line of the end.
    end_line: Optional[int]
    #: The column after the last character.
    end_column: Optional[int]
    #: The XPath of the label or declaration in a model in XML.
    path: Optional[str] = None
    #: The same for people, with the line and column there: ``template `P`, guard``.
    label: Optional[str] = None

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Place:
        return Place(
            entry["file"],
            entry["file_line"],
            entry["file_column"],
            entry["file_end_line"],
            entry["file_end_column"],
            entry["path"],
            entry["place"],
        )

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"


class Note(Value):
    """A remark at another place."""

    message: str
    place: Place


class Diagnostic(Value):
    """Something that is wrong or suspicious."""

    #: ``error`` or ``warning``.
    severity: str
    #: A stable name for this kind of diagnostic.
    code: str
    message: str
    place: Place
    #: A remark at the place.
    label: Optional[str]
    #: Other places that matter.
    notes: Tuple[Note, ...]
    #: What can be done.
    help: Tuple[str, ...]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Diagnostic:
        notes = tuple(Note(note["message"], Place._of(note)) for note in entry["notes"])
        return Diagnostic(
            entry["severity"],
            entry["code"],
            entry["message"],
            Place._of(entry),
            entry["label"],
            notes,
            tuple(entry["help"]),
        )

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.message}"


class Location(Value):
    """The location of a process."""

    process: str
    name: str

    def __str__(self) -> str:
        return f"{self.process}.{self.name}"


class Process(Value):
    """A process of a model."""

    name: str
    template: str
    locations: Tuple[str, ...]
    initial: str
    #: The name of its template.
    place: Place


class Clock(Value):
    """A clock of a model."""

    name: str
    place: Place


class Variable(Value):
    """A variable of a model."""

    name: str
    #: ``int``, ``bool``, ``scalar``, ``array``, ``struct`` or ``lattice``.
    kind: str
    #: The least and the greatest value of an integer.
    range: Optional[Tuple[int, int]]
    place: Place

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Variable:
        least, greatest = entry["least"], entry["greatest"]
        range = None if least is None else (least, greatest)
        return Variable(entry["name"], entry["kind"], range, Place._of(entry["at"]))


class Query(Value):
    """A query that belongs to a model."""

    text: str
    #: From the comment before it.
    name: Optional[str]
    place: Place

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Query:
        return Query(entry["text"], entry["name"], Place._of(entry["at"]))

    def __str__(self) -> str:
        return self.text


class State(Value, Mapping[str, Union[int, Fraction, str]]):
    """A state: a mapping from names to values.

    Keys are the names of processes, variables, elements of lattices and clocks; the values are
    locations (text), integers, elements (text) and exact times.
    """

    #: The location of each process.
    locations: Mapping[str, str]
    variables: Mapping[str, int]
    #: Elements of lattices, as text.
    elements: Mapping[str, str]
    #: The values of clocks; ``None`` in a spurious trace and in symbolic states.
    clocks: Optional[Mapping[str, Number]]
    #: The places of a net that have tokens, with their number; ``None`` if the model is no net.
    marking: Optional[Mapping[str, int]] = None

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> State:
        clocks, marking = entry["clocks"], entry.get("marking")
        return State(
            {item["process"]: item["location"] for item in entry["locations"]},
            {item["name"]: item["value"] for item in entry["variables"]},
            {item["name"]: item["value"] for item in entry.get("elements", ())},
            None if clocks is None else _clocks(clocks),
            None if marking is None else {item["place"]: item["tokens"] for item in marking},
        )

    def __getitem__(self, name: str) -> Union[int, Fraction, str]:
        for values in (self.variables, self.clocks or {}, self.elements, self.locations):
            if name in values:
                return values[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self.locations
        yield from self.variables
        yield from self.elements
        yield from self.clocks or {}

    def __len__(self) -> int:
        return len(self.locations) + len(self.variables) + len(self.elements) + len(self.clocks or {})

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __str__(self) -> str:
        where = ", ".join(f"{process}.{location}" for process, location in self.locations.items())
        rest = [f"{name} = {self[name]}" for name in self if name not in self.locations]
        return "\n".join([where, ", ".join(rest)]) if rest else where


def _clocks(entries: List[Dict[str, str]]) -> Dict[str, Number]:
    return {item["name"]: number(item["value"]) for item in entries}


class Edge(Value):
    """An edge that is taken."""

    process: str
    source: str
    target: str
    #: The channel with ``!`` or ``?`` after it.
    sync: Optional[str]
    #: The index of the edge in its template.
    index: int
    branch: Optional[int] = None
    #: The values that its select label chose.
    select: Tuple[int, ...] = ()

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Edge:
        return Edge(
            entry["process"],
            entry["source"],
            entry["target"],
            entry["sync"],
            entry["edge"],
            entry["branch"],
            tuple(entry["select"]),
        )

    def __str__(self) -> str:
        sync = f" ({self.sync})" if self.sync else ""
        return f"{self.process}: {self.source} -> {self.target}{sync}"


class Change(Value):
    """A variable or an element of a lattice that a step changes."""

    name: str
    before: Union[int, str]
    after: Union[int, str]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Change:
        return Change(entry["name"], entry["from"], entry["to"])

    def __str__(self) -> str:
        return f"{self.name}: {self.before} -> {self.after}"


class Step(Value):
    """A step: time passes, then a transition is taken."""

    #: How much time passes; ``None`` in a spurious trace.
    delay: Optional[Number]
    #: The edges: the sender first, then the receivers. None: only time passes.
    edges: Tuple[Edge, ...]
    changes: Tuple[Change, ...]
    #: The clocks after the transition.
    clocks: Optional[Mapping[str, Number]]
    #: What happens in a net: the transition that fires.
    fires: Optional[str] = None

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Step:
        changes = [*entry["changes"], *entry.get("element_changes", ())]
        clocks = entry["clocks"]
        return Step(
            optional_number(entry["delay"]),
            tuple(Edge._of(edge) for edge in entry["edges"]),
            tuple(Change._of(change) for change in changes),
            None if clocks is None else _clocks(clocks),
            entry.get("fires"),
        )

    def __str__(self) -> str:
        what = f"{self.fires} fires" if self.fires else ", ".join(map(str, self.edges))
        after = f"after {self.delay}: " if self.delay else ""
        return after + (what or "time passes")


class DelayRange(Value):
    """An interval of delays."""

    least: Number
    #: Whether the least delay belongs to it.
    least_included: bool
    #: ``None``: there is no bound.
    greatest: Optional[Number]
    greatest_included: bool

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> DelayRange:
        return DelayRange(
            number(entry["from"]), entry["from_included"], optional_number(entry["to"]), entry["to_included"]
        )

    def __contains__(self, delay: object) -> bool:
        if not isinstance(delay, (int, Fraction)):
            return False
        if delay < self.least or (delay == self.least and not self.least_included):
            return False
        if self.greatest is None or delay < self.greatest:
            return True
        return delay == self.greatest and self.greatest_included

    def __str__(self) -> str:
        left, right = "[" if self.least_included else "(", "]" if self.greatest_included else ")"
        return f"{left}{self.least}, {'inf' if self.greatest is None else self.greatest}{right}"


class Limit(Value):
    """A bound of the values of an expression."""

    #: ``None``: there is no bound.
    number: Optional[int]
    #: Whether the number is a limit that is not reached.
    strict: bool


class Bounds(Value):
    """The values of an expression in all states."""

    expression: str
    #: ``None``: the query does not ask for it.
    least: Optional[Limit]
    greatest: Optional[Limit]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Bounds:
        def limit(bound: Optional[Mapping[str, Any]]) -> Optional[Limit]:
            return None if bound is None else Limit(bound["number"], bound["strict"])

        return Bounds(entry["expression"], limit(entry["least"]), limit(entry["greatest"]))


class RunTrajectory(Value):
    """The values of expressions along a random run."""

    #: The number of the run: with the same seed, it is the same again.
    run: int
    expressions: Tuple[str, ...]
    #: The moments where something changes.
    times: Tuple[float, ...]
    #: The values at these moments, in the order of the expressions. They are linear in between.
    values: Tuple[Tuple[float, ...], ...]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> RunTrajectory:
        points = entry["points"]
        return RunTrajectory(
            entry["run"],
            tuple(entry["expressions"]),
            tuple(point["time"] for point in points),
            tuple(tuple(point["values"]) for point in points),
        )

    def rows(self) -> List[Dict[str, float]]:
        """Returns a row for each moment: the time, and the values by their expressions."""
        pairs = zip(self.times, self.values)
        return [{"time": time, **dict(zip(self.expressions, values))} for time, values in pairs]

    def to_frame(self) -> pandas.DataFrame:
        """Returns the moments as a frame of pandas, one row each."""
        import pandas

        return pandas.DataFrame(self.rows(), columns=["time", *self.expressions])


class Distribution(Value):
    """How numbers are distributed: how many runs have one in each bin."""

    #: What the numbers are: ``time``, ``transitions``, or an expression.
    of: str
    #: The width of each bin.
    width: float
    #: For each bin with runs, its least number and how many runs there are.
    bins: Tuple[Tuple[float, int], ...]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Distribution:
        return Distribution(
            entry["of"], entry["width"], tuple((each["from"], each["runs"]) for each in entry["bins"])
        )


class Estimate(Value):
    """What a statistical query has measured on random runs."""

    #: The middle of the interval of a probability, or a mean; ``None`` for simulations.
    estimate: Optional[float]
    low: Optional[float]
    high: Optional[float]
    #: The probability with which such an interval contains the true value.
    level: float
    runs: int
    #: The number of runs with the property; ``None`` for means.
    successes: Optional[int]
    #: The number of transitions of all runs.
    transitions: int
    #: The probability that it is compared with.
    against: Optional[Estimate]
    #: The kept runs of a simulation.
    trajectories: Optional[Tuple[RunTrajectory, ...]]
    #: How the moments are distributed at which runs were decided, or the values of a mean.
    distribution: Optional[Distribution] = None
    #: The levels at which runs were split, if a rare event was estimated so.
    levels: Optional[Tuple[int, ...]] = None
    #: Why the probability is certainly 0 or 1, if that is known without any run.
    certain: Optional[str] = None

    @property
    def interval(self) -> Optional[Tuple[float, float]]:
        """The bounds of the interval, if there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def to_frame(self) -> pandas.DataFrame:
        """Returns the moments of all kept runs as a frame of pandas, with the number of the run in the first column."""
        import pandas

        kept = self.trajectories or ()
        rows: List[Dict[str, float]] = [{"run": run.run, **row} for run in kept for row in run.rows()]
        return pandas.DataFrame(rows, columns=["run", "time", *(kept[0].expressions if kept else ())])

    def __float__(self) -> float:
        if self.estimate is None:
            raise ValueError("nothing was estimated")
        return self.estimate

    def __str__(self) -> str:
        runs = f"{self.runs} run{'' if self.runs == 1 else 's'}"
        if self.estimate is None:
            return runs
        bounds = "" if self.interval is None else f" in [{self.low:.6g}, {self.high:.6g}] ({self.level:.6g} CI)"
        return f"{self.estimate:.6g}{bounds}, {runs}"

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Estimate:
        against, trajectories = entry["against"], entry["trajectories"]
        entry = dict(entry)
        distribution, splitting = entry["distribution"], entry.pop("splitting")
        return Estimate(
            **{
                **entry,
                "against": None if against is None else Estimate._of(against),
                "trajectories": None
                if trajectories is None
                else tuple(RunTrajectory._of(trajectory) for trajectory in trajectories),
                "distribution": None if distribution is None else Distribution._of(distribution),
                "levels": None if splitting is None else tuple(splitting["levels"]),
            }
        )


class Stats(Value):
    """What was counted for an answer."""

    #: States that were expanded.
    explored: int
    #: Successors that were computed, duplicates included.
    generated: int
    #: States that were ever put into a store.
    added: int
    #: States in the store when the query was decided.
    stored: int
    seconds: float
    #: Peak memory of the stored states.
    peak_bytes: int
    #: How many queries the search answered together.
    queries: int
    threads: int
    #: Joins that were undone.
    refinements: int
    #: Failed evaluations of the heuristic.
    heuristic_failures: int
    #: Everything, as ``--format json`` has it.
    raw: Mapping[str, Any]

    _hidden = ("raw",)

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Stats:
        names = (
            "explored",
            "generated",
            "added",
            "stored",
            "seconds",
            "peak_bytes",
            "queries",
            "threads",
            "refinements",
            "heuristic_failures",
        )
        return Stats(**{name: entry[name] for name in names}, raw=entry)
