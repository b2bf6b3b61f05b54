//! The models that are always at hand; their texts are in `models/directed`.

use std::ops::RangeInclusive;

use crate::families::with_size;

/// Models that differ in one number.
#[derive(Debug)]
pub struct Family {
    /// What stands before the number in the name of a row.
    pub prefix: &'static str,
    /// The sizes that make sense.
    pub sizes: RangeInclusive<u32>,
    /// The sizes that are run when nobody asks for others: those that a blind search can do too.
    pub standard: &'static [u32],
    xta: &'static str,
    /// What is looked for.
    pub query: &'static str,
}

impl Family {
    /// The model of this size.
    pub fn xta(&self, n: u32) -> String {
        with_size(self.xta, n)
    }
}

macro_rules! family {
    ($file:literal, $prefix:literal, $sizes:expr, $standard:expr) => {
        Family {
            prefix: $prefix,
            sizes: $sizes,
            standard: &$standard,
            xta: include_str!(concat!("../../../../models/directed/", $file, ".xta")),
            query: include_str!(concat!("../../../../models/directed/", $file, ".q")),
        }
    };
}

/// Those of the paper.
pub(crate) const PUBLISHED: [Family; 3] = [
    family!("fischer-a", "FA", 2..=30, [5, 10, 15]),
    family!("fischer-b", "FB", 2..=30, [5, 10, 15]),
    family!("fischer-c", "FC", 2..=30, [5, 10, 15]),
];

/// Those that show where a heuristic is good or bad, and larger ones of the kinds that the paper
/// had from industry.
pub(crate) const OWN: [Family; 5] = [
    family!("hanoi", "hanoi", 1..=16, [4, 8]),
    family!("cyclic", "cyclic", 2..=1000, [10, 100]),
    family!("dead-ends", "dead-ends", 3..=60, [10, 16]),
    family!("arbiter-tree", "arbiter-tree", 2..=5, [2, 3]),
    family!("plc", "plc", 2..=16, [2, 3]),
];
