//! Minimal constraints in 16 bits, for zones of many clocks that are stored.
//!
//! A zone of `n` clocks has `(n + 1)²` bounds, but mostly fewer constraints than clocks define it.
//! They are those of [`crate::reduce`], with one difference that makes them faster to find and to
//! close: clocks that differ by a constant are tied to the first of them, and all other constraints
//! are between first clocks.
//!
//! A form begins with the sum of all bounds. A zone that satisfies the constraints is included in
//! the stored one, bound by bound, so it is the same one if the sums are equal too. So no zone has
//! to be restored, and no constraints have to be found, to look a zone up.

use crate::bound::{Bound, add};
use crate::kernel::relax;
use crate::make::universe;
use crate::narrow::{NARROW_INFINITY, widen_one};
use multiversion::multiversion;

/// The greatest dimension of zones with such a form: indices of clocks have 8 bits, and sums 32.
pub const MAX_COMPACT_DIM: usize = 1 << 8;

/// The integers before the constraints: the sum, and the number of tied clocks.
const HEAD: usize = 3;

/// The bound `<= 0`.
const LE_ZERO: i16 = 1;

/// Makes forms. It has buffers.
#[derive(Default)]
pub struct Compactor {
    firsts: Vec<usize>,
    /// The other first clocks to which the current one has a bound.
    bounded: Vec<usize>,
    /// How often each bound of the current clock follows from two others.
    counts: Vec<u16>,
    form: Vec<i16>,
}

impl Compactor {
    /// Returns the form of a zone with bounds of 16 bits; the greatest one is infinity.
    ///
    /// Precondition: closed and not empty. Its dimension is at most [`MAX_COMPACT_DIM`].
    pub fn form(&mut self, zone: &[i16], dim: usize) -> Box<[i16]> {
        assert!(dim <= MAX_COMPACT_DIM && zone.len() == dim * dim);
        let Compactor { firsts, bounded, counts, form } = self;
        let [low, high] = sum(zone);
        firsts.clear();
        form.clear();
        form.extend([low, high, 0]);
        let mut push = |x: usize, y: usize| form.extend([(x << 8 | y) as i16, zone[x * dim + y]]);
        for x in 0..dim {
            let is_before = |first: &&usize| is_constant(zone[x * dim + **first], zone[**first * dim + x]);
            match firsts.iter().find(is_before) {
                Some(&first) => push(x, first),
                None => firsts.push(x),
            }
        }
        for &x in &*firsts {
            let row = &zone[x * dim..][..dim];
            bounded.clear();
            for &y in &*firsts {
                if y != x && row[y] != NARROW_INFINITY {
                    bounded.push(y);
                }
            }
            counts.clear();
            counts.resize(dim, 0);
            for &k in &*bounded {
                count_implied(row, row[k], &zone[k * dim..][..dim], counts);
            }
            for &y in &*bounded {
                // No clock is negative in any zone. Each constraint follows from itself.
                let is_known = x == 0 && row[y] == LE_ZERO;
                if !is_known && counts[y] == 1 {
                    push(x, y);
                }
            }
        }
        form[2] = (dim - firsts.len()) as i16;
        form.as_slice().into()
    }
}

/// Returns the sum of bounds as two integers.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
fn sum(zone: &[i16]) -> [i16; 2] {
    let sum = zone.iter().fold(0_i32, |sum, &bound| sum.wrapping_add(bound.into()));
    [sum as i16, (sum >> 16) as i16]
}

/// Returns whether bounds on a difference and on the opposite one leave one value.
#[inline(always)]
fn is_constant(bound: i16, opposite_bound: i16) -> bool {
    let is_opposite = i32::from(opposite_bound) == opposite(i32::from(bound)) && bound & LE_ZERO == LE_ZERO;
    is_opposite && bound != NARROW_INFINITY && opposite_bound != NARROW_INFINITY
}

/// Counts the bounds of a row that follow from one of them, which is finite, and those of its
/// clock.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
fn count_implied(row: &[i16], first: i16, second: &[i16], counts: &mut [u16]) {
    let first = i32::from(first);
    let (row, second, counts) = (&row[..row.len()], &second[..row.len()], &mut counts[..row.len()]);
    for y in 0..row.len() {
        // No sum of finite bounds is beyond the range, so this is that of `add`.
        let other = i32::from(second[y]);
        let sum = first + other - ((first | other) & i32::LE_ZERO);
        counts[y] += u16::from((second[y] != NARROW_INFINITY) & (sum <= i32::from(row[y])));
    }
}

/// A constraint: two clocks, and the bound on their difference.
type StoredBound = [i16; 2];

/// Returns the constraints of a form: those of tied clocks, and the others.
#[inline(always)]
fn constraints(form: &[i16]) -> (&[StoredBound], &[StoredBound]) {
    let (all, _) = form[HEAD..].as_chunks::<2>();
    all.split_at(form[2] as usize)
}

#[inline(always)]
fn clocks([both, _]: StoredBound) -> (usize, usize) {
    (usize::from(both as u16 >> 8), usize::from(both as u16 & 0xff))
}

/// Returns whether a form is that of a zone with bounds of 16 bits.
///
/// Precondition: the zone is closed and not empty, and the form is that of a zone of the same
/// dimension.
pub fn is_compact_form(form: &[i16], zone: &[i16], dim: usize) -> bool {
    let (ties, others) = constraints(form);
    let holds = |&constraint: &StoredBound| {
        let (x, y) = clocks(constraint);
        zone[x * dim + y] <= constraint[1]
    };
    let is_tied = |&tie: &StoredBound| {
        let (x, first) = clocks(tie);
        zone[x * dim + first] == tie[1] && i32::from(zone[first * dim + x]) == opposite(i32::from(tie[1]))
    };
    others.iter().all(holds) && ties.iter().all(is_tied) && form[..2] == sum(zone)
}

/// Returns the bound on the opposite of a difference that is constant.
#[inline(always)]
fn opposite<B: Bound>(bound: B) -> B {
    B::LE_ZERO + B::LE_ZERO - bound
}

/// Writes the zone with a form. The dimension must be that of the zone that had the form.
pub fn restore_compact<B: Bound>(form: &[i16], zone: &mut [B], dim: usize) {
    assert!(dim <= MAX_COMPACT_DIM && zone.len() == dim * dim);
    B::restore_compact(form, zone, dim);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn restore_compact_32(form: &[i16], zone: &mut [i32], dim: usize) {
    restore_compact_any(form, zone, dim);
}

#[inline(always)]
pub(crate) fn restore_compact_any<B: Bound>(form: &[i16], zone: &mut [B], dim: usize) {
    universe(zone, dim);
    let (ties, others) = constraints(form);
    // Shortest paths lead through rows with constraints only, which come in order.
    let (mut rows, mut count) = ([0_u8; MAX_COMPACT_DIM], 1);
    for &constraint in others {
        let (x, y) = clocks(constraint);
        zone[x * dim + y] = widen_one(constraint[1]);
        if usize::from(rows[count - 1]) != x {
            rows[count] = x as u8;
            count += 1;
        }
    }
    let rows = || rows[..count].iter().map(|&x| usize::from(x));
    for k in rows() {
        for x in rows().filter(|&x| x != k) {
            let bound = zone[x * dim + k];
            if bound < B::INFINITY {
                relax_row(zone, dim, x, k, bound);
            }
        }
    }
    // All bounds of a tied clock follow from those of the first one.
    for &tie in ties {
        let ((x, first), back) = (clocks(tie), opposite(widen_one::<B>(tie[1])));
        zone[first * dim + x] = back;
        for y in rows().filter(|&y| y != first) {
            zone[y * dim + x] = add(zone[y * dim + first], back);
        }
    }
    for &tie in ties {
        let (x, first) = clocks(tie);
        relax_row(zone, dim, x, first, widen_one(tie[1]));
    }
}

/// Takes the way from `x` to `k` with a bound, where it is shorter.
#[inline(always)]
fn relax_row<B: Bound>(zone: &mut [B], dim: usize, x: usize, k: usize, bound: B) {
    let (low, high) = zone.split_at_mut(x.max(k) * dim);
    let (low, high) = (&mut low[x.min(k) * dim..][..dim], &mut high[..dim]);
    if x < k { relax(low, high, bound) } else { relax(high, low, bound) }
}
