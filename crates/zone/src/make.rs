//! Zones to start from, and what can be asked of one zone.

use crate::bound::{Bound, is_strict, le, value};

/// Makes the zone in which every clock is 0.
pub fn zero<B: Bound>(zone: &mut [B], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone.fill(B::LE_ZERO);
}

/// Makes the zone of all valuations: every clock at least 0.
pub fn universe<B: Bound>(zone: &mut [B], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone.fill(B::INFINITY);
    zone[..dim].fill(B::LE_ZERO);
    zone.iter_mut().step_by(dim + 1).for_each(|b| *b = B::LE_ZERO);
}

/// Whether a valuation lies in the zone. Clock `i` has the value `point[i] / denominator`;
/// `point[0]` must be 0 and the denominator positive. The zone need not be closed.
pub fn contains<B: Bound>(zone: &[B], dim: usize, point: &[i64], denominator: i64) -> bool {
    assert_eq!((zone.len(), point.len()), (dim * dim, dim));
    assert!(denominator > 0 && point[0] == 0);
    zone.chunks_exact(dim).zip(point).all(|(row, &x)| {
        row.iter().zip(point).all(|(&bound, &y)| {
            // Wider than the numbers compared, so that no valuation is too large.
            let difference = i128::from(x) - i128::from(y);
            let limit = i128::from(value(bound).into()) * i128::from(denominator);
            bound >= B::INFINITY || difference < limit || (difference == limit && !is_strict(bound))
        })
    })
}

/// Whether every finite bound is at most [`Bound::MAX_CONSTANT`] in size. Then the next operation
/// with constants of that size is exact; otherwise it may leave a larger set than it should (see
/// [`crate::add`]).
pub fn fits<B: Bound>(zone: &[B]) -> bool {
    let (low, high) = (le(-B::MAX_CONSTANT) - B::LE_ZERO, le(B::MAX_CONSTANT));
    // No early exit: the loop is one of vectors then, and the answer is nearly always yes.
    zone.iter().fold(true, |fits, &b| fits & ((low <= b) & (b <= high) | (b >= B::INFINITY)))
}
