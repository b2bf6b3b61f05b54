//! The interface of solvers.

use crate::terms::{Real, Term, Terms};

/// The outcome of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatResult {
    /// The formulas are satisfiable.
    Satisfiable,
    /// They are unsatisfiable.
    Unsatisfiable,
    /// The query was interrupted.
    Stopped,
    /// The query is undecided, with the reason.
    Unknown(String),
}

/// An incremental solver. Assertions are permanent.
pub trait Solver {
    /// Asserts a formula.
    fn assert(&mut self, terms: &Terms, t: Term);

    /// Decides whether the assertions and the assumptions are satisfiable. `stop` is called now and
    /// then, and interrupts the query by returning `true`.
    fn check(&mut self, terms: &Terms, assumptions: &[Term], stop: &dyn Fn() -> bool) -> SatResult;

    /// After [`SatResult::Satisfiable`]: evaluates a term in the solution. Terms that the solver
    /// has not seen are evaluated, too; unconstrained variables are false.
    fn holds(&mut self, terms: &Terms, t: Term) -> bool;

    /// After [`SatResult::Satisfiable`]: returns the value of a real variable as numerator and
    /// denominator.
    fn real(&mut self, terms: &Terms, x: Real) -> (i64, i64);

    /// After [`SatResult::Unsatisfiable`]: returns an unsatisfiable core of the assumptions, not
    /// always a minimal one.
    fn core(&self) -> &[Term];
}
