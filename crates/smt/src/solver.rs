//! What every solver can do.

use crate::terms::{Real, Term, Terms};

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All can hold together.
    Satisfiable,
    /// They can't.
    Unsatisfiable,
    /// It was told to stop.
    Stopped,
    /// It is undecided, for this reason.
    Unknown(String),
}

/// Says whether formulas can hold together. Formulas that were asserted stay.
pub trait Solver {
    /// From now on this holds.
    fn assert(&mut self, terms: &Terms, t: Term);

    /// Whether all that was asserted can hold together with the assumptions. `stop` is asked now and then whether to give up.
    fn check(&mut self, terms: &Terms, assumptions: &[Term], stop: &dyn Fn() -> bool) -> Outcome;

    /// Behind [`Outcome::Satisfiable`]: what a term is in the solution. A term that the solver has not met is calculated from
    /// its parts; variables that do not matter are false.
    fn holds(&mut self, terms: &Terms, t: Term) -> bool;

    /// Behind [`Outcome::Satisfiable`]: what a real variable is, as numerator and denominator.
    fn real(&mut self, terms: &Terms, x: Real) -> (i64, i64);

    /// Behind [`Outcome::Unsatisfiable`]: assumptions that can't hold together, not always the fewest.
    fn core(&self) -> &[Term];
}
