//! Splitting of zones.

use model::Signal;
use zone::{Bound, Federation};

use crate::bounds::Diagonal;

/// Returns a zone as a federation, from which others can be subtracted.
#[must_use]
pub fn pieces<B: Bound>(zone: &[B], dim: usize) -> Federation<B> {
    let mut pieces = Federation::new(dim);
    pieces.push(zone);
    pieces
}

/// Makes the lower bounds of the running clocks strict, so that of the delays of a zone the
/// positive ones remain. Returns whether the zone is not empty.
pub(crate) fn after_some_delay<B: Bound>(zone: &mut [B], dim: usize, runs: impl Fn(usize) -> bool) -> bool {
    for x in (1..dim).filter(|x| runs(*x)) {
        if !zone::is_strict(zone[x]) {
            zone[x] = zone::lt(zone::value(zone[x]));
        }
    }
    zone::close(zone, dim)
}

/// Extra_M for models with diagonal constraints: splits the zone by every diagonal, extrapolates
/// each piece and restricts it again, so that merged valuations agree on all of them (Bengtsson and
/// Yi, 2003). If the signal is raised, pieces may be missing.
#[must_use]
pub(crate) fn split_diagonals<B: Bound>(
    zone: &[B],
    dim: usize,
    diagonals: &[Diagonal<B>],
    max: &[B],
    signal: Signal,
) -> Vec<Vec<B>> {
    let mut pieces = vec![zone.to_vec()];
    for d in diagonals {
        if signal.raised().is_some() {
            break;
        }
        let mut next = Vec::new();
        for piece in pieces {
            // Most zones lie on one side of most diagonals.
            if piece[d.left * dim + d.right] <= d.bound {
                next.push(piece);
                continue;
            }
            let mut inside = piece.clone();
            if zone::constrain(&mut inside, dim, d.left, d.right, d.bound) {
                next.push(inside);
            }
            let mut outside = piece;
            if zone::constrain(&mut outside, dim, d.right, d.left, zone::negate(d.bound)) {
                next.push(outside);
            }
        }
        pieces = next;
    }
    for piece in &mut pieces {
        if signal.raised().is_some() {
            break;
        }
        let sides: Vec<bool> = diagonals.iter().map(|d| piece[d.left * dim + d.right] <= d.bound).collect();
        zone::extra_m(piece, dim, max);
        for (d, inside) in diagonals.iter().zip(sides) {
            if inside {
                zone::constrain(piece, dim, d.left, d.right, d.bound);
            } else {
                zone::constrain(piece, dim, d.right, d.left, zone::negate(d.bound));
            }
        }
    }
    pieces
}
