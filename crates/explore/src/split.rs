//! Zones cut into pieces.

use crate::bounds::Diagonal;

/// The part of `zone` outside of `other`, as disjoint zones.
#[must_use]
pub fn subtract(zone: &[i32], other: &[i32], dim: usize) -> Vec<Vec<i32>> {
    let mut overlap = zone.to_vec();
    if !zone::intersect(&mut overlap, dim, other) {
        return vec![zone.to_vec()];
    }
    let mut rest = zone.to_vec();
    let mut pieces = Vec::new();
    for i in 0..dim {
        for j in 0..dim {
            let bound = other[i * dim + j];
            if i == j || zone::satisfies(&rest, dim, i, j, bound) {
                continue;
            }
            let mut outside = rest.clone();
            if zone::constrain(&mut outside, dim, j, i, zone::negate(bound)) {
                pieces.push(outside);
            }
            // What is left satisfies this bound; it is not empty, since the overlap is in it.
            if !zone::constrain(&mut rest, dim, i, j, bound) {
                return pieces;
            }
        }
    }
    pieces
}

/// Extra_M for models that compare differences of clocks: the zone is cut along every such comparison, each piece is
/// extrapolated, and cut again, so that valuations that are merged agree on all of them (Bengtsson and Yi, 2003).
#[must_use]
pub fn split_diagonals(zone: &[i32], dim: usize, diagonals: &[Diagonal], most: &[i32]) -> Vec<Vec<i32>> {
    let mut pieces = vec![zone.to_vec()];
    for d in diagonals {
        let mut next = Vec::new();
        for piece in pieces {
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
        let sides: Vec<bool> =
            diagonals.iter().map(|d| zone::satisfies(piece, dim, d.left, d.right, d.bound)).collect();
        zone::extra_m(piece, dim, most);
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
