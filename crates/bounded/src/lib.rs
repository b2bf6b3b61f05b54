//! Nets and networks of automata as formulas, for bounded and unbounded checking.
//!
//! [`Conditions`] turns the code of a model into terms: what a condition says of the numbers of a row, each of which is one of
//! finitely many values.

pub mod automata;
mod choice;
mod code;

pub use choice::{Choice, Integer};
pub use code::{ClockValue, Conditions, Effect, Refused};
