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
#[derive(Clone, Debug, PartialEq)]
pub struct PathQuery {
    /// Where a run ends, and how many there are.
    pub bound: RunBound,
    /// What is asked about a run.
    pub path: PathFormula,
}

/// What is asked about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathFormula {
    /// `<> p`
    Finally(ExprId),
    /// `[] p`
    Globally(ExprId),
    /// `p U q`
    Until(ExprId, ExprId),
    /// A formula of metric interval temporal logic. The bound of the run is as long as it needs.
    Timed(Box<TimedFormula>),
}

/// A formula of metric interval temporal logic: every operator has an interval of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedFormula {
    /// A condition on a state.
    State(ExprId),
    /// `φ && ψ`
    And(Box<[TimedFormula; 2]>),
    /// `φ || ψ`
    Or(Box<[TimedFormula; 2]>),
    /// `<>[a,b] φ`
    Finally(TimedInterval, Box<TimedFormula>),
    /// `[][a,b] φ`
    Globally(TimedInterval, Box<TimedFormula>),
    /// `φ U[a,b] ψ`
    Until(TimedInterval, Box<[TimedFormula; 2]>),
    /// `φ R[a,b] ψ`: ψ holds up to the moment at which φ does, or to the end.
    Release(TimedInterval, Box<[TimedFormula; 2]>),
}

/// An interval of time: its first and its last moment.
pub type TimedInterval = [ExprId; 2];

impl TimedFormula {
    /// Returns the number of its operators.
    #[must_use]
    pub fn operators(&self) -> usize {
        match self {
            TimedFormula::State(_) => 0,
            TimedFormula::Finally(_, inner) | TimedFormula::Globally(_, inner) => 1 + inner.operators(),
            TimedFormula::And(parts)
            | TimedFormula::Or(parts)
            | TimedFormula::Until(_, parts)
            | TimedFormula::Release(_, parts) => 1 + parts[0].operators() + parts[1].operators(),
        }
    }

    /// Calls `f` for all conditions on states, and all bounds.
    pub fn for_each(&self, state: &mut dyn FnMut(ExprId), bound: &mut dyn FnMut(ExprId)) {
        let (interval, parts): (&[ExprId], &[TimedFormula]) = match self {
            TimedFormula::State(e) => return state(*e),
            TimedFormula::And(parts) | TimedFormula::Or(parts) => (&[], &**parts),
            TimedFormula::Finally(interval, inner) | TimedFormula::Globally(interval, inner) => {
                (interval, std::slice::from_ref(&**inner))
            }
            TimedFormula::Until(interval, parts) | TimedFormula::Release(interval, parts) => (interval, &**parts),
        };
        interval.iter().for_each(|e| bound(*e));
        parts.iter().for_each(|part| part.for_each(state, bound));
    }
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
