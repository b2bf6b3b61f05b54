//! Comparison and combination of two zones.

use crate::bound::Bound;
use crate::close::close;
use crate::constrain::constrain;
use multiversion::multiversion;

/// The relation of two zones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// They are equal.
    Equal,
    /// The first is strictly included in the second.
    Subset,
    /// The second is strictly included in the first.
    Superset,
    /// Neither includes the other.
    Different,
}

/// Returns whether `a` is included in `b`. Precondition: `a` is closed and not empty; `b` need not
/// be closed.
#[inline]
pub fn is_included<B: Bound>(a: &[B], b: &[B]) -> bool {
    assert_eq!(a.len(), b.len());
    B::is_included(a, b)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn is_included_32(a: &[i32], b: &[i32]) -> bool {
    is_included_any(a, b)
}

#[inline(always)]
pub(crate) fn is_included_any<B: Bound>(a: &[B], b: &[B]) -> bool {
    match a.len() {
        ..4 => all_le(a, b),
        4..16 => in_blocks::<4, B>(a, b, all_le_in_block),
        16.. => in_blocks::<16, B>(a, b, all_le_in_block),
    }
}

/// [`is_included`] for bounds of 16 bits; the greatest one is infinity.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn is_included_narrow(a: &[i16], b: &[i16]) -> bool {
    assert_eq!(a.len(), b.len());
    match a.len() {
        ..8 => all_le(a, b),
        8..16 => in_blocks::<8, i16>(a, b, all_le_in_block),
        16..64 => in_blocks::<16, i16>(a, b, all_le_in_block),
        64.. => in_blocks::<64, i16>(a, b, all_le_in_block),
    }
}

/// [`relation`] for bounds of 16 bits; the greatest one is infinity.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn relation_narrow(a: &[i16], b: &[i16]) -> Relation {
    assert_eq!(a.len(), b.len());
    match a.len() {
        ..8 => relation_of(all_le(a, b), all_le(b, a)),
        8..16 => relation_in_blocks::<8, i16>(a, b),
        16..64 => relation_in_blocks::<16, i16>(a, b),
        64.. => relation_in_blocks::<32, i16>(a, b),
    }
}

/// Returns the relation of `a` and `b`. Precondition: both are closed and not empty.
pub fn relation<B: Bound>(a: &[B], b: &[B]) -> Relation {
    assert_eq!(a.len(), b.len());
    B::relation(a, b)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn relation_32(a: &[i32], b: &[i32]) -> Relation {
    relation_any(a, b)
}

#[inline(always)]
pub(crate) fn relation_any<B: Bound>(a: &[B], b: &[B]) -> Relation {
    if a.len() < 16 { relation_of(all_le(a, b), all_le(b, a)) } else { relation_in_blocks::<16, B>(a, b) }
}

#[inline(always)]
fn relation_in_blocks<const B: usize, T: Copy + PartialOrd>(a: &[T], b: &[T]) -> Relation {
    let (mut le, mut ge) = (true, true);
    in_blocks::<B, T>(a, b, |a, b| {
        le &= all_le_in_block(a, b);
        ge &= all_le_in_block(b, a);
        le || ge
    });
    relation_of(le, ge)
}

#[inline(always)]
fn relation_of(le: bool, ge: bool) -> Relation {
    match (le, ge) {
        (true, true) => Relation::Equal,
        (true, false) => Relation::Subset,
        (false, true) => Relation::Superset,
        (false, false) => Relation::Different,
    }
}

/// Calls `compare` for two rows block by block while it returns `true`. The last block overlaps the
/// previous one: comparing entries twice is cheaper than comparing them one by one. Precondition:
/// rows of the same length, at least `B`.
#[inline(always)]
fn in_blocks<const B: usize, T>(a: &[T], b: &[T], mut compare: impl FnMut(&[T; B], &[T; B]) -> bool) -> bool {
    let ((all_a, _), (all_b, _)) = (a.as_chunks::<B>(), b.as_chunks::<B>());
    let all_b = &all_b[..all_a.len()];
    for i in 0..all_a.len() {
        if !compare(&all_a[i], &all_b[i]) {
            return false;
        }
    }
    match (a.last_chunk::<B>(), b.last_chunk::<B>()) {
        (Some(a), Some(b)) => compare(a, b),
        _ => true,
    }
}

/// Without an early exit, so that the loop is vectorised.
#[inline(always)]
fn all_le_in_block<const B: usize, T: Copy + PartialOrd>(a: &[T; B], b: &[T; B]) -> bool {
    let mut all = true;
    for i in 0..B {
        all &= a[i] <= b[i];
    }
    all
}

#[inline(always)]
fn all_le<T: PartialOrd>(a: &[T], b: &[T]) -> bool {
    a.iter().zip(b).fold(true, |all, (a, b)| all & (a <= b))
}

/// Intersects `zone` with `other`. Returns whether it is not empty.
///
/// Precondition: `zone` is closed and not empty; `other` need not be closed. Postcondition: closed,
/// if `true` is returned.
pub fn intersect<B: Bound>(zone: &mut [B], dim: usize, other: &[B]) -> bool {
    assert_eq!((zone.len(), other.len()), (dim * dim, dim * dim));
    let tighter = zone.iter().zip(other).filter(|(a, b)| b < a).count();
    // A constraint costs one pass over all pairs, closure as many as there are clocks.
    if tighter < dim {
        return (0..dim).all(|x| (0..dim).all(|y| constrain(zone, dim, x, y, other[x * dim + y])));
    }
    zone.iter_mut().zip(other).for_each(|(a, &b)| *a = (*a).min(b));
    close(zone, dim)
}

/// Replaces `zone` by the smallest zone that includes it and `other`. Precondition: both are closed
/// and not empty.
pub fn convex_hull<B: Bound>(zone: &mut [B], other: &[B]) {
    assert_eq!(zone.len(), other.len());
    zone.iter_mut().zip(other).for_each(|(a, &b)| *a = (*a).max(b));
}
