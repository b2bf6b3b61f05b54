//! Random numbers that depend on a seed and the number of a run alone, and the distributions that
//! models draw from.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use crate::machine::FaultKind;

/// The random numbers of one run. Run *i* of a seed has the same numbers wherever and whenever it
/// is made.
#[derive(Clone, Debug)]
pub struct RunRandom(ChaCha8Rng);

impl RunRandom {
    /// Returns the numbers of a run, for delays and choices.
    #[must_use]
    pub fn new(seed: u64, run: u64) -> RunRandom {
        let mut numbers = ChaCha8Rng::seed_from_u64(seed);
        numbers.set_stream(run);
        RunRandom(numbers)
    }

    /// Returns the numbers that the model itself draws in a run. There are fewer than 2⁶³ runs.
    #[must_use]
    pub fn of_model(seed: u64, run: u64) -> RunRandom {
        RunRandom::new(seed, run | 1 << 63)
    }

    /// Returns a number below `count`, which is not 0. All are equally likely.
    pub fn below(&mut self, count: u64) -> u64 {
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
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.open_unit())
    }

    /// Returns a number in `(0, 1]` with 53 random bits.
    pub fn open_unit(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1u64 << 53) as f64;
        ((self.0.next_u64() >> 11) + 1) as f64 * SCALE
    }

    /// Returns an index, each as likely as its weight says. The weights are not negative, and their
    /// sum is positive.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
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

    /// Returns a number from the standard normal distribution, by Marsaglia's polar method.
    fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.open_unit() - 1.0, 2.0 * self.open_unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// Returns a number from a gamma distribution with scale 1, by the method of Marsaglia and
    /// Tsang.
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * libm::pow(self.open_unit(), 1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let v = libm::pow(1.0 + c * x, 3.0);
            if v > 0.0 && libm::log(self.open_unit()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v;
            }
        }
    }

    /// Returns a number from a beta distribution.
    fn beta(&mut self, alpha: f64, beta: f64) -> f64 {
        let (x, y) = (self.gamma(alpha), self.gamma(beta));
        if x + y > 0.0 {
            return x / (x + y);
        }
        // Both have become 0: the distribution is at its ends.
        f64::from(u8::from(self.open_unit() * (alpha + beta) <= alpha))
    }

    /// Returns a number from a Poisson distribution: small means by Knuth's product, others by
    /// Hörmann's transformed rejection.
    fn poisson(&mut self, mean: f64) -> f64 {
        if mean < 10.0 {
            let (end, mut product, mut count) = (libm::exp(-mean), self.open_unit(), 0.0);
            while product > end {
                product *= self.open_unit();
                count += 1.0;
            }
            return count;
        }
        let b = 0.931 + 2.53 * libm::sqrt(mean);
        let a = -0.059 + 0.02483 * b;
        let inverse = 1.1239 + 1.1328 / (b - 3.4);
        let near = 0.9277 - 3.6224 / (b - 2.0);
        loop {
            let (u, v) = (self.open_unit() - 0.5, self.open_unit());
            let rest = 0.5 - libm::fabs(u);
            let k = libm::floor((2.0 * a / rest + b) * u + mean + 0.43);
            if rest >= 0.07 && v <= near {
                return k;
            }
            if k < 0.0 || rest < 0.013 && v > rest {
                continue;
            }
            let accepted = k * libm::log(mean) - mean - libm::lgamma(k + 1.0);
            if libm::log(v * inverse / (a / (rest * rest) + b)) <= accepted {
                return k;
            }
        }
    }
}

/// A distribution that models draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Distribution {
    Uniform,
    Normal,
    Poisson,
    Arcsine,
    Beta,
    Gamma,
    Triangular,
    Weibull,
}

impl Distribution {
    /// Returns the distribution of a predeclared function.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<Distribution> {
        Some(match name {
            "random" => Distribution::Uniform,
            "random_normal" | "normal" => Distribution::Normal,
            "random_poisson" => Distribution::Poisson,
            "random_arcsine" => Distribution::Arcsine,
            "random_beta" => Distribution::Beta,
            "random_gamma" => Distribution::Gamma,
            "random_tri" => Distribution::Triangular,
            "random_weibull" => Distribution::Weibull,
            _ => return None,
        })
    }

    /// Returns the number of its parameters.
    #[must_use]
    pub(crate) fn arity(self) -> usize {
        match self {
            Distribution::Uniform | Distribution::Poisson => 1,
            Distribution::Triangular => 3,
            _ => 2,
        }
    }

    /// Returns whether a distribution has these parameters. What is beyond its own may be anything.
    fn admits(self, a: f64, b: f64, c: f64) -> bool {
        let finite = [a, b, c][..self.arity()].iter().all(|parameter| parameter.is_finite());
        finite
            && match self {
                Distribution::Uniform => true,
                Distribution::Normal => b >= 0.0,
                // The mean of more could not be told from its neighbours.
                Distribution::Poisson => (0.0..=1e15).contains(&a),
                Distribution::Arcsine => a <= b,
                Distribution::Beta | Distribution::Gamma | Distribution::Weibull => a > 0.0 && b > 0.0,
                Distribution::Triangular => a <= b && b <= c,
            }
    }

    /// Draws a number.
    ///
    /// # Errors
    /// There is no distribution with these parameters.
    pub(crate) fn draw(self, random: &mut RunRandom, a: f64, b: f64, c: f64) -> Result<f64, FaultKind> {
        if !self.admits(a, b, c) {
            return Err(FaultKind::Distribution);
        }
        Ok(match self {
            // The maximum is excluded.
            Distribution::Uniform => a * (1.0 - random.open_unit()),
            Distribution::Normal => a + b * random.normal(),
            Distribution::Poisson => random.poisson(a),
            Distribution::Arcsine => {
                let sine = libm::sin(std::f64::consts::FRAC_PI_2 * random.open_unit());
                a + (b - a) * sine * sine
            }
            Distribution::Beta => random.beta(a, b),
            Distribution::Gamma => b * random.gamma(a),
            Distribution::Triangular => {
                let (u, width) = (random.open_unit(), c - a);
                if u * width <= b - a {
                    a + libm::sqrt(u * width * (b - a))
                } else {
                    c - libm::sqrt((1.0 - u) * width * (c - b))
                }
            }
            Distribution::Weibull => b * libm::pow(random.exponential(), 1.0 / a),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, RunRandom};
    use crate::machine::FaultKind;

    #[test]
    fn parameters_that_a_distribution_does_not_have_may_be_anything() {
        let draws =
            |distribution: Distribution, a, b, c| distribution.draw(&mut RunRandom::new(1, 2), a, b, c).map(|_| ());
        assert_eq!(draws(Distribution::Uniform, 1.0, f64::NAN, f64::INFINITY), Ok(()));
        assert_eq!(draws(Distribution::Normal, 1.0, 2.0, f64::NAN), Ok(()));
        assert_eq!(draws(Distribution::Triangular, 1.0, 2.0, f64::NAN), Err(FaultKind::Distribution));
        assert_eq!(draws(Distribution::Normal, 1.0, f64::INFINITY, 0.0), Err(FaultKind::Distribution));
        assert_eq!(draws(Distribution::Uniform, f64::NAN, 0.0, 0.0), Err(FaultKind::Distribution));
    }

    #[test]
    fn a_run_has_its_own_numbers() {
        let numbers = |mut random: RunRandom| [random.below(1 << 40), random.below(1 << 40), random.below(1 << 40)];
        let of = |seed, run| numbers(RunRandom::new(seed, run));
        assert_eq!(of(7, 12), of(7, 12));
        assert_ne!(of(7, 12), of(7, 13));
        assert_ne!(of(7, 12), of(8, 12));
        assert_ne!(of(7, 12), numbers(RunRandom::of_model(7, 12)));
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

    /// Means, variances, and the probability to be below a number.
    #[test]
    fn distributions_have_their_moments_and_quantiles() {
        use Distribution::*;
        const COUNT: u32 = 40_000;
        let e = f64::exp;
        for (distribution, [a, b, c], mean, variance, (below, share)) in [
            (Uniform, [6.0, 0.0, 0.0], 3.0, 3.0, (1.5, 0.25)),
            (Normal, [2.0, 3.0, 0.0], 2.0, 9.0, (5.0, 0.841_344_7)),
            (Poisson, [2.5, 0.0, 0.0], 2.5, 2.5, (0.5, e(-2.5))),
            (Poisson, [40.0, 0.0, 0.0], 40.0, 40.0, (40.5, 0.541_918)),
            (Arcsine, [1.0, 3.0, 0.0], 2.0, 0.5, (1.5, 1.0 / 3.0)),
            (Beta, [2.0, 3.0, 0.0], 0.4, 0.04, (0.5, 0.6875)),
            (Beta, [0.5, 0.5, 0.0], 0.5, 0.125, (0.25, 1.0 / 3.0)),
            (Gamma, [3.0, 2.0, 0.0], 6.0, 12.0, (4.0, 1.0 - 5.0 * e(-2.0))),
            (Gamma, [0.5, 1.0, 0.0], 0.5, 0.5, (0.5, 0.682_689_5)),
            (Triangular, [0.0, 1.0, 4.0], 5.0 / 3.0, 13.0 / 18.0, (1.0, 0.25)),
            (Weibull, [2.0, 1.0, 0.0], 0.886_226_9, 0.214_601_8, (1.0, 1.0 - e(-1.0))),
        ] {
            let mut random = RunRandom::new(9, 0);
            let drawn: Vec<f64> = (0..COUNT).map(|_| distribution.draw(&mut random, a, b, c).unwrap()).collect();
            let count = f64::from(COUNT);
            let found = drawn.iter().sum::<f64>() / count;
            let spread = drawn.iter().map(|x| (x - found) * (x - found)).sum::<f64>() / count;
            let less = drawn.iter().filter(|x| **x < below).count() as f64 / count;
            let name = format!("{distribution:?}({a}, {b}, {c})");
            // Four standard deviations.
            assert!((found - mean).abs() < 4.0 * (variance / count).sqrt(), "{name}: mean {found}");
            assert!((spread / variance - 1.0).abs() < 0.08, "{name}: variance {spread}");
            assert!(
                (less - share).abs() < 4.0 * (share * (1.0 - share) / count).sqrt(),
                "{name}: {less} below {below}"
            );
        }
    }

    #[test]
    fn parameters_are_checked() {
        let mut random = RunRandom::new(0, 0);
        for (distribution, a, b, c) in [
            (Distribution::Uniform, f64::NAN, 0.0, 0.0),
            (Distribution::Normal, 0.0, -1.0, 0.0),
            (Distribution::Poisson, -1.0, 0.0, 0.0),
            (Distribution::Beta, 0.0, 1.0, 0.0),
            (Distribution::Triangular, 0.0, 3.0, 2.0),
        ] {
            assert_eq!(distribution.draw(&mut random, a, b, c), Err(FaultKind::Distribution));
        }
        assert_eq!(Distribution::Poisson.draw(&mut random, 0.0, 0.0, 0.0), Ok(0.0));
    }
}
