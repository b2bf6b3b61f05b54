//! Formulas and SMT solvers.
//!
//! [`Terms`] holds hash-consed formulas over Booleans and constraints on reals. A [`Solver`]
//! decides whether formulas are satisfiable.

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

pub use embedded::{Embedded, Interpolation, interpolate};
pub use sat::Statistics;
pub use solver::{SatResult, Solver};
pub use terms::{Atom, LinearAtom, Real, Term, TermNode, Terms, UpperBound};
