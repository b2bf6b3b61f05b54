"""The progress of a search, as a line in terminals and notebooks."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Mapping, Optional, Union

__all__ = ["Observer", "Progress"]

#: What ``progress`` may be: whether a line is shown, or a function that is called with each event.
Progress = Union[bool, Callable[[Mapping[str, Any]], object]]


class _Line:
    """A line that replaces itself."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._handle: Optional[Any] = None
        self._is_notebook = "ipykernel" in sys.modules
        self._width = 0

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event["event"] == "answer":
            self._done += 1
            self._show(self._text({}, None))
            return
        search: Dict[str, Any] = event["search"] or {}
        self._show(self._text(search, event))

    def _text(self, search: Mapping[str, Any], event: Optional[Mapping[str, Any]]) -> str:
        filled = 20 * self._done // max(self._total, 1)
        parts = [f"{self._done}/{self._total} queries [{'#' * filled}{'.' * (20 - filled)}]"]
        if search:
            parts += [f"{search['explored']:,} explored", f"{search['waiting']:,} waiting"]
        formula = event["formula"] if event else None
        if formula:
            parts.append(f"formula of {formula['nodes']:,} nodes, {formula['steps']} steps")
        if event:
            seconds = event["seconds"]
            if search and seconds > 0:
                parts.append(f"{search['explored'] / seconds:,.0f} states/s")
            parts.append(f"{seconds:.1f} s")
        return ", ".join(parts)

    def _show(self, text: str) -> None:
        if self._is_notebook:
            from IPython.display import display

            data = {"text/plain": text}
            if self._handle is None:
                self._handle = display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
            else:
                self._handle.update(data, raw=True)
            return
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if not self._is_notebook and self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()


class Observer:
    """Who is told about progress, if anybody."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._line = _Line(total) if progress is True else None
        self.call: Optional[Callable[[Mapping[str, Any]], object]] = self._line
        if callable(progress):
            self.call = progress

    def __enter__(self) -> Observer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.close()

