//! The loops that the other modules spend their time in, for rows of a length known when they are compiled.
//!
//! Rows are short and not padded, so a loop over a row of unknown length is mostly its start and its end. Up to
//! dimension 17 every length has its own code, chosen by [`by_dim!`]; beyond, loops are long enough not to care. `multiversion`
//! on the callers makes that code once more for wider vectors; see `benches/kernels.rs` for what it gains.

use crate::bound::{Bound, FLOOR, INFINITY};

/// Calls `small::<N>(arguments)` for the `N` that `dim` is, or `any(arguments)` if it is none of them.
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

/// The rows of a zone of dimension `N`.
#[inline(always)]
pub(crate) fn rows<const N: usize>(zone: &mut [Bound]) -> &mut [[Bound; N]; N] {
    let (rows, _) = zone.as_chunks_mut::<N>();
    rows.try_into().expect("the caller has checked the length")
}

/// One row as the second summand of many sums.
pub(crate) struct Second<const N: usize> {
    bounds: [Bound; N],
    /// What a sum is at least: `INFINITY` where the bound is infinite, since adding to it would make it finite.
    least: [Bound; N],
}

impl<const N: usize> Second<N> {
    #[inline(always)]
    pub(crate) fn new(bounds: [Bound; N]) -> Self {
        let mut least = bounds;
        for b in &mut least {
            *b = if *b >= INFINITY { INFINITY } else { FLOOR };
        }
        Second { bounds, least }
    }

    /// `row[j] = min(row[j], first + second[j])` for all `j`. Precondition: `first` is finite.
    #[inline(always)]
    pub(crate) fn relax(&self, row: &mut [Bound; N], first: Bound) {
        let (even, keep) = split(first);
        for j in 0..N {
            row[j] = row[j].min(even.wrapping_add(self.bounds[j] & keep).max(self.least[j]));
        }
    }

    /// Adds one to `counts[j]` for all `j` with `first + second[j] <= row[j]`. Precondition: `first` is finite.
    #[inline(always)]
    pub(crate) fn count_implied(&self, row: &[Bound; N], first: Bound, counts: &mut [i32; N]) {
        let (even, keep) = split(first);
        for j in 0..N {
            let sum = even.wrapping_add(self.bounds[j] & keep).max(self.least[j]);
            counts[j] += i32::from(sum <= row[j]);
        }
    }
}

/// `row[j] = min(row[j], first + second[j])` for all `j`. Precondition: `first` is finite.
#[inline(always)]
pub(crate) fn relax(row: &mut [Bound], second: &[Bound], first: Bound) {
    let (even, keep) = split(first);
    for (entry, &b) in row.iter_mut().zip(second) {
        let sum = even.wrapping_add(b & keep).max(FLOOR);
        *entry = (*entry).min(if b >= INFINITY { INFINITY } else { sum });
    }
}

/// What of [`crate::add`] depends on the first summand alone: an odd (`<=`) one keeps the strictness of the second, an
/// even (`<`) one makes the sum strict.
#[inline(always)]
fn split(first: Bound) -> (Bound, Bound) {
    (first & !1, first | !1)
}

/// Some of the clocks of a zone.
pub(crate) struct List<const N: usize> {
    clocks: [u8; N],
    len: usize,
}

impl<const N: usize> Default for List<N> {
    #[inline(always)]
    fn default() -> Self {
        List { clocks: [0; N], len: 0 }
    }
}

impl<const N: usize> List<N> {
    #[inline(always)]
    pub(crate) fn push(&mut self, x: usize) {
        self.clocks[self.len] = x as u8;
        self.len += 1;
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.clocks[..self.len].iter().map(|&x| usize::from(x))
    }
}
