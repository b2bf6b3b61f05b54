//! What is wrong with options.

use model::Stop;
use thiserror::Error;
use verify::OptionError;

use crate::CheckpointError;

/// Why options can't be used for a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// The heuristics are wrong.
    #[error("--heuristic: {0}")]
    Heuristic(OptionError),
    /// The strategy of joining is wrong.
    #[error("--join: {0}")]
    Join(OptionError),
    /// The levels for splitting are wrong.
    #[error("--splitting: `{0}` says nothing about levels: {1}")]
    Splitting(String, String),
    /// The order does not use heuristics.
    #[error("the order `{0}` has no use for a heuristic; take greedy, astar, local or auto")]
    BlindOrder(&'static str),
    /// An order of the user is the only one.
    #[error("an order of the user takes the place of {0}")]
    TwoOrders(&'static str),
    /// States are not joined.
    #[error("--join is about `--update join`, and has no use with another one")]
    NotJoined,
    /// The option is for formulas.
    #[error("{0} is for formulas; take it with --engine smt")]
    OnlyFormulas(&'static str),
    /// The option is for nets.
    #[error("{0} is for nets, and the model is none")]
    OnlyNets(&'static str),
    /// Only the paper's encodings replace variables.
    #[error("--replace is for the encodings `la` and `dl`")]
    Replace,
    /// The paper's encodings have one kind of step.
    #[error("--steps is for the encodings `event` and `dl-exact`")]
    Steps,
    /// An invariant has no bound.
    #[error("--bound does not go with --method invariant")]
    BoundedInvariant,
    /// The solver is not there.
    #[error("{0}")]
    Solver(#[from] SolverError),
    /// A cluster can't do it.
    #[error("{0} do not run on a cluster; {1}")]
    NotOnClusters(&'static str, &'static str),
    /// There can be no checkpoints, or the last one can't be used.
    #[error("{0}")]
    Checkpoint(#[from] CheckpointError),
    /// A limit was reached while the options were read.
    #[error("{0}")]
    Stopped(Stop),
}

/// Why a solver can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SolverError {
    /// There is no such solver.
    #[error("there is no solver `{name}`; {hint}")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// The solver is not installed.
    #[error(
        "the solver `{name}` is not here: no {} on the PATH, and MERKHET_{} names none",
        .programs.join(" or "),
        .name.to_ascii_uppercase()
    )]
    Missing {
        /// The name.
        name: &'static str,
        /// The programs that were looked for.
        programs: Vec<&'static str>,
    },
}
