//! Closure: makes every bound as tight as the others imply.

use crate::bound::{Bound, add};
use crate::kernel::{SecondSummand, by_dim, relax, rows};
use multiversion::multiversion;

/// Closes the zone (Floyd-Warshall). Returns whether it is not empty.
///
/// Precondition: none. Postcondition: closed, if `true` is returned.
pub fn close<B: Bound>(zone: &mut [B], dim: usize) -> bool {
    assert_eq!(zone.len(), dim * dim);
    B::close(zone, dim);
    zone.iter().step_by(dim + 1).all(|&b| b >= B::LE_ZERO)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn close_32(zone: &mut [i32], dim: usize) {
    by_dim!(dim, close_small, close_any, (zone, dim));
}

#[inline(always)]
fn close_small<const N: usize>(zone: &mut [i32], _: usize) {
    let zone = rows::<N, i32>(zone);
    for k in 0..N {
        let second = SecondSummand::new(zone[k]);
        for row in &mut *zone {
            if row[k] < i32::INFINITY {
                second.relax(row, row[k]);
            }
        }
    }
}

#[inline(always)]
pub(crate) fn close_any<B: Bound>(zone: &mut [B], dim: usize) {
    for k in 0..dim {
        pivot(zone, dim, k);
    }
}

/// `m[i,j] = min(m[i,j], m[i,k] + m[k,j])` for all `i`, `j`.
#[inline(always)]
fn pivot<B: Bound>(zone: &mut [B], dim: usize, k: usize) {
    let (before, rest) = zone.split_at_mut(k * dim);
    let (row_k, after) = rest.split_at_mut(dim);
    for row in before.chunks_exact_mut(dim).chain(after.chunks_exact_mut(dim)) {
        if row[k] < B::INFINITY {
            relax(row, row_k, row[k]);
        }
    }
}

/// Closes a zone of which only bounds in row `x` and column `x` were tightened since it was closed.
/// Returns whether it is not empty.
///
/// Precondition: closed before that. Postcondition: closed, if `true` is returned.
pub fn close_one<B: Bound>(zone: &mut [B], dim: usize, x: usize) -> bool {
    assert!(zone.len() == dim * dim && x < dim);
    // A shortest path visits `x` at most once, and its other edges are closed. So: the shortest
    // paths from `x`, those to `x`, then every pair via `x`.
    for k in (0..dim).filter(|&k| k != x) {
        for j in 0..dim {
            let sum = add(zone[x * dim + k], zone[k * dim + j]);
            zone[x * dim + j] = zone[x * dim + j].min(sum);
        }
    }
    for i in (0..dim).filter(|&i| i != x) {
        for k in (0..dim).filter(|&k| k != x) {
            let sum = add(zone[i * dim + k], zone[k * dim + x]);
            zone[i * dim + x] = zone[i * dim + x].min(sum);
        }
    }
    // The paths from `x` may have left a cycle that only the paths to `x` make negative.
    if (0..dim).any(|k| add(zone[x * dim + k], zone[k * dim + x]) < B::LE_ZERO) {
        return false;
    }
    pivot(zone, dim, x);
    true
}

/// Returns whether the zone is closed and not empty: for tests and assertions.
pub fn is_closed<B: Bound>(zone: &[B], dim: usize) -> bool {
    zone.len() == dim * dim
        && (0..dim).all(|i| {
            zone[i * dim + i] == B::LE_ZERO
                && (0..dim).all(|j| (0..dim).all(|k| zone[i * dim + j] <= add(zone[i * dim + k], zone[k * dim + j])))
        })
}
