//! Run-time errors.

use lattice::user::FailureId;
use syntax::Span;
use thiserror::Error;

use super::numbers::FUEL;
use crate::{Stop, code::Code};

/// The kinds of run-time errors. UPPAAL ends a verification at such an error, and so do we.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// A value outside of the range of its variable.
    #[error("value {value} is outside of the range [{low},{high}]")]
    Range {
        /// The value.
        value: i32,
        /// The least legal one.
        low: i32,
        /// The greatest legal one.
        high: i32,
    },
    /// An index outside of its array.
    #[error("index {index} is outside of the array, whose indices are {low} to {}", i64::from(*low) + i64::from(*length) - 1)]
    Index {
        /// The index.
        index: i32,
        /// The least legal one.
        low: i32,
        /// The length of the array.
        length: i32,
    },
    /// An argument of a lattice's method outside of its range.
    #[error("argument {value} is outside of its range [{low},{high}]")]
    Argument {
        /// The argument.
        value: i32,
        /// The least legal value.
        low: i32,
        /// The greatest legal value.
        high: i32,
    },
    /// Division or remainder by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A shift by less than 0 or more than 31 bits, or a negative exponent.
    #[error("shift or exponent {0} is outside of its range")]
    Shift(i32),
    /// A clock set to a negative number.
    #[error("a clock is set to the negative number {0}")]
    NegativeClock(i32),
    /// A number that is not finite, or too large, becomes an integer.
    #[error("a number without a 32-bit integer part becomes an integer")]
    NoInteger,
    /// A number is drawn from a distribution that there is not.
    #[error("there is no such distribution: its parameters are out of their ranges")]
    Distribution,
    /// A number is drawn elsewhere than in an update.
    #[error("random numbers are drawn in updates only")]
    NotRandom,
    /// A false assertion.
    #[error("assertion does not hold")]
    Assertion,
    /// A loop that seems to diverge.
    #[error("no end after {} steps", FUEL)]
    Endless,
    /// A function of the user has failed. [`System::explain`](crate::System::explain) says how.
    #[error("{0}")]
    User(FailureId),
    /// Code for something that symbolic analysis does not support.
    #[error("not supported in symbolic analysis")]
    Unsupported,
    /// Not an error of the model: the computation was stopped.
    #[error("{0}")]
    Stopped(Stop),
}

/// A run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// The instruction that failed.
    pub pc: u32,
}

impl Fault {
    /// Returns the span of the text that failed.
    #[must_use]
    pub fn span(&self, code: &Code) -> Span {
        code.site(self.pc)
    }
}
