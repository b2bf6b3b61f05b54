//! The reasons why no formula is made.

/// The reason why an encoding fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// The model or the query has a feature that no formula expresses.
    #[error("formulas do not support {0}")]
    Unsupported(#[from] Unsupported),
    /// A limit was reached while the formula was made.
    #[error("a limit was reached")]
    Stopped,
}

/// A feature that no formula expresses. Its text is a noun in the plural.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say what they are")]
pub enum Unsupported {
    #[error("lattice variables")]
    Lattices,
    #[error("goals that are functions")]
    Goals,
    #[error("stopwatches")]
    Stopwatches,
    #[error("priorities of transitions in formulas of nets")]
    Priorities,
    #[error("variables with more than {max} values (`{name}` is one)")]
    LargeDomains { name: String, max: i64 },
    #[error("arithmetic on integers with too many values")]
    LargeArithmetic,
    #[error("functions of more than {0} instructions")]
    LongFunctions(usize),
    #[error("clock constants above {max}, such as {value}")]
    LargeConstants { value: i64, max: u64 },
    #[error("deadlocks where urgent channels have clock guards")]
    UrgentClockGuards,
    #[error("deadlocks where receivers of broadcasts have clock guards")]
    BroadcastClockGuards,
    #[error("deadlocks where priorities decide which run-time errors are met")]
    PriorityFaults,
    #[error("deadlocks or priorities where more than {0} transitions are possible")]
    ManyTransitions(usize),
    #[error("places with more than one token (`{place}` has {tokens})")]
    ManyTokens { place: String, tokens: u32 },
    #[error("arcs of weight other than 1 (the arc between `{place}` and `{transition}` has weight {weight})")]
    Weights { place: String, transition: String, weight: u32 },
    #[error("ages of tokens in this encoding; use `--encoding event`")]
    TokenAges,
    #[error("nets without intervals on places in the encodings `la` and `dl`; use `--encoding event`")]
    NoPlaceIntervals,
    #[error("queries about anything but places and the time in this encoding; use `--encoding event`")]
    OtherQueries,
    #[error("queries about the ages of tokens in this encoding; use `--encoding event`")]
    AgeQueries,
    #[error("queries about the time with the encoding `la`")]
    TimeQueries,
    #[error("bounds on the time that depend on the marking")]
    VariableTimeBounds,
}
