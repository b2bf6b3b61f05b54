//! A bound on a difference of two clocks: `< v`, `<= v` or none, in one number.
//!
//! `< v` is `2v` and `<= v` is `2v + 1`, so a smaller number is a tighter bound, and the tighter of
//! two bounds is their minimum. [`Bound::INFINITY`] is the absence of a bound.
//!
//! **Width.** The number has 32 bits, or 64 where the constants of a model need them. Everything
//! but the loops of [`crate::kernel`] is written once for both.
//!
//! **Range.** Every bound lies in `FLOOR ..= INFINITY`, that is, between -2³⁰ and 2³⁰, or -2⁶² and
//! 2⁶². The absolute value of the sum of two finite bounds, or of a finite and an infinite one, is
//! at most 2³¹ - 1 (2⁶³ - 1), since a finite bound is at most `INFINITY - 1`; so sums of two bounds
//! do not overflow. Sums are clamped to the range: from `INFINITY` on there is no bound, and below
//! `FLOOR` it is `FLOOR`. Either weakens the constraint, so the zone can only grow. It never
//! happens to sums of three bounds of absolute value at most [`Bound::MAX_CONSTANT`]; a caller that
//! can't exclude larger ones calls [`crate::fits`] and treats the zone as an over-approximation if
//! it returns `false`.

use std::{
    fmt,
    hash::Hash,
    ops::{Add, BitAnd, BitOr, BitXor, Neg, Not, Shr, Sub},
};

use crate::kernel::Kernels;

/// The encoding of a bound: `i32`, or `i64` for large constants.
pub trait Bound:
    Kernels
    + Send
    + Sync
    + Copy
    + Ord
    + Hash
    + Default
    + fmt::Debug
    + fmt::Display
    + From<i16>
    + From<i32>
    + Into<i64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// No bound. It is larger than every finite bound.
    const INFINITY: Self;
    /// The least bound. Tighter ones are weakened to it.
    const FLOOR: Self;
    /// `<= 0`, the diagonal entry of a non-empty zone.
    const LE_ZERO: Self;
    /// `< 0`.
    const LT_ZERO: Self;
    /// The greatest absolute value of constants with which all arithmetic is exact: `x - y <= a`,
    /// `y - z <= b` and `z - w <= c` with such constants give `x - w <= a + b + c`, not something
    /// weaker.
    const MAX_CONSTANT: Self;
    /// The least number, which is not a bound. As a clock bound: the clock is not compared.
    const NONE: Self;
    /// The greatest number, which is not a bound.
    const MOST: Self;

    /// Clamps a number to the constants, whose absolute values are at most [`Bound::MAX_CONSTANT`].
    fn constant(v: i64) -> Self;

    /// Returns the sum, which wraps around.
    #[must_use]
    fn wrapping_add(self, other: Self) -> Self;

    /// Returns the same bound in 64 bits.
    fn widest(self) -> i64;

    /// Inverts [`Bound::widest`]. Returns `None` for numbers that are no bounds of this width.
    fn of_widest(bound: i64) -> Option<Self>;

    /// Returns the bound in 32 bits, or a weaker one if it does not fit.
    fn weakened(self) -> i32;

    /// Returns a zone with bounds of 32 bits that includes a zone: the same one if it has such
    /// bounds, else one in `buffer`. It is closed if the zone is.
    fn weakened_zone<'z>(zone: &'z [Self], buffer: &'z mut Vec<i32>) -> &'z [i32];
}

impl Bound for i32 {
    const INFINITY: i32 = 1 << 30;
    const FLOOR: i32 = -(1 << 30);
    const LE_ZERO: i32 = 1;
    const LT_ZERO: i32 = 0;
    const MAX_CONSTANT: i32 = (1 << 27) - 1;
    const NONE: i32 = i32::MIN;
    const MOST: i32 = i32::MAX;

    #[inline]
    fn constant(v: i64) -> i32 {
        v.clamp(-i64::from(Self::MAX_CONSTANT), i64::from(Self::MAX_CONSTANT)) as i32
    }

    #[inline(always)]
    fn wrapping_add(self, other: i32) -> i32 {
        i32::wrapping_add(self, other)
    }

    #[inline]
    fn widest(self) -> i64 {
        if self >= Self::INFINITY { i64::INFINITY } else { self.into() }
    }

    fn of_widest(bound: i64) -> Option<i32> {
        let finite = || i32::try_from(bound).ok().filter(|bound| (Self::FLOOR..Self::INFINITY).contains(bound));
        if bound == i64::INFINITY { Some(Self::INFINITY) } else { finite() }
    }

    #[inline]
    fn weakened(self) -> i32 {
        self
    }

    #[inline]
    fn weakened_zone<'z>(zone: &'z [i32], _: &'z mut Vec<i32>) -> &'z [i32] {
        zone
    }
}

impl Bound for i64 {
    const INFINITY: i64 = 1 << 62;
    const FLOOR: i64 = -(1 << 62);
    const LE_ZERO: i64 = 1;
    const LT_ZERO: i64 = 0;
    const MAX_CONSTANT: i64 = (1 << 59) - 1;
    const NONE: i64 = i64::MIN;
    const MOST: i64 = i64::MAX;

    #[inline]
    fn constant(v: i64) -> i64 {
        v.clamp(-Self::MAX_CONSTANT, Self::MAX_CONSTANT)
    }

    #[inline(always)]
    fn wrapping_add(self, other: i64) -> i64 {
        i64::wrapping_add(self, other)
    }

    #[inline]
    fn widest(self) -> i64 {
        self
    }

    fn of_widest(bound: i64) -> Option<i64> {
        (Self::FLOOR..=Self::INFINITY).contains(&bound).then_some(bound)
    }

    fn weakened(self) -> i32 {
        // Bounds above the greatest finite one of 32 bits become infinite.
        self.clamp(i64::from(i32::FLOOR), i64::from(i32::INFINITY)) as i32
    }

    fn weakened_zone<'z>(zone: &'z [i64], buffer: &'z mut Vec<i32>) -> &'z [i32] {
        buffer.clear();
        buffer.extend(zone.iter().map(|b| b.weakened()));
        buffer
    }
}

/// Returns the bound `<= v`. Precondition: the absolute value of `v` is at most
/// [`Bound::MAX_CONSTANT`].
#[inline]
pub fn le<B: Bound>(v: B) -> B {
    debug_assert!(-B::MAX_CONSTANT <= v && v <= B::MAX_CONSTANT);
    v + v + B::LE_ZERO
}

/// Returns the bound `< v`. Precondition: the absolute value of `v` is at most
/// [`Bound::MAX_CONSTANT`].
#[inline]
pub fn lt<B: Bound>(v: B) -> B {
    debug_assert!(-B::MAX_CONSTANT <= v && v <= B::MAX_CONSTANT);
    v + v
}

/// Returns the constant of a finite bound.
#[inline]
pub fn value<B: Bound>(b: B) -> B {
    b >> 1
}

/// Returns whether a finite bound is `<` and not `<=`.
#[inline]
pub fn is_strict<B: Bound>(b: B) -> bool {
    b & B::LE_ZERO == B::LT_ZERO
}

/// Returns the sum: if `x - y` is within `a` and `y - z` within `b`, then `x - z` is within
/// `add(a, b)`.
#[inline]
pub fn add<B: Bound>(a: B, b: B) -> B {
    if a >= B::INFINITY || b >= B::INFINITY {
        return B::INFINITY;
    }
    (a + b - ((a | b) & B::LE_ZERO)).clamp(B::FLOOR, B::INFINITY)
}

/// Returns the bound on `y - x` that is equivalent to `x - y` not being within `b`. Precondition:
/// `b` is finite.
#[inline]
pub fn negate<B: Bound>(b: B) -> B {
    debug_assert!(b < B::INFINITY);
    B::LE_ZERO - b
}

/// Adds an integer to a bound: infinity stays, everything else stays in range.
#[inline]
pub(crate) fn shift<B: Bound>(b: B, by: B) -> B {
    add(b, le(by))
}

/// Renders a bound: `<5`, `<=5` or `<inf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoundText<B>(pub(crate) B);

impl<B: Bound> fmt::Display for BoundText<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b if b >= B::INFINITY => f.write_str("<inf"),
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
        let in_order = [lt(-1), le(-1), lt(0), le(0), lt(1), le(1), i32::INFINITY];
        assert!(in_order.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn sums_are_strict_when_a_part_is() {
        assert_eq!(add(le(2), le(3)), le(5));
        assert_eq!(add(lt(2), le(-3)), lt(-1));
        assert_eq!(add(le(-2), lt(3)), lt(1));
        assert_eq!(add(lt(2), lt(3)), lt(5));
        assert_eq!(add(i32::INFINITY, lt(-3)), i32::INFINITY);
        assert_eq!(add(lt(-3), i32::INFINITY), i32::INFINITY);
    }

    fn the_ends_hold<B: Bound>() {
        let one = B::LE_ZERO;
        let ends = [B::FLOOR, B::FLOOR + one, -one, B::LT_ZERO, one, B::INFINITY - one, B::INFINITY];
        for a in ends {
            for b in ends {
                assert!((B::FLOOR..=B::INFINITY).contains(&add(a, b)));
            }
        }
        let three = add(add(le(-B::MAX_CONSTANT), le(-B::MAX_CONSTANT)), le(-B::MAX_CONSTANT));
        let (three, max): (i64, i64) = (value(three).into(), B::MAX_CONSTANT.into());
        assert_eq!(three, -3 * max);
        for (number, kept) in [(max, max), (max + 1, max), (i64::MIN, -max), (-5, -5)] {
            assert_eq!(B::constant(number).into(), kept);
        }
    }

    #[test]
    fn the_ends_of_the_range_hold() {
        the_ends_hold::<i32>();
        the_ends_hold::<i64>();
    }

    #[test]
    fn negation_excludes() {
        assert_eq!(negate(le(3)), lt(-3));
        assert_eq!(negate(lt(3)), le(-3));
        assert_eq!(negate(negate(lt(-7))), lt(-7));
    }

    #[test]
    fn weaker_bounds_of_fewer_bits() {
        let kept = [le(-7_i64), lt(0), lt(134_217_727), i64::from(i32::FLOOR)];
        assert_eq!(kept.map(Bound::weakened).map(i64::from), kept);
        assert_eq!(lt(1_i64 << 40).weakened(), i32::INFINITY);
        assert_eq!(i64::INFINITY.weakened(), i32::INFINITY);
        assert_eq!(le(-1_i64 << 40).weakened(), i32::FLOOR);
    }

    #[test]
    fn text() {
        assert_eq!(format!("{} {} {}", BoundText(le(5)), BoundText(lt(-2)), BoundText(i32::INFINITY)), "<=5 <-2 <inf");
        assert_eq!(format!("{} {}", BoundText(le(5_000_000_000_i64)), BoundText(i64::INFINITY)), "<=5000000000 <inf");
    }
}
