//! Sequential tests of hypotheses (Wald, 1945).

/// Wald's sequential probability ratio test of two probabilities of success.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RatioTest {
    /// What a success and a failure add to the logarithm of the ratio of likelihoods.
    steps: [f64; 2],
    /// Where the first and the second hypothesis are accepted.
    ends: [f64; 2],
    /// The numbers of successes and failures.
    counts: [u64; 2],
}

impl RatioTest {
    /// Creates a test of `first` against `second`, which differ. `alpha` is the probability that
    /// the second hypothesis is accepted where the first one holds, `beta` the other way round.
    #[must_use]
    pub(crate) fn new(first: f64, second: f64, alpha: f64, beta: f64) -> RatioTest {
        RatioTest {
            steps: [(second / first).ln(), ((1.0 - second) / (1.0 - first)).ln()],
            ends: [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()],
            counts: [0; 2],
        }
    }

    /// Adds a run. Returns whether the first hypothesis is accepted; `None`: neither is.
    pub(crate) fn add(&mut self, success: bool) -> Option<bool> {
        self.counts[usize::from(!success)] += 1;
        // A step may be infinite, and counts only if it was made.
        let made = self.counts.iter().zip(self.steps).filter(|(count, _)| **count > 0);
        let ratio: f64 = made.map(|(count, step)| *count as f64 * step).sum();
        match ratio {
            ratio if ratio <= self.ends[0] => Some(true),
            ratio if ratio >= self.ends[1] => Some(false),
            _ => None,
        }
    }
}

/// Tests whether a probability is at least another one, by pairs of runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison(RatioTest);

impl Comparison {
    /// Creates a test of whether the ratio of the odds is at most `least`, or at least `greatest`.
    #[must_use]
    pub(crate) fn new(least: f64, greatest: f64, alpha: f64, beta: f64) -> Comparison {
        // Of the pairs that differ, the share in which the first run is the successful one.
        let share = |ratio: f64| ratio / (1.0 + ratio);
        Comparison(RatioTest::new(share(greatest), share(least), alpha, beta))
    }

    /// Adds a pair of runs. Returns whether the first probability is the greater one; `None`: that
    /// is undecided.
    pub(crate) fn add(&mut self, first: bool, second: bool) -> Option<bool> {
        if first == second { None } else { self.0.add(first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::random::RunRandom;

    /// The test of 0.85 against 0.75 after successes alone and failures alone, by hand:
    /// ln(0.05 / 0.95) = -2.944 and ln(0.75 / 0.85) = -0.1252, ln(0.25 / 0.15) = 0.5108.
    #[test]
    fn the_ends_are_those_of_the_formula() {
        let count = |success| {
            let mut test = RatioTest::new(0.85, 0.75, 0.05, 0.05);
            (1..).find_map(|run| test.add(success).map(|first| (run, first)))
        };
        assert_eq!(count(true), Some((24, true)));
        assert_eq!(count(false), Some((6, false)));
    }

    #[test]
    fn impossible_observations_decide_at_once() {
        let mut test = RatioTest::new(1.0, 0.9, 0.05, 0.05);
        assert_eq!(test.add(false), Some(false));
        let mut test = RatioTest::new(0.1, 0.0, 0.05, 0.05);
        assert_eq!(test.add(true), Some(true));
    }

    #[test]
    fn errors_are_as_rare_as_promised() {
        let mut wrong = 0;
        for run in 0..2000 {
            let mut random = RunRandom::new(3, run);
            let mut test = RatioTest::new(0.6, 0.5, 0.05, 0.05);
            let accepted = std::iter::repeat_with(|| random.open_unit() <= 0.6).find_map(|success| test.add(success));
            wrong += u64::from(accepted == Some(false));
        }
        // 100 are expected at most; the standard deviation is 10.
        assert!(wrong < 140, "{wrong}");
    }

    #[test]
    fn comparisons_find_the_greater_probability() {
        for (p, q) in [(0.6, 0.3), (0.2, 0.9)] {
            let mut right = 0;
            for run in 0..200 {
                let mut random = RunRandom::new(4, run);
                let mut test = Comparison::new(0.9, 1.1, 0.05, 0.05);
                let found = std::iter::repeat_with(|| (random.open_unit() <= p, random.open_unit() <= q))
                    .find_map(|(first, second)| test.add(first, second));
                right += u64::from(found == Some(p > q));
            }
            assert!(right >= 198, "{right}");
        }
    }
}
