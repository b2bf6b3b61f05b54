//! Statistical queries.

use super::{ExprId, List};

/// A query about random runs.
#[derive(Clone, Debug, PartialEq)]
pub enum StatisticalQuery {
    /// `Pr[…](<> p)`: how likely is it?
    Probability(PathQuery),
    /// `Pr[…](<> p) >= p0`, or `<=`: is it as likely as that?
    Threshold {
        /// What is asked about a run.
        path: PathQuery,
        /// Whether it is `>=`.
        at_least: bool,
        /// The probability that it is compared with.
        threshold: ExprId,
    },
    /// `Pr[…](<> p) >= Pr[…](<> q)`: is one at least as likely as the other?
    Comparison(PathQuery, PathQuery),
    /// `E[…; N](max: e)`, or `min:`: what is the mean of the extreme values of runs?
    Mean {
        /// Where a run ends, and how many there are.
        bound: RunBound,
        /// Whether it is `max:`.
        maximum: bool,
        /// The expression.
        value: ExprId,
    },
    /// `simulate[…; N]{e, f}`: the values along runs.
    Simulation {
        /// Where a run ends, and how many there are.
        bound: RunBound,
        /// The expressions.
        values: List,
        /// Which runs are kept.
        filter: Option<RunFilter>,
    },
}

/// A question about one run, with the bound of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathQuery {
    /// Where a run ends, and how many there are.
    pub bound: RunBound,
    /// What is asked about a run.
    pub path: PathFormula,
}

/// What is asked about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFormula {
    /// `<> p`
    Finally(ExprId),
    /// `[] p`
    Globally(ExprId),
    /// `p U q`
    Until(ExprId, ExprId),
}

/// Where runs end, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunBound {
    /// What is bounded.
    pub measure: RunMeasure,
    /// The bound.
    pub limit: ExprId,
    /// The number of runs, if it is given.
    pub runs: Option<ExprId>,
}

/// What ends a run if it grows beyond a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMeasure {
    /// `<= T`: the time.
    Time,
    /// `[a, b]` of `Pr(<>[a, b] p)`: the time, which counts from this moment on.
    TimeFrom(ExprId),
    /// `x <= T`: a clock.
    Clock(ExprId),
    /// `# <= N`: the number of transitions.
    Steps,
}

/// `: k : p` of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunFilter {
    /// The number of runs that are wanted, if it is given.
    pub runs: Option<ExprId>,
    /// The condition that a run reaches.
    pub condition: ExprId,
}
