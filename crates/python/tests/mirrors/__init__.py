"""The lattices of the library once more, as classes of Python that share no code with them.

Each has the order, the methods and the text of the one with its name, and says of its methods what that one says of its own.
Zones and octagons write their elements in another way.
"""

from __future__ import annotations

from typing import Dict, Type

from .base import Mirror
from .caches import Cache, MayCache, MustCache
from .clocks import DiscreteClock, Zone
from .joint import Box, Octagon
from .numbers import (
    Congruence,
    Constant,
    Interval,
    MaxInteger,
    MinInteger,
    Parity,
    Sign,
    WideningInterval,
    WideningIntRange,
    WrappingInterval,
)
from .sets import IntersectionBitVector, PowerSet, PresentAbsent, UnionBitVector

__all__ = ["MIRRORS", "Mirror"]

#: All of them, by the names by which models find them.
MIRRORS: Dict[str, Type[Mirror]] = {
    "UnionBitVector": UnionBitVector,
    "IntersectionBitVector": IntersectionBitVector,
    "PowerSet": PowerSet,
    "PresentAbsent": PresentAbsent,
    "Interval": Interval,
    "IntRange": Interval,
    "WideningInterval": WideningInterval,
    "WideningIntRange": WideningIntRange,
    "WrappingInterval": WrappingInterval,
    "Box": Box,
    "Constant": Constant,
    "Sign": Sign,
    "Parity": Parity,
    "Congruence": Congruence,
    "Octagon": Octagon,
    "MaxInteger": MaxInteger,
    "MinInteger": MinInteger,
    "MustCache": MustCache,
    "AbstractCache": MustCache,
    "MayCache": MayCache,
    "Cache": Cache,
    "Zone": Zone,
    "DiscreteClock": DiscreteClock,
}
