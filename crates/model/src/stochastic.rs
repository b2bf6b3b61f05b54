//! Random runs: what a system has besides its guards and updates, and what is measured on runs.
//!
//! A model is lowered a second time for statistical queries ([`crate::Model::stochastic`]), so that
//! nothing here affects the system that other engines work on. The second system has the rates of
//! locations, the weights of branches, floating-point variables, and clocks with any rate.

use std::sync::Arc;

use crate::{
    code::{Pc, RealOp, Segment},
    system::{ClockConstraint, ClockId, ClockTerm, System},
};

/// A system with the distributions of delays and branches, and with what its clocks and conditions
/// have beyond those of symbolic analysis.
#[derive(Clone, Debug, Default)]
pub struct StochasticSystem {
    /// The system.
    pub system: System,
    /// The rate of the exponential distribution of each location, where one is written.
    pub rates: Vec<Option<RealTerm>>,
    /// The weight of each edge among the branches of its branchpoint.
    pub weights: Vec<RealTerm>,
    /// The number of the edge before the branchpoint, for each edge: branches of one edge have the
    /// same number, and others have none in common.
    pub stems: Vec<u32>,
    /// The rates of clocks at each location, where they are not integers.
    pub flows: Vec<Vec<ClockFlow>>,
    /// The rest of the guard of each edge, beyond that of the system.
    pub guards: Vec<Option<Box<TimedCondition>>>,
    /// The same for the invariant of each location.
    pub invariants: Vec<Option<Box<TimedCondition>>>,
    /// Which clocks have values that are no multiples of a step of time: their rates are not
    /// integers, or they are set to other numbers.
    pub analog: Vec<bool>,
    /// The initial values of such clocks, where they are not those of the system.
    pub starts: Vec<(ClockId, f64)>,
}

/// `clock' == rate` in an invariant, for any rate: a differential equation if it depends on clocks.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockFlow {
    /// The rate applies only where this condition holds.
    pub condition: Option<Pc>,
    /// The clock.
    pub clock: ClockTerm,
    /// The rate.
    pub rate: RealTerm,
}

/// A condition that changes its truth while time passes, and its negation.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedCondition {
    /// The condition.
    pub holds: RunFormula,
    /// Its negation.
    pub fails: RunFormula,
}

/// A formula on the states of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunFormula {
    /// It always holds.
    True,
    /// It never holds.
    False,
    /// A condition that does not depend on clocks.
    Condition(Pc),
    /// A constraint on one clock or on the difference of two.
    Clock(ClockConstraint),
    /// `left <= right`, or `left < right`.
    Comparison {
        /// The left side.
        left: RealTerm,
        /// The right side.
        right: RealTerm,
        /// Whether it is `<`.
        strict: bool,
    },
    /// Another condition on clocks.
    Timed(Pc),
    /// The formulas hold.
    And(Vec<RunFormula>),
    /// One of the formulas holds.
    Or(Vec<RunFormula>),
}

impl RunFormula {
    /// Joins formulas by `and`, or by `or`.
    pub(crate) fn join(and: bool, parts: impl IntoIterator<Item = RunFormula>) -> RunFormula {
        let (neutral, absorbing) =
            if and { (RunFormula::True, RunFormula::False) } else { (RunFormula::False, RunFormula::True) };
        let mut out = Vec::new();
        for part in parts {
            match part {
                part if part == absorbing => return absorbing,
                part if part == neutral => {}
                RunFormula::And(inner) if and => out.extend(inner),
                RunFormula::Or(inner) if !and => out.extend(inner),
                part => out.push(part),
            }
        }
        match (out.len(), out.pop()) {
            (_, None) => neutral,
            (1, Some(only)) => only,
            (_, Some(last)) => {
                out.push(last);
                if and { RunFormula::And(out) } else { RunFormula::Or(out) }
            }
        }
    }

    /// Returns whether it compares for equality what clocks decide: `x <= e` beside `x >= e`.
    #[must_use]
    pub fn has_equality(&self) -> bool {
        match self {
            RunFormula::And(parts) => {
                let pair = |i: usize| match &parts[i] {
                    RunFormula::Comparison { left, right, .. } => Some((left, right)),
                    _ => None,
                };
                let opposite =
                    |i: usize, j: usize| pair(i).zip(pair(j)).is_some_and(|((a, b), (c, d))| a == d && b == c);
                (1..parts.len()).any(|i| (0..i).any(|j| opposite(i, j))) || parts.iter().any(RunFormula::has_equality)
            }
            RunFormula::Or(parts) => parts.iter().any(RunFormula::has_equality),
            _ => false,
        }
    }
}

/// An expression with a floating-point value.
#[derive(Clone, Debug, PartialEq)]
pub enum RealTerm {
    /// A number.
    Number(f64),
    /// The result of code with an integer value that does not depend on clocks.
    Integer(Pc),
    /// The result of code with a floating-point value that does not depend on clocks.
    Real(Pc),
    /// The result of code with a floating-point value that depends on clocks.
    Timed(Pc),
    /// The value of a clock.
    Clock(ClockTerm),
    /// A negation.
    Negation(Box<RealTerm>),
    /// An operation on two values.
    Arith(RealOp, Box<[RealTerm; 2]>),
    /// One of two values, depending on a condition that does not depend on clocks.
    Choice(Pc, Box<[RealTerm; 2]>),
}

impl RealTerm {
    /// Returns an operation, computed now if both values are known.
    #[must_use]
    pub fn arith(op: RealOp, a: RealTerm, b: RealTerm) -> RealTerm {
        match (&a, &b) {
            (RealTerm::Number(x), RealTerm::Number(y)) => RealTerm::Number(op.apply(*x, *y, 0.0)),
            _ => RealTerm::Arith(op, Box::new([a, b])),
        }
    }

    /// Returns whether no clock is in it.
    #[must_use]
    pub fn is_constant_in_time(&self) -> bool {
        match self {
            RealTerm::Number(_) | RealTerm::Integer(_) | RealTerm::Real(_) => true,
            RealTerm::Clock(_) | RealTerm::Timed(_) => false,
            RealTerm::Negation(a) => a.is_constant_in_time(),
            RealTerm::Arith(_, parts) | RealTerm::Choice(_, parts) => parts.iter().all(RealTerm::is_constant_in_time),
        }
    }

    /// Returns whether it is a linear function of the time while clocks run at constant rates: its
    /// extreme values are at the ends of delays then.
    #[must_use]
    pub fn is_linear_in_time(&self) -> bool {
        match self {
            RealTerm::Number(_) | RealTerm::Integer(_) | RealTerm::Real(_) | RealTerm::Clock(_) => true,
            RealTerm::Timed(_) => false,
            RealTerm::Negation(a) => a.is_linear_in_time(),
            RealTerm::Arith(RealOp::ADD | RealOp::SUBTRACT, parts) | RealTerm::Choice(_, parts) => {
                parts.iter().all(RealTerm::is_linear_in_time)
            }
            RealTerm::Arith(RealOp::MULTIPLY, parts) => {
                let [a, b] = &**parts;
                a.is_constant_in_time() && b.is_linear_in_time() || a.is_linear_in_time() && b.is_constant_in_time()
            }
            RealTerm::Arith(RealOp::DIVIDE, parts) => parts[0].is_linear_in_time() && parts[1].is_constant_in_time(),
            RealTerm::Arith(..) => self.is_constant_in_time(),
        }
    }
}

/// Where runs end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunBound {
    /// What is bounded.
    pub measure: RunMeasure,
    /// The bound.
    pub limit: f64,
    /// The number of runs, if the query has one.
    pub runs: Option<u64>,
}

/// What ends a run if it grows beyond a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunMeasure {
    /// The time. What is asked counts from the moment on that is given.
    Time {
        /// The first moment that counts.
        from: f64,
    },
    /// A clock.
    Clock(ClockTerm),
    /// The number of transitions.
    Steps,
}

/// What is asked about a run, and where the run ends.
#[derive(Clone, Debug, PartialEq)]
pub struct PathProperty {
    /// Where a run ends.
    pub bound: RunBound,
    /// What is asked.
    pub path: PathGoal,
}

/// What is asked about a run.
#[derive(Clone, Debug, PartialEq)]
pub enum PathGoal {
    /// The formula holds at some moment.
    Finally(RunFormula),
    /// The formula, which is the negation of what was written, holds at no moment.
    Never(RunFormula),
    /// The second formula holds at some moment, and the first one, which is the negation of what
    /// was written, at no moment before.
    Until(RunFormula, RunFormula),
    /// A formula of metric interval temporal logic holds at the start.
    Timed(TimedGoal),
}

/// A formula of metric interval temporal logic.
#[derive(Clone, Debug, PartialEq)]
pub enum TimedGoal {
    /// A condition on a state.
    State(Box<TimedCondition>),
    /// A negation.
    Not(Box<TimedGoal>),
    /// A conjunction.
    And(Box<[TimedGoal; 2]>),
    /// The second formula holds after a time in the interval, and the first one until then.
    Until([f64; 2], Box<[TimedGoal; 2]>),
}

impl TimedGoal {
    /// The formula that always holds.
    pub(crate) fn always() -> TimedGoal {
        TimedGoal::State(Box::new(TimedCondition { holds: RunFormula::True, fails: RunFormula::False }))
    }
}

/// What is measured on runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Measurement {
    /// The probability that a run has a property.
    Probability(PathProperty),
    /// Whether that probability is at least, or at most, a number.
    Threshold {
        /// The property.
        path: PathProperty,
        /// Whether it is "at least".
        at_least: bool,
        /// The number.
        threshold: f64,
    },
    /// Whether the probability of the first property is at least that of the second one.
    Comparison(PathProperty, PathProperty),
    /// The mean of the extreme values of an expression.
    Mean {
        /// Where runs end.
        bound: RunBound,
        /// Whether the greatest values are meant, not the least ones.
        maximum: bool,
        /// The expression.
        value: RealTerm,
    },
    /// The values of expressions along runs.
    Simulation {
        /// Where runs end.
        bound: RunBound,
        /// The expressions.
        values: Vec<RealTerm>,
        /// The condition that a kept run reaches, and the number of kept runs.
        filter: Option<(RunFormula, Option<u64>)>,
    },
}

/// A statistical query with its code.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticalQuery {
    /// What is measured.
    pub measurement: Measurement,
    /// An expression that grows towards what is asked for, if one was given.
    pub importance: Option<RealTerm>,
    pub(crate) segment: Arc<Segment>,
}

impl StochasticSystem {
    /// Returns the system with the code of a query.
    #[must_use]
    pub fn with(&self, query: &StatisticalQuery) -> StochasticSystem {
        let mut extended = self.clone();
        // It is the only segment after that of the model, so it does not move.
        extended.system.code.append(&[&query.segment]);
        extended
    }
}
