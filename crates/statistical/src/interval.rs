//! Confidence intervals for probabilities.

use statrs::function::beta::{beta_reg, inv_beta_reg};

/// An interval for a probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns the interval of Clopper and Pearson for the probability of success: with a probability
/// of at least `1 - alpha` it contains the true value, whatever that is.
#[must_use]
pub(crate) fn clopper_pearson(successes: u64, runs: u64, alpha: f64) -> Confidence {
    let (s, n) = (successes as f64, runs as f64);
    let low = if successes == 0 { 0.0 } else { beta_quantile(s, n - s + 1.0, alpha / 2.0) };
    let high = if successes == runs { 1.0 } else { beta_quantile(s + 1.0, n - s, 1.0 - alpha / 2.0) };
    Confidence { low, high }
}

/// The greatest number of runs for which quantiles are approximated first.
const MOST_APPROXIMATED: f64 = 100_000.0;

/// Returns the quantile of a beta distribution.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    // For tens of millions of runs, the approximation need not end.
    if a + b <= MOST_APPROXIMATED {
        let near = inv_beta_reg(a, b, p);
        if near > 0.0 && near < 1.0 && (beta_reg(a, b, near) - p).abs() < 1e-12 * p {
            return near;
        }
    }
    // Nor is it always that exact.
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > f64::EPSILON * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if beta_reg(a, b, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Returns whether an interval is narrow enough to stop: both ends are within `epsilon` of the
/// share of successes. That is UPPAAL's rule: its recorded answers are the intervals at the first
/// run at which this holds.
#[must_use]
pub(crate) fn is_narrow(successes: u64, runs: u64, interval: Confidence, epsilon: f64) -> bool {
    let share = successes as f64 / runs as f64;
    share - interval.low <= epsilon && interval.high - share <= epsilon
}

/// Decides after each run whether there are enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequential {
    alpha: f64,
    epsilon: f64,
    successes: u64,
    runs: u64,
}

/// The number of runs after which the interval is not computed after each one: so many runs change
/// the interval little.
const FINE: u64 = 4096;

impl Sequential {
    /// Creates a rule for intervals that are within `epsilon` of the share of successes.
    #[must_use]
    pub(crate) fn new(alpha: f64, epsilon: f64) -> Sequential {
        Sequential { alpha, epsilon, successes: 0, runs: 0 }
    }

    /// Adds a run. Returns the interval if there are enough.
    pub(crate) fn add(&mut self, success: bool) -> Option<Confidence> {
        self.runs += 1;
        self.successes += u64::from(success);
        if self.runs > FINE && !self.runs.is_multiple_of(self.runs / FINE) {
            return None;
        }
        // No interval of so few runs is that narrow.
        if (self.runs as f64) * 2.0 * self.epsilon < 1.0 {
            return None;
        }
        let interval = clopper_pearson(self.successes, self.runs, self.alpha);
        is_narrow(self.successes, self.runs, interval, self.epsilon).then_some(interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn intervals_agree_with_tables() {
        // Newcombe (1998), table II, column "exact"; and closed forms where all runs agree.
        for (successes, runs, low, high) in
            [(81, 263, 0.2527, 0.3676), (15, 148, 0.0578, 0.1617), (0, 20, 0.0, 0.1684), (1, 29, 0.0009, 0.1776)]
        {
            let found = clopper_pearson(successes, runs, 0.05);
            assert!((found.low - low).abs() < 6e-5 && (found.high - high).abs() < 6e-5, "{successes} {found:?}");
        }
        for runs in [1, 2, 72, 1000, 100_000] {
            let all = clopper_pearson(runs, runs, 0.05);
            assert!(close(all.low, 0.025_f64.powf(1.0 / runs as f64)) && all.high == 1.0);
            let none = clopper_pearson(0, runs, 0.05);
            assert!(close(none.high, 1.0 - 0.025_f64.powf(1.0 / runs as f64)) && none.low == 0.0);
        }
    }

    /// Few successes of very many runs have the interval of Poisson's distribution: for 20, from
    /// 12.2165 to 30.8884.
    #[test]
    fn very_many_runs_have_an_interval() {
        for runs in [20_000_000_u64, 100_000_000, 10_000_000_000] {
            let Confidence { low, high } = clopper_pearson(20, runs, 0.05);
            let n = runs as f64;
            assert!((low * n - 12.2165).abs() < 1e-3 && (high * n - 30.8884).abs() < 1e-3, "{low} {high} of {runs}");
        }
    }

    #[test]
    fn ends_of_intervals_have_their_probabilities() {
        for runs in [5_u64, 89, 1000, 250_000] {
            for successes in [1, runs / 3, runs - 1] {
                let Confidence { low, high } = clopper_pearson(successes, runs, 0.01);
                let (s, n) = (successes as f64, runs as f64);
                assert!((beta_reg(s, n - s + 1.0, low) - 0.005).abs() < 1e-9, "{successes} of {runs}");
                assert!((beta_reg(s + 1.0, n - s, high) - 0.995).abs() < 1e-9, "{successes} of {runs}");
            }
        }
    }

    /// Recorded answers of UPPAAL: centre and half of the width. Each is the interval of a number
    /// of successes at the first number of runs with a narrow one.
    #[test]
    fn recorded_intervals_are_those_of_the_rule() {
        for (centre, half, successes, runs) in [
            (0.393751, 0.0491512, 156, 397),
            (0.969349, 0.0303669, 88, 89),
            (0.339848, 0.0486789, 129, 381),
            (0.733412, 0.0479139, 253, 344),
            (0.65584, 0.0487593, 251, 382),
            (0.963944, 0.033649, 99, 101),
            (0.0715943, 0.0410255, 10, 159),
            (0.222433, 0.0472442, 69, 314),
            (0.0599014, 0.0397112, 7, 141),
            (0.0961891, 0.0432013, 17, 190),
            (0.330269, 0.0485999, 124, 377),
        ] {
            let found = clopper_pearson(successes, runs, 0.05);
            assert!(close(0.5 * (found.low + found.high), centre), "{centre}: {found:?}");
            assert!(close(0.5 * (found.high - found.low), half), "{centre}: {found:?}");
            assert!(is_narrow(successes, runs, found, 0.05), "{centre}");
            // One run less was not enough, however it ended.
            let earlier = [successes, successes - 1]
                .map(|successes| is_narrow(successes, runs - 1, clopper_pearson(successes, runs - 1, 0.05), 0.05));
            assert!(earlier.contains(&false), "{centre}");
        }
    }

    /// Returns how probable it is that the interval contains the probability `p` of success at the
    /// first run after which it is narrow: without random numbers, over all numbers of successes.
    fn coverage(stops: &[Vec<Option<Confidence>>], p: f64) -> f64 {
        let (mut at, mut covered) = (vec![1.0], 0.0);
        for stops in stops {
            let mut next = vec![0.0; at.len() + 1];
            for (successes, share) in at.iter().enumerate() {
                next[successes] += share * (1.0 - p);
                next[successes + 1] += share * p;
            }
            for (share, stop) in next.iter_mut().zip(stops) {
                if let Some(Confidence { low, high }) = stop {
                    covered += if (*low..=*high).contains(&p) { *share } else { 0.0 };
                    *share = 0.0;
                }
            }
            at = next;
        }
        covered
    }

    /// Stopping by the interval itself does not break the promise, wherever the probability is.
    #[test]
    fn intervals_at_which_runs_end_contain_the_truth() {
        let (alpha, epsilon) = (0.05, 0.05);
        let stops = |runs: u64| -> Vec<Option<Confidence>> {
            let at = |successes| {
                let interval = clopper_pearson(successes, runs, alpha);
                is_narrow(successes, runs, interval, epsilon).then_some(interval)
            };
            (0..=runs).map(at).collect()
        };
        // Later, all are narrow.
        let all: Vec<_> = (1..=420).map(stops).collect();
        assert!(all[419].iter().all(Option::is_some));
        let found = |p: f64| coverage(&all, p);
        let least = (1..400).map(|i| f64::from(i) / 400.0).min_by(|a, b| found(*a).total_cmp(&found(*b))).unwrap();
        println!("{} at 0.01, {} at 0.1, {} at 0.5", found(0.01), found(0.1), found(0.5));
        println!("least: {} at {least}", found(least));
        assert!(found(least) >= 0.95, "{} at {least}", found(least));
    }

    #[test]
    fn runs_that_agree_end_soon() {
        for success in [true, false] {
            let mut rule = Sequential::new(0.05, 0.05);
            let runs = (1..).find(|_| rule.add(success).is_some());
            assert_eq!(runs, Some(72));
        }
        let mut rule = Sequential::new(0.05, 0.05);
        let runs = (1..).find(|run| rule.add(run % 2 == 0).is_some());
        assert!(matches!(runs, Some(395..=411)), "{runs:?}");
    }
}
