//! Formulas and what solves them.
//!
//! [`Terms`] holds formulas over Booleans and constraints on reals, each once. A [`Solver`] says whether formulas can be
//! true together.

mod solver;
mod terms;

pub use solver::{Outcome, Solver};
pub use terms::{Atom, Bound, Linear, Node, Real, Term, Terms};
