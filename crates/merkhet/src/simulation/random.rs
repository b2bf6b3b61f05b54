//! Random choices, and delays with few digits.

use model::{
    Ratio,
    simulate::{DelayInterval, Delays},
};

/// SplitMix64: small, fast, and deterministic.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns a source of numbers that depend on the seed alone.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a number less than `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((u128::from(z) * n as u128) >> 64) as usize
    }

    /// Returns a random delay. Unbounded intervals are cut at `horizon` after their start.
    pub fn delay(&mut self, delays: &Delays, now: Ratio, horizon: i64) -> Option<Ratio> {
        let parts = delays.intervals();
        let part = parts.get(self.below(parts.len()))?;
        // The earliest delay gets a fixed share.
        if self.below(4) == 0 {
            return earliest_in(part, now);
        }
        let end = part.to.map_or_else(|| part.from.at.plus(Ratio::from(horizon)), |to| Some(to.at))?;
        match Grid::within(part, now, end) {
            Some(grid) => grid.delay(self.below(grid.count())),
            None => earliest_in(part, now),
        }
    }
}

/// Returns the least delay, or one near it if there is no least one.
#[must_use]
pub fn earliest(delays: &Delays, now: Ratio) -> Option<Ratio> {
    earliest_in(delays.intervals().first()?, now)
}

fn earliest_in(part: &DelayInterval, now: Ratio) -> Option<Ratio> {
    if !part.from.after {
        return Some(part.from.at);
    }
    let next = part.from.at.plus(Ratio::from(1))?;
    let end = part.to.map_or(next, |to| to.at.min(next));
    Grid::within(part, now, end)?.delay(0)
}

/// Delays after which the time since the start is a multiple of a half, or of a quarter, …: the
/// largest such that there are any. Clocks are differences of such times, so that numbers do not
/// get more digits from step to step than they need.
struct Grid {
    part: DelayInterval,
    now: Ratio,
    size: i64,
    first: i64,
    last: i64,
}

impl Grid {
    /// The delays of an interval up to `end`.
    fn within(part: &DelayInterval, now: Ratio, end: Ratio) -> Option<Grid> {
        if part.contains(end) && part.from.at == end {
            return Some(Grid { part: *part, now, size: 0, first: 0, last: 0 });
        }
        let mut size = 2_i64;
        loop {
            let scaled = |delay: Ratio| -> Option<i64> {
                let time = now.plus(delay)?;
                let product = i128::from(time.numerator()) * i128::from(size);
                i64::try_from(product.div_euclid(i128::from(time.denominator()))).ok()
            };
            let grid = Grid { part: *part, now, size, first: scaled(part.from.at)?, last: scaled(end)? };
            let (mut first, mut last) = (grid.first, grid.last);
            // The ends may belong to the interval or not, and the first is rounded down.
            while first <= last && !grid.contains(first)? {
                first += 1;
            }
            while first <= last && !grid.contains(last)? {
                last -= 1;
            }
            if first <= last {
                return Some(Grid { first, last, ..grid });
            }
            size = size.checked_mul(2)?;
        }
    }

    fn count(&self) -> usize {
        usize::try_from(self.last - self.first + 1).unwrap_or(usize::MAX)
    }

    fn at(&self, point: i64) -> Option<Ratio> {
        if self.size == 0 { Some(self.part.from.at) } else { Ratio::new(point, self.size)?.minus(self.now) }
    }

    fn contains(&self, point: i64) -> Option<bool> {
        Some(self.part.contains(self.at(point)?))
    }

    fn delay(&self, index: usize) -> Option<Ratio> {
        self.at(self.first.checked_add(i64::try_from(index).ok()?)?)
    }
}

#[cfg(test)]
mod tests {
    use model::simulate::Cut;

    use super::*;

    fn ratio(text: &str) -> Ratio {
        let (a, b) = text.split_once('/').unwrap_or((text, "1"));
        Ratio::new(a.parse().unwrap(), b.parse().unwrap()).unwrap()
    }

    fn interval(from: &str, open: bool, to: Option<(&str, bool)>) -> DelayInterval {
        let to = to.map(|(to, open)| Cut { at: ratio(to), after: !open });
        DelayInterval { from: Cut { at: ratio(from), after: open }, to }
    }

    #[test]
    fn the_earliest_delay_has_few_digits() {
        for (part, now, expected) in [
            (interval("3", false, None), "0", "3"),
            (interval("3", true, None), "0", "7/2"),
            (interval("3", true, Some(("100", false))), "1/2", "7/2"),
            (interval("3", true, Some(("4", true))), "0", "7/2"),
            (interval("3", true, Some(("7/2", true))), "0", "13/4"),
            (interval("1/3", false, Some(("1/3", false))), "1/7", "1/3"),
            // The time since the start becomes 1/4.
            (interval("0", true, Some(("1/6", true))), "1/6", "1/12"),
        ] {
            assert_eq!(earliest(&part.into(), ratio(now)), Some(ratio(expected)), "{part:?}");
        }
    }

    #[test]
    fn random_delays_are_in_their_sets_and_differ() {
        let holes = Delays::from(interval("0", true, None)).minus(&interval("2", false, Some(("5", true))).into());
        let mut random = Random::new(7);
        let mut found: Vec<Ratio> = (0..200).map(|_| random.delay(&holes, ratio("1/2"), 9).unwrap()).collect();
        assert!(found.iter().all(|d| holes.contains(*d) && d.denominator() <= 2));
        found.sort_unstable();
        found.dedup();
        assert!(found.len() > 10, "{found:?}");
        let mut again = Random::new(7);
        assert!((0..9).all(
            |_| again.delay(&interval("2", false, Some(("2", false))).into(), ratio("1/3"), 9) == Some(ratio("2"))
        ));
    }
}
