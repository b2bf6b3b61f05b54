//! Interval arithmetic.

use std::fmt;

/// All integers between two bounds. The lower bound may be minus infinity and the upper one
/// infinity.
///
/// Finite bounds have an absolute value of at most [`LIMIT`]. A greater bound is weakened to
/// infinity, which only enlarges the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// The greatest finite bound.
const LIMIT: i128 = 1 << 62;

/// Large enough that its product with any number but 0 exceeds the limit.
const INFINITY: i128 = 1 << 64;

impl Interval {
    pub(crate) const ALL: Interval = Interval { low: i64::MIN, high: i64::MAX };

    pub(crate) fn constant(number: i64) -> Interval {
        Interval { low: number, high: number }
    }

    /// Returns a non-empty interval. Precondition: `low <= high`.
    fn new(low: i128, high: i128) -> Interval {
        let low = if low < -LIMIT { i64::MIN } else { low.min(LIMIT) as i64 };
        let high = if high > LIMIT { i64::MAX } else { high.max(-LIMIT) as i64 };
        Interval { low, high }
    }

    /// Returns `None` if the interval is empty.
    pub(crate) fn checked(low: i128, high: i128) -> Option<Interval> {
        (low <= high).then(|| Interval::new(low, high))
    }

    /// Returns a non-empty interval; `None` is infinity.
    pub(crate) fn between(low: Option<i128>, high: Option<i128>) -> Interval {
        Interval::new(low.unwrap_or(-INFINITY), high.unwrap_or(INFINITY))
    }

    /// Returns the bounds as numbers to calculate with.
    pub(crate) fn wide(self) -> (i128, i128) {
        let low = if self.low == i64::MIN { -INFINITY } else { i128::from(self.low) };
        let high = if self.high == i64::MAX { INFINITY } else { i128::from(self.high) };
        (low, high)
    }

    pub(crate) fn is_constant(self) -> bool {
        self.low == self.high
    }

    pub(crate) fn contains(self, number: i64) -> bool {
        self.low <= number && number <= self.high
    }

    pub(crate) fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub(crate) fn meet(self, other: Interval) -> Option<Interval> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Interval { low, high })
    }

    pub(crate) fn negate(self) -> Interval {
        let (low, high) = self.wide();
        Interval::new(-high, -low)
    }

    pub(crate) fn add(self, other: Interval) -> Interval {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        Interval::new(a + c, b + d)
    }

    pub(crate) fn mul(self, other: Interval) -> Interval {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        let corners = [a.saturating_mul(c), a.saturating_mul(d), b.saturating_mul(c), b.saturating_mul(d)];
        Interval::around(corners)
    }

    /// Returns the hull of four numbers.
    fn around(numbers: [i128; 4]) -> Interval {
        let [a, b, c, d] = numbers;
        Interval::new(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }

    /// Returns the quotients, rounded towards zero. `None`: the only divisor is zero.
    pub(crate) fn div(self, other: Interval) -> Option<Interval> {
        let positive = other.positive().map(|divisor| self.div_positive(divisor));
        let negative = other.negate().positive().map(|divisor| self.negate().div_positive(divisor));
        join_all(positive, negative)
    }

    fn div_positive(self, divisor: Interval) -> Interval {
        let ((a, b), (c, d)) = (self.wide(), divisor.wide());
        let quotient = |a: i128, d: i128| match (a.abs() == INFINITY, d == INFINITY) {
            (true, false) => a,
            (_, true) => 0,
            (false, false) => a / d,
        };
        Interval::around([quotient(a, c), quotient(a, d), quotient(b, c), quotient(b, d)])
    }

    /// Returns the remainders, with the sign of the dividend. `None`: the only divisor is zero.
    pub(crate) fn rem(self, other: Interval) -> Option<Interval> {
        // The sign of the divisor does not matter.
        let sizes = join_all(other.positive(), other.negate().positive())?;
        let positive = self.meet(Interval { low: 0, high: i64::MAX }).map(|a| a.rem_positive(sizes));
        let negative = self.negate().positive().map(|a| a.rem_positive(sizes).negate());
        join_all(positive, negative)
    }

    fn rem_positive(self, size: Interval) -> Interval {
        if self.is_constant() && size.is_constant() {
            return Interval::constant(self.low % size.low);
        }
        if self.high < size.low {
            return self;
        }
        let ((_, a), (_, d)) = (self.wide(), size.wide());
        Interval::new(0, a.min(d - 1))
    }

    /// Returns the positive part.
    pub(crate) fn positive(self) -> Option<Interval> {
        self.meet(Interval { low: 1, high: i64::MAX })
    }

    /// Restricts a factor, given the other factor and the product.
    pub(crate) fn refine_factor(self, other: Interval, product: Interval) -> Option<Interval> {
        if other.contains(0) && product.contains(0) {
            return Some(self);
        }
        let positive = other.positive().and_then(|divisor| product.factors(divisor));
        let negative = other.negate().positive().and_then(|divisor| product.negate().factors(divisor));
        self.meet(join_all(positive, negative)?)
    }

    /// Returns the hull of all numbers whose product with some positive divisor is in this
    /// interval.
    fn factors(self, divisor: Interval) -> Option<Interval> {
        let ((low, high), (c, d)) = (self.wide(), divisor.wide());
        let by = |a: i128, d: i128, rounded: fn(i128, i128) -> i128| match (a.abs() == INFINITY, d == INFINITY) {
            (true, _) => a,
            (false, true) => 0,
            (false, false) => rounded(a, d),
        };
        let low = by(low, if low < 0 { c } else { d }, |a, d| -(-a).div_euclid(d));
        let high = by(high, if high < 0 { d } else { c }, i128::div_euclid);
        Interval::checked(low, high)
    }

    /// Restricts a dividend, given the divisor and the quotient, which is rounded towards zero.
    pub(crate) fn refine_dividend(self, divisor: Interval, quotient: Interval) -> Option<Interval> {
        if !divisor.is_constant() {
            return Some(self);
        }
        let (size, quotient) = match i128::from(divisor.low) {
            0 => return None,
            size @ 1.. => (size, quotient),
            size => (-size, quotient.negate()),
        };
        let (low, high) = quotient.wide();
        let low = low.saturating_mul(size) - if low <= 0 { size - 1 } else { 0 };
        let high = high.saturating_mul(size) + if high >= 0 { size - 1 } else { 0 };
        self.meet(Interval::new(low, high))
    }

    /// Removes a number if it is a bound of the interval.
    pub(crate) fn without(self, number: i64) -> Option<Interval> {
        let (low, high) = self.wide();
        Interval::checked(low + i128::from(self.low == number), high - i128::from(self.high == number))
    }
}

/// Returns the hull of two intervals, where `None` is empty.
pub(crate) fn join_all(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (a, b) => a.or(b),
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (i64::MIN, i64::MAX) => f.write_str("any"),
            (i64::MIN, high) => write!(f, "<={high}"),
            (low, i64::MAX) => write!(f, ">={low}"),
            (low, high) if low == high => write!(f, "{low}"),
            (low, high) => write!(f, "[{low}, {high}]"),
        }
    }
}
