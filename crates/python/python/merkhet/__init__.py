"""Merkhet, a model checker for real-time systems.

>>> import merkhet as mk
>>> m = mk.loads('''
...     clock x;
...     process Lamp() {
...         state off, low, bright;
...         init off;
...         trans off -> low { assign x = 0; },
...               low -> bright { guard x < 5; },
...               low -> off { guard x >= 5; };
...     }
...     system Lamp;''')
>>> r = m.verify("E<> Lamp.bright and x > 3 and x < 4", trace="shortest")
>>> r.holds, r.trace.end["Lamp"], r.trace.end["x"]
(True, 'bright', Fraction(7, 2))
"""

from __future__ import annotations

from . import _merkhet
from ._bench import Measurement, Measurements, bench
from ._display import Drawing
from ._errors import Error, FunctionError, ModelError, QueryError, Undecided
from ._goals import Goal, never, possibly
from ._lattices import PathState, falls, monotone, rises
from ._merkhet import StateView
from ._model import Model, load, loads
from ._result import Blame, Certificate, ClaimResult, ReplayResult, Result, Results, Spurious
from ._settings import Option, options
from ._simulation import Move, RunTimeError, Simulation
from ._space import Arc, StateSpace, SymbolicState
from ._trace import Trace, read_traces
from ._values import (
    Bounds,
    Change,
    Clock,
    DelayRange,
    Diagnostic,
    Distribution,
    Edge,
    Estimate,
    Limit,
    Note,
    Number,
    Place,
    Process,
    Query,
    RunTrajectory,
    State,
    Stats,
    Step,
    Variable,
)

__version__: str = _merkhet.version

__all__ = [
    "Arc",
    "Blame",
    "Bounds",
    "Certificate",
    "Change",
    "ClaimResult",
    "Clock",
    "DelayRange",
    "Diagnostic",
    "Distribution",
    "Drawing",
    "Edge",
    "Error",
    "Estimate",
    "FunctionError",
    "Goal",
    "Limit",
    "Measurement",
    "Measurements",
    "Model",
    "ModelError",
    "Move",
    "Note",
    "Number",
    "Option",
    "PathState",
    "Place",
    "Process",
    "Query",
    "QueryError",
    "ReplayResult",
    "Result",
    "Results",
    "RunTimeError",
    "RunTrajectory",
    "Simulation",
    "Spurious",
    "State",
    "StateSpace",
    "StateView",
    "Stats",
    "Step",
    "SymbolicState",
    "Trace",
    "Undecided",
    "Variable",
    "__version__",
    "bench",
    "falls",
    "load",
    "loads",
    "monotone",
    "never",
    "options",
    "possibly",
    "read_traces",
    "rises",
]
