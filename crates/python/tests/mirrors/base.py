"""What all mirrors share."""

from __future__ import annotations

from typing import Any


class Mirror:
    """An element that a value stands for."""

    value: Any

    def _like(self, value: Any) -> Any:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.value = value
        return made

    def __deepcopy__(self, memo: object) -> Any:
        return self._like(self.value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self.value == other.value)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.value)
