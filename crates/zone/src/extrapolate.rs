//! Extrapolation: adds valuations to a zone that guards of a model do not distinguish, so that
//! there are finitely many zones.
//!
//! The operators of Behrmann, Bouyer, Larsen and Pelánek, "Lower and upper bounds in zone-based
//! abstractions of timed automata" (STTT 2006). `L(x)` and `U(x)` are the greatest constants with
//! which clock `x` may still be compared from below and from above, and `M(x)` is the greater of
//! both; [`Bound::NONE`] means that there is no such comparison. All operators are sound for
//! reachability in models without diagonal constraints. Preconditions: the zone is closed and not
//! empty, the bounds of clock 0 are 0, and no bound is negative except for `NONE`. Postcondition:
//! the zone is closed.

use crate::bound::{Bound, add};
use crate::close::close;
use crate::kernel::{ClockSet, SecondSummand, by_dim, relax, rows};
use multiversion::multiversion;

/// Extra_M: [`extra_lu`] with one bound for both directions.
pub fn extra_m<B: Bound>(zone: &mut [B], dim: usize, max: &[B]) {
    extra_lu(zone, dim, max, max);
}

/// Extra⁺_M: [`extra_lu_plus`] with one bound for both directions.
pub fn extra_m_plus<B: Bound>(zone: &mut [B], dim: usize, max: &[B]) {
    extra_lu_plus(zone, dim, max, max);
}

/// Extra_LU: drops upper bounds above `L`, and weakens lower bounds above `U` to `> U`.
pub fn extra_lu<B: Bound>(zone: &mut [B], dim: usize, lower: &[B], upper: &[B]) {
    B::extra_lu(zone, dim, lower, upper);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn extra_lu_32(zone: &mut [i32], dim: usize, lower: &[i32], upper: &[i32]) {
    // Loops over rows of constant length need no bounds checks.
    assert!(zone.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    by_dim!(dim, extra_lu_small, extra_lu_any, (zone, lower, upper));
}

/// Extra⁺_LU: as [`extra_lu`], and drops all upper bounds of clocks that are above their `L`
/// throughout the zone and all lower bounds on differences to clocks that are above their `U`.
pub fn extra_lu_plus<B: Bound>(zone: &mut [B], dim: usize, lower: &[B], upper: &[B]) {
    B::extra_lu_plus(zone, dim, lower, upper);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn extra_lu_plus_32(zone: &mut [i32], dim: usize, lower: &[i32], upper: &[i32]) {
    assert!(zone.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    match dim {
        5 => extra_lu_plus_padded_small::<5, 8>(zone, lower, upper),
        6 => extra_lu_plus_padded_small::<6, 8>(zone, lower, upper),
        7 => extra_lu_plus_padded_small::<7, 8>(zone, lower, upper),
        ..18 => by_dim!(dim, extra_lu_plus_small, extra_lu_plus_any, (zone, lower, upper)),
        18..=24 => extra_lu_plus_padded::<24>(zone, lower, upper),
        25..=32 => extra_lu_plus_padded::<32>(zone, lower, upper),
        33.. => extra_lu_plus_any(zone, lower, upper),
    }
}

/// Extrapolates a copy with more clocks, of which nothing is known: rows of full vectors are worth
/// the copy.
#[inline(always)]
fn extra_lu_plus_padded<const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32]) {
    extra_lu_plus_in::<N>(zone, lower, upper, lower.len());
}

/// The same for zones of dimension `D`, whose rows are copied without loops.
#[inline(always)]
fn extra_lu_plus_padded_small<const D: usize, const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32]) {
    extra_lu_plus_in::<N>(&mut zone[..D * D], &lower[..D], &upper[..D], D);
}

#[inline(always)]
fn extra_lu_plus_in<const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32], dim: usize) {
    let mut padded = [[i32::INFINITY; N]; N];
    padded[0] = [i32::LE_ZERO; N];
    // Such clocks are above their lower bounds, and not above their upper ones: this costs least.
    let mut bounds = [[i32::NONE; N], [0; N]];
    for i in 0..N {
        padded[i][i] = i32::LE_ZERO;
    }
    for (row, from) in padded.iter_mut().zip(zone.chunks_exact(dim)) {
        row[..dim].copy_from_slice(from);
    }
    bounds[0][..dim].copy_from_slice(lower);
    bounds[1][..dim].copy_from_slice(upper);
    extra_lu_plus_small::<N>(padded.as_flattened_mut(), &bounds[0], &bounds[1]);
    for (row, to) in padded.iter().zip(zone.chunks_exact_mut(dim)) {
        to.copy_from_slice(&row[..dim]);
    }
}

// Bounds only grow. So an unchanged row needs no closure.

#[inline(always)]
fn extra_lu_small<const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32]) {
    let zone = rows::<N, i32>(zone);
    let (lower, upper) = (&lower[..N], &upper[..N]);
    // A bound below `< -U(x_j)` becomes that; without `U(x_j)` all bounds become infinite. In row
    // 0, no bound means at least 0. So the result is a maximum.
    let (mut weak, mut weak_0) = ([0; N], [0; N]);
    for j in 0..N {
        weak_0[j] = weakest(upper[j]);
        weak[j] = if upper[j] == i32::NONE { i32::INFINITY } else { weak_0[j] };
    }
    let mut open = ClockSet::default();
    for i in 0..N {
        let (max, weak) = if i == 0 { (i32::INFINITY, &weak_0) } else { (at_most(lower[i]), &weak) };
        let mut row = zone[i];
        for j in 0..N {
            row[j] = if row[j] > max { i32::INFINITY } else { row[j].max(weak[j]) };
        }
        if differ(&row, &zone[i]) {
            open.insert(i);
            zone[i] = row;
            zone[i][i] = i32::LE_ZERO;
        }
    }
    if !open.is_empty() {
        for k in 0..N {
            close_via(zone, open, k, zone[k]);
        }
    }
}

#[inline(always)]
pub(crate) fn extra_lu_any<B: Bound>(zone: &mut [B], lower: &[B], upper: &[B]) {
    let dim = lower.len();
    assert!(zone.len() == dim * dim && upper.len() == dim);
    for (i, row) in zone.chunks_exact_mut(dim).enumerate() {
        let max = if i == 0 { B::INFINITY } else { at_most(lower[i]) };
        for (entry, &u) in row.iter_mut().zip(upper) {
            if *entry > max {
                *entry = B::INFINITY;
            } else if *entry < more_than(u) {
                *entry = if i > 0 && u == B::NONE { B::INFINITY } else { weakest(u) };
            }
        }
        row[i] = B::LE_ZERO;
    }
    close(zone, dim);
}

// Extra⁺_LU can be closed without a pass over all triples of clocks. Let a clock be *high* if it is
// above its `U` throughout the zone: then clock 0 alone bounds it from below afterwards. Let it be
// *top* if it is above its `L`: then nothing bounds it from above.
// - The row of a top clock has no bounds, and none follow.
// - A bound on `x_i - x_j` with `x_j` high follows from those on `x_i` and on `x_j`, and from
//   nothing else.
// - A dropped bound `x_i - x_j > L(x_i)` may follow from others via a clock `k`. That clock is not
//   top; it is not high, since the path to it is via clock 0, which bounds `x_j` as tightly itself;
//   and it is not clock 0, for if `x_i` were within `L(x_i)`, so would be `x_i - x_j`. So only rows
//   with such bounds are *open*, and only via such clocks.

// Conditions on columns are masks, since the compiler makes branches of most others.

#[inline(always)]
fn extra_lu_plus_small<const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32]) {
    let zone = rows::<N, i32>(zone);
    let (lower, upper) = (&lower[..N], &upper[..N]);
    // The definition refers to the old row 0.
    let row_0 = zone[0];
    // Ones in columns of high clocks, and infinity there, elsewhere less than any bound.
    let (mut high, mut least) = ([0; N], [0; N]);
    for j in 0..N {
        high[j] = -i32::from(row_0[j] < more_than(upper[j]));
    }
    for j in 0..N {
        least[j] = choose(high[j], i32::INFINITY, i32::MIN);
        zone[0][j] = choose(high[j], weakest(upper[j]), row_0[j]);
    }
    let below = differ(&high, &[0; N]).then(|| SecondSummand::new(zone[0]));
    let (mut top, mut max) = ([0; N], [0; N]);
    for j in 0..N {
        top[j] = more_than(lower[j]);
        max[j] = at_most(lower[j]);
    }

    let (mut through, mut open) = (ClockSet::default(), ClockSet::default());
    for i in 1..N {
        if row_0[i] < top[i] {
            zone[i] = [i32::INFINITY; N];
            zone[i][i] = i32::LE_ZERO;
            continue;
        }
        if high[i] == 0 {
            through.insert(i);
        }
        let mut row = zone[i];
        for j in 0..N {
            row[j] = if row[j] > max[i].max(least[j]) { i32::INFINITY } else { row[j] };
        }
        if differ(&row, &zone[i]) {
            open.insert(i);
            zone[i] = row;
        } else if let Some(below) = &below {
            follow(&mut zone[i], i, &high, below);
        }
    }
    if !open.is_empty() {
        for k in through {
            let mut row = zone[k];
            for j in 0..N {
                row[j] = row[j].max(least[j]);
            }
            close_via(zone, open, k, row);
        }
        if let Some(below) = &below {
            for i in open {
                follow(&mut zone[i], i, &high, below);
            }
        }
    }
}

/// Computes the bounds of clock `i` to high clocks: its own bound plus that on `0 - x_j`, which is
/// given.
#[inline(always)]
fn follow<const N: usize>(row: &mut [i32; N], i: usize, high: &[i32; N], below: &SecondSummand<N, i32>) {
    let mut sum = [i32::INFINITY; N];
    if row[0] < i32::INFINITY {
        below.relax(&mut sum, row[0]);
    }
    for j in 0..N {
        row[j] = choose(high[j], sum[j], row[j]);
    }
    row[i] = i32::LE_ZERO;
}

/// Closes some rows via clock `k`, whose row is given.
#[inline(always)]
fn close_via<const N: usize>(zone: &mut [[i32; N]; N], open: ClockSet, k: usize, row_k: [i32; N]) {
    let second = SecondSummand::new(row_k);
    for i in open {
        let row = &mut zone[i];
        if row[k] < i32::INFINITY {
            second.relax(row, row[k]);
        }
    }
}

/// Returns the first number where the mask has ones, else the second one.
#[inline(always)]
fn choose(mask: i32, yes: i32, no: i32) -> i32 {
    yes & mask | no & !mask
}

/// Unlike `!=` on arrays, this does not call `memcmp`.
#[inline(always)]
fn differ<const N: usize>(a: &[i32; N], b: &[i32; N]) -> bool {
    let mut all = 0;
    for j in 0..N {
        all |= a[j] ^ b[j];
    }
    all != 0
}

#[inline(always)]
pub(crate) fn extra_lu_plus_any<B: Bound>(zone: &mut [B], lower: &[B], upper: &[B]) {
    let dim = lower.len();
    assert!(zone.len() == dim * dim && upper.len() == dim);
    let (row_0, rows) = zone.split_at_mut(dim);
    let is_top = |row_0: &[B], x: usize| row_0[x] < more_than(lower[x]);
    let is_high = |row_0: &[B], x: usize| row_0[x] < more_than(upper[x]);
    let mut open = vec![false; dim];
    for (i, row) in (1..).zip(rows.chunks_exact_mut(dim)) {
        let max = if is_top(row_0, i) { B::NONE } else { at_most(lower[i]) };
        for (j, entry) in row.iter_mut().enumerate() {
            open[i] |= *entry > max && *entry < B::INFINITY;
            if *entry > max || is_high(row_0, j) {
                *entry = B::INFINITY;
            }
        }
        open[i] &= !is_top(row_0, i);
        row[i] = B::LE_ZERO;
    }
    for k in 1..dim {
        if is_top(zone, k) || is_high(zone, k) {
            continue;
        }
        let (before, rest) = zone.split_at_mut(k * dim);
        let (row_k, after) = rest.split_at_mut(dim);
        let others = before.chunks_exact_mut(dim).chain(after.chunks_exact_mut(dim));
        for (row, _) in others.zip(open[..k].iter().chain(&open[k + 1..])).filter(|(_, open)| **open) {
            if row[k] < B::INFINITY {
                relax(row, row_k, row[k]);
            }
        }
    }
    let (row_0, rows) = zone.split_at_mut(dim);
    for j in (1..dim).filter(|&j| row_0[j] < more_than(upper[j])).collect::<Vec<_>>() {
        row_0[j] = weakest(upper[j]);
        for (_, row) in (1..).zip(rows.chunks_exact_mut(dim)).filter(|(i, _)| *i != j) {
            row[j] = add(row[0], row_0[j]);
        }
    }
}

/// Returns ones for [`Bound::NONE`], which is the only negative bound of a clock, and else zeros.
#[inline(always)]
fn none<B: Bound>(b: B) -> B {
    b >> (8 * size_of::<B>() as u32 - 1)
}

// Twice `NONE` is 0.

/// Returns the bound `<= b`, above which a constraint is dropped, or `NONE`.
#[inline(always)]
fn at_most<B: Bound>(b: B) -> B {
    (b.wrapping_add(b) + B::LE_ZERO) ^ none(b) & (B::NONE ^ B::LE_ZERO)
}

/// Returns the bound `< -b`. A smaller bound on `0 - x` means that `x` is above `b`.
#[inline(always)]
fn more_than<B: Bound>(b: B) -> B {
    -b.wrapping_add(b) | none(b) & B::MOST
}

/// Returns the weakened bound on `0 - x` if `x` is above `b`: `x > b`, or `x >= 0` without `b`.
#[inline(always)]
fn weakest<B: Bound>(b: B) -> B {
    -b.wrapping_add(b) | none(b) & B::LE_ZERO
}
