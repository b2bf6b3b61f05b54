//! The operations on numbers: how the language writes each, what it computes, where it fails, and
//! the bounds of its result. All other code uses these tables, so a new operation is a variant of
//! [`Unary`] or [`Arith`] and a line in each table below it.

pub use lattice::Comparison as Cmp;
use syntax::ast::BinaryOp;

use crate::machine::FaultKind;

/// An interval of integers.
pub type Interval = (i64, i64);

/// The interval of all 32-bit numbers.
pub const ALL: Interval = (i32::MIN as i64, i32::MAX as i64);

/// Operations on one number. None of them can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Unary {
    Negate,
    Abs,
    SignBit,
}

/// The predeclared functions that are operations on integer arguments. [`crate::builtin`] has their
/// types.
const FUNCTIONS: &[(&str, Unary)] = &[("abs", Unary::Abs), ("signbit", Unary::SignBit)];

/// Returns the names of the predeclared functions that are operations on integer arguments.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

impl Unary {
    /// All operations.
    #[cfg(test)]
    const EACH: [Unary; 3] = [Unary::Negate, Unary::Abs, Unary::SignBit];

    /// Returns the operation of a predeclared function on integers.
    pub(crate) fn named(name: &str) -> Option<Unary> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
    }

    /// Returns the result, wrapped to 32 bits.
    #[must_use]
    #[inline]
    pub fn apply(self, a: i32) -> i32 {
        match self {
            Unary::Negate => a.wrapping_neg(),
            Unary::Abs => a.wrapping_abs(),
            Unary::SignBit => i32::from(a < 0),
        }
    }

    /// Returns an interval that contains all results for the numbers of an interval.
    #[must_use]
    pub fn interval(self, (low, high): Interval) -> Interval {
        wrapped(match self {
            Unary::Negate => (-high, -low),
            Unary::Abs if low <= 0 && high >= 0 => (0, high.max(-low)),
            Unary::Abs => (low.abs().min(high.abs()), low.abs().max(high.abs())),
            Unary::SignBit => (i64::from(high < 0), i64::from(low < 0)),
        })
    }
}

/// Operations on two numbers. Arithmetic wraps at 32 bits, as in UPPAAL. Whether an operation fails
/// depends on the second number alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// The operators of the language that are operations on two numbers.
const OPERATORS: &[(BinaryOp, Arith)] = &[
    (BinaryOp::Add, Arith::Add),
    (BinaryOp::Sub, Arith::Sub),
    (BinaryOp::Mul, Arith::Mul),
    (BinaryOp::Div, Arith::Div),
    (BinaryOp::Mod, Arith::Mod),
    (BinaryOp::Pow, Arith::Pow),
    (BinaryOp::Shl, Arith::Shl),
    (BinaryOp::Shr, Arith::Shr),
    (BinaryOp::BitAnd, Arith::And),
    (BinaryOp::BitOr, Arith::Or),
    (BinaryOp::BitXor, Arith::Xor),
    (BinaryOp::Min, Arith::Min),
    (BinaryOp::Max, Arith::Max),
];

impl Arith {
    /// Returns all operations.
    pub fn each() -> impl Iterator<Item = Arith> {
        OPERATORS.iter().map(|(_, op)| *op)
    }

    /// Returns the operation of an operator of the language; `None` if it does not compute a
    /// number.
    #[must_use]
    pub fn of(operator: BinaryOp) -> Option<Arith> {
        OPERATORS.iter().find(|(known, _)| *known == operator).map(|(_, op)| *op)
    }

    /// Returns the result.
    ///
    /// # Errors
    /// The operation fails.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Result<i32, FaultKind> {
        Ok(match self {
            Arith::Add => a.wrapping_add(b),
            Arith::Sub => a.wrapping_sub(b),
            Arith::Mul => a.wrapping_mul(b),
            Arith::Div | Arith::Mod if b == 0 => return Err(FaultKind::DivisionByZero),
            Arith::Div => a.wrapping_div(b),
            Arith::Mod => a.wrapping_rem(b),
            Arith::Pow => match u32::try_from(b) {
                Ok(exponent) => a.wrapping_pow(exponent),
                Err(_) => return Err(FaultKind::Shift(b)),
            },
            Arith::Shl | Arith::Shr if !(0..32).contains(&b) => return Err(FaultKind::Shift(b)),
            Arith::Shl => a.wrapping_shl(b as u32),
            Arith::Shr => a.wrapping_shr(b as u32),
            Arith::And => a & b,
            Arith::Or => a | b,
            Arith::Xor => a ^ b,
            Arith::Min => a.min(b),
            Arith::Max => a.max(b),
        })
    }

    /// Returns whether it fails for some second number of an interval.
    #[must_use]
    pub fn may_fail(self, (low, high): Interval) -> bool {
        match self {
            Arith::Div | Arith::Mod => low <= 0 && high >= 0,
            Arith::Shl | Arith::Shr => low < 0 || high > 31,
            Arith::Pow => low < 0,
            Arith::Add | Arith::Sub | Arith::Mul => false,
            Arith::And | Arith::Or | Arith::Xor | Arith::Min | Arith::Max => false,
        }
    }

    /// Returns whether it fails for a second number.
    #[must_use]
    pub fn fails(self, b: i32) -> bool {
        self.may_fail((i64::from(b), i64::from(b)))
    }

    /// Returns an interval that contains all results for the numbers of two intervals.
    #[must_use]
    pub fn interval(self, (a, b): Interval, (c, d): Interval) -> Interval {
        if let (true, true, Ok(a), Ok(c)) = (a == b, c == d, i32::try_from(a), i32::try_from(c)) {
            return self.apply(a, c).map_or(ALL, |value| (i64::from(value), i64::from(value)));
        }
        wrapped(match self {
            Arith::Add => (a + c, b + d),
            Arith::Sub => (a - d, b - c),
            Arith::Mul => hull([a * c, a * d, b * c, b * d]),
            Arith::Min => (a.min(c), b.min(d)),
            Arith::Max => (a.max(c), b.max(d)),
            Arith::Div if c > 0 => hull([a / c, a / d, b / c, b / d]),
            Arith::Div => hull([a, b, -a, -b]),
            Arith::Mod => {
                // The remainder has the sign of the first number, and a smaller absolute value than
                // both.
                let size = (c.abs().max(d.abs()) - 1).max(0);
                (a.clamp(-size, 0), b.clamp(0, size))
            }
            Arith::And if a >= 0 && c >= 0 => (0, b.min(d)),
            Arith::Shr if a >= 0 => (0, b),
            Arith::And | Arith::Shr | Arith::Shl | Arith::Or | Arith::Xor | Arith::Pow => ALL,
        })
    }
}

/// Returns the comparison of an operator of the language.
#[must_use]
pub fn comparison(operator: BinaryOp) -> Option<Cmp> {
    Some(match operator {
        BinaryOp::Eq => Cmp::Eq,
        BinaryOp::Ne => Cmp::Ne,
        BinaryOp::Lt => Cmp::Lt,
        BinaryOp::Le => Cmp::Le,
        BinaryOp::Gt => Cmp::Gt,
        BinaryOp::Ge => Cmp::Ge,
        _ => return None,
    })
}

/// Returns whether a comparison may hold between numbers of two intervals.
#[must_use]
pub fn may_hold(cmp: Cmp, (a, b): Interval, (c, d): Interval) -> bool {
    match cmp {
        Cmp::Eq => a <= d && c <= b,
        Cmp::Ne => !(a == b && c == d && a == c),
        Cmp::Lt => a < d,
        Cmp::Le => a <= d,
        Cmp::Gt => b > c,
        Cmp::Ge => b >= c,
    }
}

fn hull(numbers: [i64; 4]) -> Interval {
    let [p, q, r, s] = numbers;
    (p.min(q).min(r).min(s), p.max(q).max(r).max(s))
}

/// Widens an interval that exceeds 32 bits to all numbers, since arithmetic wraps.
fn wrapped(interval: Interval) -> Interval {
    if interval.0 < ALL.0 || interval.1 > ALL.1 { ALL } else { interval }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns small numbers, and those at which results change.
    fn samples() -> Vec<i32> {
        let edges = [i32::MIN, i32::MIN + 1, -65536, 31, 32, 65536, i32::MAX];
        edges.into_iter().chain(-4..=4).collect()
    }

    fn intervals() -> Vec<(i32, i32)> {
        let all = samples();
        all.iter().flat_map(|a| all.iter().filter(move |b| a <= b).map(move |b| (*a, *b))).collect()
    }

    fn wide((low, high): (i32, i32)) -> Interval {
        (i64::from(low), i64::from(high))
    }

    fn holds(interval: Interval, value: i32) -> bool {
        (interval.0..=interval.1).contains(&i64::from(value))
    }

    #[test]
    fn intervals_hold_all_values() {
        for x in intervals() {
            let inside = |range: (i32, i32)| samples().into_iter().filter(move |v| (range.0..=range.1).contains(v));
            for op in Unary::EACH {
                let result = op.interval(wide(x));
                for a in inside(x) {
                    assert!(holds(result, op.apply(a)), "{op:?} of {a} is outside of {result:?}");
                }
            }
            for y in intervals() {
                for op in Arith::each() {
                    let result = op.interval(wide(x), wide(y));
                    assert!(result.0 >= ALL.0 && result.1 <= ALL.1);
                    for (a, b) in inside(x).flat_map(|a| inside(y).map(move |b| (a, b))) {
                        assert!(op.apply(a, b).map_or(true, |v| holds(result, v)), "{op:?} of {a} and {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn whether_one_fails_is_up_to_the_second_number() {
        for op in Arith::each() {
            for b in samples() {
                for a in samples() {
                    assert_eq!(op.apply(a, b).is_err(), op.fails(b), "{op:?}: {a}, {b}");
                }
            }
            for (low, high) in intervals() {
                let fails = samples().into_iter().any(|b| (low..=high).contains(&b) && op.fails(b));
                assert!(!fails || op.may_fail(wide((low, high))), "{op:?}: {low} to {high}");
            }
        }
    }

    #[test]
    fn comparisons_that_hold_may_hold() {
        let all = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge];
        for (x, y) in intervals().into_iter().flat_map(|x| intervals().into_iter().map(move |y| (x, y))) {
            for cmp in all {
                let held = [x.0, x.1].iter().any(|a| [y.0, y.1].iter().any(|b| cmp.holds(*a, *b)));
                assert!(!held || may_hold(cmp, wide(x), wide(y)));
            }
        }
    }
}
