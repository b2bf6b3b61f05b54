//! Inclusion up to simulation: `Z ⊆ aLU(Z')`.
//!
//! Let `L(x)` and `U(x)` be the greatest constants with which clock `x` may still be compared from
//! below (`x > c`, `x >= c`) and from above. A valuation `v` is simulated by `v'` if for every
//! clock `x`: `v'(x) = v(x)`, or `L(x) < v'(x) < v(x)`, or `U(x) < v(x) < v'(x)`. `aLU(Z')` is the
//! set of the valuations simulated by one in `Z'`; it is the coarsest sound abstraction that
//! depends on `L` and `U` only (Herbreteau, Srivathsan, Walukiewicz, "Better abstractions for timed
//! automata", LICS 2012). It is not convex and never computed: the test is one pass over the two
//! zones.
//!
//! It is sound for reachability in models without diagonal constraints, but not for deadlocks or
//! liveness.

use crate::bound::Bound;
use crate::kernel::by_dim;
use crate::narrow::{NARROW_INFINITY, Profile, fold, widen_one};
use multiversion::multiversion;

/// Returns whether every valuation of `a` is simulated by one of `b`, given the bounds `lower` (L)
/// and `upper` (U), with [`Bound::NONE`] for a clock that is not compared.
///
/// Preconditions: `a` and `b` closed and not empty; `lower[0] == 0 && upper[0] == 0`; other bounds
/// not negative.
pub fn is_subsumed<B: Bound>(a: &[B], b: &[B], dim: usize, lower: &[B], upper: &[B]) -> bool {
    B::is_subsumed(a, b, dim, lower, upper)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn is_subsumed_32(a: &[i32], b: &[i32], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    // Loops over rows of constant length need no bounds checks.
    assert!(a.len() == dim * dim && b.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    by_dim!(dim, is_subsumed_small, is_subsumed_any, (a, b, lower, upper))
}

// Not included iff for some x, y: a[0,x] >= (<=, -U(x)) and b[y,x] < a[y,x] and b[y,x] + (<, -L(y))
// < a[0,x]. The last comparison is one of b[y,x] with a number: the sum is b[y,x] made even, less 2
// L(y), and an even number is below an odd one exactly if it is below the next even one. So the
// last two say that b[y,x] < min(a[y,x], limit(x) + 2 L(y)).

/// Returns the part of the limit that depends on `x`, such that nothing is below the limit if the
/// first condition fails.
#[inline(always)]
fn limit<B: Bound>(a_0x: B, upper: B) -> B {
    // Twice `NONE` is 0, which is harmless.
    let visible = (upper != B::NONE) & (a_0x > -upper.wrapping_add(upper));
    if visible { a_0x + (a_0x & B::LE_ZERO) } else { B::NONE }
}

#[inline(always)]
fn is_subsumed_small<const N: usize>(a: &[i32], b: &[i32], lower: &[i32], upper: &[i32]) -> bool {
    let ((a, _), (b, _)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    let mut limits = [0; N];
    for x in 0..N {
        limits[x] = limit(a[0][x], upper[x]);
    }
    for y in 0..N {
        let twice = lower[y].wrapping_mul(2);
        let mut fails = false;
        for x in 0..N {
            fails |= b[y][x] < a[y][x].min(limits[x].wrapping_add(twice));
        }
        if fails && lower[y] != i32::NONE {
            return false;
        }
    }
    true
}

#[inline(always)]
pub(crate) fn is_subsumed_any<B: Bound>(a: &[B], b: &[B], lower: &[B], upper: &[B]) -> bool {
    let dim = lower.len();
    assert!(a.len() == dim * dim && b.len() == dim * dim && upper.len() == dim);
    let a_0 = &a[..dim];
    a.chunks_exact(dim).zip(b.chunks_exact(dim)).zip(lower).all(|((row_a, row_b), &l)| {
        let columns = row_a.iter().zip(row_b).zip(a_0).zip(upper);
        l == B::NONE
            || !columns.fold(false, |fails, (((&a_yx, &b_yx), &a_0x), &u)| {
                fails | (b_yx < a_yx.min(limit(a_0x, u).wrapping_add(l + l)))
            })
    })
}

/// [`is_subsumed`] for bounds of 16 bits; the greatest one is infinity. The preconditions are the
/// same.
pub fn is_subsumed_narrow<B: Bound>(a: &[i16], b: &[i16], dim: usize, lower: &[B], upper: &[B]) -> bool {
    B::is_subsumed_narrow(a, b, dim, lower, upper)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn is_subsumed_narrow_32(a: &[i16], b: &[i16], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    assert!(a.len() == dim * dim && b.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    by_dim!(dim, is_subsumed_narrow_small, is_subsumed_narrow_any, (a, b, lower, upper))
}

// Saturation is correct: a sum that is too large is not below infinity, and nothing is below one
// that is too small.

/// Returns [`limit`] in 16 bits, and whether there is one.
#[inline(always)]
fn narrow_limit<B: Bound>(a_0x: i16, upper: B) -> (i16, bool) {
    let visible = (upper != B::NONE) & (B::from(a_0x) > -upper.wrapping_add(upper));
    (a_0x.saturating_add(a_0x & 1), visible)
}

#[inline(always)]
fn twice<B: Bound>(lower: B) -> i16 {
    let lower = lower.min(B::from(NARROW_INFINITY)).into() as i16;
    lower.saturating_add(lower)
}

#[inline(always)]
fn is_subsumed_narrow_small<const N: usize>(a: &[i16], b: &[i16], lower: &[i32], upper: &[i32]) -> bool {
    let ((a, _), (b, _)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    let (mut limits, mut least) = ([0; N], [0; N]);
    for x in 0..N {
        let (limit, visible) = narrow_limit(a[0][x], upper[x]);
        limits[x] = limit;
        // Nothing is below the least number.
        least[x] = if visible { i16::MAX } else { i16::MIN };
    }
    for y in 0..N {
        if lower[y] == i32::NONE {
            continue;
        }
        let twice = twice(lower[y]);
        let mut fails = false;
        for x in 0..N {
            fails |= b[y][x] < a[y][x].min(limits[x].saturating_add(twice)).min(least[x]);
        }
        if fails {
            return false;
        }
    }
    true
}

#[inline(always)]
pub(crate) fn is_subsumed_narrow_any<B: Bound>(a: &[i16], b: &[i16], lower: &[B], upper: &[B]) -> bool {
    let dim = lower.len();
    assert!(a.len() == dim * dim && b.len() == dim * dim && upper.len() == dim);
    let limits: Vec<(i16, i16)> = a[..dim]
        .iter()
        .zip(upper)
        .map(|(&a_0x, &u)| {
            let (limit, visible) = narrow_limit(a_0x, u);
            (limit, if visible { i16::MAX } else { i16::MIN })
        })
        .collect();
    a.chunks_exact(dim).zip(b.chunks_exact(dim)).zip(lower).all(|((row_a, row_b), &l)| {
        let columns = row_a.iter().zip(row_b).zip(&limits);
        l == B::NONE
            || !columns.fold(false, |fails, ((&a_yx, &b_yx), &(limit, least))| {
                fails | (b_yx < a_yx.min(limit.saturating_add(twice(l))).min(least))
            })
    })
}

/// Returns a profile that is monotone in subsumption for these clock bounds.
///
/// Let `f(Z)[y,x] = min(Z[y,x], limit(x) + 2 L(y))` where `Z[0,x] >= (<=, -U(x))`, else less than
/// anything. Then `a` is subsumed by `b` if and only if no number of `f(a)` is greater than that of
/// `f(b)`: the limits of `b` are not less, since `b[0,x] < a[0,x]` would contradict subsumption. So
/// sums of these numbers only grow from `a` to `b`.
pub fn simulation_profile<B: Bound>(zone: &[B], lower: &[B], upper: &[B]) -> Profile {
    B::simulation_profile(zone, lower, upper)
}

/// [`simulation_profile`] for bounds of 16 bits. The same zone has the same profile.
pub fn simulation_profile_narrow<B: Bound>(zone: &[i16], lower: &[B], upper: &[B]) -> Profile {
    B::simulation_profile_narrow(zone, lower, upper)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn simulation_profile_narrow_32(zone: &[i16], lower: &[i32], upper: &[i32]) -> Profile {
    let dim = lower.len();
    assert!(zone.len() == dim * dim && upper.len() == dim);
    by_dim!(dim, simulation_profile_small, simulation_profile_narrow_any, (zone, lower, upper))
}

#[inline(always)]
fn simulation_profile_small<const N: usize>(zone: &[i16], lower: &[i32], upper: &[i32]) -> Profile {
    let (rows, _) = zone.as_chunks::<N>();
    let (lower, upper) = (&lower[..N], &upper[..N]);
    let max: i32 = greatest(N);
    let mut limits = [0; N];
    for x in 0..N {
        limits[x] = limit(widen_one(rows[0][x]), upper[x]);
    }
    let mut columns = [[0i32; N]; 2];
    for y in 0..N {
        if lower[y] == i32::NONE {
            continue;
        }
        for x in 0..N {
            // No sum overflows: a limit is at most infinity, and `L` is a constant. A bound of 16
            // bits that is infinite is above the maximum, as it should be.
            let bound = i32::from(rows[y][x]).min(limits[x] + 2 * lower[y]);
            columns[y % 2][x] += bound.clamp(-max, max);
        }
    }
    folded(&columns)
}

#[inline(always)]
pub(crate) fn simulation_profile_narrow_any<B: Bound>(zone: &[i16], lower: &[B], upper: &[B]) -> Profile {
    simulation_sums(zone, lower, upper, widen_one)
}

#[inline(always)]
pub(crate) fn simulation_profile_any<B: Bound>(zone: &[B], lower: &[B], upper: &[B]) -> Profile {
    simulation_sums(zone, lower, upper, |bound| bound)
}

#[inline(always)]
fn simulation_sums<B: Bound, T: Copy>(zone: &[T], lower: &[B], upper: &[B], widen: impl Fn(T) -> B) -> Profile {
    let dim = lower.len();
    let max: B = greatest(dim);
    let mut columns = [[0i32; 8]; 2];
    for first in (0..dim).step_by(8) {
        let width = (dim - first).min(8);
        let mut limits = [B::NONE; 8];
        for x in 0..width {
            limits[x] = limit(widen(zone[first + x]), upper[first + x]);
        }
        for (y, (row, &l)) in zone.chunks_exact(dim).zip(lower).enumerate().filter(|(_, (_, l))| **l != B::NONE) {
            let sums = &mut columns[y % 2];
            let value = |x: usize, bound: T| widen(bound).min(limits[x] + (l + l)).clamp(-max, max).into() as i32;
            if let Some(block) = row[first..].first_chunk::<8>() {
                for x in 0..8 {
                    sums[x] += value(x, block[x]);
                }
            } else {
                for x in 0..width {
                    sums[x] += value(x, row[first + x]);
                }
            }
        }
    }
    folded(&columns)
}

/// Returns the greatest number that is added, so that a few of them do not saturate a sum.
#[inline(always)]
fn greatest<B: Bound>(dim: usize) -> B {
    B::from((i32::from(i16::MAX) / (dim * dim.div_ceil(8)) as i32).max(64))
}

/// Returns the profile with these sums of the columns of even and of odd rows.
#[inline(always)]
fn folded<const N: usize>(columns: &[[i32; N]; 2]) -> Profile {
    let mut narrow = [[0; N]; 2];
    for parity in 0..2 {
        for x in 0..N {
            narrow[parity][x] = columns[parity][x].clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
        }
    }
    fold(&narrow[0], &narrow[1])
}

#[cfg(test)]
mod tests {
    use super::{is_subsumed, is_subsumed_narrow, simulation_profile, simulation_profile_narrow};
    use crate::{Bound, close, compare_profiles, extra_lu_plus, narrow, universe};

    /// Random closed zones with small and with large constants.
    #[test]
    fn both_sizes_agree() {
        let mut state = 7u64;
        let mut random = move |n: i32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i32 % n
        };
        let (mut yes, mut compared, mut refused) = (0, 0, 0);
        for round in 0..20_000 {
            let dim = 2 + (round % 20);
            let max = [3, 12, 900, 16_000][random(4) as usize];
            let mut zone = || {
                let mut zone = vec![0; dim * dim];
                universe(&mut zone, dim);
                for _ in 0..random(6) {
                    let (x, y) = (random(dim as i32) as usize, random(dim as i32) as usize);
                    if x != y {
                        zone[x * dim + y] = zone[x * dim + y].min(2 * (random(2 * max) - max / 2) + random(2));
                    }
                }
                (close(&mut zone, dim)).then_some(zone)
            };
            let (Some(a), Some(mut b)) = (zone(), zone()) else { continue };
            let mut bounds = || {
                let mut bounds: Vec<i32> =
                    (0..dim).map(|_| if random(4) == 0 { i32::NONE } else { random(max) }).collect();
                bounds[0] = 0;
                bounds
            };
            let (lower, upper) = (bounds(), bounds());
            if round % 2 == 0 {
                extra_lu_plus(&mut b, dim, &lower, &upper);
            }
            let (mut small_a, mut small_b) = (vec![0; dim * dim], vec![0; dim * dim]);
            if !narrow(&a, &mut small_a) || !narrow(&b, &mut small_b) {
                continue;
            }
            for (wide, small) in [((&a, &b), (&small_a, &small_b)), ((&b, &a), (&small_b, &small_a))] {
                let expected = is_subsumed(wide.0, wide.1, dim, &lower, &upper);
                assert_eq!(
                    is_subsumed_narrow(small.0, small.1, dim, &lower, &upper),
                    expected,
                    "{wide:?} {lower:?} {upper:?}"
                );
                let profile = |zone: &[i32]| simulation_profile(zone, &lower, &upper);
                let narrow_profile = |zone: &[i16]| simulation_profile_narrow(zone, &lower, &upper);
                let long = |bounds: &[i32]| bounds.iter().map(|b| i64::from(*b)).collect::<Vec<i64>>();
                let narrow_long = |zone: &[i16]| simulation_profile_narrow(zone, &long(&lower), &long(&upper));
                assert_eq!(profile(wide.0), narrow_profile(small.0), "{wide:?} {lower:?} {upper:?}");
                if !lower.iter().chain(&upper).any(|bound| *bound == i32::NONE) {
                    assert_eq!(profile(wide.0), narrow_long(small.0), "{wide:?} {lower:?} {upper:?}");
                }
                let (less, _) = compare_profiles(&profile(wide.0), &profile(wide.1));
                assert!(less || !expected, "{wide:?} {lower:?} {upper:?}");
                refused += i32::from(!less);
                yes += i32::from(expected);
                compared += 1;
            }
        }
        assert!(yes > 1000 && compared - yes > 1000, "{yes} of {compared}");
        assert!(refused > (compared - yes) / 2, "{refused} of {compared} less {yes}");
    }
}
