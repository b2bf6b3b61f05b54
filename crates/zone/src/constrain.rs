//! Intersection of a zone with one constraint.

use crate::bound::{Bound, add};
use crate::kernel::{SecondSummand, by_dim, relax, rows};
use multiversion::multiversion;

/// Intersects the zone with `x - y` within `bound`. Returns whether it is not empty.
///
/// Precondition: closed and not empty. Postcondition: closed, if `true` is returned.
#[inline]
pub fn constrain<B: Bound>(zone: &mut [B], dim: usize, x: usize, y: usize, bound: B) -> bool {
    assert!(zone.len() == dim * dim && x < dim && y < dim);
    if bound >= zone[x * dim + y] {
        return true;
    }
    if add(bound, zone[y * dim + x]) < B::LE_ZERO {
        return false;
    }
    B::spread(zone, dim, x, y, bound);
    true
}

/// Returns whether some valuation of the zone has `x - y` within `bound`. Precondition: closed and
/// not empty.
#[inline]
pub fn satisfies<B: Bound>(zone: &[B], dim: usize, x: usize, y: usize, bound: B) -> bool {
    assert!(zone.len() == dim * dim && x < dim && y < dim);
    add(bound, zone[y * dim + x]) >= B::LE_ZERO
}

/// Adds an edge `x -> y` to a closed graph. A shortest path uses it at most once, so one pass over
/// all pairs suffices; and a row whose path to `y` does not get shorter does not change.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn spread_32(zone: &mut [i32], dim: usize, x: usize, y: usize, bound: i32) {
    by_dim!(dim, spread_small, spread_any, (zone, dim, x, y, bound));
}

#[inline(always)]
fn spread_small<const N: usize>(zone: &mut [i32], _: usize, x: usize, y: usize, bound: i32) {
    let zone = rows::<N, i32>(zone);
    let second = SecondSummand::new(zone[y]);
    for row in zone {
        let through = step(row[x], bound);
        if through < row[y] {
            second.relax(row, through);
        }
    }
}

#[inline(always)]
pub(crate) fn spread_any<B: Bound>(zone: &mut [B], dim: usize, x: usize, y: usize, bound: B) {
    // Row `y` does not change: the cycle from `y` via `x` to `y` is not negative.
    let (before, rest) = zone.split_at_mut(y * dim);
    let (row_y, after) = rest.split_at_mut(dim);
    for row in before.chunks_exact_mut(dim).chain(after.chunks_exact_mut(dim)) {
        let through = step(row[x], bound);
        if through < row[y] {
            relax(row, row_y, through);
        }
    }
}

/// `add` for a finite second summand. Sums above infinity are not clamped, since only smaller ones
/// matter.
#[inline(always)]
pub(crate) fn step<B: Bound>(a: B, b: B) -> B {
    if a >= B::INFINITY { B::INFINITY } else { (a + b - ((a | b) & B::LE_ZERO)).max(B::FLOOR) }
}
