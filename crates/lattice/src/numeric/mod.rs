//! Numeric abstract domains.
//!
//! **Integers.** Unless a lattice says otherwise, its members are unbounded integers: a sum never
//! overflows or wraps around. A value that a row cannot represent is weakened: an interval whose
//! bound exceeds 32 bits becomes unbounded. A division by zero has no result; the values for which
//! it happens are excluded.
//!
//! A [`Domain`] abstracts one integer; [`Environment`] turns it into a non-relational lattice of
//! several members.

mod atoms;
mod congruence;
mod constant;
mod environment;
mod interval;
mod intervals;
mod tree;

use std::{
    fmt,
    panic::{RefUnwindSafe, UnwindSafe},
};

use crate::{Comparison, LibraryEntry, SlotOrder};

pub(crate) use environment::{Environment, JOINT_METHODS};
pub(crate) use interval::Interval;
pub(crate) use intervals::Intervals;
pub(crate) use tree::{TermNode, Tree};

pub(crate) const ENTRIES: &[&[LibraryEntry]] =
    &[intervals::ENTRIES, constant::ENTRIES, atoms::ENTRIES, congruence::ENTRIES];

/// A binary operation on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// An abstract domain for one integer. A value stands for a non-empty set of integers; `None` is
/// the empty set.
///
/// All operations are monotone and sound: they lose no possible integer.
pub(crate) trait Domain: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe + 'static {
    type Value: Copy + PartialEq + fmt::Debug;

    /// Returns the number of integers in a row that a value takes.
    fn width(&self) -> usize;

    fn range(&self, slot: usize) -> (i32, i32);

    fn load(&self, slots: &[i32]) -> Option<Self::Value>;

    /// Writes the least representable value that is not less than `value`.
    fn store(&self, value: Option<Self::Value>, slots: &mut [i32]);

    fn top(&self) -> Self::Value;

    fn constant(&self, number: i32) -> Self::Value;

    fn leq(&self, a: Self::Value, b: Self::Value) -> bool;

    /// Returns how an integer of a value changes when the value grows; `None`: in no fixed way.
    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        let _ = slot;
        None
    }

    fn join(&self, a: Self::Value, b: Self::Value) -> Self::Value;

    fn meet(&self, a: Self::Value, b: Self::Value) -> Option<Self::Value>;

    fn widen(&self, a: Self::Value, b: Self::Value, thresholds: &[i32]) -> Self::Value {
        let _ = thresholds;
        self.join(a, b)
    }

    fn negate(&self, a: Self::Value) -> Self::Value;

    fn apply(&self, operation: Operation, a: Self::Value, b: Self::Value) -> Option<Self::Value>;

    /// Restricts two operands, given their result.
    fn refine(
        &self,
        operation: Operation,
        a: Self::Value,
        b: Self::Value,
        result: Self::Value,
    ) -> Option<(Self::Value, Self::Value)> {
        match operation {
            Operation::Add => {
                let left = self.apply(Operation::Sub, result, b)?;
                let right = self.apply(Operation::Sub, result, a)?;
                Some((self.meet(a, left)?, self.meet(b, right)?))
            }
            Operation::Sub => {
                let left = self.apply(Operation::Add, result, b)?;
                let right = self.apply(Operation::Sub, a, result)?;
                Some((self.meet(a, left)?, self.meet(b, right)?))
            }
            Operation::Mul | Operation::Div | Operation::Mod => Some((a, b)),
        }
    }

    /// Restricts two values to those for which a comparison holds.
    fn compare(&self, cmp: Comparison, a: Self::Value, b: Self::Value) -> Option<(Self::Value, Self::Value)>;

    /// Returns the least and the greatest integer; [`i64::MIN`] and [`i64::MAX`] if it is
    /// unbounded.
    fn bounds(&self, a: Self::Value) -> (i64, i64);

    fn show(&self, a: Self::Value) -> String;

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32) -> Self::Value;
}

/// Samples an integer, mostly a small one.
pub(crate) fn some_integer(random: &mut dyn FnMut(u32) -> u32) -> i32 {
    match random(12) {
        0 => random(200) as i32 - 100,
        1 => i32::MAX - random(3) as i32,
        2 => i32::MIN + random(3) as i32,
        _ => random(9) as i32 - 4,
    }
}
