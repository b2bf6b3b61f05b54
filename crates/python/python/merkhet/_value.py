"""The base of immutable values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Tuple

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Any:
        return lambda cls: cls


@dataclass_transform(frozen_default=True)
class Value:
    """An immutable value with the fields that its class declares.

    Like a frozen data class, without the time that making one takes at each import.
    """

    #: The names of the fields.
    _fields: ClassVar[Tuple[str, ...]] = ()
    #: Those that ``repr`` leaves out.
    _hidden: ClassVar[Tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = cls.__dict__.get("__annotations__") or getattr(cls, "__annotations__", {})
        cls._fields = tuple(name for name, kind in own.items() if not str(kind).startswith("ClassVar"))

    if not TYPE_CHECKING:

        def __init__(self, *values, **named):
            fields = self._fields
            if len(values) > len(fields):
                raise TypeError(f"{type(self).__name__} has {len(fields)} fields, not {len(values)}")
            given = dict(zip(fields, values))
            given.update(named)
            if len(given) < len(values) + len(named) or not given.keys() <= set(fields):
                raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}, once each")
            for name in fields:
                if name not in given:
                    if not hasattr(type(self), name):
                        raise TypeError(f"{type(self).__name__} lacks `{name}`")
                    given[name] = getattr(type(self), name)
            self.__dict__.update(given)

        def __setattr__(self, name, value):
            raise AttributeError(f"{type(self).__name__} is immutable")

        def __delattr__(self, name):
            raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(self.__dict__[name] == other.__dict__[name] for name in self._fields)

    def __hash__(self) -> int:
        # Equal mappings have equal sizes; they can't be hashed themselves.
        values = (self.__dict__[name] for name in self._fields)
        return hash(tuple(len(value) if isinstance(value, dict) else value for value in values))

    def __repr__(self) -> str:
        shown = (f"{name}={self.__dict__[name]!r}" for name in self._fields if name not in self._hidden)
        return f"{type(self).__name__}({', '.join(shown)})"
