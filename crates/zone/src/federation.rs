//! Federations: unions of zones, and the difference of two zones.

use crate::bound::{Bound, negate};
use crate::constrain::constrain;
use crate::make::contains;
use crate::minimal::{position, reduce};
use crate::order::{convex_hull, intersect, is_included};

/// A union of zones of one dimension, each closed and not empty. They may overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Federation<B> {
    dim: usize,
    rows: Vec<B>,
}

impl<B: Bound> Federation<B> {
    /// Creates the empty federation. Precondition: `dim > 0`.
    pub fn new(dim: usize) -> Federation<B> {
        assert!(dim > 0);
        Federation { dim, rows: Vec::new() }
    }

    /// Returns the number of clocks, including the reference clock.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns whether it contains no valuation.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of zones.
    pub fn len(&self) -> usize {
        self.rows.len() / (self.dim * self.dim)
    }

    /// Returns the zones.
    pub fn zones(&self) -> impl ExactSizeIterator<Item = &[B]> {
        self.rows.chunks_exact(self.dim * self.dim)
    }

    /// Adds a zone. Precondition: closed and not empty.
    pub fn push(&mut self, zone: &[B]) {
        assert_eq!(zone.len(), self.dim * self.dim);
        self.rows.extend_from_slice(zone);
    }

    /// Adds the zones of another federation.
    pub fn append(&mut self, other: &Federation<B>) {
        assert_eq!(self.dim, other.dim);
        self.rows.extend_from_slice(&other.rows);
    }

    /// Changes each zone in place and removes those for which `keep` returns `false`. The remaining
    /// zones must be closed and not empty. This lifts operations on zones to federations:
    /// `retain(|zone| { delay(zone, dim); true })`.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut [B]) -> bool) {
        let width = self.dim * self.dim;
        let mut kept = 0;
        for from in (0..self.rows.len()).step_by(width) {
            if keep(&mut self.rows[from..from + width]) {
                self.rows.copy_within(from..from + width, kept);
                kept += width;
            }
        }
        self.rows.truncate(kept);
    }

    /// Returns whether a valuation is in one of the zones; see [`contains`].
    pub fn contains(&self, point: &[i64], denominator: i64) -> bool {
        self.zones().any(|zone| contains(zone, self.dim, point, denominator))
    }

    /// Intersects with a zone.
    fn intersect_zone(&mut self, other: &[B]) {
        let dim = self.dim;
        self.retain(|zone| intersect(zone, dim, other));
    }

    /// Intersects with another federation.
    pub fn intersect(&mut self, other: &Federation<B>) {
        let mut all = Federation::new(self.dim);
        for zone in other.zones() {
            let mut part = self.clone();
            part.intersect_zone(zone);
            all.append(&part);
        }
        *self = all;
    }

    /// Subtracts a zone.
    pub fn subtract_zone(&mut self, other: &[B]) {
        let mut rest = Federation::new(self.dim);
        for zone in self.zones() {
            subtract(zone, other, self.dim, &mut rest);
        }
        *self = rest;
    }

    /// Subtracts another federation.
    pub fn subtract(&mut self, other: &Federation<B>) {
        for zone in other.zones() {
            if self.is_empty() {
                return;
            }
            self.subtract_zone(zone);
        }
    }

    /// Returns whether every valuation of a zone is in one of the zones. Precondition: `zone` is
    /// closed and not empty.
    pub fn includes(&self, zone: &[B]) -> bool {
        if self.zones().any(|other| is_included(zone, other)) {
            return true;
        }
        // Subtracts the zones one by one from each piece, so that the first piece that remains ends
        // the loop.
        let width = self.dim * self.dim;
        let mut pieces = Federation { dim: self.dim, rows: zone.to_vec() };
        let mut met = vec![0];
        while let Some(next) = met.pop() {
            if next == self.len() {
                return false;
            }
            let piece = pieces.rows.split_off(pieces.rows.len() - width);
            subtract(&piece, &self.rows[next * width..][..width], self.dim, &mut pieces);
            met.resize(pieces.len(), next + 1);
        }
        true
    }

    /// Shortens the list without changing the union: removes zones that the others cover, and
    /// replaces two zones by their convex hull if that is exact.
    pub fn shorten(&mut self) {
        let (dim, width) = (self.dim, self.dim * self.dim);
        let mut at = 0;
        while at < self.len() {
            let zone: Vec<B> = self.rows.drain(at * width..(at + 1) * width).collect();
            if self.includes(&zone) {
                continue;
            }
            let partner = (0..self.len()).find_map(|other| {
                let mut hull = zone.clone();
                merge(&mut hull, &self.rows[other * width..][..width], dim).then_some((other, hull))
            });
            match partner {
                // The hull has to be compared with all others, so start again; there is one zone
                // less.
                Some((other, hull)) => {
                    self.rows[other * width..][..width].copy_from_slice(&hull);
                    at = 0;
                }
                None => {
                    self.rows.splice(at * width..at * width, zone);
                    at += 1;
                }
            }
        }
    }
}

/// Adds the valuations of `a` that are not in `b` to `out`, in zones that do not overlap.
/// Precondition: both are closed and not empty.
pub fn subtract<B: Bound>(a: &[B], b: &[B], dim: usize, out: &mut Federation<B>) {
    assert!(a.len() == dim * dim && out.dim == dim);
    // Often the result is empty or all of `a`, which is detected without the expensive minimal
    // form.
    if is_included(a, b) {
        return;
    }
    // Constraining `a` by the constraints of `b`, one after the other, leaves `a ∩ b`; what is cut
    // off is the result. The minimal form has the fewest cuts.
    let start = out.rows.len();
    let mut cuts = Vec::new();
    reduce(b, dim, &mut cuts);
    let mut rest = a.to_vec();
    let (cuts, _) = cuts.as_chunks::<2>();
    for &[at, bound] in cuts {
        let at = position(at);
        let (x, y) = (at / dim, at % dim);
        if rest[x * dim + y] <= bound {
            continue;
        }
        let piece = out.rows.len();
        out.rows.extend_from_slice(&rest);
        if !constrain(&mut out.rows[piece..], dim, y, x, negate(bound)) {
            out.rows.truncate(piece);
        }
        if !constrain(&mut rest, dim, x, y, bound) {
            // They are disjoint: the result is `a`.
            out.rows.truncate(start);
            out.push(a);
            return;
        }
    }
}

/// Replaces `zone` by the union of itself and `other` if that is a zone; otherwise leaves it
/// unchanged and returns `false`.
///
/// Precondition: both are closed and not empty.
pub fn merge<B: Bound>(zone: &mut [B], other: &[B], dim: usize) -> bool {
    let mut hull = zone.to_vec();
    convex_hull(&mut hull, other);
    let mut rest = Federation::new(dim);
    subtract(&hull, zone, dim, &mut rest);
    let convex = rest.zones().all(|piece| is_included(piece, other));
    if convex {
        zone.copy_from_slice(&hull);
    }
    convex
}
