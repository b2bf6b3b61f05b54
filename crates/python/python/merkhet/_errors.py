"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._values import Diagnostic

__all__ = ["Error", "ModelError", "QueryError", "Undecided"]


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
