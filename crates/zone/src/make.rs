//! Initial zones, and predicates on one zone.

use crate::bound::{Bound, is_strict, le, value};

/// Writes the zone in which every clock is 0.
pub fn zero<B: Bound>(zone: &mut [B], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone.fill(B::LE_ZERO);
}

/// Writes the zone of all valuations: every clock is at least 0.
pub fn universe<B: Bound>(zone: &mut [B], dim: usize) {
    assert_eq!(zone.len(), dim * dim);
    zone.fill(B::INFINITY);
    zone[..dim].fill(B::LE_ZERO);
    zone.iter_mut().step_by(dim + 1).for_each(|b| *b = B::LE_ZERO);
}

/// Returns whether a valuation is in the zone. Clock `i` has the value `point[i] / denominator`;
/// `point[0]` must be 0 and the denominator positive. The zone need not be closed.
pub fn contains<B: Bound>(zone: &[B], dim: usize, point: &[i64], denominator: i64) -> bool {
    assert_eq!((zone.len(), point.len()), (dim * dim, dim));
    assert!(denominator > 0 && point[0] == 0);
    zone.chunks_exact(dim).zip(point).all(|(row, &x)| {
        row.iter().zip(point).all(|(&bound, &y)| {
            // Wide enough for all products.
            let difference = i128::from(x) - i128::from(y);
            let limit = i128::from(value(bound).into()) * i128::from(denominator);
            bound >= B::INFINITY || difference < limit || (difference == limit && !is_strict(bound))
        })
    })
}

/// Returns whether the absolute value of every finite bound is at most [`Bound::MAX_CONSTANT`].
/// Then the next operation with such constants is exact; otherwise its result may be too large (see
/// [`crate::add`]).
pub fn fits<B: Bound>(zone: &[B]) -> bool {
    let (low, high) = (le(-B::MAX_CONSTANT) - B::LE_ZERO, le(B::MAX_CONSTANT));
    // Without an early exit the loop is vectorised, and the answer is nearly always yes.
    zone.iter().fold(true, |fits, &b| fits & ((low <= b) & (b <= high) | (b >= B::INFINITY)))
}
