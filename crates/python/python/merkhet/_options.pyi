"""The types of the options. Written by `generate_options.pyi`."""

from __future__ import annotations

from typing import Any, Callable, List, Literal, Optional, Union

from typing_extensions import TypedDict

from ._lattices import PathState
from ._merkhet import StateView


class Options(TypedDict, total=False):
    """The options of `Model.verify`; `None` leaves one as it is."""

    #: The order in which states are explored.
    order: Optional[Union[Literal["auto", "bfs", "dfs", "random-dfs", "waiting", "astar", "greedy", "local"], Callable[[], Any]]]
    #: The heuristics that guide the search: `hu`, `max(hl,dl)`, `hu,hl` in turn.
    heuristic: Optional[Union[str, Callable[[StateView], Optional[int]]]]
    #: The weight of the heuristic in `astar`: traces may be up to W times as long as the shortest.
    weight: Optional[int]
    #: Add a queue for states after helpful transitions, those that start a relaxed plan.
    helpful: Optional[bool]
    #: Delay states after useless transitions, those that do not reduce the estimate.
    useless: Optional[bool]
    #: Which of several states comes first that `greedy` or `astar` rank the same.
    ties: Optional[Literal["auto", "oldest", "youngest", "place"]]
    #: With `astar`, let states cover others with shorter paths: fewer states, but traces need not be shortest.
    cover_shorter: Optional[bool]
    #: Keep only N values of each heuristic, by a hash of the state, as the papers do.
    heuristic_table: Optional[int]
    #: The number of abstract states that a heuristic may build before the search.
    heuristic_budget: Optional[int]
    #: The number of threads that explore states.
    threads: Optional[int]
    #: The seed of random orders, of ties, and of random runs.
    seed: Optional[int]
    #: The abstraction that makes the number of zones finite.
    abstraction: Optional[Literal["auto", "alu", "am", "extra-lu-plus", "extra-lu", "extra-m", "none"]]
    #: How a new state updates the store.
    update: Optional[Literal["simple", "cover", "join"]]
    #: The states that are joined: `always`, `never`, `at(P.A)`, `of(v,zones)`, `if(x.n + y.n < 3)`, or several of these.
    join: Optional[Union[str, Callable[[StateView, StateView], bool], Callable[[StateView, StateView, StateView], bool]]]
    #: Widen after N joins, so that searches terminate; bounds stop at numbers of the model.
    widen: Optional[int]
    #: Answer `unknown` if the goal is found through joins only, and show the join to blame.
    no_refine: Optional[bool]
    #: How guards are treated that may hold for an element of a lattice and not for a greater one.
    monotone: Optional[Literal["check", "assume"]]
    #: The states that are not stored, which saves memory and costs time.
    state_space_reduction: Optional[Literal["none", "conservative", "aggressive"]]
    #: Symmetry reduction by scalar sets.
    symmetry: Optional[Literal["on", "off"]]
    #: Whether each process has a time of its own, so that independent transitions commute.
    local_time: Optional[Literal["auto", "on", "off"]]
    #: Show runs that decide queries, and runs to run-time errors.
    trace: Optional[Literal["none", "some", "short", "shortest", "fastest"]]
    #: Write proofs of the answers that need one into FILE; `merkhet certify` reads it.
    certificate: Optional[bool]
    #: Stop the search for a query after this time: `10`, `1.5`, `90s`, `5m`, `2h`.
    time_limit: Optional[Union[float, str]]
    #: Stop the search for a query when it takes more memory: `512M`, `4G`.
    memory_limit: Optional[Union[int, str]]
    #: Stop the search for a query when more than N states are stored.
    state_limit: Optional[int]
    #: The engine that answers queries.
    engine: Optional[Literal["auto", "zones", "smt"]]
    #: Search for runs of at most K steps.
    bound: Optional[int]
    #: How the absence of runs is proved.
    method: Optional[Literal["search", "induction", "invariant", "interpolation"]]
    #: The encoding of a net.
    encoding: Optional[Literal["la", "dl", "dl-exact", "event"]]
    #: The variables that are replaced by others of the same value, for the encodings `la` and `dl`.
    replace: Optional[Literal["nothing", "unchanged", "constants"]]
    #: The transitions that fire in one step of a net, for the encodings `event` and `dl-exact`.
    steps: Optional[Literal["single", "forall", "exists"]]
    #: Encode the whole net, not a smaller one with the same answers.
    no_reduce: Optional[bool]
    #: The solver: `embedded`, or a program; `merkhet list solvers` lists them.
    solver: Optional[str]
    #: Write the last formula into FILE, in SMT-LIB 2.
    smt_lib: Optional[bool]
    #: The probability that an interval misses the true value, or that a test wrongly finds no.
    alpha: Optional[float]
    #: The probability that a test wrongly finds yes.
    beta: Optional[float]
    #: How far the ends of an interval may be from the share of runs with the property.
    epsilon: Optional[float]
    #: How far from its threshold a probability has to be for a test to promise the right answer.
    delta: Optional[float]
    #: The longest step of differential equations and of samples of what is not linear in time.
    discretization: Optional[float]
    #: The number of random runs of a query that does not give one.
    runs: Optional[int]
    #: Ask symbolic analysis first whether a probability is 0 or 1.
    certain: Optional[bool]
    #: Estimate a small probability by splitting runs that come nearer to the goal.
    splitting: Optional[str]
    #: Whether a heuristic that is a function says None only where no path leads to the goal.
    safe: bool
    #: Whether it never says too much.
    admissible: bool
    #: Whether an abstract path is feasible; None: the search finds out.
    feasible: Optional[Callable[[List[PathState]], Optional[bool]]]
    #: Which state of an infeasible path is split; None: the search chooses.
    split: Optional[Callable[[List[PathState]], Optional[int]]]
