//! The built-in models; their texts are in `models/directed`.

use std::ops::RangeInclusive;

use crate::families::with_size;

/// Models that differ in one number.
#[derive(Debug)]
pub(crate) struct DirectedFamily {
    /// The name of a row without its number.
    pub prefix: &'static str,
    /// The sizes that make sense.
    pub sizes: RangeInclusive<u32>,
    /// The sizes that are run by default: those that a blind search can explore, too.
    pub standard: &'static [u32],
    xta: &'static str,
    /// The goal.
    pub query: &'static str,
}

impl DirectedFamily {
    /// The model of this size.
    pub fn xta(&self, n: u32) -> String {
        with_size(self.xta, n)
    }
}

macro_rules! family {
    ($file:literal, $prefix:literal, $sizes:expr, $standard:expr) => {
        DirectedFamily {
            prefix: $prefix,
            sizes: $sizes,
            standard: &$standard,
            xta: include_str!(concat!("../../../../models/directed/", $file, ".xta")),
            query: include_str!(concat!("../../../../models/directed/", $file, ".q")),
        }
    };
}

/// The families of the paper.
pub(crate) const PUBLISHED: [DirectedFamily; 3] = [
    family!("fischer-a", "FA", 2..=30, [5, 10, 15]),
    family!("fischer-b", "FB", 2..=30, [5, 10, 15]),
    family!("fischer-c", "FC", 2..=30, [5, 10, 15]),
];

/// Families that show strengths and weaknesses of heuristics, and larger ones like the paper's case
/// studies.
pub(crate) const OWN: [DirectedFamily; 5] = [
    family!("hanoi", "hanoi", 1..=16, [4, 8]),
    family!("cyclic", "cyclic", 2..=1000, [10, 100]),
    family!("dead-ends", "dead-ends", 3..=60, [10, 16]),
    family!("arbiter-tree", "arbiter-tree", 2..=5, [2, 3]),
    family!("plc", "plc", 2..=16, [2, 3]),
];
