//! Random runs: what a system has besides its guards and updates, and what is measured on runs.
//!
//! A model is lowered a second time for statistical queries ([`crate::Model::stochastic`]), so that
//! nothing here affects the system that other engines work on. The second system has the rates of
//! locations, the weights of branches, and clocks with any integer rate.

use std::sync::Arc;

use crate::{
    code::{Pc, Segment},
    property::Formula,
    system::{ClockTerm, System},
};

/// A system with the distributions of delays and branches.
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
}

/// An expression with a floating-point value.
#[derive(Clone, Debug, PartialEq)]
pub enum RealTerm {
    /// A number.
    Number(f64),
    /// The result of code.
    Integer(Pc),
    /// The value of a clock.
    Clock(ClockTerm),
    /// A negation.
    Negation(Box<RealTerm>),
    /// An operation on two values.
    Arith(RealArith, Box<[RealTerm; 2]>),
    /// A mathematical function of one value.
    Function(RealFunction, Box<RealTerm>),
    /// One of two values, depending on a condition.
    Choice(Pc, Box<[RealTerm; 2]>),
}

/// The operations on two floating-point values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RealArith {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Minimum,
    Maximum,
}

impl RealArith {
    /// Returns the result.
    #[must_use]
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            RealArith::Add => a + b,
            RealArith::Subtract => a - b,
            RealArith::Multiply => a * b,
            RealArith::Divide => a / b,
            RealArith::Power => a.powf(b),
            RealArith::Minimum => a.min(b),
            RealArith::Maximum => a.max(b),
        }
    }
}

/// A mathematical function of one value, by its name in the language.
#[derive(Clone, Copy, Debug)]
pub struct RealFunction {
    /// The name.
    pub name: &'static str,
    /// The function.
    pub apply: fn(f64) -> f64,
}

impl PartialEq for RealFunction {
    fn eq(&self, other: &RealFunction) -> bool {
        self.name == other.name
    }
}

/// The functions of one value.
pub(crate) const FUNCTIONS: &[RealFunction] = &[
    RealFunction { name: "fabs", apply: f64::abs },
    RealFunction { name: "exp", apply: f64::exp },
    RealFunction { name: "exp2", apply: f64::exp2 },
    RealFunction { name: "expm1", apply: f64::exp_m1 },
    RealFunction { name: "ln", apply: f64::ln },
    RealFunction { name: "log", apply: f64::ln },
    RealFunction { name: "log10", apply: f64::log10 },
    RealFunction { name: "log2", apply: f64::log2 },
    RealFunction { name: "log1p", apply: f64::ln_1p },
    RealFunction { name: "sqrt", apply: f64::sqrt },
    RealFunction { name: "cbrt", apply: f64::cbrt },
    RealFunction { name: "sin", apply: f64::sin },
    RealFunction { name: "cos", apply: f64::cos },
    RealFunction { name: "tan", apply: f64::tan },
    RealFunction { name: "asin", apply: f64::asin },
    RealFunction { name: "acos", apply: f64::acos },
    RealFunction { name: "atan", apply: f64::atan },
    RealFunction { name: "sinh", apply: f64::sinh },
    RealFunction { name: "cosh", apply: f64::cosh },
    RealFunction { name: "tanh", apply: f64::tanh },
    RealFunction { name: "asinh", apply: f64::asinh },
    RealFunction { name: "acosh", apply: f64::acosh },
    RealFunction { name: "atanh", apply: f64::atanh },
    RealFunction { name: "ceil", apply: f64::ceil },
    RealFunction { name: "floor", apply: f64::floor },
    RealFunction { name: "trunc", apply: f64::trunc },
    RealFunction { name: "round", apply: f64::round },
];

impl RealTerm {
    /// Returns an operation, computed now if both values are known.
    #[must_use]
    pub fn arith(op: RealArith, a: RealTerm, b: RealTerm) -> RealTerm {
        match (&a, &b) {
            (RealTerm::Number(x), RealTerm::Number(y)) => RealTerm::Number(op.apply(*x, *y)),
            _ => RealTerm::Arith(op, Box::new([a, b])),
        }
    }

    /// Returns whether no clock is in it.
    #[must_use]
    pub fn is_constant_in_time(&self) -> bool {
        match self {
            RealTerm::Number(_) | RealTerm::Integer(_) => true,
            RealTerm::Clock(_) => false,
            RealTerm::Negation(a) | RealTerm::Function(_, a) => a.is_constant_in_time(),
            RealTerm::Arith(_, parts) | RealTerm::Choice(_, parts) => parts.iter().all(RealTerm::is_constant_in_time),
        }
    }

    /// Returns whether it is a linear function of the time while clocks run at constant rates: its
    /// extreme values are at the ends of delays then.
    #[must_use]
    pub(crate) fn is_linear_in_time(&self) -> bool {
        match self {
            RealTerm::Number(_) | RealTerm::Integer(_) | RealTerm::Clock(_) => true,
            RealTerm::Negation(a) => a.is_linear_in_time(),
            RealTerm::Arith(RealArith::Add | RealArith::Subtract, parts) | RealTerm::Choice(_, parts) => {
                parts.iter().all(RealTerm::is_linear_in_time)
            }
            RealTerm::Arith(RealArith::Multiply, parts) => {
                let [a, b] = &**parts;
                a.is_constant_in_time() && b.is_linear_in_time() || a.is_linear_in_time() && b.is_constant_in_time()
            }
            RealTerm::Arith(RealArith::Divide, parts) => parts[0].is_linear_in_time() && parts[1].is_constant_in_time(),
            RealTerm::Arith(..) | RealTerm::Function(..) => self.is_constant_in_time(),
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
    Finally(Formula),
    /// The formula, which is the negation of what was written, holds at no moment.
    Never(Formula),
    /// The second formula holds at some moment, and the first one, which is the negation of what
    /// was written, at no moment before.
    Until(Formula, Formula),
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
        filter: Option<(Formula, Option<u64>)>,
    },
}

/// A statistical query with its code.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticalQuery {
    /// What is measured.
    pub measurement: Measurement,
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
