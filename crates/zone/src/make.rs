//! Zones to start from, and what can be asked of one zone.

use crate::bound::{Bound, INFINITY, LE_ZERO, MAX_CONSTANT, is_strict, le, value};

/// Makes the zone in which every clock is 0.
pub fn zero(zone: &mut [Bound], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone.fill(LE_ZERO);
}

/// Makes the zone of all valuations: every clock at least 0.
pub fn universe(zone: &mut [Bound], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone.fill(INFINITY);
    zone[..dim].fill(LE_ZERO);
    zone.iter_mut().step_by(dim + 1).for_each(|b| *b = LE_ZERO);
}

/// Whether a valuation lies in the zone. Clock `i` has the value `point[i] / denominator`; `point[0]` must be 0 and the
/// denominator positive. The zone need not be closed.
pub fn contains(zone: &[Bound], dim: usize, point: &[i64], denominator: i64) -> bool {
    assert_eq!((zone.len(), point.len()), (dim * dim, dim));
    assert!(denominator > 0 && point[0] == 0);
    zone.chunks_exact(dim).zip(point).all(|(row, &x)| {
        row.iter().zip(point).all(|(&bound, &y)| {
            // Wider than the numbers compared, so that no valuation is too large.
            let difference = i128::from(x) - i128::from(y);
            let limit = i128::from(value(bound)) * i128::from(denominator);
            bound >= INFINITY || difference < limit || (difference == limit && !is_strict(bound))
        })
    })
}

/// Whether every finite bound is at most [`MAX_CONSTANT`] in size. Then the next operation with constants of that size
/// is exact; otherwise it may leave a larger set than it should (see [`crate::add`]).
pub fn fits(zone: &[Bound]) -> bool {
    let (low, high) = (le(-MAX_CONSTANT) - 1, le(MAX_CONSTANT));
    // No early exit: the loop is one of vectors then, and the answer is nearly always yes.
    zone.iter().fold(true, |fits, &b| fits & ((low <= b) & (b <= high) | (b >= INFINITY)))
}
