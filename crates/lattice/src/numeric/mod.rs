//! Lattices of integers: what is known of the values that members have.
//!
//! **Integers.** Unless a lattice says otherwise, its members are integers as in mathematics: a sum is never too large, and
//! does not wrap round. What is too large for a row is known by less: an interval that leaves the 32 bits of its bounds has no
//! bound there any more. A division by zero has no result, so it leaves nothing of the members for which it happens.
//!
//! A [`Domain`] says what can be known of one integer, and how that is calculated with; [`Environment`] makes a lattice of it
//! that knows each of its members by itself.

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

use crate::{Comparison, Entry};

pub(crate) use environment::{Environment, JOINT_METHODS};
pub(crate) use interval::Interval;
pub(crate) use intervals::Intervals;
pub(crate) use tree::{Node, Tree};

pub(crate) const ENTRIES: &[&[Entry]] = &[intervals::ENTRIES, constant::ENTRIES, atoms::ENTRIES, congruence::ENTRIES];

/// What makes an integer of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// What can be known of one integer. A value stands for a set of integers that is not empty; `None` is the empty set.
///
/// All operations are monotone, and leave out no integer that is there.
pub(crate) trait Domain: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe + 'static {
    type Value: Copy + PartialEq + fmt::Debug;

    /// How many numbers of a row a value takes.
    fn width(&self) -> usize;

    fn range(&self, slot: usize) -> (i32, i32);

    fn load(&self, slots: &[i32]) -> Option<Self::Value>;

    /// Puts the least value that a row can have and that is not less into a row.
    fn store(&self, value: Option<Self::Value>, slots: &mut [i32]);

    fn top(&self) -> Self::Value;

    fn constant(&self, number: i32) -> Self::Value;

    fn leq(&self, a: Self::Value, b: Self::Value) -> bool;

    fn join(&self, a: Self::Value, b: Self::Value) -> Self::Value;

    fn meet(&self, a: Self::Value, b: Self::Value) -> Option<Self::Value>;

    fn widen(&self, a: Self::Value, b: Self::Value, thresholds: &[i32]) -> Self::Value {
        let _ = thresholds;
        self.join(a, b)
    }

    fn negate(&self, a: Self::Value) -> Self::Value;

    fn apply(&self, operation: Operation, a: Self::Value, b: Self::Value) -> Option<Self::Value>;

    /// What is left of two values whose result is known.
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

    /// What is left of two values for which a comparison holds.
    fn compare(&self, cmp: Comparison, a: Self::Value, b: Self::Value) -> Option<(Self::Value, Self::Value)>;

    /// The least and the greatest integer; [`i64::MIN`] and [`i64::MAX`] where there is none.
    fn bounds(&self, a: Self::Value) -> (i64, i64);

    fn show(&self, a: Self::Value) -> String;

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32) -> Self::Value;
}

/// An integer for samples: mostly a small one.
pub(crate) fn some_integer(random: &mut dyn FnMut(u32) -> u32) -> i32 {
    match random(12) {
        0 => random(200) as i32 - 100,
        1 => i32::MAX - random(3) as i32,
        2 => i32::MIN + random(3) as i32,
        _ => random(9) as i32 - 4,
    }
}
