"""Answers to queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

from ._display import table
from ._errors import Undecided
from ._trace import Trace
from ._value import Value
from ._values import Bounds, Diagnostic, Estimate, Number, Place, State, Stats

if TYPE_CHECKING:
    import pandas

__all__ = ["Blame", "Certificate", "ClaimResult", "ReplayResult", "Result", "Results", "Spurious"]


class Certificate(Value):
    """A proof of an answer that no trace shows. It was checked when the answer was given."""

    #: What ``merkhet certify`` reads.
    text: str
    #: The number of symbolic states that prove the answer.
    states: Optional[int] = None
    #: The number of clauses of the invariant that proves it.
    clauses: Optional[int] = None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        size = f"{self.clauses} clauses" if self.states is None else f"{self.states} states"
        return f"<certificate with {size}>"


class Blame(Value):
    """The join that is to blame for a spurious trace."""

    #: The step of the trace, counted from 1, whose target was joined; 0 for the start.
    step: int
    stored: State
    new: State
    joined: State
    #: Whether the trace needs clock values that neither zone has, only their convex hull.
    zones: bool
    #: A strategy for ``join`` that excludes this join.
    strategy: str

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> Blame:
        stored, new, joined = (State._of(entry[name]) for name in ("stored", "new", "joined"))
        return Blame(entry["step"], stored, new, joined, entry["zones"], entry["strategy"])


class Spurious(Value):
    """An abstract trace that is not known to be a run: it leads through joined states."""

    trace: Trace
    #: The numbers of the states of the trace that were joined, as far as they are known.
    joins: Tuple[int, ...]


class Origin:
    """What a result comes from, so that its search can go on."""

    def __init__(self, question: Any, options: Mapping[str, Any], decisions: Tuple[int, ...] = ()) -> None:
        self.question = question
        self.options = options
        #: The joins that were taken back, one for each spurious trace so far.
        self.decisions = decisions
        #: The joined states of the last abstract path.
        self.joins: Optional[Tuple[int, ...]] = None


class Result(Value):
    """The answer to a query, with its evidence."""

    query: str
    #: The name of the query, from its comment.
    name: Optional[str]
    place: Place
    #: ``satisfied``, ``not satisfied`` or ``unknown``; ``None`` if the query was refused.
    answer: Optional[str]
    #: Why there is no answer, or why it is unknown.
    reason: Optional[str]
    #: A reservation about the answer.
    note: Optional[str]
    stats: Optional[Stats]
    #: The bounds that ``sup``, ``inf`` and ``bounds`` ask for.
    values: Optional[Tuple[Bounds, ...]]
    #: What a statistical query has measured.
    estimate: Optional[Estimate]
    #: A run that decides the query, if ``trace`` asks for one.
    trace: Optional[Trace]
    #: A proof, if ``certificate`` asks for one and no trace decides the query.
    certificate: Optional[Certificate]
    #: Why there is no certificate.
    unproved: Optional[str]
    #: Why the trace is spurious.
    blame: Optional[Blame]
    #: Errors of the query, or the run-time error that was found.
    diagnostics: Tuple[Diagnostic, ...]
    #: The last formula as SMT-LIB 2, if ``smt_lib`` asks for it.
    formula: Optional[str] = None

    @staticmethod
    def _of(entry: Mapping[str, Any], formula: Optional[str]) -> Result:
        trace, certificate, blame, values, stats = (
            entry[name] for name in ("trace", "certificate", "blame", "value", "stats")
        )
        return Result(
            query=entry["query"],
            name=entry["name"],
            place=Place._of(entry["at"]),
            answer=entry["answer"],
            reason=entry["reason"],
            note=entry["note"],
            stats=None if stats is None else Stats._of(stats),
            values=None if values is None or isinstance(values, dict) else tuple(Bounds._of(value) for value in values),
            estimate=Estimate._of(values) if isinstance(values, dict) else None,
            trace=None if trace is None else Trace(trace),
            certificate=None if certificate is None else Certificate(**certificate),
            unproved=entry["unproved"],
            blame=None if blame is None else Blame._of(blame),
            diagnostics=tuple(Diagnostic._of(d) for d in entry["diagnostics"]),
            formula=formula,
        )

    @property
    def holds(self) -> bool:
        """Whether the query is satisfied.

        Raises :class:`Undecided` if that is unknown.
        """
        if self.answer in ("satisfied", "not satisfied"):
            return self.answer == "satisfied"
        raise Undecided(self.reason)

    @property
    def value(self) -> Union[Estimate, Number, None]:
        """What a query asks for besides a truth value.

        That is an :class:`Estimate` for a statistical query, and the number for ``sup`` or ``inf`` of one expression. None: there
        is no such value, or no bound; ``values`` has the bounds of several expressions.
        """
        if self.estimate is not None:
            return self.estimate
        if self.values is None or len(self.values) != 1:
            return None
        (bounds,) = self.values
        limits = [limit for limit in (bounds.least, bounds.greatest) if limit is not None]
        return limits[0].number if len(limits) == 1 else None

    @property
    def spurious(self) -> Optional[Spurious]:
        """The trace through joined states for which the answer is unknown, with its joins.

        :meth:`Model.refine` takes one of them back.
        """
        if self.trace is None or not self.trace.spurious:
            return None
        origin = self._origin
        joins = origin.joins if origin is not None else None
        if joins is None:
            joins = () if self.blame is None else (self.blame.step,)
        return Spurious(self.trace, joins)

    @property
    def _origin(self) -> Optional[Origin]:
        origin: Optional[Origin] = self.__dict__.get("origin")
        return origin

    def _from(self, origin: Origin) -> Result:
        self.__dict__["origin"] = origin
        return self

    def __getstate__(self) -> Mapping[str, Any]:
        # Functions can't be pickled, and a search can't go on elsewhere.
        return {name: value for name, value in self.__dict__.items() if name != "origin"}

    @property
    def known(self) -> bool:
        """Whether the query is decided."""
        return self.answer in ("satisfied", "not satisfied")

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        because = f" ({self.reason})" if self.reason else ""
        return f"{self.query}: {self.answer or 'refused'}{because}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        rows = [("query", self.query), ("answer", self.answer or "refused")]
        rows += [(title, text) for title, text in (("because", self.reason), ("note", self.note)) if text]
        for bounds in self.values or ():
            least, greatest = bounds.least, bounds.greatest
            shown = [str(limit.number) if limit.number is not None else "no bound" for limit in (least, greatest) if limit]
            rows.append((bounds.expression, " to ".join(shown)))
        if self.estimate is not None:
            rows.append(("estimate", str(self.estimate)))
            if self.estimate.against is not None:
                rows.append(("against", str(self.estimate.against)))
        if self.stats is not None:
            rows.append(("explored", f"{self.stats.explored} states in {self.stats.seconds:.3g} s"))
            rows.append(("stored", f"{self.stats.stored} states"))
        if self.certificate is not None:
            rows.append(("certificate", repr(self.certificate).strip("<>")))
        html = table(("", self.name or ""), rows)
        return html if self.trace is None else html + self.trace._repr_html_()


class Results(List[Result]):
    """Answers to several queries. Notebooks show them as a table."""

    def rows(self) -> List[Dict[str, object]]:
        """Returns a dictionary for each query."""
        rows: List[Dict[str, object]] = []
        for result in self:
            row: Dict[str, object] = {"query": result.query, "name": result.name}
            row.update(answer=result.answer or "refused", reason=result.reason)
            for name in ("explored", "stored", "seconds"):
                row[name] = None if result.stats is None else getattr(result.stats, name)
            rows.append(row)
        return rows

    def to_frame(self) -> pandas.DataFrame:
        """Returns the answers as a frame of pandas, one row each."""
        import pandas

        return pandas.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        head = ("query", "name", "answer", "reason", "explored", "stored", "seconds")
        return table(head, [tuple(row[name] for name in head) for row in self.rows()])


class ClaimResult(Value):
    """The result of checking a claim of a certificate."""

    query: str
    answer: str
    proved: bool
    states: Optional[int]
    transitions: Optional[int]
    clauses: Optional[int]
    #: Why it is not proved.
    reason: Optional[str]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> ClaimResult:
        refusal = entry["refusal"]
        return ClaimResult(
            entry["query"],
            entry["answer"],
            entry["proved"],
            entry["states"],
            entry["transitions"],
            entry["clauses"],
            None if refusal is None else refusal["reason"],
        )

    def __bool__(self) -> bool:
        return self.proved


class ReplayResult(Value):
    """The result of replaying a trace."""

    query: str
    answer: str
    #: ``ok``, ``wrong``, ``unknown`` or ``spurious``.
    outcome: str
    #: The first step that fails, counted from 1; 0 is the start.
    step: Optional[int]
    #: Why it is not accepted.
    reason: Optional[str]

    @staticmethod
    def _of(entry: Mapping[str, Any]) -> ReplayResult:
        return ReplayResult(entry["query"], entry["answer"], entry["outcome"], entry["step"], entry["reason"])

    @property
    def ok(self) -> bool:
        """Whether it is a run that shows the answer."""
        return self.outcome == "ok"

    def __bool__(self) -> bool:
        return self.ok
