"""Lattices that are classes.

A class has ``join`` and ``__eq__``; ``covers(other)`` (or ``__le__``) says whether an element is at least as great as
another, by default whether their join is the same. ``__hash__`` makes comparisons cheaper. All other methods can be called
in guards and updates of the model. A method in an update may change the copy that it is called on, or return what it
becomes. A guard, ``join`` and ``covers`` change nothing.
"""

from __future__ import annotations

import copy
import operator
import pickle
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar

from ._value import Value

__all__ = ["PathState", "describe", "falls", "monotone", "rises"]

F = TypeVar("F", bound=Callable[..., Any])


def rises(method: F) -> F:
    """Says that the result of a method rises, or stays, when the element grows."""
    method._merkhet_trend = "rises"  # type: ignore[attr-defined]
    return method


def falls(method: F) -> F:
    """Says that the result of a method falls, or stays, when the element grows."""
    method._merkhet_trend = "falls"  # type: ignore[attr-defined]
    return method


def monotone(method: F) -> F:
    """Says that what a method makes of a greater element is at least as great."""
    method._merkhet_monotone = True  # type: ignore[attr-defined]
    return method


class PathState(Value):
    """A state of an abstract path."""

    #: What the transition leads to.
    reached: Any
    #: What was stored: a greater state if it was joined with others.
    stored: Any
    #: Whether it was joined.
    joined: bool


class Method(Value):
    """A method that a model can call."""

    name: str
    parameters: int
    optional: int
    #: ``int``, ``bool`` or ``nothing``.
    result: str
    #: ``rises``, ``falls`` or ``varies``.
    trend: str
    monotone: bool
    function: Callable[..., Any]

    @property
    def required(self) -> int:
        """The number of parameters that can't be left out."""
        return self.parameters - self.optional


#: What the engine calls itself, and what never is a method of the model.
_OWN = frozenset({"join", "covers", "widen", "meet", "bottom", "set_max_constant", "add_clock"})

#: Constraints on clocks of an element, as the class makes them.
_COMPARISONS: Dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _own(cls: type, name: str) -> Optional[Callable[..., Any]]:
    """Returns a method that the class itself has, not ``object``."""
    found = getattr(cls, name, None)
    return None if found is None or found is getattr(object, name, None) else found


class Description:
    """What the engine has to know about a class."""

    def __init__(self, cls: type) -> None:
        import inspect

        if not isinstance(cls, type):
            raise TypeError(f"a lattice is a class, not a `{type(cls).__name__}`")
        self.cls = cls
        for name in ("join", "__eq__"):
            if not callable(_own(cls, name)):
                raise TypeError(f"`{cls.__name__}` is no lattice: it has no method `{name}`")
        self.has_clocks = _own(cls, "add_clock") is not None
        for name in ("isEmpty", "updateValueInPlace") if self.has_clocks else ():
            if not callable(_own(cls, name)):
                raise TypeError(f"`{cls.__name__}` has clocks, but no method `{name}`")
        self.methods: List[Method] = []
        self.delay: Optional[int] = None
        self.delay_is_inclusive = bool(getattr(cls, "delay_is_inclusive", False))
        self.value = self._add(inspect, "__int__")
        self.set: Optional[int] = self._add(inspect, "set") if _own(cls, "set") else None
        self.add = self._add(inspect, "__iadd__")
        self.sub = self._add(inspect, "__isub__")
        # Classes whose elements are numbers are added as such; others as a whole.
        self.add_element = self._add(inspect, "__iadd__") if self.value is None else None
        self.sub_element = self._add(inspect, "__isub__") if self.value is None else None
        self.get_item = self._add(inspect, "__getitem__")
        self.set_item = self._add(inspect, "__setitem__")
        for name in dir(cls):
            if not name.startswith("_") and name not in _OWN and name != "set" and callable(getattr(cls, name)):
                number = self._add(inspect, name)
                if name == "delay" and number is not None and self.methods[number].required == 0:
                    self.delay = number
        parameters = inspect.signature(cls).parameters
        self.takes = {
            name
            for name in ("dimensions", "name", "context")
            if name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        }
        self.has_dimensions = "dimensions" in parameters
        self.fields = self._fields(inspect)

    def _add(self, inspect: Any, name: str) -> Optional[int]:
        function = _own(self.cls, name)
        if function is None:
            return None
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return None
        parameters = list(signature.parameters.values())
        if not isinstance(inspect.getattr_static(self.cls, name), (staticmethod, classmethod)):
            parameters = parameters[1:]
        plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        optional = sum(p.default is not p.empty for p in plain)
        result = {bool: "bool", "bool": "bool", None: "nothing", "None": "nothing"}.get(
            signature.return_annotation, "int"
        )
        index = {"__getitem__": _index_of, "__setitem__": _set_index_of}.get(name)
        method = Method(
            name,
            len(plain),
            optional,
            result if not name.startswith("__") else "int",
            getattr(function, "_merkhet_trend", "varies"),
            getattr(function, "_merkhet_monotone", False),
            function if index is None else index(function),
        )
        self.methods.append(method)
        return len(self.methods) - 1

    def _fields(self, inspect: Any) -> List[Tuple[str, int]]:
        """Numbers that elements have as properties or attributes."""
        fields = []
        for name in dir(self.cls):
            found = inspect.getattr_static(self.cls, name)
            if isinstance(found, property) and found.fget is not None and not name.startswith("_"):
                trend = getattr(found.fget, "_merkhet_trend", "varies")
                fields.append((name, len(self.methods)))
                self.methods.append(Method(name, 0, 0, "int", trend, False, operator.attrgetter(name)))
        try:
            sample = self.construct((), [])()
        except Exception:
            # The class needs arguments; its elements have no attributes then.
            return fields
        for name, value in getattr(sample, "__dict__", {}).items():
            if isinstance(value, int) and not name.startswith("_"):
                method = Method(name, 0, 0, "int", "varies", False, operator.attrgetter(name))
                fields.append((name, len(self.methods)))
                self.methods.append(method)
        return fields

    def place(self, name: str) -> Optional[str]:
        """Returns the file and the line of a method, or of the one that it is replaced by."""
        import inspect

        others = {"covers": ("covers", "__le__", "join"), "widen": ("widen", "join")}
        for known in others.get(name, (name,)):
            found = inspect.unwrap(getattr(self.cls, known, None) or object)
            code = getattr(found, "__code__", None)
            if code is not None:
                return f"{code.co_filename}:{code.co_firstlineno}"
        return None

    def construct(
        self, values: Sequence[int], dimensions: Sequence[int], largest: int = 0, clocks: Sequence[str] = ()
    ) -> Callable[[], Any]:
        """Returns what makes an element. opaal's clocks are told the largest number of the model."""
        named: Dict[str, Any] = {}
        if "dimensions" in self.takes:
            named["dimensions"] = list(dimensions) or None
        if "name" in self.takes:
            named["name"] = self.cls.__name__
        if "context" in self.takes:
            named["context"] = None
        limit = _own(self.cls, "set_max_constant")

        def construct() -> Any:
            made = self.cls(*values, **named)
            for clock in clocks:
                made.add_clock(name=clock, dimensions=[], context=named.get("context"))
            if limit is not None:
                limit(made, largest)
            return made

        return construct

    def make(self, values: Sequence[int], dimensions: Sequence[int], largest: int, clocks: Sequence[str]) -> Lattice:
        """Returns the functions that are called for elements with these arguments."""
        return Lattice(self, self.construct(values, list(dimensions), largest, clocks), clocks)


def _index_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda element, *at: function(element, at[0] if len(at) == 1 else at)


def _set_index_of(function: Callable[..., Any]) -> Callable[..., Any]:
    def set_item(element: Any, *given: int) -> None:
        *at, value = given
        function(element, at[0] if len(at) == 1 else tuple(at), value)

    return set_item


class Lattice:
    """A class with its arguments: the functions that are called for its elements."""

    def __init__(self, description: Description, initial: Callable[[], Any], clocks: Sequence[str]) -> None:
        cls = description.cls
        self.clocks = list(clocks)
        self.is_empty = _own(cls, "isEmpty") if clocks else None
        self.type = cls
        self.initial = initial
        self.copy = copy.deepcopy
        self.join = getattr(cls, "join")
        self.covers = _own(cls, "covers") or self._by_order(cls)
        self.equals = operator.eq
        # A class with `__eq__` and without `__hash__` has None there.
        hashing: Any = cls.__hash__
        self.hash = None if hashing is None or hashing is object.__hash__ else hash
        # Elements with equal pickles are equal; otherwise `__eq__` is asked.
        self.key = pickle.dumps if self.hash is None else None
        self.widen = self._widening(getattr(cls, "widen", None))
        self.meet = getattr(cls, "meet", None)
        self.bottom = (lambda: initial().bottom()) if hasattr(cls, "bottom") else None
        self.show = repr if _own(cls, "__repr__") else (str if _own(cls, "__str__") else _shown)
        self.methods = [method.function for method in description.methods]
        parameters = getattr(cls, "__dataclass_params__", None)
        self.immutable = bool(getattr(parameters, "frozen", False))

    def constrain(self, element: Any, left: int, right: Optional[int], comparison: str, bound: int) -> Any:
        """Drops the values of clocks that do not satisfy a constraint, which is made by comparing clocks."""
        clock = getattr(element, self.clocks[left])
        if right is not None:
            clock = clock - getattr(element, self.clocks[right])
        return operator.iand(element, _COMPARISONS[comparison](clock, bound))

    def set_clock(self, element: Any, clock: int, value: int) -> Any:
        """Sets a clock."""
        return element.updateValueInPlace(getattr(element, self.clocks[clock]), value)

    @staticmethod
    def _by_order(cls: type) -> Optional[Callable[[Any, Any], Any]]:
        if _own(cls, "__le__"):
            return lambda large, small: small <= large
        return None

    @staticmethod
    def _widening(widen: Optional[Callable[..., Any]]) -> Optional[Callable[..., Any]]:
        if widen is None:
            return None
        import inspect

        takes = len(inspect.signature(widen).parameters)
        return widen if takes > 2 else lambda old, new, thresholds: widen(old, new)


def _shown(element: Any) -> str:
    values = getattr(element, "__dict__", None)
    if not values:
        return type(element).__name__
    return type(element).__name__ + "(" + ", ".join(f"{name}={value!r}" for name, value in values.items()) + ")"


def describe(cls: type) -> Description:
    """Describes a class; raises :class:`TypeError` if it is no lattice."""
    return Description(cls)


def imported(name: str) -> type:
    """Imports a class by its whole name."""
    import importlib

    module, _, cls = name.rpartition(".")
    found = getattr(importlib.import_module(module), cls)
    if not isinstance(found, type):
        raise TypeError(f"`{name}` is no class")
    return found


def named(lattices: Any) -> List[Tuple[str, type]]:
    """Returns classes with the names by which models find them."""
    if isinstance(lattices, Mapping):
        return list(lattices.items())
    if isinstance(lattices, type) or not hasattr(lattices, "__iter__"):
        raise TypeError("`lattices` is a list of classes, or a mapping from names to classes")
    return [(getattr(cls, "__name__", str(cls)), cls) for cls in lattices or ()]
