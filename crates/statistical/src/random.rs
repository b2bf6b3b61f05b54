//! Random numbers that depend on a seed and the number of a run alone.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// The random numbers of one run. Run *i* of a seed has the same numbers wherever and whenever it
/// is made.
#[derive(Clone, Debug)]
pub(crate) struct RunRandom(ChaCha8Rng);

impl RunRandom {
    /// Returns the numbers of a run.
    #[must_use]
    pub(crate) fn new(seed: u64, run: u64) -> RunRandom {
        let mut numbers = ChaCha8Rng::seed_from_u64(seed);
        numbers.set_stream(run);
        RunRandom(numbers)
    }

    /// Returns a number below `count`, which is not 0. All are equally likely.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        // Lemire's method: the high half of a product, without the few numbers that would make some
        // results more likely.
        let mut product = u128::from(self.0.next_u64()) * u128::from(count);
        if (product as u64) < count {
            let excess = count.wrapping_neg() % count;
            while (product as u64) < excess {
                product = u128::from(self.0.next_u64()) * u128::from(count);
            }
        }
        (product >> 64) as u64
    }

    /// Returns a number from an exponential distribution with rate 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.open_unit().ln()
    }

    /// Returns a number in `(0, 1]` with 53 random bits.
    pub(crate) fn open_unit(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1u64 << 53) as f64;
        ((self.0.next_u64() >> 11) + 1) as f64 * SCALE
    }

    /// Returns an index, each as likely as its weight says. The weights are not negative, and their
    /// sum is positive.
    pub(crate) fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let total: f64 = weights.clone().sum();
        let mut left = self.open_unit() * total;
        let mut last = 0;
        for (i, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
            last = i;
            left -= weight;
            if left <= 0.0 {
                break;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::RunRandom;

    #[test]
    fn a_run_has_its_own_numbers() {
        let numbers = |seed, run| {
            let mut random = RunRandom::new(seed, run);
            [random.below(1 << 40), random.below(1 << 40), random.below(1 << 40)]
        };
        assert_eq!(numbers(7, 12), numbers(7, 12));
        assert_ne!(numbers(7, 12), numbers(7, 13));
        assert_ne!(numbers(7, 12), numbers(8, 12));
    }

    #[test]
    fn numbers_have_their_distributions() {
        let mut random = RunRandom::new(1, 0);
        let mut counts = [0; 3];
        let mut weighted = [0; 3];
        let mut sum = 0.0;
        for _ in 0..30_000 {
            counts[random.below(3) as usize] += 1;
            weighted[random.weighted([1.0, 0.0, 3.0].into_iter())] += 1;
            sum += random.exponential();
        }
        // More than four standard deviations are far off.
        assert!(counts.iter().all(|count: &i32| (count - 10_000).abs() < 330), "{counts:?}");
        assert!(weighted[1] == 0 && (weighted[0] - 7_500_i32).abs() < 300, "{weighted:?}");
        assert!((sum / 30_000.0 - 1.0).abs() < 0.024, "{sum}");
    }
}
