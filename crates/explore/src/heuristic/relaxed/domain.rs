//! The values of a variable, partitioned into regions.
//!
//! A variable with few values has a region for each of them. One with many is partitioned at the
//! constants that the model compares it with or sets it to: comparisons with constants don't
//! distinguish values between two of them.

use model::symbolic::Interval;

/// Variables with fewer values have a region for each.
const SMALL_RANGE: i64 = 256;
/// The greatest number of constants at which other variables are partitioned.
const MAX_CUTS: usize = 64;

/// The regions of a variable.
#[derive(Clone, Debug)]
pub(crate) struct RegionDomain {
    low: i32,
    high: i32,
    /// The least value of each region; empty: each value is a region.
    starts: Vec<i32>,
}

impl RegionDomain {
    /// Partitions a range at some constants, unless it is small.
    pub(crate) fn new((low, high): (i32, i32), cuts: impl IntoIterator<Item = i32>) -> RegionDomain {
        let mut starts = Vec::new();
        if !is_small((low, high)) {
            starts.push(low);
            for cut in cuts {
                // The constant itself is a region.
                starts.extend([cut, cut.saturating_add(1)].into_iter().filter(|n| low < *n && *n <= high));
            }
            starts.sort_unstable();
            starts.dedup();
            starts.truncate(2 * MAX_CUTS);
        }
        RegionDomain { low, high, starts }
    }

    /// Returns the number of regions.
    pub(crate) fn len(&self) -> usize {
        if self.starts.is_empty() {
            (i64::from(self.high) - i64::from(self.low) + 1).max(1) as usize
        } else {
            self.starts.len()
        }
    }

    /// Returns the region of a value.
    #[inline]
    pub(crate) fn region(&self, value: i32) -> usize {
        if self.starts.is_empty() {
            value.wrapping_sub(self.low) as usize
        } else {
            self.starts.partition_point(|start| *start <= value).saturating_sub(1)
        }
    }

    /// Returns the least and greatest value of a region.
    pub(crate) fn interval(&self, region: usize) -> Interval {
        if self.starts.is_empty() {
            let value = i64::from(self.low) + region as i64;
            return (value, value);
        }
        let end = self.starts.get(region + 1).map_or(i64::from(self.high), |next| i64::from(*next) - 1);
        (i64::from(self.starts[region]), end)
    }

    /// Returns the regions that intersect an interval.
    pub(crate) fn regions(&self, (low, high): Interval) -> std::ops::Range<usize> {
        let (low, high) = (low.max(i64::from(self.low)), high.min(i64::from(self.high)));
        if low > high { 0..0 } else { self.region(low as i32)..self.region(high as i32) + 1 }
    }
}

/// Returns whether each value of a range is a region.
pub(super) fn is_small((low, high): (i32, i32)) -> bool {
    i64::from(high) - i64::from(low) < SMALL_RANGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_share_out_all_values() {
        for domain in [RegionDomain::new((-2, 7), []), RegionDomain::new((-1000, 1000), [-1000, 0, 5, 6, 1000, 2000])] {
            let mut next = i64::from(domain.low);
            for region in 0..domain.len() {
                let (low, high) = domain.interval(region);
                assert_eq!(low, next);
                for value in low..=high {
                    assert_eq!(domain.region(value as i32), region);
                    assert_eq!(domain.regions((value, value)), region..region + 1);
                }
                next = high + 1;
            }
            assert_eq!(next - 1, i64::from(domain.high));
            assert_eq!(domain.regions((-5000, 5000)), 0..domain.len());
            assert_eq!(domain.regions((3000, 5000)), 0..0);
        }
    }
}
