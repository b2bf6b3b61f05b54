//! The values of a clock, partitioned into regions at the constants that it is compared with.

use model::system::{ClockConstraint, ClockId, ClockTerm, Operand};
use zone::{Bound, is_strict, value};

/// Even regions are the constants, odd ones lie between them and above the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockRegions {
    cuts: Vec<i32>,
}

/// `clock < bound`, `<=`, `>` or `>=`, with a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockComparison {
    pub clock: u32,
    upper: bool,
    strict: bool,
    bound: i32,
}

impl ClockComparison {
    /// Converts a constraint, if it is unconditional and compares a clock with a constant.
    pub(crate) fn of(constraint: &ClockConstraint) -> Option<ClockComparison> {
        let ClockConstraint { condition: None, strict, bound: Operand::Const(bound), .. } = *constraint else {
            return None;
        };
        // Constraints that are too large for zones of 32 bits are dropped, which is a relaxation.
        let bound = i32::try_from(bound).ok().filter(|n| n.unsigned_abs() <= i32::MAX_CONSTANT.unsigned_abs())?;
        match (constraint.left, constraint.right) {
            (ClockTerm::Clock(clock), ClockTerm::Clock(ClockId(0))) => {
                Some(ClockComparison { clock: clock.0, upper: true, strict, bound })
            }
            (ClockTerm::Clock(ClockId(0)), ClockTerm::Clock(clock)) => {
                Some(ClockComparison { clock: clock.0, upper: false, strict, bound: -bound })
            }
            _ => None,
        }
    }

    /// Returns the constant.
    pub(crate) fn number(&self) -> i32 {
        self.bound
    }
}

impl ClockRegions {
    /// Creates regions for comparisons with these constants.
    pub(crate) fn new(mut cuts: Vec<i32>) -> ClockRegions {
        cuts.push(0);
        cuts.retain(|cut| *cut >= 0);
        cuts.sort_unstable();
        cuts.dedup();
        ClockRegions { cuts }
    }

    /// Returns the number of regions.
    pub(crate) fn len(&self) -> usize {
        2 * self.cuts.len()
    }

    /// Returns the region of an integer.
    pub(crate) fn region(&self, value: i32) -> usize {
        match self.cuts.binary_search(&value) {
            Ok(i) => 2 * i,
            Err(i) => (2 * i).saturating_sub(1),
        }
    }

    /// Returns whether some values of a region satisfy a comparison.
    pub(crate) fn meets(&self, region: usize, limit: &ClockComparison) -> bool {
        let (i, between) = (region / 2, region % 2 == 1);
        let low = self.cuts[i];
        if limit.upper {
            // The values of a region between constants are greater than its lower end.
            if between || limit.strict { low < limit.bound } else { low <= limit.bound }
        } else if between {
            self.cuts.get(i + 1).is_none_or(|high| *high > limit.bound)
        } else if limit.strict {
            low > limit.bound
        } else {
            low >= limit.bound
        }
    }

    /// Returns the regions of a clock in a zone, by the zone's bounds on `0 - clock` and
    /// `clock - 0`.
    pub(crate) fn of_zone(&self, lower: i32, upper: i32) -> std::ops::Range<usize> {
        let (least, open) = (-value(lower), is_strict(lower));
        let mut from = self.region(least);
        if open && from.is_multiple_of(2) {
            from += 1;
        }
        if upper >= i32::INFINITY {
            return from..self.len();
        }
        let (greatest, open) = (value(upper), is_strict(upper));
        let mut to = self.region(greatest);
        if open && to.is_multiple_of(2) && to > from {
            to -= 1;
        }
        from..to.max(from) + 1
    }
}
