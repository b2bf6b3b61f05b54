//! Guards and invariants: conditions on integers, constraints on clocks, and rates.

use super::ClockId;
use crate::code::Pc;

/// An integer that is constant, or computed by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant.
    Const(i64),
    /// The result of code, which lies within bounds.
    Code {
        /// The code.
        pc: Pc,
        /// The lower bound.
        low: i32,
        /// The upper bound.
        high: i32,
    },
}

/// A clock that is fixed, or selected by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockTerm {
    /// A fixed clock.
    Clock(ClockId),
    /// An element of an array of clocks.
    Element {
        /// Yields the number of the clock.
        pc: Pc,
        /// The first clock of the array.
        first: ClockId,
        /// The number of clocks of the array.
        count: u32,
    },
}

impl ClockTerm {
    /// The reference clock, which is always zero.
    pub const ZERO: ClockTerm = ClockTerm::Clock(ClockId(0));
}

/// `left - right < bound`, or `<=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockConstraint {
    /// The constraint applies only where this condition holds.
    pub condition: Option<Pc>,
    /// The clock that is bounded.
    pub left: ClockTerm,
    /// The clock that is subtracted.
    pub right: ClockTerm,
    /// Whether it is `<` instead of `<=`.
    pub strict: bool,
    /// The bound.
    pub bound: Operand,
}

impl ClockConstraint {
    /// Returns the code that it consists of.
    pub(crate) fn code(&self) -> Vec<Pc> {
        let mut out: Vec<Pc> = self.condition.into_iter().collect();
        for term in [self.left, self.right] {
            if let ClockTerm::Element { pc, .. } = term {
                out.push(pc);
            }
        }
        if let Operand::Code { pc, .. } = self.bound {
            out.push(pc);
        }
        out
    }
}

/// A guard or invariant: a condition on the row and constraints on clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The condition on the row; `None` if it is true.
    pub condition: Option<Pc>,
    /// The clock constraints. They are evaluated only where the condition holds.
    pub clocks: Vec<ClockConstraint>,
}

impl Guard {
    /// Returns whether it always holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.condition.is_none() && self.clocks.is_empty()
    }
}

/// `clock' == rate` in an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The rate applies only where this condition holds.
    pub condition: Option<Pc>,
    /// The clock.
    pub clock: ClockTerm,
    /// The rate: 0 or 1.
    pub rate: Operand,
}
