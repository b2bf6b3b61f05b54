//! How numbers are distributed: how many of them are in each of some bins.

use std::collections::BTreeMap;

/// The most bins with numbers.
const MOST_BINS: usize = 256;
/// The power of two that is the width of bins at first: whole numbers and most fractions of models
/// are alone in their bins.
const FINEST: i32 = -20;
/// The number of a bin has to fit, with room to spare.
const MOST_NUMBER: f64 = (1_u64 << 53) as f64;

/// Numbers, counted in bins of equal width. It depends on the numbers alone, not on their order.
///
/// The width is the least power of two with which few enough bins are used, so that the memory that
/// it takes does not grow with the count.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    power: i32,
    counts: BTreeMap<i64, u64>,
}

/// The numbers that are at least `from`, and less than that plus the width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The least number that belongs to it.
    pub from: f64,
    /// How many there are.
    pub count: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { power: FINEST, counts: BTreeMap::new() }
    }
}

impl Histogram {
    /// Adds a number. What is not finite has no bin.
    pub(crate) fn add(&mut self, number: f64) {
        if !number.is_finite() {
            return;
        }
        while (number / self.width()).abs() >= MOST_NUMBER {
            self.coarsen();
        }
        let bin = (number / self.width()).floor() as i64;
        *self.counts.entry(bin).or_default() += 1;
        while self.counts.len() > MOST_BINS {
            self.coarsen();
        }
    }

    /// Makes bins twice as wide.
    fn coarsen(&mut self) {
        self.power += 1;
        let mut counts = BTreeMap::new();
        for (bin, count) in &self.counts {
            *counts.entry(bin.div_euclid(2)).or_default() += count;
        }
        self.counts = counts;
    }

    /// Returns the width of bins.
    #[must_use]
    pub fn width(&self) -> f64 {
        f64::from(self.power).exp2()
    }

    /// Returns the bins that have numbers, in their order.
    pub fn bins(&self) -> impl Iterator<Item = Bin> {
        let width = self.width();
        self.counts.iter().map(move |(bin, count)| Bin { from: *bin as f64 * width, count: *count })
    }

    /// Returns whether there is no number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = f64>) -> Histogram {
        let mut histogram = Histogram::default();
        numbers.into_iter().for_each(|number| histogram.add(number));
        histogram
    }

    #[test]
    fn few_different_numbers_stay_apart() {
        let found = of([3.0, -2.0, 3.0, 0.25, f64::NAN, f64::INFINITY]);
        let bins: Vec<(f64, u64)> = found.bins().map(|bin| (bin.from, bin.count)).collect();
        assert_eq!(bins, [(-2.0, 1), (0.25, 1), (3.0, 2)]);
        assert!(!found.is_empty() && of([f64::NAN]).is_empty());
    }

    #[test]
    fn many_numbers_share_bins_and_none_is_lost() {
        let numbers: Vec<f64> = (0..10_000).map(|i| f64::from(i) * 0.01 - 30.0).collect();
        let found = of(numbers.iter().copied());
        let bins: Vec<Bin> = found.bins().collect();
        assert!(bins.len() <= MOST_BINS && bins.len() > MOST_BINS / 4, "{}", bins.len());
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 10_000);
        for bin in &bins {
            let inside = numbers.iter().filter(|number| (bin.from..bin.from + found.width()).contains(number));
            assert_eq!(inside.count() as u64, bin.count);
        }
        // The order is of no importance, nor are great numbers among small ones a problem.
        assert_eq!(of(numbers.iter().rev().copied()), found);
        let great = of([1e300, -1e300, 0.5, 1.0]);
        assert_eq!(great.bins().map(|bin| bin.count).sum::<u64>(), 4);
    }
}
