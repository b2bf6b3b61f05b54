//! Exact rational numbers, for time.

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: i64,
    denominator: i64,
}

impl Ratio {
    /// Zero.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };

    /// Returns `numerator / denominator`; `None` if the denominator is zero or the fraction does
    /// not fit.
    #[must_use]
    pub fn new(numerator: i64, denominator: i64) -> Option<Ratio> {
        Ratio::reduced(i128::from(numerator), i128::from(denominator))
    }

    fn reduced(numerator: i128, denominator: i128) -> Option<Ratio> {
        if denominator == 0 {
            return None;
        }
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a).ok()?.max(1) * denominator.signum();
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        Some(Ratio { numerator: numerator.try_into().ok()?, denominator: denominator.try_into().ok()? })
    }

    /// Returns the numerator.
    #[must_use]
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// Returns the denominator, which is positive.
    #[must_use]
    pub fn denominator(self) -> i64 {
        self.denominator
    }

    /// Returns the sum, if it fits.
    #[must_use]
    pub fn plus(self, other: Ratio) -> Option<Ratio> {
        let (a, b) = (i128::from(self.numerator), i128::from(self.denominator));
        let (c, d) = (i128::from(other.numerator), i128::from(other.denominator));
        Ratio::reduced(a * d + c * b, b * d)
    }

    /// Returns the difference, if it fits.
    #[must_use]
    pub fn minus(self, other: Ratio) -> Option<Ratio> {
        self.plus(Ratio { numerator: other.numerator.checked_neg()?, ..other })
    }

    /// Returns the floor of the difference, and whether the difference is an integer. Both are
    /// exact, even if the difference itself does not fit.
    #[must_use]
    pub fn floor_minus(self, other: Ratio) -> (i128, bool) {
        let (a, b) = (i128::from(self.numerator), i128::from(self.denominator));
        let (c, d) = (i128::from(other.numerator), i128::from(other.denominator));
        // Each product has at most 126 bits.
        let (numerator, denominator) = (a * d - c * b, b * d);
        (numerator.div_euclid(denominator), numerator.rem_euclid(denominator) == 0)
    }

    /// Returns the arithmetic mean, if it fits.
    #[must_use]
    pub fn middle(self, other: Ratio) -> Option<Ratio> {
        let sum = self.plus(other)?;
        Ratio::reduced(i128::from(sum.numerator), i128::from(sum.denominator) * 2)
    }

    /// Divides the distance to another number into equal parts. Returns the end of the first one,
    /// if it fits.
    #[must_use]
    pub fn towards(self, other: Ratio, parts: u32) -> Option<Ratio> {
        let distance = other.minus(self)?;
        let part =
            Ratio::reduced(i128::from(distance.numerator), i128::from(distance.denominator) * i128::from(parts))?;
        self.plus(part)
    }

    /// Returns the greatest integer that is not greater.
    #[must_use]
    pub fn floor(self) -> i64 {
        self.numerator.div_euclid(self.denominator)
    }
}

impl From<i64> for Ratio {
    fn from(n: i64) -> Ratio {
        Ratio { numerator: n, denominator: 1 }
    }
}

impl From<i32> for Ratio {
    fn from(n: i32) -> Ratio {
        Ratio { numerator: i64::from(n), denominator: 1 }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        let left = i128::from(self.numerator) * i128::from(other.denominator);
        left.cmp(&(i128::from(other.numerator) * i128::from(self.denominator)))
    }
}

/// A text is not a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATime;

/// Reads a number that is not negative: `3`, `7/2`, `3.5`.
impl std::str::FromStr for Ratio {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Ratio, NotATime> {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let whole = |text: &str| text.parse::<i64>().ok().filter(|_| digits(text));
        let time = match (text.split_once('/'), text.split_once('.')) {
            (Some((a, b)), _) => whole(a.trim_end()).zip(whole(b.trim_start())).and_then(|(a, b)| Ratio::new(a, b)),
            (None, Some((a, b))) if digits(a) && digits(b) && b.len() < 18 => {
                let one = 10_i64.pow(b.len() as u32);
                whole(&format!("{a}{b}")).and_then(|all| Ratio::new(all, one))
            }
            (None, Some(_)) => None,
            (None, None) => whole(text).and_then(|n| Ratio::new(n, 1)),
        };
        time.ok_or(NotATime)
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            d => write!(f, "{}/{d}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn arithmetic_is_exact_and_refuses_to_overflow() {
        let half = Ratio::new(2, 4).unwrap();
        assert_eq!((half.numerator(), half.denominator()), (1, 2));
        assert_eq!(half.plus(Ratio::new(1, 3).unwrap()), Ratio::new(5, 6));
        assert_eq!(half.minus(Ratio::from(1)), Ratio::new(1, -2));
        assert_eq!(Ratio::from(1).middle(Ratio::from(2)), Ratio::new(3, 2));
        assert_eq!(half.towards(Ratio::from(2), 5), Ratio::new(4, 5));
        assert_eq!(Ratio::new(-1, 2).unwrap().floor(), -1);
        assert!(Ratio::new(1, 3).unwrap() < half);
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::new(i64::MAX, 1).unwrap().plus(Ratio::from(1)), None);
        assert_eq!(format!("{} {}", half, Ratio::from(-3)), "1/2 -3");
        // The differences MAX - 1 / MAX and 1 / MAX - MAX do not fit.
        let (large, tiny) = (Ratio::new(i64::MAX, 1).unwrap(), Ratio::new(1, i64::MAX).unwrap());
        assert_eq!((large.minus(tiny), large.floor_minus(tiny)), (None, (i128::from(i64::MAX) - 1, false)));
        assert_eq!(tiny.floor_minus(large), (-i128::from(i64::MAX), false));
        assert_eq!(half.floor_minus(Ratio::new(5, 2).unwrap()), (-2, true));
    }
}
