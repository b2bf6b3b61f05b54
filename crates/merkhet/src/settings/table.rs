//! The table of options.

use explore::heuristic::ABSTRACT_STATES;

use super::{ChoiceKind, Group, Kind, Setting, values};
use crate::{
    Abstraction, Choices, EngineChoice, LocalTime, Method, Monotone, NetEncoding, Order, Replacing, Skipping,
    StepSemantics, Symmetry, TieBreak, TraceChoice, Update,
};

/// The greatest size of a table.
const MAX_TABLE: u64 = 1 << 30;

/// No limit on a number: everything that memory can count.
const ANY: u64 = usize::MAX as u64;

/// Calls `set` with the value of this name. Returns whether there is one.
fn choose<T: Choices>(name: &str, set: impl FnOnce(T)) -> bool {
    T::named(name).map(set).is_some()
}

/// All options, in the order of help.
pub const ALL: &[Setting] = &[
    Setting {
        name: "order",
        group: Group::Search,
        help: "The order in which states are explored",
        details: "Without it: `greedy` with --heuristic; `auto` if a trace is requested; otherwise breadth-first, with \
            short probes by `auto` if the search becomes large.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Order>,
            default: None,
            metavar: None,
            set: |s, name| choose::<Order>(name, |v| s.options.order = Some(v)),
        }),
    },
    Setting {
        name: "heuristic",
        group: Group::Search,
        help: "The heuristics that guide the search: `hu`, `max(hl,dl)`, `hu,hl` in turn",
        details: "`merkhet list heuristics` names them. `user(EXPRESSION)` is an integer expression of the model that \
            is smaller near the goal; `user` alone is the variable or function `heuristic` that the model \
            declares. Only heuristics that end with `-loc` consider clocks. Without it: `hl` for `astar`, `hu` \
            for others.",
        kind: Kind::Text { metavar: "LIST", set: |s, v| s.options.heuristic = Some(v) },
    },
    Setting {
        name: "weight",
        group: Group::Search,
        help: "The weight of the heuristic in `astar`: traces may be up to W times as long as the shortest",
        details: "",
        kind: Kind::Number {
            least: 1,
            most: 1000,
            metavar: "W",
            default: Some(1),
            set: |s, v| s.options.weight = v as u32,
        },
    },
    Setting {
        name: "helpful",
        group: Group::Search,
        help: "Add a queue for states after helpful transitions, those that start a relaxed plan",
        details: "",
        kind: Kind::Flag(|s| s.options.helpful = true),
    },
    Setting {
        name: "useless",
        group: Group::Search,
        help: "Delay states after useless transitions, those that do not reduce the estimate",
        details: "",
        kind: Kind::Flag(|s| s.options.useless = true),
    },
    Setting {
        name: "ties",
        group: Group::Search,
        help: "Which of several states comes first that `greedy` or `astar` rank the same",
        details: "The papers take the youngest. `auto` also has the second estimates that `merkhet list heuristics` \
            names; the other values do without them. With --seed, the successors of a state are in random order.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<TieBreak>,
            default: Some("auto"),
            metavar: Some("WHICH"),
            set: |s, name| choose::<TieBreak>(name, |v| s.options.ties = v),
        }),
    },
    Setting {
        name: "cover-shorter",
        group: Group::Search,
        help: "With `astar`, let states cover others with shorter paths: fewer states, but traces need not be \
            shortest",
        details: "",
        kind: Kind::Flag(|s| s.options.cover_shorter = true),
    },
    Setting {
        name: "heuristic-table",
        group: Group::Search,
        help: "Keep only N values of each heuristic, by a hash of the state, as the papers do",
        details: "States with the same hash share a value. Traces of `astar` need not be shortest then.",
        kind: Kind::Number {
            least: 1,
            most: MAX_TABLE,
            metavar: "N",
            default: None,
            set: |s, v| s.options.heuristic_table = Some(v as usize),
        },
    },
    Setting {
        name: "heuristic-budget",
        group: Group::Search,
        help: "The number of abstract states that a heuristic may build before the search",
        details: "An incomplete abstraction is still used. For `symbolic-pdb`, eight nodes of diagrams count as one \
            state.",
        kind: Kind::Number {
            least: 0,
            most: ANY,
            metavar: "N",
            default: Some(ABSTRACT_STATES as u64),
            set: |s, v| s.options.heuristic_budget = v as usize,
        },
    },
    Setting {
        name: "threads",
        group: Group::Search,
        help: "The number of threads that explore states",
        details: "A search has one thread as long as it is small; without this option one for each core after that. \
            Breadth-first, depth-first and waiting orders use several; `auto` has a thread for each of its \
            strategies, and one that searches breadth-first. The answer does not depend on the number; which \
            trace is found may, and how many states are stored if states cover others.",
        kind: Kind::Number {
            least: 1,
            most: 256,
            metavar: "N",
            default: None,
            set: |s, v| s.options.threads = Some(v as usize),
        },
    },
    Setting {
        name: "seed",
        group: Group::Search,
        help: "The seed of random orders, of ties, and of random runs",
        details: "",
        kind: Kind::Number { least: 0, most: u64::MAX, metavar: "N", default: Some(0), set: |s, v| s.options.seed = v },
    },
    Setting {
        name: "abstraction",
        group: Group::StateSpace,
        help: "The abstraction that makes the number of zones finite",
        details: "An abstraction that is unsound for a query is not used: queries about deadlocks, for example, are \
            answered with `am`.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Option<Abstraction>>,
            default: Some("auto"),
            metavar: None,
            set: |s, name| choose::<Option<Abstraction>>(name, |v| s.options.abstraction = v),
        }),
    },
    Setting {
        name: "update",
        group: Group::StateSpace,
        help: "How a new state updates the store",
        details: "Without it: `cover`, or `join` with --join.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Update>,
            default: None,
            metavar: None,
            set: |s, name| choose::<Update>(name, |v| s.options.update = Some(v)),
        }),
    },
    Setting {
        name: "join",
        group: Group::StateSpace,
        help: "The states that are joined: `always`, `never`, `at(P.A)`, `of(v,zones)`, `if(x.n + y.n < 3)`, or \
            several of these",
        details: "`merkhet list joins` explains them. In `if(...)` x is the stored state and y the new one.",
        kind: Kind::Text { metavar: "STRATEGY", set: |s, v| s.options.join = Some(v) },
    },
    Setting {
        name: "widen",
        group: Group::StateSpace,
        help: "Widen after N joins, so that searches terminate; bounds stop at numbers of the model",
        details: "",
        kind: Kind::Number {
            least: 0,
            most: u32::MAX as u64,
            metavar: "N",
            default: None,
            set: |s, v| s.options.widen = Some(v as u32),
        },
    },
    Setting {
        name: "no-refine",
        group: Group::StateSpace,
        help: "Answer `unknown` if the goal is found through joins only, and show the join to blame",
        details: "",
        kind: Kind::Flag(|s| s.options.refine = false),
    },
    Setting {
        name: "monotone",
        group: Group::StateSpace,
        help: "How guards are treated that may hold for an element of a lattice and not for a greater one",
        details: "",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Monotone>,
            default: Some("check"),
            metavar: None,
            set: |s, name| choose::<Monotone>(name, |v| s.options.monotone = v),
        }),
    },
    Setting {
        name: "state-space-reduction",
        group: Group::StateSpace,
        help: "The states that are not stored, which saves memory and costs time",
        details: "",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Option<Skipping>>,
            default: Some("none"),
            metavar: Some("KIND"),
            set: |s, name| choose::<Option<Skipping>>(name, |v| s.options.state_space_reduction = v),
        }),
    },
    Setting {
        name: "symmetry",
        group: Group::StateSpace,
        help: "Symmetry reduction by scalar sets",
        details: "It applies to models with scalar sets (`typedef scalar[4] id_t`), for `E<>` and `A[]`. Traces are \
            still runs of the model. A set whose members are not symmetric is not used, and with --certificate \
            none is.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Symmetry>,
            default: Some("on"),
            metavar: None,
            set: |s, name| choose::<Symmetry>(name, |v| s.options.symmetry = v),
        }),
    },
    Setting {
        name: "local-time",
        group: Group::StateSpace,
        help: "Whether each process has a time of its own, so that independent transitions commute",
        details: "It applies to `E<>` and `A[]`. Traces are still runs of the model. Not to models with committed \
            locations, urgent channels, stopwatches, priorities or differences of clocks, and not with a reduction \
            by symmetry, --trace fastest or --certificate.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<LocalTime>,
            default: Some("auto"),
            metavar: None,
            set: |s, name| choose::<LocalTime>(name, |v| s.options.local_time = v),
        }),
    },
    Setting {
        name: "trace",
        group: Group::Evidence,
        help: "Show runs that decide queries, and runs to run-time errors",
        details: "",
        kind: Kind::Choice(ChoiceKind {
            values: values::<TraceChoice>,
            default: Some("none"),
            metavar: None,
            set: |s, name| choose::<TraceChoice>(name, |v| s.options.trace = v),
        }),
    },
    Setting {
        name: "certificate",
        group: Group::Evidence,
        help: "Write proofs of the answers that need one into FILE; `merkhet certify` reads it",
        details: "An answer that no trace decides is proved by a set of symbolic states. For `A[]` that is satisfied, \
            or `E<>` that is not, the set contains all reachable states. For `A<>` or `-->` that is satisfied, \
            or `E[]` that is not, it contains all states of a counterexample, with ranks that decrease along \
            every transition, so that there is none. With this option, states are not covered by aLU or aM \
            inclusion, and meta variables distinguish states, so that more states may be stored. A certificate \
            is checked, as by `merkhet certify`, before the verdict is shown; if it does not hold, the answer is \
            `unknown`.",
        kind: Kind::File(|s| s.options.certificate = true),
    },
    Setting {
        name: "time-limit",
        group: Group::Limits,
        help: "Stop the search for a query after this time: `10`, `1.5`, `90s`, `5m`, `2h`",
        details: "",
        kind: Kind::Time(|s, v| s.limits.time = Some(v)),
    },
    Setting {
        name: "memory-limit",
        group: Group::Limits,
        help: "Stop the search for a query when it takes more memory: `512M`, `4G`",
        details: "Near the limit it first drops tables that only save time, and goes on without them.",
        kind: Kind::Size(|s, v| s.limits.memory = Some(v)),
    },
    Setting {
        name: "state-limit",
        group: Group::Limits,
        help: "Stop the search for a query when more than N states are stored",
        details: "",
        kind: Kind::Number {
            least: 0,
            most: ANY,
            metavar: "N",
            default: None,
            set: |s, v| s.limits.states = Some(v as usize),
        },
    },
    Setting {
        name: "engine",
        group: Group::Formulas,
        help: "The engine that answers queries",
        details: "`auto` is `smt` if one of the options below is given, or if a net has too many clocks for zones.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<EngineChoice>,
            default: Some("auto"),
            metavar: None,
            set: |s, name| choose::<EngineChoice>(name, |v| s.options.engine = v),
        }),
    },
    Setting {
        name: "bound",
        group: Group::Formulas,
        help: "Search for runs of at most K steps",
        details: "A step of automata is a transition. For steps of nets see --steps; if the encodings of nets do not \
            support the net or the query (arcs with weights, ages of tokens), its automata are encoded.",
        kind: Kind::Number {
            least: 0,
            most: ANY,
            metavar: "K",
            default: None,
            set: |s, v| s.options.bound = Some(v as usize),
        },
    },
    Setting {
        name: "method",
        group: Group::Formulas,
        help: "How the absence of runs is proved",
        details: "Without it: `search` with --bound, else `invariant`.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Method>,
            default: None,
            metavar: None,
            set: |s, name| choose::<Method>(name, |v| s.options.method = Some(v)),
        }),
    },
    Setting {
        name: "encoding",
        group: Group::Formulas,
        help: "The encoding of a net",
        details: "",
        kind: Kind::Choice(ChoiceKind {
            values: values::<NetEncoding>,
            default: None,
            metavar: None,
            set: |s, name| choose::<NetEncoding>(name, |v| s.options.encoding = Some(v)),
        }),
    },
    Setting {
        name: "replace",
        group: Group::Formulas,
        help: "The variables that are replaced by others of the same value, for the encodings `la` and `dl`",
        details: "Without it: `constants`.",
        kind: Kind::Choice(ChoiceKind {
            values: values::<Replacing>,
            default: None,
            metavar: None,
            set: |s, name| choose::<Replacing>(name, |v| s.options.replace = Some(v)),
        }),
    },
    Setting {
        name: "steps",
        group: Group::Formulas,
        help: "The transitions that fire in one step of a net, for the encodings `event` and `dl-exact`",
        details: "",
        kind: Kind::Choice(ChoiceKind {
            values: values::<StepSemantics>,
            default: None,
            metavar: None,
            set: |s, name| choose::<StepSemantics>(name, |v| s.options.steps = Some(v)),
        }),
    },
    Setting {
        name: "no-reduce",
        group: Group::Formulas,
        help: "Encode the whole net, not a smaller one with the same answers",
        details: "",
        kind: Kind::Flag(|s| s.options.reduce = false),
    },
    Setting {
        name: "solver",
        group: Group::Formulas,
        help: "The solver: `embedded`, or a program; `merkhet list solvers` lists them",
        details: "",
        kind: Kind::Text { metavar: "NAME", set: |s, v| s.options.solver = Some(v) },
    },
    Setting {
        name: "smt-lib",
        group: Group::Formulas,
        help: "Write the last formula into FILE, in SMT-LIB 2",
        details: "",
        kind: Kind::File(|s| s.options.script = true),
    },
    Setting {
        name: "alpha",
        group: Group::Statistics,
        help: "The probability that an interval misses the true value, or that a test wrongly finds no",
        details: "The level of intervals is one minus this number.",
        kind: Kind::Fraction { metavar: "P", default: "0.05", set: |s, v| s.options.alpha = v },
    },
    Setting {
        name: "beta",
        group: Group::Statistics,
        help: "The probability that a test wrongly finds yes",
        details: "",
        kind: Kind::Fraction { metavar: "P", default: "0.05", set: |s, v| s.options.beta = v },
    },
    Setting {
        name: "epsilon",
        group: Group::Statistics,
        help: "How far the ends of an interval may be from the share of runs with the property",
        details: "Runs are made until they are that near, unless the query or --runs gives their number.",
        kind: Kind::Fraction { metavar: "WIDTH", default: "0.05", set: |s, v| s.options.epsilon = v },
    },
    Setting {
        name: "delta",
        group: Group::Statistics,
        help: "How far from its threshold a probability has to be for a test to promise the right answer",
        details: "",
        kind: Kind::Fraction { metavar: "WIDTH", default: "0.01", set: |s, v| s.options.delta = v },
    },
    Setting {
        name: "discretization",
        group: Group::Statistics,
        help: "The longest step of differential equations and of samples of what is not linear in time",
        details: "What holds for a shorter time may be missed. The moment at which something begins to hold between \
            two samples is found by bisection.",
        kind: Kind::Fraction { metavar: "TIME", default: "0.01", set: |s, v| s.options.discretization = v },
    },
    Setting {
        name: "runs",
        group: Group::Statistics,
        help: "The number of random runs of a query that does not give one",
        details: "Without it: as many as an interval or a test needs, 1000 for a mean, 1 for a simulation. A test makes \
            at most so many.",
        kind: Kind::Number {
            least: 1,
            most: u64::MAX,
            metavar: "N",
            default: None,
            set: |s, v| s.options.runs = Some(v),
        },
    },
    Setting {
        name: "certain",
        group: Group::Statistics,
        help: "Ask symbolic analysis first whether a probability is 0 or 1",
        details: "It is 0 if no run of the model has the property within the bound, and 1 if all have it. If neither is \
            so, or the search is too large, random runs answer. If none of these has the property, a run of the \
            model that has it is shown: the property is possible, whatever its probability is.",
        kind: Kind::Flag(|s| s.options.certain = true),
    },
    Setting {
        name: "splitting",
        group: Group::Statistics,
        help: "Estimate a small probability by splitting runs that come nearer to the goal",
        details: "LEVELS says how near a state is: `hu`, `hl`, `hff` or `hadd` estimate the distance to the goal, and an \
            integer expression of the model without clocks grows towards it. --runs is the number of parts of \
            runs, at least 32; 100,000 without it. The estimate is unbiased whatever the levels are; bad ones make it scatter.",
        kind: Kind::Text { metavar: "LEVELS", set: |s, v| s.options.splitting = Some(v) },
    },
];
