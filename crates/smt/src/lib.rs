//! Formulas and what solves them.
//!
//! [`Terms`] holds formulas over Booleans and constraints on reals, each once. A [`Solver`] says whether formulas can be
//! true together.

mod arithmetic;
mod difference;
mod embedded;
mod evaluate;
mod linear;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "other solvers are processes")]
pub mod process;
mod sat;
pub mod script;
mod solver;
mod terms;

pub use embedded::Embedded;
pub use sat::Statistics;
pub use solver::{Outcome, Solver};
pub use terms::{Atom, Bound, Linear, Node, Real, Term, Terms};
