//! Exact fractions with overflow checks.

use crate::evaluate::gcd;

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rational {
    numerator: i64,
    denominator: i64,
}

impl Rational {
    /// 0.
    pub(super) const ZERO: Rational = Rational { numerator: 0, denominator: 1 };
    /// 1.
    pub(super) const ONE: Rational = Rational { numerator: 1, denominator: 1 };

    /// Returns an integer as a fraction.
    pub(super) fn whole(value: i64) -> Option<Rational> {
        Rational::new(i128::from(value), 1)
    }

    /// Returns numerator and denominator.
    pub(super) fn parts(self) -> (i64, i64) {
        (self.numerator, self.denominator)
    }

    /// Returns `None` if a component overflows.
    fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let divisor =
            if denominator == 1 { 1 } else { gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128 };
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        // The least integer is excluded, so that every sign can be changed.
        let fits = |n: i128| i64::try_from(n).ok().filter(|n| *n != i64::MIN);
        let (numerator, denominator) =
            if denominator < 0 { (-numerator, -denominator) } else { (numerator, denominator) };
        Some(Rational { numerator: fits(numerator)?, denominator: fits(denominator)? })
    }

    /// Returns whether it is 0.
    pub(super) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// Returns whether it is greater than 0.
    pub(super) fn is_positive(self) -> bool {
        self.numerator > 0
    }

    /// Returns the negated number.
    pub(super) fn negated(self) -> Rational {
        Rational { numerator: -self.numerator, ..self }
    }

    /// Returns the sum.
    pub(super) fn plus(self, other: Rational) -> Option<Rational> {
        let (a, b) = (i128::from(self.numerator), i128::from(other.numerator));
        let (c, d) = (i128::from(self.denominator), i128::from(other.denominator));
        if c == d { Rational::new(a + b, c) } else { Rational::new(a * d + b * c, c * d) }
    }

    /// Returns the product.
    pub(super) fn times(self, other: Rational) -> Option<Rational> {
        let numerator = i128::from(self.numerator) * i128::from(other.numerator);
        Rational::new(numerator, i128::from(self.denominator) * i128::from(other.denominator))
    }

    /// Returns the quotient. Precondition: `other` is not 0.
    pub(super) fn over(self, other: Rational) -> Option<Rational> {
        let numerator = i128::from(self.numerator) * i128::from(other.denominator);
        let denominator = i128::from(self.denominator) * i128::from(other.numerator);
        if denominator == 0 { None } else { Rational::new(numerator, denominator) }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> std::cmp::Ordering {
        let (a, b) = (i128::from(self.numerator), i128::from(other.numerator));
        (a * i128::from(other.denominator)).cmp(&(b * i128::from(self.denominator)))
    }
}

/// A number plus a multiple of a positive infinitesimal, which represents strict bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeltaRational {
    /// The standard part.
    pub real: Rational,
    /// The coefficient of the infinitesimal.
    pub infinitesimal: Rational,
}

impl DeltaRational {
    /// 0.
    pub(super) const ZERO: DeltaRational = DeltaRational { real: Rational::ZERO, infinitesimal: Rational::ZERO };

    /// Returns the sum.
    pub(super) fn plus(self, other: DeltaRational) -> Option<DeltaRational> {
        Some(DeltaRational {
            real: self.real.plus(other.real)?,
            infinitesimal: self.infinitesimal.plus(other.infinitesimal)?,
        })
    }

    /// Returns the difference.
    pub(super) fn minus(self, other: DeltaRational) -> Option<DeltaRational> {
        self.plus(DeltaRational { real: other.real.negated(), infinitesimal: other.infinitesimal.negated() })
    }

    /// Returns a multiple.
    pub(super) fn times(self, factor: Rational) -> Option<DeltaRational> {
        Some(DeltaRational { real: self.real.times(factor)?, infinitesimal: self.infinitesimal.times(factor)? })
    }
}
