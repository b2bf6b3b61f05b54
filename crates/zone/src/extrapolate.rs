//! Extrapolation: adds valuations to a zone that guards of a model do not distinguish, so that
//! there are finitely many zones.
//!
//! The operators of Behrmann, Bouyer, Larsen and Pelánek, "Lower and upper bounds in zone-based
//! abstractions of timed automata" (STTT 2006). `L(x)` and `U(x)` are the greatest constants with
//! which clock `x` may still be compared from below and from above, and `M(x)` is the greater of
//! both; [`Bound::NONE`] means that there is no such comparison. All operators are sound for
//! reachability in models without diagonal constraints. Preconditions: the zone is closed and not
//! empty, the bounds of clock 0 are 0, and no bound is negative except for `NONE`. Postcondition:
//! the zone is closed. The functions return whether it has grown.

use crate::bound::{Bound, add};
use crate::close::close;
use crate::kernel::{ClockList, SecondSummand, by_dim, relax, rows};
use multiversion::multiversion;

/// Extra_M: [`extra_lu`] with one bound for both directions.
pub fn extra_m<B: Bound>(zone: &mut [B], dim: usize, max: &[B]) -> bool {
    extra_lu(zone, dim, max, max)
}

/// Extra⁺_M: [`extra_lu_plus`] with one bound for both directions.
pub fn extra_m_plus<B: Bound>(zone: &mut [B], dim: usize, max: &[B]) -> bool {
    extra_lu_plus(zone, dim, max, max)
}

/// Extra_LU: drops upper bounds above `L`, and weakens lower bounds above `U` to `> U`.
pub fn extra_lu<B: Bound>(zone: &mut [B], dim: usize, lower: &[B], upper: &[B]) -> bool {
    B::extra_lu(zone, dim, lower, upper)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn extra_lu_32(zone: &mut [i32], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    // Loops over rows of constant length need no bounds checks.
    assert!(zone.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    by_dim!(dim, extra_lu_small, extra_lu_any, (zone, lower, upper))
}

/// Extra⁺_LU: as [`extra_lu`], and drops all upper bounds of clocks that are above their `L`
/// throughout the zone and all lower bounds on differences to clocks that are above their `U`.
pub fn extra_lu_plus<B: Bound>(zone: &mut [B], dim: usize, lower: &[B], upper: &[B]) -> bool {
    B::extra_lu_plus(zone, dim, lower, upper)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn extra_lu_plus_32(zone: &mut [i32], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    assert!(zone.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    by_dim!(dim, extra_lu_plus_small, extra_lu_plus_any, (zone, lower, upper))
}

// Bounds only grow. So an unchanged row needs no closure, and a row has changed if and only if its
// sum has.

#[inline(always)]
fn extra_lu_small<const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32]) -> bool {
    let zone = rows::<N, i32>(zone);
    let (lower, upper) = (&lower[..N], &upper[..N]);
    // A bound below `< -U(x_j)` becomes that; without `U(x_j)` all bounds become infinite. In row
    // 0, no bound means at least 0. So the result is a maximum.
    let (mut weak, mut weak_0) = ([0; N], [0; N]);
    for j in 0..N {
        weak_0[j] = weakest(upper[j]);
        weak[j] = if upper[j] == i32::NONE { i32::INFINITY } else { weak_0[j] };
    }
    let mut open = OpenRows::<N>::default();
    for i in 0..N {
        let (max, weak) = if i == 0 { (i32::INFINITY, &weak_0) } else { (at_most(lower[i]), &weak) };
        let mut row = zone[i];
        for j in 0..N {
            row[j] = if row[j] > max { i32::INFINITY } else { row[j].max(weak[j]) };
        }
        if differ(&row, &zone[i]) {
            open.push(i, &zone[i]);
            zone[i] = row;
            zone[i][i] = i32::LE_ZERO;
        }
    }
    if !open.rows.is_empty() {
        for k in 0..N {
            open.close(zone, k, zone[k]);
        }
    }
    open.has_grown(zone)
}

#[inline(always)]
pub(crate) fn extra_lu_any<B: Bound>(zone: &mut [B], lower: &[B], upper: &[B]) -> bool {
    let (dim, before) = (lower.len(), total(zone));
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
    total(zone) != before
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

#[inline(always)]
fn extra_lu_plus_small<const N: usize>(zone: &mut [i32], lower: &[i32], upper: &[i32]) -> bool {
    let zone = rows::<N, i32>(zone);
    let (lower, upper) = (&lower[..N], &upper[..N]);
    // The definition refers to the old row 0.
    let (row_0, mut new_0) = (zone[0], zone[0]);
    // Infinity in columns of high clocks, elsewhere less than any bound.
    let mut high = [i32::MIN; N];
    for j in 0..N {
        let is_high = row_0[j] < more_than(upper[j]);
        high[j] = if is_high { i32::INFINITY } else { i32::MIN };
        new_0[j] = if is_high { weakest(upper[j]) } else { row_0[j] };
    }
    let mut grown = differ(&new_0, &row_0);
    zone[0] = new_0;

    let mut through = ClockList::<N>::default();
    let mut open = OpenRows::<N>::default();
    for i in 1..N {
        if row_0[i] < more_than(lower[i]) {
            grown |= zone[i].iter().fold(0, |finite, &b| finite + i32::from(b < i32::INFINITY)) > 1;
            zone[i] = [i32::INFINITY; N];
            zone[i][i] = i32::LE_ZERO;
            continue;
        }
        if high[i] != i32::INFINITY {
            through.push(i);
        }
        let max = at_most(lower[i]);
        let mut row = zone[i];
        for j in 0..N {
            row[j] = if row[j] > max.max(high[j]) { i32::INFINITY } else { row[j] };
        }
        if differ(&row, &zone[i]) {
            open.push(i, &zone[i]);
            zone[i] = row;
        } else {
            grown |= follow(&mut zone[i], i, &high, &new_0);
        }
    }
    if !open.rows.is_empty() {
        for k in through.iter() {
            let mut row = zone[k];
            for j in 0..N {
                row[j] = row[j].max(high[j]);
            }
            open.close(zone, k, row);
        }
        grown |= open.has_grown(zone);
        for i in open.rows.iter() {
            grown |= follow(&mut zone[i], i, &high, &new_0);
        }
    }
    grown
}

/// Computes the bounds of clock `i` to high clocks: its own bound plus that on `0 - x_j`. Returns
/// whether one has changed.
#[inline(always)]
fn follow<const N: usize>(row: &mut [i32; N], i: usize, high: &[i32; N], row_0: &[i32; N]) -> bool {
    let mut new = *row;
    if row[0] >= i32::INFINITY {
        for j in 0..N {
            new[j] = if i == j { i32::LE_ZERO } else { row[j].max(high[j]) };
        }
    } else {
        let mut sum = [i32::INFINITY; N];
        SecondSummand::new(*row_0).relax(&mut sum, row[0]);
        for j in 0..N {
            new[j] = if (high[j] == i32::INFINITY) & (i != j) { sum[j] } else { row[j] };
        }
    }
    let changed = differ(&new, row);
    *row = new;
    changed
}

/// The rows to close again, with the old sums of their bounds.
struct OpenRows<const N: usize> {
    rows: ClockList<N>,
    before: i64,
}

impl<const N: usize> Default for OpenRows<N> {
    #[inline(always)]
    fn default() -> Self {
        OpenRows { rows: ClockList::default(), before: 0 }
    }
}

impl<const N: usize> OpenRows<N> {
    #[inline(always)]
    fn push(&mut self, i: usize, old: &[i32; N]) {
        self.rows.push(i);
        self.before += total(old);
    }

    /// Closes the rows via clock `k`, whose row is given.
    #[inline(always)]
    fn close(&self, zone: &mut [[i32; N]; N], k: usize, row_k: [i32; N]) {
        let second = SecondSummand::new(row_k);
        for i in self.rows.iter() {
            let row = &mut zone[i];
            if row[k] < i32::INFINITY {
                second.relax(row, row[k]);
            }
        }
    }

    #[inline(always)]
    fn has_grown(&self, zone: &[[i32; N]; N]) -> bool {
        self.before != self.rows.iter().map(|i| total(&zone[i])).sum()
    }
}

/// Unlike `!=` on arrays, this does not call `memcmp`.
#[inline(always)]
fn differ<const N: usize>(a: &[i32; N], b: &[i32; N]) -> bool {
    a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) != 0
}

#[inline(always)]
pub(crate) fn extra_lu_plus_any<B: Bound>(zone: &mut [B], lower: &[B], upper: &[B]) -> bool {
    let (dim, before) = (lower.len(), total(zone));
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
    total(zone) != before
}

/// Returns the bound `<= b`, above which a constraint is dropped.
#[inline(always)]
fn at_most<B: Bound>(b: B) -> B {
    if b == B::NONE { B::NONE } else { b + b + B::LE_ZERO }
}

/// Returns the bound `< -b`. A smaller bound on `0 - x` means that `x` is above `b`.
#[inline(always)]
fn more_than<B: Bound>(b: B) -> B {
    if b == B::NONE { B::MOST } else { -(b + b) }
}

/// Returns the weakened bound on `0 - x` if `x` is above `b`: `x > b`, or `x >= 0` without `b`.
#[inline(always)]
fn weakest<B: Bound>(b: B) -> B {
    if b == B::NONE { B::LE_ZERO } else { -(b + b) }
}

#[inline(always)]
fn total<B: Bound>(row: &[B]) -> B::Sum {
    row.iter().fold(B::Sum::default(), |sum, &b| sum + B::Sum::from(b))
}
