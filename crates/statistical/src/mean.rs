//! Means of numbers, with Student's interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean of numbers that are added one by one, by Welford's method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    count: u64,
    mean: f64,
    /// The sum of the squares of the distances from the mean.
    squares: f64,
    /// The sum of their cubes.
    cubes: f64,
}

/// The skewness of a sample beyond which its mean is far from normally distributed: for a sample of
/// `n`, that of the mean is smaller by the square root of `n` (Cochran's rule: `n > 25 g²`).
const COCHRAN: f64 = 25.0;

impl Mean {
    /// Adds a number.
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let n = self.count as f64;
        let distance = value - self.mean;
        let step = distance / n;
        let square = distance * step * (n - 1.0);
        self.mean += step;
        self.cubes += square * step * (n - 2.0) - 3.0 * step * self.squares;
        self.squares += square;
    }

    /// Returns the mean of one minus each number.
    pub(crate) fn complement(self) -> Mean {
        Mean { mean: 1.0 - self.mean, cubes: -self.cubes, ..self }
    }

    /// Returns the number of numbers.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns half of the width of the interval that contains the true mean with a probability of
    /// `1 - alpha`, if the mean is normally distributed; `None` for less than two numbers.
    #[must_use]
    pub(crate) fn deviation(&self, alpha: f64) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let n = self.count as f64;
        let variance = self.squares / (n - 1.0);
        let student = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
        Some(student.inverse_cdf(1.0 - alpha / 2.0) * (variance / n).sqrt())
    }

    /// Returns an interval that contains the true mean with a probability of about `1 - alpha` also
    /// if the numbers are skewed; `None` for less than two numbers. It is Student's after a
    /// transformation that removes the skewness (P. Hall, "On the removal of skewness by
    /// transformation", J. R. Statist. Soc. B 54(1), 1992).
    #[must_use]
    pub(crate) fn skewed_interval(&self, alpha: f64) -> Option<(f64, f64)> {
        let n = self.count as f64;
        let deviation = self.deviation(alpha)?;
        if self.squares <= 0.0 {
            return Some((self.mean, self.mean));
        }
        let spread = (self.squares / (n - 1.0)).sqrt();
        let skewness = self.skewness();
        let untransformed = |x: f64| {
            let root = (1.0 + skewness * (x - skewness / (6.0 * n))).cbrt();
            if skewness.abs() < 1e-6 { x } else { 3.0 / skewness * (root - 1.0) }
        };
        let x = deviation / spread;
        Some((self.mean - spread * untransformed(x), self.mean - spread * untransformed(-x)))
    }

    fn skewness(&self) -> f64 {
        let n = self.count as f64;
        (self.cubes / n) / (self.squares / n).powf(1.5)
    }

    /// Returns whether there are too few numbers for how skewed they are, so that the interval may
    /// be wrong.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        let n = self.count as f64;
        if self.count < 2 || self.squares <= 0.0 {
            return false;
        }
        n <= COCHRAN * self.skewness().powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::Mean;

    fn of(values: &[f64]) -> Mean {
        let mut mean = Mean::default();
        values.iter().for_each(|value| mean.add(*value));
        mean
    }

    #[test]
    fn intervals_agree_with_tables() {
        // 2.0 ± 4.3027 · 1 / √3, with the quantile of Student's table for two degrees of freedom.
        let mean = of(&[1.0, 2.0, 3.0]);
        assert!((mean.mean() - 2.0).abs() < 1e-12);
        assert!((mean.deviation(0.05).unwrap() - 4.302_652_7 / 3.0_f64.sqrt()).abs() < 1e-5);
        // 2.228139 for ten.
        let eleven: Vec<f64> = (0..11).map(f64::from).collect();
        let deviation = of(&eleven).deviation(0.05).unwrap();
        assert!((deviation - 2.228_138_9 * (11.0_f64 / 11.0).sqrt()).abs() < 1e-5, "{deviation}");
        assert_eq!(of(&[5.0, 5.0, 5.0]).deviation(0.05), Some(0.0));
        assert_eq!(of(&[5.0]).deviation(0.05), None);
    }

    #[test]
    fn skewed_samples_are_doubtful() {
        let mut rare = vec![0.0; 199];
        rare.push(1000.0);
        assert!(of(&rare).is_doubtful());
        let even: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(!of(&even).is_doubtful());
        assert!(!of(&[1.0; 50]).is_doubtful());
    }
}
