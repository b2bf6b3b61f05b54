"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._values import Diagnostic

__all__ = ["Error", "FunctionError", "ModelError", "QueryError", "Undecided"]


class Error(Exception):
    """What goes wrong with models, queries and answers."""


class _WithDiagnostics(Error):
    """An exception that has diagnostics as data and as text."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text, tuple(diagnostics))

    @classmethod
    def _of(cls, text: str, entries: List[Dict[str, Any]]) -> _WithDiagnostics:
        return cls(text, [Diagnostic._of(entry) for entry in entries])

    @property
    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        """Everything that is wrong or suspicious, with its place."""
        found: Tuple[Diagnostic, ...] = self.args[1]
        return found

    def __str__(self) -> str:
        return str(self.args[0])


class ModelError(_WithDiagnostics):
    """A model with mistakes. Its text is what ``merkhet check`` prints."""


class QueryError(_WithDiagnostics):
    """A query with mistakes."""


class Undecided(Error):
    """The answer to a query is unknown."""

    def __init__(self, reason: Optional[str]) -> None:
        super().__init__(reason)

    @property
    def reason(self) -> Optional[str]:
        """Why it is unknown."""
        why: Optional[str] = self.args[0]
        return why

    def __str__(self) -> str:
        return f"the answer is unknown: {self.reason}"


class FunctionError(Error):
    """A function of the user has failed. The exception that it has raised, if it did, is the cause."""

    def __init__(self, function: str, arguments: Tuple[str, ...], message: str, partial: Any) -> None:
        super().__init__(function, arguments, message, partial)

    @property
    def function(self) -> str:
        """What has failed: ``the heuristic``, ```join` of `Pool```."""
        return str(self.args[0])

    @property
    def arguments(self) -> Tuple[str, ...]:
        """What it was called with, as text."""
        given: Tuple[str, ...] = self.args[1]
        return given

    @property
    def message(self) -> str:
        """What it reports, or what is wrong with its result."""
        return str(self.args[2])

    @property
    def partial(self) -> Any:
        """The result so far. If the model has called the function and traces are wanted, its trace leads there."""
        return self.args[3]

    def __str__(self) -> str:
        given = f" for {' and '.join(self.arguments)}" if self.arguments else ""
        return f"{self.function} fails{given}: {self.message}"
