"""The options, as data."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

from . import _merkhet
from ._value import Value

__all__ = ["Option", "options"]


class Option(Value):
    """An option of :meth:`Model.verify <merkhet.Model.verify>`."""

    name: str
    group: str
    #: What it is, in one sentence.
    help: str
    #: More about it.
    details: str
    #: ``choice``, ``flag``, ``number``, ``text``, ``time`` or ``size``.
    kind: str
    #: The values of a choice, with what they mean.
    values: Tuple[Tuple[str, str], ...]
    #: The value without it, unless that depends on other options.
    default: Optional[str]


def options() -> Mapping[str, Option]:
    """Returns all options, by their names.

    >>> import merkhet as mk
    >>> mk.options()["trace"].values[-1][0]
    'fastest'
    """
    return {entry["name"]: Option(**{**entry, "values": tuple(map(tuple, entry["values"]))}) for entry in _merkhet.table()}
