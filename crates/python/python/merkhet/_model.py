"""Models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _merkhet
from ._merkhet import StateView
from ._display import Drawing
from ._errors import FunctionError, QueryError
from ._goals import Goal
from ._lattices import PathState, imported, named
from ._progress import Observer, Progress
from ._result import Certificate, ClaimResult, Origin, ReplayResult, Result, Results
from ._simulation import Simulation
from ._space import StateSpace
from ._trace import Trace
from ._values import Clock, Diagnostic, Place, Process, Query, Variable

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

__all__ = ["Model", "load", "loads"]

#: Classes of lattices, or the names by which models find them.
Lattices = Union[Iterable[type], Mapping[str, type]]

#: What is asked: a text, a query of a model, or a predicate on states.
Question = Union[str, Query, Goal, Callable[[StateView], bool]]

#: What constants of a model may be given: a number, or an expression as text.
Constant = Union[int, bool, str]


def load(
    path: Union[str, "os.PathLike[str]"],
    *,
    format: Optional[str] = None,
    constants: Optional[Mapping[str, Constant]] = None,
    time_limit: Union[float, str, None] = None,
    memory_limit: Union[int, str, None] = None,
    lattices: Lattices = (),
    allow_import: bool = False,
    laws: Optional[str] = None,
) -> Model:
    """Reads and checks a model.

    Its format depends on the ending of the path: UPPAAL's ``.xml``, ``.xta`` and ``.ta``, TChecker's ``.tck``, and the
    nets ``.net``, ``.ndr``, ``.pnml`` and ``.tapn``. If it has no queries, its queries are those of the file beside it
    that ends with ``.q``.

    ``lattices`` are classes that the model finds by ``extern Name;``; see :mod:`merkhet._lattices`. With ``allow_import``
    a model may import classes: ``extern my.module.Name;``. ``laws="check"`` tests the laws of all lattices, now and
    on the elements that each search meets.

    ``constants`` gives constants of the model other values: ``{"N": 6, "P.K": "2 * N"}``.

    Raises :class:`ModelError` if the model has mistakes, and :class:`OSError` if the file can't be read.
    """
    name = os.fspath(path)
    beside = os.path.splitext(name)[0] + ".q"
    queries = (beside, _read(beside)) if beside != name and os.path.isfile(beside) else None
    return Model._open(name, _read(name), format, constants, queries, time_limit, memory_limit, lattices, allow_import, laws)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def loads(
    text: Union[str, bytes],
    format: Optional[str] = None,
    *,
    name: str = "<string>",
    constants: Optional[Mapping[str, Constant]] = None,
    time_limit: Union[float, str, None] = None,
    memory_limit: Union[int, str, None] = None,
    lattices: Lattices = (),
    allow_import: bool = False,
    laws: Optional[str] = None,
) -> Model:
    """Reads and checks a model from a text. Without a format, the text itself shows it.

    >>> import merkhet as mk
    >>> m = mk.loads("clock x; process P() { state a, b; init a; trans a -> b { guard x > 2; }; } system P;")
    >>> m.verify("E<> P.b").holds
    True
    """
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"the text of a model is `str` or `bytes`, not `{type(text).__name__}`")
    data = text.encode() if isinstance(text, str) else text
    return Model._open(name, data, format, constants, None, time_limit, memory_limit, lattices, allow_import, laws)


def _constant(value: Constant) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, str)):
        return str(value)
    raise TypeError(f"a constant is a number or an expression, not a `{type(value).__name__}`")


#: The functions that searches may call.
_FUNCTIONS = ("join", "heuristic", "order", "feasible", "split", "safe", "admissible")


def _divided(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Returns the options that are values, and those that are functions."""
    settings = dict(options)
    functions: Dict[str, Any] = dict.fromkeys(_FUNCTIONS)
    functions["safe"] = bool(settings.pop("safe", False))
    functions["admissible"] = bool(settings.pop("admissible", False))
    for name in ("feasible", "split"):
        functions[name] = settings.pop(name, None)
    for name in ("join", "heuristic", "order"):
        if callable(settings.get(name)):
            functions[name] = settings.pop(name)
    functions["of_two"] = functions["join"] is not None and _states(functions["join"]) == 2
    return settings, functions


def _states(function: Callable[..., Any]) -> int:
    """Returns how many states a strategy of joining takes: both, or their join as well."""
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 3
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in plain)
    for count in (3, 2):
        if needed <= count <= len(plain):
            return count
    raise TypeError(f"a strategy of joining takes two states, or these and their join, not {len(plain)} arguments")


def _asked(query: Question) -> Tuple[str, Optional[Callable[[StateView], bool]], bool]:
    if isinstance(query, (str, Query)):
        return (str(query), None, True)
    if isinstance(query, Goal):
        return (query.name, query.predicate, query.exists)
    if callable(query):
        return (getattr(query, "__name__", "goal"), query, True)
    raise TypeError(f"a query is a text or a predicate, not a `{type(query).__name__}`")


class Model:
    """A model: a network of timed automata, or a Petri net.

    A model never changes. Several threads may ask it at the same time.
    """

    __slots__ = ("_native", "_recipe", "_contents")

    def __init__(self, native: _merkhet.NativeModel, recipe: Tuple[Any, ...]) -> None:
        self._native = native
        self._recipe = recipe
        self._contents: Optional[Dict[str, Any]] = None

    @classmethod
    def _open(
        cls,
        name: str,
        text: bytes,
        format: Optional[str],
        constants: Optional[Mapping[str, Constant]],
        beside: Optional[Tuple[str, bytes]],
        time_limit: Union[float, str, None] = None,
        memory_limit: Union[int, str, None] = None,
        lattices: Lattices = (),
        allow_import: bool = False,
        laws: Optional[str] = None,
    ) -> Model:
        if laws not in (None, "check"):
            raise ValueError(f'`laws` is None or "check", not `{laws}`')
        if not isinstance(constants or {}, Mapping):
            raise TypeError(f'`constants` is a mapping, {{"N": 6}}, not a `{type(constants).__name__}`')
        values = [(key, _constant(value)) for key, value in (constants or {}).items()]
        limits = {"time_limit": time_limit, "memory_limit": memory_limit}
        classes = (named(lattices), imported if allow_import else None)
        native = _merkhet.open((name, text, format), values, beside, limits, classes, laws is not None)
        given = dict(classes[0])
        return cls(native, (name, text, format, dict(constants or {}), beside, None, None, given, allow_import, laws))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Model._open, self._recipe)

    def _content(self) -> Dict[str, Any]:
        if self._contents is None:
            self._contents = self._native.contents()
        return self._contents

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._native.name()

    @property
    def is_net(self) -> bool:
        """Whether it is a Petri net. Processes, clocks and variables are those of its automata then."""
        return bool(self._content()["is_net"])

    @property
    def processes(self) -> Tuple[Process, ...]:
        """Its processes, in the order of the system line."""
        return tuple(
            Process(
                entry["name"], entry["template"], tuple(entry["locations"]), entry["initial"], Place._of(entry["at"])
            )
            for entry in self._content()["processes"]
        )

    @property
    def clocks(self) -> Tuple[Clock, ...]:
        """Its clocks."""
        return tuple(Clock(entry["name"], Place._of(entry["at"])) for entry in self._content()["clocks"])

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """Its variables."""
        return tuple(Variable._of(entry) for entry in self._content()["variables"])

    @property
    def queries(self) -> Tuple[Query, ...]:
        """Its queries, or those of the file beside it."""
        return tuple(Query._of(entry) for entry in self._native.queries())

    @property
    def warnings(self) -> Tuple[Diagnostic, ...]:
        """What is suspicious about it."""
        entries, _ = self._native.warnings()
        return tuple(Diagnostic._of(entry) for entry in entries)

    def verify(
        self, query: Question, *, progress: Progress = False, **options: Unpack[Options]
    ) -> Result:
        """Answers a query: a text, or a predicate on states, which is looked for. :func:`never` asks the opposite.

        Options have the names of the command line, with ``_`` for ``-``; see :data:`merkhet.options`. With
        ``progress=True`` a line shows how the search goes on; a function is called with each event.

        ``join`` may be a function of two states, or of these and their join, ``heuristic`` a function of a state, and
        ``order`` a class with ``push(state, number)`` and ``pop()``. ``feasible`` and ``split`` judge abstract paths. A
        function that fails is a :class:`FunctionError`.

        Ctrl-C stops the search. The :class:`KeyboardInterrupt` has the result so far as its attribute ``partial``.

        Raises :class:`QueryError` if the query has mistakes, and :class:`ValueError` if an option is wrong.
        """
        results, exception = self._ask([_asked(query)], 1, progress, options)
        if exception is not None:
            exception.partial = results[0] if results else None  # type: ignore[attr-defined]
            raise exception
        return results[0]._from(Origin(query, options))

    def refine(self, result: Result, at: Optional[int] = None) -> Result:
        """Takes a join of a spurious trace back and goes on, until a spurious trace is found again or the query is decided.

        The result is one of :meth:`verify` with ``no_refine=True``, or of this method. ``at`` is the number of a state of the
        trace that was joined, one of ``result.spurious.joins``; without it, the join to blame is taken back.
        """
        origin, spurious = result._origin, result.spurious
        if origin is None or spurious is None:
            raise ValueError("this result has no spurious trace of a search that can go on")
        if at is None:
            at = result.blame.step if result.blame is not None else spurious.joins[-1]
        options = {**origin.options, "threads": 1, "no_refine": None}
        if not options.get("join"):
            options["update"] = "join"
        following = Origin(origin.question, origin.options, (*origin.decisions, at))
        made = 0

        def feasible(path: List[PathState]) -> bool:
            # The last trace is shown, as if it were feasible.
            following.joins = tuple(number for number, state in enumerate(path) if state.joined)
            return made >= len(following.decisions)

        def split(path: List[PathState]) -> int:
            nonlocal made
            made += 1
            return following.decisions[made - 1]

        options.update(feasible=feasible, split=split)
        results, exception = self._ask([_asked(origin.question)], 1, False, options)
        if exception is not None:
            exception.partial = results[0] if results else None  # type: ignore[attr-defined]
            raise exception
        return results[0]._from(following)

    def verify_all(
        self,
        queries: Optional[Iterable[Question]] = None,
        *,
        progress: Progress = False,
        **options: Unpack[Options],
    ) -> Results:
        """Answers several queries, or those of the model, by one search where that is possible.

        A query with mistakes has no answer, and the mistakes as diagnostics. Otherwise like :meth:`verify`.
        """
        if isinstance(queries, (str, Query)):
            raise TypeError("`verify_all` takes a list of queries; `verify` takes one")
        texts = None if queries is None else [_asked(query) for query in queries]
        total = len(self._native.queries()) if texts is None else len(texts)
        results, exception = self._ask(texts, total, progress, options, refuse=False)
        if exception is not None:
            exception.partial = Results(results)  # type: ignore[attr-defined]
            raise exception
        return Results(results)

    def _ask(
        self,
        texts: Optional[Sequence[Tuple[str, Optional[Callable[[StateView], bool]], bool]]],
        total: int,
        progress: Progress,
        options: Mapping[str, Any],
        refuse: bool = True,
    ) -> Tuple[List[Result], Optional[BaseException]]:
        with Observer(progress, total) as observer:
            settings, functions = _divided(options)
            entries, formula, exception = self._native.ask(texts, settings, functions, observer.call)
        if refuse:
            for entry in entries:
                if entry["refused"]:
                    raise QueryError._of(entry["text"], entry["diagnostics"])
        results = [Result._of(entry, formula) for entry in entries]
        for entry in entries:
            if "failure" in entry and exception is None:
                function, arguments, message, cause = entry["failure"]
                partial = results if len(results) > 1 else results[0]
                if cause is not None and not isinstance(cause, Exception):
                    # `sys.exit()` in a function ends the program.
                    return results, cause
                raise FunctionError(function, tuple(arguments), message, partial) from cause
        return results, exception

    def simulate(self, seed: int = 0) -> Simulation:
        """Starts a simulation. The seed determines random choices."""
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"a seed is a number from 0 to 2**64 - 1, not {seed}")
        return Simulation(self, self._native.simulate(seed))

    def certify(self, certificate: Union[Certificate, str]) -> List[ClaimResult]:
        """Checks every claim of a certificate, by a checker that shares no code with the search."""
        return [ClaimResult._of(entry) for entry in self._native.certify(str(certificate))]

    def replay(self, trace: Trace) -> ReplayResult:
        """Checks that a trace is a run which decides its query, step by step and with exact times."""
        if not isinstance(trace, Trace):
            raise TypeError(f"a trace is replayed, not a `{type(trace).__name__}`; `read_traces` reads files")
        return ReplayResult._of(self._native.replay(trace._native))

    def convert(self, to: str) -> str:
        """Returns the text of the model in another format: ``xml``, ``xta``, or for nets ``net``, ``pnml``, ``tapn``."""
        text, _ = self._native.convert(to)
        return text

    def graph(self, *templates: str, automata: bool = False) -> Drawing:
        """Draws the automata, or some of them; a net is drawn as such unless ``automata`` is set."""
        return Drawing(self._native.graph("svg", list(templates), automata))

    def dot(self, *templates: str, automata: bool = False) -> str:
        """Returns the same in Graphviz's language."""
        return self._native.graph("dot", list(templates), automata)

    def state_space(self, limit: Optional[int] = 500, **options: Unpack[Options]) -> StateSpace:
        """Explores all symbolic states, or as many as ``limit``, breadth-first unless ``order`` says otherwise."""
        settings, functions = _divided({"state_limit": limit, **options})
        return StateSpace(self._native.states(settings, functions))

    def __repr__(self) -> str:
        content = self._content()
        sizes = ", ".join(f"{len(content[what])} {what}" for what in ("processes", "clocks", "variables"))
        return f"<model {self.name}: {sizes}, {len(self.queries)} queries>"

    def _repr_svg_(self) -> str:
        return str(self.graph())
