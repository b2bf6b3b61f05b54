//! Delay and reset of zones, forwards and backwards.

use crate::bound::{Bound, add, le, shift};
use crate::constrain::{constrain, step};
use crate::kernel::{SecondSummand, by_dim, rows};
use multiversion::multiversion;

/// Lets any amount of time pass.
#[inline]
pub fn delay<B: Bound>(zone: &mut [B], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone[dim..].iter_mut().step_by(dim).for_each(|b| *b = B::INFINITY);
}

/// Lets time pass while some clocks are within upper bounds, which are finite.
///
/// Precondition: closed, not empty and within the bounds. Postcondition: closed.
pub fn delay_within<B: Bound>(zone: &mut [B], dim: usize, ceilings: &[(usize, B)]) {
    assert!(zone.len() == dim * dim && ceilings.iter().all(|(x, _)| 0 < *x && *x < dim));
    B::delay_within(zone, dim, ceilings);
}

// Differences of clocks stay as they are, also after closure: the zone before has valuations with
// each difference that its bounds allow. So only the upper bounds of clocks change.

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn delay_within_32(zone: &mut [i32], dim: usize, ceilings: &[(usize, i32)]) {
    by_dim!(dim, delay_within_small, delay_within_any, (zone, dim, ceilings));
}

#[inline(always)]
fn delay_within_small<const N: usize>(zone: &mut [i32], _: usize, ceilings: &[(usize, i32)]) {
    if N < 4 || ceilings.len() < 3 {
        return delay_within_any(zone, N, ceilings);
    }
    // Many bounds at once, in rows that fill vectors.
    if N < 8 {
        let second = SecondSummand::new(upper_bounds::<8>(ceilings));
        for row in &mut rows::<N, i32>(zone)[1..] {
            let mut padded = [i32::INFINITY; 8];
            padded[..N].copy_from_slice(row);
            row[0] = second.least_sum(&padded);
        }
        return;
    }
    let second = SecondSummand::new(upper_bounds::<N>(ceilings));
    for row in &mut rows::<N, i32>(zone)[1..] {
        row[0] = second.least_sum(row);
    }
}

/// Returns the least upper bound of each clock.
#[inline(always)]
fn upper_bounds<const N: usize>(ceilings: &[(usize, i32)]) -> [i32; N] {
    let mut bounds = [i32::INFINITY; N];
    for &(x, bound) in ceilings {
        bounds[x] = bounds[x].min(bound);
    }
    bounds
}

#[inline(always)]
pub(crate) fn delay_within_any<B: Bound>(zone: &mut [B], dim: usize, ceilings: &[(usize, B)]) {
    delay(zone, dim);
    for &(x, bound) in ceilings {
        for row in zone.chunks_exact_mut(dim).skip(1) {
            row[0] = row[0].min(step(row[x], bound));
        }
    }
}

/// Lets any amount of time pass while the clocks with `stopped[x]` are stopped.
///
/// As in UPPAAL, this is the smallest zone that includes the reached valuations, not their exact
/// set: that set relates the progress of the running clocks to each other across the stopped ones
/// (`x - y = z - w` with `y`, `w` stopped), which is not a zone. Without stopped clocks it is
/// [`delay`] and exact.
pub fn delay_except<B: Bound>(zone: &mut [B], dim: usize, stopped: &[bool]) {
    assert_eq!((zone.len(), stopped.len()), (dim * dim, dim));
    for x in (1..dim).filter(|&x| !stopped[x]) {
        zone[x * dim] = B::INFINITY;
        for y in (1..dim).filter(|&y| stopped[y]) {
            zone[x * dim + y] = B::INFINITY;
        }
    }
}

/// Replaces the zone by its past: the valuations from which a delay leads into it.
pub fn past<B: Bound>(zone: &mut [B], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    B::past(zone, dim);
}

#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn past_32(zone: &mut [i32], dim: usize) {
    past_any(zone, dim);
}

#[inline(always)]
pub(crate) fn past_any<B: Bound>(zone: &mut [B], dim: usize) {
    let (row_0, rows) = zone.split_at_mut(dim);
    row_0.fill(B::LE_ZERO);
    for row in rows.chunks_exact(dim) {
        for (entry, &b) in row_0.iter_mut().zip(row) {
            *entry = (*entry).min(b);
        }
    }
    row_0[0] = B::LE_ZERO;
}

/// Replaces the zone by the smallest zone that includes the valuations from which a delay leads
/// into it while the clocks with `stopped[x]` are stopped; see [`delay_except`].
pub fn past_except<B: Bound>(zone: &mut [B], dim: usize, stopped: &[bool]) {
    assert_eq!((zone.len(), stopped.len()), (dim * dim, dim));
    let runs = |x: usize| x != 0 && !stopped[x];
    // Going back by `d`, no running clock `k` may become negative, so `d - y` is at most the least
    // `k - y`.
    let most = |zone: &[B], y: usize| (1..dim).filter(|&k| runs(k)).map(|k| zone[k * dim + y]).min();
    let Some(longest) = most(zone, 0) else { return };
    for y in (0..dim).filter(|&y| runs(y)) {
        let most_y = most(zone, y).unwrap_or(B::LE_ZERO);
        for x in (0..dim).filter(|&x| !runs(x)) {
            // The greatest `x - y + d`, split into two differences in both possible ways.
            let entry = zone[x * dim + y];
            zone[x * dim + y] = add(zone[x * dim], most_y).min(add(entry, longest));
        }
    }
}

/// Sets clock `x` to `value`. Precondition: `x > 0` and `value >= 0`.
pub fn reset<B: Bound>(zone: &mut [B], dim: usize, x: usize, value: B) {
    copy(zone, dim, x, 0, value);
}

/// Sets clock `x` to `y + offset`; `x` and `y` may be equal.
///
/// Precondition: `x > 0`, and `y + offset` is not negative in the zone (constrain it before).
pub fn copy<B: Bound>(zone: &mut [B], dim: usize, x: usize, y: usize, offset: B) {
    assert!(zone.len() == dim * dim && 0 < x && x < dim && y < dim);
    if offset == B::LT_ZERO {
        B::equate(zone, dim, x, y);
    } else {
        for j in 0..dim {
            zone[x * dim + j] = shift(zone[y * dim + j], offset);
        }
        for row in zone.chunks_exact_mut(dim) {
            row[x] = shift(row[y], -offset);
        }
        zone[x * dim + x] = B::LE_ZERO;
    }
}

/// Sets clock `x` to `y`.
pub(crate) fn equate_32(zone: &mut [i32], dim: usize, x: usize, y: usize) {
    by_dim!(dim, equate_small, equate_any, (zone, dim, x, y));
}

#[inline(always)]
fn equate_small<const N: usize>(zone: &mut [i32], _: usize, x: usize, y: usize) {
    let zone = rows::<N, i32>(zone);
    assert!(x < N && y < N);
    zone[x] = zone[y];
    for row in &mut *zone {
        row[x] = row[y];
    }
    zone[x][x] = i32::LE_ZERO;
}

#[inline(always)]
pub(crate) fn equate_any<B: Bound>(zone: &mut [B], dim: usize, x: usize, y: usize) {
    zone.copy_within(y * dim..(y + 1) * dim, x * dim);
    for row in zone.chunks_exact_mut(dim) {
        row[x] = row[y];
    }
    zone[x * dim + x] = B::LE_ZERO;
}

/// Removes all bounds of clock `x`. Precondition: `x > 0`.
pub fn free<B: Bound>(zone: &mut [B], dim: usize, x: usize) {
    assert!(zone.len() == dim * dim && 0 < x && x < dim);
    zone[x * dim..][..dim].fill(B::INFINITY);
    for row in zone.chunks_exact_mut(dim) {
        row[x] = row[0];
    }
    zone[x * dim + x] = B::LE_ZERO;
}

/// Replaces the zone by the valuations that [`reset`] with the same arguments takes into it.
/// Returns whether it is not empty.
pub fn undo_reset<B: Bound>(zone: &mut [B], dim: usize, x: usize, value: B) -> bool {
    undo_copy(zone, dim, x, 0, value)
}

/// Replaces the zone by the valuations that [`copy`] with the same arguments takes into it. Returns
/// whether it is not empty.
pub fn undo_copy<B: Bound>(zone: &mut [B], dim: usize, x: usize, y: usize, offset: B) -> bool {
    assert!(zone.len() == dim * dim && 0 < x && x < dim && y < dim);
    if x == y {
        copy(zone, dim, x, x, -offset);
        return constrain(zone, dim, 0, x, B::LE_ZERO);
    }
    if !constrain(zone, dim, x, y, le(offset)) || !constrain(zone, dim, y, x, le(-offset)) {
        return false;
    }
    free(zone, dim, x);
    true
}
