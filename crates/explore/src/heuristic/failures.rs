//! Expressions of the user that fail while a search asks for their values.

use model::{
    code::Pc,
    machine::{Fault, FaultKind},
};

/// What an expression of the user is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It estimates a distance.
    Heuristic,
    /// It says whether two states are joined.
    Join,
}

/// One expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpressionFailure {
    /// What it is for.
    pub purpose: Purpose,
    /// Where its code begins.
    pub expression: Pc,
    /// How often it has failed.
    pub count: usize,
    /// How it failed first.
    pub first: Fault,
}

/// The expressions that have failed, in the order in which they did so first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures(Vec<ExpressionFailure>);

impl Failures {
    /// Counts one more. Whoever was told to stop has not failed.
    pub fn note(&mut self, purpose: Purpose, expression: Pc, fault: Fault) {
        if !matches!(fault.kind, FaultKind::Stopped(_)) {
            self.add(ExpressionFailure { purpose, expression, count: 1, first: fault });
        }
    }

    /// Counts those of another evaluator, or of another search.
    pub fn join(&mut self, others: &Failures) {
        others.0.iter().for_each(|other| self.add(*other));
    }

    fn add(&mut self, other: ExpressionFailure) {
        match self.0.iter_mut().find(|own| own.expression == other.expression) {
            Some(own) => own.count += other.count,
            None => self.0.push(other),
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &ExpressionFailure> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
