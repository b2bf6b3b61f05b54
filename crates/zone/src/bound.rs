//! A bound on a difference of two clocks: `< v`, `<= v` or none, in one `i32`.
//!
//! `< v` is `2v` and `<= v` is `2v + 1`, so that a smaller number is a tighter bound and the tighter of two bounds is
//! their minimum. No bound at all is [`INFINITY`].
//!
//! **Range.** Every bound lies in `FLOOR ..= INFINITY`, that is, between -2³⁰ and 2³⁰. Two of them add up to at most
//! 2³¹ - 1 in size when the sum of two finite ones, or of a finite and an infinite one, is taken (a finite bound is at
//! most 2³⁰ - 1), so no sum of two bounds leaves an `i32`. Sums are brought back into the range: what reaches `INFINITY`
//! is no bound any more, and what falls below `FLOOR` is raised to it. Either weakens the constraint, so that a zone can
//! only grow by it. It never happens to sums of three bounds of size at most [`MAX_CONSTANT`]; a caller that can't rule
//! larger ones out asks [`crate::fits`] and treats the zone as an over-approximation where the answer is no.

use std::fmt;

/// A bound in the encoding of this module.
pub type Bound = i32;

/// No bound. It is larger than every finite bound.
pub const INFINITY: Bound = 1 << 30;

/// The tightest bound that is kept apart from tighter ones.
pub const FLOOR: Bound = -(1 << 30);

/// `<= 0`, what stands on the diagonal of a zone that is not empty.
pub const LE_ZERO: Bound = 1;

/// `< 0`.
pub const LT_ZERO: Bound = 0;

/// The largest constant, in size, with which all arithmetic is exact: `x - y <= a`, `y - z <= b` and `z - w <= c` with
/// such constants give `x - w <= a + b + c`, not something weaker.
pub const MAX_CONSTANT: i32 = (1 << 27) - 1;

/// The bound `<= v`. Precondition: `v` is at most [`MAX_CONSTANT`] in size.
#[inline]
pub const fn le(v: i32) -> Bound {
    debug_assert!(v.unsigned_abs() <= MAX_CONSTANT.unsigned_abs());
    2 * v + 1
}

/// The bound `< v`. Precondition: `v` is at most [`MAX_CONSTANT`] in size.
#[inline]
pub const fn lt(v: i32) -> Bound {
    debug_assert!(v.unsigned_abs() <= MAX_CONSTANT.unsigned_abs());
    2 * v
}

/// The number in a finite bound.
#[inline]
pub const fn value(b: Bound) -> i32 {
    b >> 1
}

/// Whether a finite bound is `<` and not `<=`.
#[inline]
pub const fn is_strict(b: Bound) -> bool {
    b & 1 == 0
}

/// The sum: if `x - y` is within `a` and `y - z` within `b`, then `x - z` is within `add(a, b)`.
#[inline]
pub const fn add(a: Bound, b: Bound) -> Bound {
    if a >= INFINITY || b >= INFINITY {
        return INFINITY;
    }
    let sum = a + b - ((a | b) & 1);
    if sum > INFINITY {
        INFINITY
    } else if sum < FLOOR {
        FLOOR
    } else {
        sum
    }
}

/// The bound on `y - x` that says that `x - y` is not within `b`. Precondition: `b` is finite.
#[inline]
pub const fn negate(b: Bound) -> Bound {
    debug_assert!(b < INFINITY);
    1 - b
}

/// A bound moved by a whole number: infinity stays, everything else stays in range.
#[inline]
pub(crate) const fn shift(b: Bound, by: i32) -> Bound {
    add(b, le(by))
}

/// A bound as text: `<5`, `<=5` or `<inf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Text(pub Bound);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b if b >= INFINITY => f.write_str("<inf"),
            b if is_strict(b) => write!(f, "<{}", value(b)),
            b => write!(f, "<={}", value(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_is_tighter() {
        let in_order = [lt(-1), le(-1), lt(0), le(0), lt(1), le(1), INFINITY];
        assert!(in_order.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn sums_are_strict_when_a_part_is() {
        assert_eq!(add(le(2), le(3)), le(5));
        assert_eq!(add(lt(2), le(-3)), lt(-1));
        assert_eq!(add(le(-2), lt(3)), lt(1));
        assert_eq!(add(lt(2), lt(3)), lt(5));
        assert_eq!(add(INFINITY, lt(-3)), INFINITY);
        assert_eq!(add(lt(-3), INFINITY), INFINITY);
    }

    #[test]
    fn the_ends_of_the_range_hold() {
        for a in [FLOOR, FLOOR + 1, -1, 0, 1, INFINITY - 1, INFINITY] {
            for b in [FLOOR, FLOOR + 1, -1, 0, 1, INFINITY - 1, INFINITY] {
                assert!((FLOOR..=INFINITY).contains(&add(a, b)));
            }
        }
        let three = add(add(le(-MAX_CONSTANT), le(-MAX_CONSTANT)), le(-MAX_CONSTANT));
        assert_eq!(i64::from(value(three)), -3 * i64::from(MAX_CONSTANT));
    }

    #[test]
    fn negation_excludes() {
        assert_eq!(negate(le(3)), lt(-3));
        assert_eq!(negate(lt(3)), le(-3));
        assert_eq!(negate(negate(lt(-7))), lt(-7));
    }

    #[test]
    fn text() {
        assert_eq!(format!("{} {} {}", Text(le(5)), Text(lt(-2)), Text(INFINITY)), "<=5 <-2 <inf");
    }
}
