//! Zones with bounds of 16 bits, for storage: half the memory, and twice the bounds in a vector.

use crate::bound::Bound;
use crate::kernel::by_dim;
use multiversion::multiversion;

/// The number of bounds that are hashed at once.
const BLOCK: usize = 16;

/// Infinity in 16 bits.
pub(crate) const NARROW_INFINITY: i16 = i16::MAX;

/// Writes a zone with bounds of 16 bits. Returns `false` if they don't fit; then `out` is
/// undefined.
///
/// Precondition: both have the same length. No bound is greater than infinity.
pub fn narrow<B: Bound>(zone: &[B], out: &mut [i16]) -> bool {
    assert_eq!(zone.len(), out.len());
    B::narrow(zone, out)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn narrow_32(zone: &[i32], out: &mut [i16]) -> bool {
    narrow_any(zone, out)
}

#[inline(always)]
pub(crate) fn narrow_any<B: Bound>(zone: &[B], out: &mut [i16]) -> bool {
    // Without an early exit, so that the loop is vectorised.
    let mut unfit = false;
    let out = &mut out[..zone.len()];
    for i in 0..zone.len() {
        let kept = zone[i].min(B::from(NARROW_INFINITY));
        unfit |= (kept < B::from(i16::MIN)) | ((kept == B::from(NARROW_INFINITY)) & (zone[i] != B::INFINITY));
        out[i] = kept.into() as i16;
    }
    !unfit
}

/// Inverts [`narrow`]. Precondition: both have the same length.
pub fn widen<B: Bound>(zone: &[i16], out: &mut [B]) {
    assert_eq!(zone.len(), out.len());
    B::widen(zone, out);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn widen_32(zone: &[i16], out: &mut [i32]) {
    widen_any(zone, out);
}

#[inline(always)]
pub(crate) fn widen_any<B: Bound>(zone: &[i16], out: &mut [B]) {
    let out = &mut out[..zone.len()];
    for i in 0..zone.len() {
        out[i] = widen_one(zone[i]);
    }
}

/// Converts one bound of 16 bits.
#[inline(always)]
pub fn widen_one<B: Bound>(bound: i16) -> B {
    if bound == NARROW_INFINITY { B::INFINITY } else { B::from(bound) }
}

/// Eight sums of bounds. They are monotone in inclusion, so they exclude most pairs of zones that
/// do not include each other.
///
/// Most bounds of zones that differ are those of one clock, which an update has set: some of its
/// row grow while those of its column shrink. So `x - y` and `y - x` never share a sum, up to
/// differences of eight between the numbers of clocks: see `lane`.
pub type Profile = [i16; 8];

/// Greater bounds are clamped to this, so that a few of them do not saturate a sum.
const MOST: i16 = 1 << 11;

/// Returns the sum to which the bound at `x`, `y` belongs. By columns alone, zones of few clocks
/// would have few sums.
#[cfg(test)]
fn lane(x: usize, y: usize) -> usize {
    (y + 4 * (x % 2)) % 8
}

/// Returns the profile of a zone.
pub fn profile<B: Bound>(zone: &[B], dim: usize) -> Profile {
    assert_eq!(zone.len(), dim * dim);
    B::profile(zone, dim)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn profile_32(zone: &[i32], dim: usize) -> Profile {
    profile_any(zone, dim)
}

/// Returns the profile of a zone with bounds of 16 bits.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn profile_narrow(zone: &[i16], dim: usize) -> Profile {
    assert_eq!(zone.len(), dim * dim);
    by_dim!(dim, profile_narrow_small, profile_narrow_any, (zone, dim))
}

#[inline(always)]
fn profile_narrow_small<const N: usize>(zone: &[i16], _: usize) -> Profile {
    let (rows, _) = zone.as_chunks::<N>();
    if N <= 8 {
        // Each column has a sum of its own, which does not saturate.
        let mut columns = [[0i16; 8]; 2];
        for i in 0..N {
            let mut row = [0i16; 8];
            row[..N].copy_from_slice(&rows[i]);
            for j in 0..8 {
                columns[i % 2][j] = columns[i % 2][j].saturating_add(row[j].clamp(-MOST, MOST));
            }
        }
        let mut sums = columns[0];
        for j in 0..8 {
            sums[j] = sums[j].saturating_add(columns[1][(j + 4) % 8]);
        }
        return sums;
    }
    let mut columns = [[0i16; N]; 2];
    for i in 0..N {
        for j in 0..N {
            columns[i % 2][j] = columns[i % 2][j].saturating_add(rows[i][j].clamp(-MOST, MOST));
        }
    }
    fold(&columns[0], &columns[1])
}

#[inline(always)]
fn profile_narrow_any(zone: &[i16], dim: usize) -> Profile {
    by_row(zone, dim, |bound| bound.clamp(-MOST, MOST))
}

#[inline(always)]
pub(crate) fn profile_any<B: Bound>(zone: &[B], dim: usize) -> Profile {
    by_row(zone, dim, |bound| bound.clamp(B::from(-MOST), B::from(MOST)).into() as i16)
}

/// Adds the bounds of each row to their sums. These saturate at the end only: zones of both widths
/// are compared, so their sums must not depend on the order of bounds.
#[inline(always)]
fn by_row<T: Copy>(zone: &[T], dim: usize, clamped: impl Fn(T) -> i16) -> Profile {
    let mut sums = [[0i32; 8]; 2];
    for (i, row) in zone.chunks_exact(dim).enumerate() {
        let sums = &mut sums[i % 2];
        let (blocks, rest) = row.as_chunks::<8>();
        for block in blocks {
            for j in 0..8 {
                sums[j] = sums[j].saturating_add(i32::from(clamped(block[j])));
            }
        }
        for (sum, bound) in sums.iter_mut().zip(rest) {
            *sum = sum.saturating_add(i32::from(clamped(*bound)));
        }
    }
    lanes(&sums[0], &sums[1])
}

/// Adds the sums of columns of even and of odd rows to those of their lanes.
#[inline(always)]
pub(crate) fn fold<const N: usize>(even: &[i16; N], odd: &[i16; N]) -> Profile {
    lanes(&even.map(i32::from), &odd.map(i32::from))
}

#[inline(always)]
fn lanes<const N: usize>(even: &[i32; N], odd: &[i32; N]) -> Profile {
    let mut sums = [0i32; 8];
    for j in 0..N {
        sums[j % 8] = sums[j % 8].saturating_add(even[j]);
        sums[(j + 4) % 8] = sums[(j + 4) % 8].saturating_add(odd[j]);
    }
    sums.map(|sum| sum.clamp(i16::MIN.into(), i16::MAX.into()) as i16)
}

/// Returns whether a zone with the first profile may be included in one with the second, and vice
/// versa.
#[inline]
pub fn compare_profiles(a: &Profile, b: &Profile) -> (bool, bool) {
    let (mut less, mut greater) = (true, true);
    for i in 0..8 {
        less &= a[i] <= b[i];
        greater &= a[i] >= b[i];
    }
    (less, greater)
}

/// Returns a hash of a zone.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn hash_narrow(zone: &[i16]) -> u64 {
    // Eight parallel sums of two bounds each, which fit into a vector.
    let mut sums = [0; BLOCK / 2];
    let (blocks, rest) = zone.as_chunks::<BLOCK>();
    for block in blocks {
        hash_block(&mut sums, block);
    }
    if !rest.is_empty() {
        match zone.last_chunk::<BLOCK>() {
            // Bounds of the block before are added twice.
            Some(last) => hash_block(&mut sums, last),
            None => {
                let mut padded = [0; BLOCK];
                padded[..rest.len()].copy_from_slice(rest);
                hash_block(&mut sums, &padded);
            }
        }
    }
    let (pairs, _) = sums.as_chunks::<2>();
    let mix = |h: u64, [a, b]: &[u32; 2]| {
        (h.rotate_left(23) ^ (u64::from(*a) << 32 | u64::from(*b))).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let h = pairs.iter().fold(0, mix);
    h ^ h >> 32
}

#[inline(always)]
fn hash_block(sums: &mut [u32; BLOCK / 2], block: &[i16; BLOCK]) {
    for i in 0..BLOCK / 2 {
        let both = u32::from(block[2 * i] as u16) | u32::from(block[2 * i + 1] as u16) << 16;
        sums[i] = (sums[i] ^ both).wrapping_mul(0x9E37_79B1);
        sums[i] ^= sums[i] >> 15;
    }
}

#[cfg(test)]
mod tests {
    use super::{compare_profiles, hash_narrow, lane, narrow, profile, profile_narrow, widen};
    use crate::Bound;

    #[test]
    fn what_fits_comes_back() {
        let zone = [1, i32::INFINITY, -32768, 32766, 0, -1, 7, i32::INFINITY, 1];
        let (mut small, mut back) = ([0; 9], [0; 9]);
        assert!(narrow(&zone, &mut small));
        assert_eq!(profile(&zone, 3), profile_narrow(&small, 3));
        widen(&small, &mut back);
        assert_eq!(zone, back);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for bound in [32767, 32768, -32769, i32::INFINITY - 1, i32::MIN] {
            assert!(!narrow(&[1, bound, 1, 1], &mut [0; 4]), "{bound}");
        }
    }

    /// Returns a zone of some dimension. It need not be closed.
    fn bounds(dim: usize) -> Vec<i32> {
        (0..(dim * dim) as i32).map(|i| (i * 7919) % 4001 - 2000).collect()
    }

    #[test]
    fn profiles_do_not_depend_on_the_width() {
        for dim in 2..=33 {
            // Each row has bounds of one sign, so that sums would saturate on their way.
            let bound = |i: usize| (i * 7919 % 16_000) as i32 * if i / dim % 4 < 2 { 1 } else { -1 };
            let zone: Vec<i32> = (0..dim * dim).map(bound).collect();
            let mut small = vec![0; zone.len()];
            assert!(narrow(&zone, &mut small));
            assert_eq!(profile(&zone, dim), profile_narrow(&small, dim), "{dim}");
        }
    }

    #[test]
    fn a_larger_zone_has_no_smaller_profile() {
        for dim in [1, 2, 5, 8, 9, 17, 18, 25] {
            let mut zone = bounds(dim);
            let small = profile(&zone, dim);
            for i in 0..zone.len() {
                for larger in [zone[i] + 1, zone[i] + 5000, i32::INFINITY] {
                    let old = std::mem::replace(&mut zone[i], larger);
                    let large = profile(&zone, dim);
                    assert_eq!(compare_profiles(&small, &large), (true, small == large));
                    zone[i] = old;
                }
            }
        }
    }

    /// One bound that grows does not hide that the opposite one shrinks, in any dimension.
    #[test]
    fn opposite_bounds_are_in_different_sums() {
        for dim in 2..=33 {
            let zone = vec![1; dim * dim];
            let (before, narrow_before) = (profile(&zone, dim), profile_narrow(&vec![1; dim * dim], dim));
            assert_eq!(before, narrow_before);
            for (x, y) in (0..dim).flat_map(|x| (0..dim).map(move |y| (x, y))).filter(|(x, y)| x != y) {
                let mut other = zone.clone();
                other[x * dim + y] += 2;
                let grown = profile(&other, dim);
                let changed: Vec<usize> = (0..8).filter(|&k| grown[k] != before[k]).collect();
                assert_eq!(changed, [lane(x, y)], "{dim}: {x}, {y}");
                other[y * dim + x] -= 2;
                let narrow: Vec<i16> = other.iter().map(|bound| *bound as i16).collect();
                let (wide, narrow) = (profile(&other, dim), profile_narrow(&narrow, dim));
                assert_eq!(wide, narrow);
                if x.abs_diff(y) % 8 != 0 {
                    assert_eq!(compare_profiles(&before, &wide), (false, false), "{dim}: {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn zones_that_differ_in_one_bound_have_different_numbers() {
        let zone: Vec<i16> = (0..81).collect();
        let mut seen = std::collections::HashSet::from([hash_narrow(&zone)]);
        for i in 0..zone.len() {
            for change in [1, 2, 5, 1000] {
                let mut other = zone.clone();
                other[i] += change;
                assert!(seen.insert(hash_narrow(&other)), "{i} {change}");
            }
        }
    }
}
