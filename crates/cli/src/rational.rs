//! Exact times.

use std::fmt;

/// A fraction in lowest terms, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

impl Rational {
    /// `numerator / denominator`; `None` if that is no number.
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let (mut a, mut b) = (numerator.checked_abs()?, denominator.checked_abs()?);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = if denominator < 0 { -a } else { a };
        (denominator != 0).then(|| Rational { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// A whole number.
    pub fn whole(number: i32) -> Rational {
        Rational { numerator: number.into(), denominator: 1 }
    }

    /// The sum; `None` if it has too many digits.
    pub fn plus(self, other: Rational) -> Option<Rational> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        let text = |n, d| Rational::new(n, d).unwrap().to_string();
        assert_eq!([text(6, 4), text(0, 7), text(-3, -1), text(1, -2)], ["3/2", "0", "3", "-1/2"]);
        assert_eq!(Rational::new(1, 0), None);
        let sum = Rational::new(1, 6).and_then(|a| a.plus(Rational::new(1, 3)?));
        assert_eq!(sum, Rational::new(1, 2));
        assert_eq!(Rational::whole(2).plus(Rational::new(i128::MAX, 1).unwrap()), None);
    }
}
