//! Extrapolation: growing a zone by what the guards of a model can't tell apart, so that there are finitely many.
//!
//! The operators of Behrmann, Bouyer, Larsen and Pelánek, "Lower and upper bounds in zone-based abstractions of timed
//! automata" (STTT 2006). `L(x)` and `U(x)` are the largest constants to which clock `x` will still be compared from
//! below and from above, `M(x)` the larger of both; [`NONE`] says that there is no such comparison. All of them are sound
//! for reachability in models without constraints on differences of clocks. Preconditions, always: the zone is closed and
//! not empty, the bounds of clock 0 are 0 and no bound is negative but for `NONE`. The zone is closed again afterwards, and
//! the functions return whether it has grown.

use crate::bound::{Bound, INFINITY, LE_ZERO, add};
use crate::constrain::relax;
use multiversion::multiversion;

/// In place of a bound `L(x)`, `U(x)` or `M(x)`: the clock is not compared.
pub const NONE: i32 = i32::MIN;

/// Extra_M: [`extra_lu`] with one bound for both directions.
pub fn extra_m(zone: &mut [Bound], dim: usize, most: &[i32]) -> bool {
    extra_lu(zone, dim, most, most)
}

/// Extra⁺_M: [`extra_lu_plus`] with one bound for both directions.
pub fn extra_m_plus(zone: &mut [Bound], dim: usize, most: &[i32]) -> bool {
    extra_lu_plus(zone, dim, most, most)
}

/// Extra_LU: drops upper bounds above `L`, and weakens lower bounds above `U` to `> U`.
pub fn extra_lu(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    assert!(zone.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    let before = total(zone);
    let mut open = Rows::default();
    for (i, row) in zone.chunks_exact_mut(dim).enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            let weaker = if i > 0 && *entry > at_most(lower[i]) {
                INFINITY
            } else if *entry < more_than(upper[j]) {
                if i == 0 || upper[j] != NONE { weakest(upper[j]) } else { INFINITY }
            } else {
                continue;
            };
            if i != j && *entry < weaker {
                *entry = weaker;
                open.insert(i);
            }
        }
    }
    for k in 0..dim {
        close_rows_by_way_of(zone, dim, k, open);
    }
    total(zone) != before
}

/// Extra⁺_LU: as [`extra_lu`], and drops all upper bounds of clocks that are above their `L` throughout the zone and
/// all lower bounds on differences to clocks that are above their `U`.
pub fn extra_lu_plus(zone: &mut [Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    assert!(zone.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    let before = total(zone);
    let (row_0, rows) = zone.split_at_mut(dim);
    // The definition looks at the old row 0 throughout, so it changes last.
    let above_lower = |row_0: &[Bound], x: usize| row_0[x] < more_than(lower[x]);
    let above_upper = |row_0: &[Bound], x: usize| row_0[x] < more_than(upper[x]);
    let mut open = Rows::default();
    for (i, row) in (1..).zip(rows.chunks_exact_mut(dim)) {
        if above_lower(row_0, i) {
            row.fill(INFINITY);
            row[i] = LE_ZERO;
            continue;
        }
        for (j, entry) in row.iter_mut().enumerate() {
            if above_upper(row_0, j) && j != i {
                *entry = INFINITY;
            } else if *entry > at_most(lower[i]) && *entry < INFINITY {
                *entry = INFINITY;
                open.insert(i);
            }
        }
    }
    // A dropped upper bound may still follow from others. Only a clock `k` that kept its bounds in both directions can
    // stand between: one above its `L` has no upper bound left, and one above its `U` is bounded from below by clock 0
    // alone, whose own bounds on everything else are as tight. Clock 0 never does: where `x_i - x_j` was above `L(x_i)`,
    // so was `x_i`.
    if open != Rows::default() {
        for k in 1..dim {
            if !above_lower(zone, k) && !above_upper(zone, k) {
                close_rows_by_way_of(zone, dim, k, open);
            }
        }
    }
    // The clocks above their `U` now: row 0 is weakened, and the other rows follow by way of clock 0.
    let (row_0, rows) = zone.split_at_mut(dim);
    for j in 1..dim {
        if above_upper(row_0, j) {
            row_0[j] = weakest(upper[j]);
            for (i, row) in (1..).zip(rows.chunks_exact_mut(dim)) {
                if i != j {
                    row[j] = add(row[0], row_0[j]);
                }
            }
        }
    }
    total(zone) != before
}

/// The bound `<= b`, above which a constraint is dropped.
fn at_most(b: i32) -> Bound {
    if b == NONE { i32::MIN } else { 2 * b + 1 }
}

/// The bound `< -b`. What is below it on `0 - x` says that `x` is above `b`.
fn more_than(b: i32) -> Bound {
    if b == NONE { i32::MAX } else { -2 * b }
}

/// What becomes of a bound on `0 - x` that says that `x` is above `b`: `x > b`, or nothing more than that no clock is
/// negative.
fn weakest(b: i32) -> Bound {
    if b == NONE { LE_ZERO } else { -2 * b }
}

/// Bounds only grow here, so a zone has changed if and only if this has.
fn total(zone: &[Bound]) -> i64 {
    zone.iter().map(|&b| i64::from(b)).sum()
}

/// Rows with bounds that were weakened and may have to be tightened again. Rows from 63 on are told apart no more.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Rows(u64);

impl Rows {
    fn insert(&mut self, row: usize) {
        self.0 |= 1 << row.min(63);
    }

    fn contains(self, row: usize) -> bool {
        self.0 >> row.min(63) & 1 == 1
    }
}

/// Closes the open rows through clock `k`: the others only hold bounds that did not change, and those were closed.
#[multiversion(targets("x86_64+avx2"))]
fn close_rows_by_way_of(zone: &mut [Bound], dim: usize, k: usize, open: Rows) {
    let (before, rest) = zone.split_at_mut(k * dim);
    let (row_k, after) = rest.split_at_mut(dim);
    for (first, rows) in [(0, before), (k + 1, after)] {
        for (i, row) in (first..).zip(rows.chunks_exact_mut(dim)) {
            if open.contains(i) && row[k] < INFINITY {
                relax(row, row_k, row[k]);
            }
        }
    }
}
