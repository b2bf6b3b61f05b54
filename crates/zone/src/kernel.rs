//! The inner loops, for rows of constant length.
//!
//! Rows are short and not padded, so a loop over a row of variable length consists mostly of its
//! prologue and epilogue. Up to dimension 17 every length has its own code, chosen by [`by_dim!`];
//! beyond, loops are long enough. `multiversion` on the callers compiles that code again for wider
//! vectors; see `benches/kernels.rs` for the gain.

use crate::{
    bound::Bound,
    close, compact, constrain, extrapolate, minimal, narrow,
    narrow::Profile,
    order::{self, Relation},
    subsumption, update,
};

/// The loops for each type of bounds. Those of 32 bits, which suffice for nearly all models, have
/// code for each length and for wide vectors; those of 64 bits have one loop for all. The trait is
/// sealed.
pub trait Kernels: Sized {
    #[doc(hidden)]
    fn close(zone: &mut [Self], dim: usize);
    #[doc(hidden)]
    fn spread(zone: &mut [Self], dim: usize, x: usize, y: usize, bound: Self);
    #[doc(hidden)]
    fn extra_lu(zone: &mut [Self], dim: usize, lower: &[Self], upper: &[Self]);
    #[doc(hidden)]
    fn extra_lu_plus(zone: &mut [Self], dim: usize, lower: &[Self], upper: &[Self]);
    #[doc(hidden)]
    fn is_subsumed(a: &[Self], b: &[Self], dim: usize, lower: &[Self], upper: &[Self]) -> bool;
    #[doc(hidden)]
    fn is_subsumed_narrow(a: &[i16], b: &[i16], dim: usize, lower: &[Self], upper: &[Self]) -> bool;
    #[doc(hidden)]
    fn reduce(zone: &[Self], dim: usize, out: &mut Vec<Self>);
    #[doc(hidden)]
    fn is_included(a: &[Self], b: &[Self]) -> bool;
    #[doc(hidden)]
    fn relation(a: &[Self], b: &[Self]) -> Relation;
    #[doc(hidden)]
    fn delay_within(zone: &mut [Self], dim: usize, ceilings: &[(usize, Self)]);
    #[doc(hidden)]
    fn equate(zone: &mut [Self], dim: usize, x: usize, y: usize);
    #[doc(hidden)]
    fn past(zone: &mut [Self], dim: usize);
    #[doc(hidden)]
    fn narrow(zone: &[Self], out: &mut [i16]) -> bool;
    #[doc(hidden)]
    fn widen(zone: &[i16], out: &mut [Self]);
    #[doc(hidden)]
    fn restore_compact(form: &[i16], zone: &mut [Self], dim: usize);
    #[doc(hidden)]
    fn profile(zone: &[Self], dim: usize) -> Profile;
    #[doc(hidden)]
    fn simulation_profile(zone: &[Self], lower: &[Self], upper: &[Self]) -> Profile;
    #[doc(hidden)]
    fn simulation_profile_narrow(zone: &[i16], lower: &[Self], upper: &[Self]) -> Profile;
}

impl Kernels for i32 {
    #[inline]
    fn close(zone: &mut [i32], dim: usize) {
        close::close_32(zone, dim);
    }
    #[inline]
    fn spread(zone: &mut [i32], dim: usize, x: usize, y: usize, bound: i32) {
        constrain::spread_32(zone, dim, x, y, bound);
    }
    #[inline]
    fn extra_lu(zone: &mut [i32], dim: usize, lower: &[i32], upper: &[i32]) {
        extrapolate::extra_lu_32(zone, dim, lower, upper);
    }
    #[inline]
    fn extra_lu_plus(zone: &mut [i32], dim: usize, lower: &[i32], upper: &[i32]) {
        extrapolate::extra_lu_plus_32(zone, dim, lower, upper);
    }
    #[inline]
    fn is_subsumed(a: &[i32], b: &[i32], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
        subsumption::is_subsumed_32(a, b, dim, lower, upper)
    }
    #[inline]
    fn is_subsumed_narrow(a: &[i16], b: &[i16], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
        subsumption::is_subsumed_narrow_32(a, b, dim, lower, upper)
    }
    #[inline]
    fn reduce(zone: &[i32], dim: usize, out: &mut Vec<i32>) {
        minimal::reduce_32(zone, dim, out);
    }
    #[inline]
    fn is_included(a: &[i32], b: &[i32]) -> bool {
        order::is_included_32(a, b)
    }
    #[inline]
    fn relation(a: &[i32], b: &[i32]) -> Relation {
        order::relation_32(a, b)
    }
    #[inline]
    fn delay_within(zone: &mut [i32], dim: usize, ceilings: &[(usize, i32)]) {
        update::delay_within_32(zone, dim, ceilings);
    }
    #[inline]
    fn equate(zone: &mut [i32], dim: usize, x: usize, y: usize) {
        update::equate_32(zone, dim, x, y);
    }
    #[inline]
    fn past(zone: &mut [i32], dim: usize) {
        update::past_32(zone, dim);
    }
    #[inline]
    fn narrow(zone: &[i32], out: &mut [i16]) -> bool {
        narrow::narrow_32(zone, out)
    }
    #[inline]
    fn widen(zone: &[i16], out: &mut [i32]) {
        narrow::widen_32(zone, out);
    }
    #[inline]
    fn restore_compact(form: &[i16], zone: &mut [i32], dim: usize) {
        compact::restore_compact_32(form, zone, dim);
    }
    #[inline]
    fn profile(zone: &[i32], dim: usize) -> Profile {
        narrow::profile_32(zone, dim)
    }
    #[inline]
    fn simulation_profile(zone: &[i32], lower: &[i32], upper: &[i32]) -> Profile {
        subsumption::simulation_profile_any(zone, lower, upper)
    }
    #[inline]
    fn simulation_profile_narrow(zone: &[i16], lower: &[i32], upper: &[i32]) -> Profile {
        subsumption::simulation_profile_narrow_32(zone, lower, upper)
    }
}

impl Kernels for i64 {
    #[inline]
    fn close(zone: &mut [i64], dim: usize) {
        close::close_any(zone, dim);
    }
    #[inline]
    fn spread(zone: &mut [i64], dim: usize, x: usize, y: usize, bound: i64) {
        constrain::spread_any(zone, dim, x, y, bound);
    }
    #[inline]
    fn extra_lu(zone: &mut [i64], _: usize, lower: &[i64], upper: &[i64]) {
        extrapolate::extra_lu_any(zone, lower, upper);
    }
    #[inline]
    fn extra_lu_plus(zone: &mut [i64], _: usize, lower: &[i64], upper: &[i64]) {
        extrapolate::extra_lu_plus_any(zone, lower, upper);
    }
    #[inline]
    fn is_subsumed(a: &[i64], b: &[i64], _: usize, lower: &[i64], upper: &[i64]) -> bool {
        subsumption::is_subsumed_any(a, b, lower, upper)
    }
    #[inline]
    fn is_subsumed_narrow(a: &[i16], b: &[i16], _: usize, lower: &[i64], upper: &[i64]) -> bool {
        subsumption::is_subsumed_narrow_any(a, b, lower, upper)
    }
    #[inline]
    fn reduce(zone: &[i64], dim: usize, out: &mut Vec<i64>) {
        minimal::reduce_any(zone, dim, out);
    }
    #[inline]
    fn is_included(a: &[i64], b: &[i64]) -> bool {
        order::is_included_any(a, b)
    }
    #[inline]
    fn relation(a: &[i64], b: &[i64]) -> Relation {
        order::relation_any(a, b)
    }
    #[inline]
    fn delay_within(zone: &mut [i64], dim: usize, ceilings: &[(usize, i64)]) {
        update::delay_within_any(zone, dim, ceilings);
    }
    #[inline]
    fn equate(zone: &mut [i64], dim: usize, x: usize, y: usize) {
        update::equate_any(zone, dim, x, y);
    }
    #[inline]
    fn past(zone: &mut [i64], dim: usize) {
        update::past_any(zone, dim);
    }
    #[inline]
    fn narrow(zone: &[i64], out: &mut [i16]) -> bool {
        narrow::narrow_any(zone, out)
    }
    #[inline]
    fn widen(zone: &[i16], out: &mut [i64]) {
        narrow::widen_any(zone, out);
    }
    #[inline]
    fn restore_compact(form: &[i16], zone: &mut [i64], dim: usize) {
        compact::restore_compact_any(form, zone, dim);
    }
    #[inline]
    fn profile(zone: &[i64], dim: usize) -> Profile {
        narrow::profile_any(zone, dim)
    }
    #[inline]
    fn simulation_profile(zone: &[i64], lower: &[i64], upper: &[i64]) -> Profile {
        subsumption::simulation_profile_any(zone, lower, upper)
    }
    #[inline]
    fn simulation_profile_narrow(zone: &[i16], lower: &[i64], upper: &[i64]) -> Profile {
        subsumption::simulation_profile_narrow_any(zone, lower, upper)
    }
}

/// Calls `small::<N>(arguments)` with `N` equal to `dim`, or `any(arguments)` if there is no such
/// `N`.
macro_rules! by_dim {
    ($dim:expr, $small:ident, $any:ident, $arguments:tt) => {
        $crate::kernel::by_dim!(@ $dim, $small, $any, $arguments, 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)
    };
    (@ $dim:expr, $small:ident, $any:ident, $arguments:tt, $($n:literal)*) => {
        match $dim {
            $($n => $small::<$n> $arguments,)*
            _ => $any $arguments,
        }
    };
}
pub(crate) use by_dim;

/// Returns the rows of a zone of dimension `N`.
#[inline(always)]
pub(crate) fn rows<const N: usize, B: Bound>(zone: &mut [B]) -> &mut [[B; N]; N] {
    let (rows, _) = zone.as_chunks_mut::<N>();
    rows.try_into().expect("the caller has checked the length")
}

/// A row as the second summand of many sums.
pub(crate) struct SecondSummand<const N: usize, B> {
    bounds: [B; N],
    /// A lower bound on each sum: `INFINITY` where the bound is infinite, since adding to it would
    /// make it finite.
    least: [B; N],
}

impl<const N: usize, B: Bound> SecondSummand<N, B> {
    #[inline(always)]
    pub(crate) fn new(bounds: [B; N]) -> Self {
        let mut least = bounds;
        for b in &mut least {
            *b = if *b >= B::INFINITY { B::INFINITY } else { B::FLOOR };
        }
        SecondSummand { bounds, least }
    }

    /// `row[j] = min(row[j], first + second[j])` for all `j`. Precondition: `first` is finite.
    #[inline(always)]
    pub(crate) fn relax(&self, row: &mut [B; N], first: B) {
        let (even, keep) = split(first);
        for j in 0..N {
            row[j] = row[j].min(even.wrapping_add(self.bounds[j] & keep).max(self.least[j]));
        }
    }

    /// Returns the least of `first[j] + second[j]`.
    #[inline(always)]
    pub(crate) fn least_sum(&self, first: &[B; N]) -> B {
        let mut all = B::INFINITY;
        for j in 0..N {
            let (even, keep) = split(first[j]);
            let sum = even.wrapping_add(self.bounds[j] & keep).max(self.least[j]);
            all = all.min(if first[j] >= B::INFINITY { B::INFINITY } else { sum });
        }
        all
    }

    /// Adds one to `counts[j]` for all `j` with `first + second[j] <= row[j]`. Precondition:
    /// `first` is finite.
    #[inline(always)]
    pub(crate) fn count_implied(&self, row: &[B; N], first: B, counts: &mut [i32; N]) {
        let (even, keep) = split(first);
        for j in 0..N {
            let sum = even.wrapping_add(self.bounds[j] & keep).max(self.least[j]);
            counts[j] += i32::from(sum <= row[j]);
        }
    }
}

/// `row[j] = min(row[j], first + second[j])` for all `j`. Precondition: `first` is finite.
#[inline(always)]
pub(crate) fn relax<B: Bound>(row: &mut [B], second: &[B], first: B) {
    let (even, keep) = split(first);
    for (entry, &b) in row.iter_mut().zip(second) {
        let sum = even.wrapping_add(b & keep).max(B::FLOOR);
        *entry = (*entry).min(if b >= B::INFINITY { B::INFINITY } else { sum });
    }
}

/// Returns the part of [`crate::add`] that depends on the first summand alone: an odd (`<=`) one
/// keeps the strictness of the second, an even (`<`) one makes the sum strict.
#[inline(always)]
fn split<B: Bound>(first: B) -> (B, B) {
    (first & !B::LE_ZERO, first | !B::LE_ZERO)
}

/// A set of at most 32 clocks of a zone.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClockSet(u32);

impl ClockSet {
    #[inline(always)]
    pub(crate) fn insert(&mut self, x: usize) {
        self.0 |= 1 << x;
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Iterator for ClockSet {
    type Item = usize;

    /// Removes the first clock.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let first = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (first < 32).then_some(first)
    }
}
