//! Expressions of the user that fail during a search.

use model::{
    code::Pc,
    machine::{Fault, FaultKind},
};

/// The purpose of an expression of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It estimates a distance.
    Heuristic,
    /// It decides whether two states are joined.
    Join,
}

/// An expression that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpressionFailure {
    /// Its purpose.
    pub purpose: Purpose,
    /// The start of its code.
    pub expression: Pc,
    /// The number of failures.
    pub count: usize,
    /// The first failure.
    pub first: Fault,
}

/// The expressions that have failed, in the order of their first failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures(Vec<ExpressionFailure>);

impl Failures {
    /// Counts a failure. A stopped evaluation is not a failure.
    pub(crate) fn note(&mut self, purpose: Purpose, expression: Pc, fault: Fault) {
        if !matches!(fault.kind, FaultKind::Stopped(_)) {
            self.add(ExpressionFailure { purpose, expression, count: 1, first: fault });
        }
    }

    /// Adds the failures of another evaluator or search.
    pub fn join(&mut self, others: &Failures) {
        others.0.iter().for_each(|other| self.add(*other));
    }

    pub(crate) fn add(&mut self, other: ExpressionFailure) {
        match self.0.iter_mut().find(|own| own.expression == other.expression) {
            Some(own) => own.count += other.count,
            None => self.0.push(other),
        }
    }

    /// Returns all of them.
    pub fn iter(&self) -> impl Iterator<Item = &ExpressionFailure> {
        self.0.iter()
    }

    /// Returns whether no expression has failed.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
