//! Nets and networks of automata as formulas, for bounded and unbounded checking.
//!
//! [`Conditions`] turns the code of a model into terms: what a condition says of the numbers of a
//! row, each of which is one of finitely many values. [`net`] has the formulas of nets.

pub mod automata;
mod bound;
mod choice;
mod code;
mod failure;
pub mod net;

pub use bound::{Bounded, FailingRun};
pub use choice::{GuardedValue, Integer};
pub use code::{ClockValue, Conditions, EncodingError, Stop, UpdateEffect};
