//! The minimal form of a zone: a non-redundant set of constraints that defines it.
//!
//! Larsen, Larsson, Pettersson and Yi, "Efficient verification of real-time systems: compact data
//! structure and state-space reduction" (RTSS 1997). A constraint that follows from two others is
//! redundant, but two constraints may each be redundant because of the other: that happens among
//! clocks that differ by a constant. These clocks form classes, each connected by one cycle of
//! constraints, and only the first clock of each class has constraints to those of other classes,
//! among which all redundant ones can be removed at once.
//!
//! The form is a row of pairs: the position of the constraint in the zone, and its bound. Positions
//! are increasing. It does not contain the constraints that clocks are not negative, which hold in
//! every zone. The form of a set of valuations is unique.

use crate::bound::{Bound, add};
use crate::close::close;
use crate::kernel::{ClockSet, SecondSummand, by_dim};
use crate::make::universe;
use multiversion::multiversion;

/// Appends the minimal form of a zone to `out`. Precondition: closed and not empty.
pub fn reduce<B: Bound>(zone: &[B], dim: usize, out: &mut Vec<B>) {
    assert_eq!(zone.len(), dim * dim);
    B::reduce(zone, dim, out);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn reduce_32(zone: &[i32], dim: usize, out: &mut Vec<i32>) {
    by_dim!(dim, reduce_small, reduce_any, (zone, dim, out));
}

#[inline(always)]
fn reduce_small<const N: usize>(zone: &[i32], _: usize, out: &mut Vec<i32>) {
    let (rows, _) = zone.as_chunks::<N>();
    let mut firsts = ClockSet::default();
    for i in 0..N {
        if first_in_class(zone, N, i) == i {
            firsts.insert(i);
        }
    }
    for i in 0..N {
        // The number of clocks that imply a constraint. Its second clock always does, so one means
        // that no other does.
        let mut counts = [i32::MAX - N as i32; N];
        if first_in_class(zone, N, i) == i {
            for j in firsts {
                counts[j] = 0;
            }
            for k in firsts.filter(|&k| k != i && rows[i][k] < i32::INFINITY) {
                SecondSummand::new(rows[k]).count_implied(&rows[i], rows[i][k], &mut counts);
            }
        }
        write_row(zone, N, i, out, |j| counts[j] == 1);
    }
}

#[inline(always)]
pub(crate) fn reduce_any<B: Bound>(zone: &[B], dim: usize, out: &mut Vec<B>) {
    for i in 0..dim {
        let first = first_in_class(zone, dim, i) == i;
        write_row(zone, dim, i, out, |j| first && is_needed(zone, dim, i, j));
    }
}

/// Writes the constraints of row `i` that belong to the minimal form. For finite ones, `needed`
/// returns whether they are between first clocks of classes and follow from no others.
#[inline(always)]
fn write_row<B: Bound>(zone: &[B], dim: usize, i: usize, out: &mut Vec<B>, needed: impl Fn(usize) -> bool) {
    let next = next_in_class(zone, dim, i);
    for (j, &bound) in zone[i * dim..][..dim].iter().enumerate() {
        if i == j || bound >= B::INFINITY || (i == 0 && bound == B::LE_ZERO) {
            continue;
        }
        if j == next || (needed(j) && !(i == 0 && is_known_below(zone, dim, j))) {
            out.extend([B::from((i * dim + j) as i32), bound]);
        }
    }
}

/// Appends the minimal form of a zone including the constraints that clocks are not negative: the
/// closure of the constraints is the zone. Precondition: closed and not empty.
pub fn reduce_explicitly<B: Bound>(zone: &[B], dim: usize, out: &mut Vec<B>) {
    assert_eq!(zone.len(), dim * dim);
    for i in 0..dim {
        let (first, next) = (first_in_class(zone, dim, i) == i, next_in_class(zone, dim, i));
        for j in (0..dim).filter(|&j| j != i) {
            if j == next || (first && is_needed(zone, dim, i, j)) {
                out.extend([B::from((i * dim + j) as i32), zone[i * dim + j]]);
            }
        }
    }
}

/// Writes the zone with the minimal form `reduced`.
pub fn restore<B: Bound>(reduced: &[B], zone: &mut [B], dim: usize) {
    universe(zone, dim);
    let (pairs, _) = reduced.as_chunks::<2>();
    for &[at, bound] in pairs {
        zone[position(at)] = bound;
    }
    close(zone, dim);
}

/// Returns whether `zone` is included in the zone with the minimal form `reduced`. Precondition:
/// `zone` is closed and not empty.
pub fn is_included_in_reduced<B: Bound>(zone: &[B], reduced: &[B]) -> bool {
    let (pairs, _) = reduced.as_chunks::<2>();
    pairs.iter().all(|&[at, bound]| zone[position(at)] <= bound)
}

/// Returns the position of a constraint in a form.
#[inline]
pub(crate) fn position<B: Bound>(at: B) -> usize {
    at.into() as usize
}

/// Returns whether the difference of two clocks is constant in the zone.
#[inline]
pub(crate) fn is_fixed<B: Bound>(zone: &[B], dim: usize, i: usize, j: usize) -> bool {
    add(zone[i * dim + j], zone[j * dim + i]) == B::LE_ZERO
}

/// Returns the first clock from which clock `i` differs by a constant.
pub(crate) fn first_in_class<B: Bound>(zone: &[B], dim: usize, i: usize) -> usize {
    (0..i).find(|&j| is_fixed(zone, dim, i, j)).unwrap_or(i)
}

/// Returns the clock after `i` in the cycle of its class.
fn next_in_class<B: Bound>(zone: &[B], dim: usize, i: usize) -> usize {
    (i + 1..dim).find(|&j| is_fixed(zone, dim, i, j)).unwrap_or_else(|| first_in_class(zone, dim, i))
}

/// Returns whether the constraint between two first clocks of classes is finite and follows from no
/// two others between such clocks.
pub(crate) fn is_needed<B: Bound>(zone: &[B], dim: usize, i: usize, j: usize) -> bool {
    let bound = zone[i * dim + j];
    // Clocks that are not first need no special case: the first clock of the class gives the same
    // sum.
    bound < B::INFINITY
        && first_in_class(zone, dim, j) == j
        && (0..dim).all(|k| {
            add(zone[i * dim + k], zone[k * dim + j]) > bound || is_fixed(zone, dim, k, i) || is_fixed(zone, dim, k, j)
        })
}

/// Returns whether the lower bound of clock `j`, the first of its class, follows from another clock
/// of the class not being negative.
fn is_known_below<B: Bound>(zone: &[B], dim: usize, j: usize) -> bool {
    (j + 1..dim).any(|k| zone[k] == B::LE_ZERO && is_fixed(zone, dim, k, j))
}
