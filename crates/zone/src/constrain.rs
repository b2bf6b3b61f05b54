//! Cutting a zone with one constraint.

use crate::bound::{Bound, FLOOR, INFINITY, LE_ZERO, add};
use multiversion::multiversion;

/// Intersects the zone with `x - y` within `bound`. Returns whether anything is left.
///
/// Precondition: closed and not empty. Postcondition: closed, if `true` is returned.
#[inline]
pub fn constrain(zone: &mut [Bound], dim: usize, x: usize, y: usize, bound: Bound) -> bool {
    assert!(zone.len() == dim * dim && x < dim && y < dim);
    if bound >= zone[x * dim + y] {
        return true;
    }
    if add(bound, zone[y * dim + x]) < LE_ZERO {
        return false;
    }
    spread(zone, dim, x, y, bound);
    true
}

/// Whether some valuation of the zone has `x - y` within `bound`. Precondition: closed and not empty.
#[inline]
pub fn satisfies(zone: &[Bound], dim: usize, x: usize, y: usize, bound: Bound) -> bool {
    assert!(zone.len() == dim * dim && x < dim && y < dim);
    add(bound, zone[y * dim + x]) >= LE_ZERO
}

/// Lays a new edge `x -> y` into a closed graph: a path uses it at most once, so one pass over all pairs is enough.
#[multiversion(targets("x86_64+avx2"))]
fn spread(zone: &mut [Bound], dim: usize, x: usize, y: usize, bound: Bound) {
    let (before, rest) = zone.split_at_mut(y * dim);
    let (row_y, after) = rest.split_at_mut(dim);
    for rows in [before, after] {
        for row in rows.chunks_exact_mut(dim) {
            let through = add(row[x], bound);
            // The row was closed: what does not shorten the way to `y` shortens nothing behind it.
            if through < row[y] {
                relax(row, row_y, through);
            }
        }
    }
}

/// `row[j] = min(row[j], first + second[j])` for all `j`. Precondition: `first` is finite.
#[inline(always)]
pub(crate) fn relax(row: &mut [Bound], second: &[Bound], first: Bound) {
    // `add` with the part that depends on `first` taken out of the loop: an odd (`<=`) bound keeps the strictness of
    // the other one, an even one makes the sum strict.
    let (even, keep) = (first & !1, first | !1);
    for (entry, &b) in row.iter_mut().zip(second) {
        let sum = even.wrapping_add(b & keep).max(FLOOR);
        *entry = (*entry).min(if b >= INFINITY { INFINITY } else { sum });
    }
}
