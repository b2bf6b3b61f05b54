//! Zones with bounds of 16 bits, for storage: half the memory, and twice the bounds in a vector.

use crate::bound::Bound;
use multiversion::multiversion;

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
    for (to, &bound) in out.iter_mut().zip(zone) {
        let kept = bound.min(B::from(NARROW_INFINITY));
        unfit |= (kept < B::from(i16::MIN)) | ((kept == B::from(NARROW_INFINITY)) & (bound != B::INFINITY));
        *to = kept.into() as i16;
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
    for (to, &bound) in out.iter_mut().zip(zone) {
        *to = widen_one(bound);
    }
}

/// Converts one bound of 16 bits.
#[inline(always)]
pub fn widen_one<B: Bound>(bound: i16) -> B {
    if bound == NARROW_INFINITY { B::INFINITY } else { B::from(bound) }
}

/// Eight sums of bounds. They are monotone in inclusion, so they exclude most pairs of zones that
/// do not include each other.
pub type Profile = [i16; 8];

/// Greater bounds are clamped to this, so that a few of them do not saturate a sum.
const MOST: i16 = 1 << 11;

/// Returns the profile of a zone.
pub fn profile<B: Bound>(zone: &[B]) -> Profile {
    B::profile(zone)
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub(crate) fn profile_32(zone: &[i32]) -> Profile {
    profile_any(zone)
}

/// Returns the profile of a zone with bounds of 16 bits.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn profile_narrow(zone: &[i16]) -> Profile {
    let mut sums = [0i16; 8];
    let (blocks, rest) = zone.as_chunks::<8>();
    for block in blocks {
        for (sum, bound) in sums.iter_mut().zip(block) {
            *sum = sum.saturating_add((*bound).clamp(-MOST, MOST));
        }
    }
    for (sum, bound) in sums.iter_mut().zip(rest) {
        *sum = sum.saturating_add((*bound).clamp(-MOST, MOST));
    }
    sums
}

#[inline(always)]
pub(crate) fn profile_any<B: Bound>(zone: &[B]) -> Profile {
    let mut sums = [0i16; 8];
    let (blocks, rest) = zone.as_chunks::<8>();
    for block in blocks {
        for (sum, bound) in sums.iter_mut().zip(block) {
            *sum = sum.saturating_add(clamped(*bound));
        }
    }
    for (sum, bound) in sums.iter_mut().zip(rest) {
        *sum = sum.saturating_add(clamped(*bound));
    }
    sums
}

#[inline(always)]
fn clamped<B: Bound>(bound: B) -> i16 {
    bound.clamp(B::from(-MOST), B::from(MOST)).into() as i16
}

/// Returns whether a zone with the first profile may be included in one with the second, and vice
/// versa.
#[inline]
pub fn compare_profiles(a: &Profile, b: &Profile) -> (bool, bool) {
    let (mut less, mut greater) = (true, true);
    for (a, b) in a.iter().zip(b) {
        less &= a <= b;
        greater &= a >= b;
    }
    (less, greater)
}

/// Returns a hash of a zone.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn hash_narrow(zone: &[i16]) -> u64 {
    const FACTOR: u32 = 0x9E37_79B1;
    // Sixteen parallel sums, which fit into a vector.
    let mut sums = [0u32; 16];
    let (blocks, rest) = zone.as_chunks::<16>();
    for block in blocks {
        for (sum, &bound) in sums.iter_mut().zip(block) {
            *sum = (*sum ^ u32::from(bound as u16)).wrapping_mul(FACTOR);
            *sum ^= *sum >> 15;
        }
    }
    for (sum, &bound) in sums.iter_mut().zip(rest) {
        *sum = (*sum ^ u32::from(bound as u16)).wrapping_mul(FACTOR);
    }
    let (pairs, _) = sums.as_chunks::<2>();
    let mix = |h: u64, [a, b]: &[u32; 2]| {
        (h.rotate_left(23) ^ (u64::from(*a) << 32 | u64::from(*b))).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let h = pairs.iter().fold(0, mix);
    h ^ h >> 32
}

#[cfg(test)]
mod tests {
    use super::{compare_profiles, hash_narrow, narrow, profile, profile_narrow, widen};
    use crate::Bound;

    #[test]
    fn what_fits_comes_back() {
        let zone = [1, i32::INFINITY, -32768, 32766, 0, -1, 7, i32::INFINITY, 1];
        let (mut small, mut back) = ([0; 9], [0; 9]);
        assert!(narrow(&zone, &mut small));
        assert_eq!(profile(&zone), profile_narrow(&small));
        widen(&small, &mut back);
        assert_eq!(zone, back);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for bound in [32767, 32768, -32769, i32::INFINITY - 1, i32::MIN] {
            assert!(!narrow(&[1, bound, 1, 1], &mut [0; 4]), "{bound}");
        }
    }

    #[test]
    fn a_larger_zone_has_no_smaller_profile() {
        let mut zone: Vec<i32> = (0..81).map(|i| (i * 7919) % 4001 - 2000).collect();
        let small = profile(&zone);
        for i in 0..zone.len() {
            for larger in [zone[i] + 1, zone[i] + 5000, i32::INFINITY] {
                let old = std::mem::replace(&mut zone[i], larger);
                let large = profile(&zone);
                assert_eq!(compare_profiles(&small, &large), (true, small == large));
                zone[i] = old;
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
