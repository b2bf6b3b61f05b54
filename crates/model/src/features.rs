//! The supported features of UPPAAL's language and of TChecker's.

/// The degree of support for a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is supported.
    Yes,
    /// It is parsed, and has no meaning in symbolic analysis.
    Ignored,
    /// It is parsed, and models that use it are refused.
    No,
}

/// A feature of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// The degree of support.
    pub support: Support,
    /// A description, or the reason why it is not supported.
    pub note: &'static str,
}

const fn yes(name: &'static str, note: &'static str) -> Feature {
    Feature { name, support: Support::Yes, note }
}

const fn ignored(name: &'static str, note: &'static str) -> Feature {
    Feature { name, support: Support::Ignored, note }
}

const fn no(name: &'static str, note: &'static str) -> Feature {
    Feature { name, support: Support::No, note }
}

/// All features that the parser knows.
pub const FEATURES: &[Feature] = &[
    yes("UPPAAL XML", "flat-1_0 to flat-1_6, versions 3.4 to 5.x; nothing is fetched"),
    yes("XTA", "with and without parentheses after a process's name"),
    yes("TA", "the language before version 3.4"),
    yes("TChecker models", "events with strong and weak synchronisation, labels, several initial locations"),
    yes(
        "Petri nets",
        "TINA's .net and .ndr, PNML, Romeo's and TAPAAL's files; weights, test, inhibitor and transport arcs, ages of tokens",
    ),
    yes(
        "time Petri nets",
        "intervals on transitions, or on the places of safe nets; ask for places as integers, and for `time`",
    ),
    yes("priorities and stopwatches of nets", "as in TINA; with stopwatches zones over-approximate, runs are exact"),
    yes(
        "coloured nets",
        "symmetric nets of PNML and TAPAAL's nets, with finite sorts, unfolded; `p()` counts the tokens of all colours",
    ),
    yes("query files", "one query on a line; also inside XML and XTA models"),
    yes("integers and booleans", "bounded integers, 32-bit arithmetic that wraps, all operators"),
    yes(
        "clocks",
        "also in arrays and structs; initial values, resets to integers, copies; comparison with constants up to 2^58",
    ),
    yes("channels", "binary, broadcast, urgent, arrays, priorities; CSP style without direction"),
    yes("arrays and structs", "of any depth, with initialisers, assignment and comparison"),
    yes("strings", "constants, also in arrays, and parameters; compared with `==` and `!=`"),
    yes("scalar sets", "as numbers without order"),
    yes("meta variables", "no part of a state's identity"),
    yes("functions", "values, references, loops, local variables; no recursion"),
    yes("templates", "value and reference parameters, partial instances, sets of processes"),
    yes("select", "bounded integers and scalars"),
    yes("quantifiers", "forall, exists and sum"),
    yes("urgent and committed locations", ""),
    yes("branchpoints", "the weights of branches are ignored: every branch is possible"),
    yes("labels of locations", "TChecker's; asked by `label(a)` in a query"),
    yes("process priorities", ""),
    yes("before_update and after_update", ""),
    yes("statistical queries", "Pr, E and simulate, by random runs; also of nets without timed arcs"),
    yes(
        "hybrid models",
        "in statistical queries: doubles, mathematical functions, random numbers, clocks with any rate, differential equations",
    ),
    yes("stopwatches", "rates 0 and 1 in invariants; zones over-approximate, runs are exact"),
    yes(
        "lattices",
        "opaal's `extern`: of the library, of other lattices, and of a struct with functions; bits, methods, operators",
    ),
    yes(
        "integers of lattices",
        "arithmetic, guards, invariants and queries on what is known of them; members such as `oct.intvar`",
    ),
    yes("federations of clocks", "opaal's `DBMFederation`, whose clocks are declared as `DBMClock dbm.x;`"),
    yes("symbolic queries", "A[], E<>, A<>, E[], -->, A[] A<>, E<> E[], sup, inf, bounds, deadlock"),
    ignored("progress measures", "a hint for the search, without influence on answers"),
    ignored("gantt charts", "a display of simulations"),
    ignored("exponential rates", "except in statistical queries: symbolic analysis knows no probabilities"),
    ignored("controllable edges", "all edges are treated alike outside of games"),
    ignored("live sequence charts", "they observe the model and change nothing"),
    ignored(
        "floating-point variables",
        "in symbolic queries, as long as no clock, integer or condition depends on one",
    ),
    ignored("rates of hybrid clocks", "in symbolic queries: their value is not tracked"),
    no("flush and reset arcs of nets", "and ages of tokens on arcs, parameters and costs"),
    no(
        "floating-point numbers",
        "in guards, invariants, conditions, clock values, in symbolic queries: states would not be finitely many",
    ),
    no("hybrid clocks", "in guards and invariants, in symbolic queries: their value is not tracked"),
    no("clock rates other than 0 and 1", "in symbolic queries: zones describe clocks that go at one speed"),
    no("dynamic templates", "the number of processes is not known beforehand"),
    no("external functions", "they are defined in a library, not in the model"),
    no("games and strategies", "control, strategy, under, minE, maxE and the like synthesise strategies"),
];
