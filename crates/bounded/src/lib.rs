//! Nets and networks of automata as formulas, for bounded and unbounded checking.
//!
//! [`Conditions`] encodes the code of a model: a variable of the row is one of finitely many
//! values, each guarded by a term. [`automata`] encodes networks, [`net`] encodes Petri nets.

pub mod automata;
mod bound;
mod code;
mod error;
mod failure;
mod guarded;
pub mod net;
mod relation;

pub use bound::{Bounded, FailingRun};
pub use code::{ClockValue, Conditions, Stop, UpdateEffect};
pub use error::{EncodingError, Unsupported};
pub use guarded::{GuardedValue, Integer};
