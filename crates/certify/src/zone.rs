//! Zones: sets of clock valuations that satisfy bounds on differences.
//!
//! This is a second, naive implementation on purpose: it shares nothing with the zones of the
//! engine.

use crate::bound::DifferenceBound;

/// A bound on `left - right`. Clock 0 is always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DifferenceConstraint {
    /// The minuend.
    pub left: u32,
    /// The subtrahend.
    pub right: u32,
    /// The bound.
    pub bound: DifferenceBound,
}

/// A nonempty zone, as a matrix of bounds in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    clocks: usize,
    bounds: Vec<DifferenceBound>,
}

/// The new value of a clock: the previous value of a clock plus a number. Clock 0 is always zero.
pub(crate) type ClockSource = (usize, i64);

impl Zone {
    /// Returns all valuations of `clocks` clocks, including the reference clock.
    #[must_use]
    pub fn all(clocks: usize) -> Zone {
        let mut zone = Zone { clocks, bounds: vec![DifferenceBound::NONE; clocks * clocks] };
        for x in 0..clocks {
            zone.put(x, x, DifferenceBound::ZERO);
            zone.put(0, x, DifferenceBound::ZERO);
        }
        zone
    }

    /// Returns the zone of one valuation.
    #[must_use]
    pub fn point(values: &[i64]) -> Zone {
        let mut zone = Zone::all(values.len());
        for (x, a) in values.iter().enumerate() {
            for (y, b) in values.iter().enumerate() {
                zone.put(x, y, DifferenceBound::new(a - b, false));
            }
        }
        zone
    }

    /// Returns the valuations that satisfy all constraints, if there are any.
    #[must_use]
    pub fn of(clocks: usize, constraints: &[DifferenceConstraint]) -> Option<Zone> {
        let mut zone = Zone::all(clocks);
        for c in constraints {
            let (x, y) = (c.left as usize, c.right as usize);
            zone.put(x, y, zone.at(x, y).min(c.bound));
        }
        zone.close().then_some(zone)
    }

    /// Returns the bound of `x - y`.
    #[must_use]
    pub fn at(&self, x: usize, y: usize) -> DifferenceBound {
        self.bounds[x * self.clocks + y]
    }

    /// Returns the number of clocks, including the reference clock.
    #[must_use]
    pub(crate) fn clocks(&self) -> usize {
        self.clocks
    }

    fn put(&mut self, x: usize, y: usize, bound: DifferenceBound) {
        self.bounds[x * self.clocks + y] = bound;
    }

    /// Computes the canonical form (Floyd and Warshall). `false`: the zone is empty.
    fn close(&mut self) -> bool {
        for z in 0..self.clocks {
            // Stops at a negative cycle, before numbers grow too large.
            if self.at(z, z) < DifferenceBound::ZERO {
                return false;
            }
            for x in 0..self.clocks {
                let first = self.at(x, z);
                if first == DifferenceBound::NONE {
                    continue;
                }
                for y in 0..self.clocks {
                    let path = first.plus(self.at(z, y));
                    if path < self.at(x, y) {
                        self.put(x, y, path);
                    }
                }
            }
        }
        (0..self.clocks).all(|x| self.at(x, x) >= DifferenceBound::ZERO)
    }

    /// Keeps the valuations that satisfy a bound on `x - y`. `false`: there are none, and the zone
    /// is unusable.
    #[must_use]
    pub fn constrain(&mut self, x: usize, y: usize, bound: DifferenceBound) -> bool {
        if bound >= self.at(x, y) {
            return true;
        }
        if x == y || bound.plus(self.at(y, x)) < DifferenceBound::ZERO {
            return false;
        }
        // A bound becomes tighter only by a path that uses the new one once.
        let to_x: Vec<DifferenceBound> = (0..self.clocks).map(|a| self.at(a, x).plus(bound)).collect();
        let from_y: Vec<DifferenceBound> = (0..self.clocks).map(|b| self.at(y, b)).collect();
        for (a, first) in to_x.into_iter().enumerate() {
            for (b, second) in from_y.iter().enumerate() {
                let path = first.plus(*second);
                if path < self.at(a, b) {
                    self.put(a, b, path);
                }
            }
        }
        true
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(&self, other: &Zone) -> Option<Zone> {
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(a, b)| *a.min(b)).collect();
        let mut both = Zone { clocks: self.clocks, bounds };
        both.close().then_some(both)
    }

    /// Returns whether all valuations satisfy all constraints.
    #[must_use]
    pub fn satisfies(&self, constraints: &[DifferenceConstraint]) -> bool {
        constraints.iter().all(|c| self.at(c.left as usize, c.right as usize) <= c.bound)
    }

    /// Returns whether the zone is included in another.
    #[must_use]
    pub fn is_within(&self, other: &Zone) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(a, b)| a <= b)
    }

    /// Returns the valuations that violate one of the constraints, as disjoint zones.
    #[must_use]
    pub fn without(&self, constraints: &[DifferenceConstraint]) -> Vec<Zone> {
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for c in constraints {
            let (x, y) = (c.left as usize, c.right as usize);
            if rest.at(x, y) <= c.bound {
                continue;
            }
            let mut outside = rest.clone();
            if outside.constrain(y, x, c.bound.negated()) {
                pieces.push(outside);
            }
            if !rest.constrain(x, y, c.bound) {
                break;
            }
        }
        pieces
    }

    /// Returns all bounds that are not trivial.
    #[must_use]
    pub fn constraints(&self) -> Vec<DifferenceConstraint> {
        let mut all = Vec::new();
        for left in 0..self.clocks {
            for right in (0..self.clocks).filter(|y| *y != left) {
                let bound = self.at(left, right);
                if bound != DifferenceBound::NONE && !(left == 0 && bound == DifferenceBound::ZERO) {
                    all.push(DifferenceConstraint { left: left as u32, right: right as u32, bound });
                }
            }
        }
        all
    }

    /// Returns the image of a simultaneous assignment to all clocks.
    pub(crate) fn image(&self, sources: &[ClockSource]) -> Zone {
        let mut image = Zone::all(self.clocks);
        for (x, &(from_x, plus_x)) in sources.iter().enumerate() {
            for (y, &(from_y, plus_y)) in sources.iter().enumerate() {
                image.put(x, y, self.at(from_x, from_y).shifted(plus_x - plus_y));
            }
        }
        image
    }

    /// Returns the delay successors. If clocks are stopped, it may be an overapproximation.
    #[must_use]
    pub fn later(&self, stopped: &[bool]) -> Zone {
        let mut later = self.clone();
        for x in (1..self.clocks).filter(|x| !stopped[*x]) {
            for y in (0..self.clocks).filter(|y| *y == 0 || stopped[*y]) {
                later.put(x, y, DifferenceBound::NONE);
            }
        }
        later.close();
        later
    }

    /// Returns the delay predecessors. If clocks are stopped, it may be an overapproximation.
    #[must_use]
    pub fn earlier(&self, stopped: &[bool]) -> Zone {
        let mut earlier = self.clone();
        for x in (1..self.clocks).filter(|x| !stopped[*x]) {
            for y in (0..self.clocks).filter(|y| *y == 0 || stopped[*y]) {
                earlier.put(y, x, if y == 0 { DifferenceBound::ZERO } else { DifferenceBound::NONE });
            }
        }
        earlier.close();
        earlier
    }

    /// Returns the successors of positive delays. If clocks are stopped, it may be an
    /// overapproximation.
    #[must_use]
    pub fn strictly_later(&self, stopped: &[bool]) -> Zone {
        let mut later = self.later(stopped);
        for x in (1..self.clocks).filter(|x| !stopped[*x]) {
            for y in (0..self.clocks).filter(|y| *y == 0 || stopped[*y]) {
                later.put(y, x, later.at(y, x).strictly());
            }
        }
        later.close();
        later
    }

    /// Returns whether [`Zone::later`] and [`Zone::earlier`] are certainly exact.
    ///
    /// With running clocks `m`, `n` and stopped clocks `s`, `t`, the bounds of `m - s` and `t - n`
    /// together bound `(m - n) + (t - s)` at all moments. A zone expresses that only if the bounds
    /// of `m - n` and of `t - s` imply it.
    #[must_use]
    pub fn moves_exactly(&self, stopped: &[bool]) -> bool {
        let is_stopped = |x: usize| x == 0 || stopped[x];
        let (still, running): (Vec<usize>, Vec<usize>) = (0..self.clocks).partition(|x| is_stopped(*x));
        let implied = |m: usize, n: usize, s: usize, t: usize| {
            self.at(m, n).plus(self.at(t, s)) <= self.at(m, s).plus(self.at(t, n))
        };
        running.iter().all(|&m| {
            running
                .iter()
                .all(|&n| still.iter().all(|&s| still.iter().all(|&t| m == n || s == t || implied(m, n, s, t))))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_happen_at_once() {
        let values = [0, 3, 7, 20];
        // x becomes y, y becomes 5, z becomes the previous x plus 2.
        let sources = [(0, 0), (2, 0), (0, 5), (1, 2)];
        assert_eq!(Zone::point(&values).image(&sources), Zone::point(&[0, 7, 5, 5]));
        let mut zone = Zone::all(4);
        assert!(
            zone.constrain(1, 0, DifferenceBound::new(4, true))
                && zone.constrain(0, 1, DifferenceBound::new(-1, false))
        );
        let image = zone.image(&sources);
        assert_eq!((image.at(3, 0), image.at(0, 3)), (DifferenceBound::new(6, true), DifferenceBound::new(-3, false)));
        assert_eq!(
            (image.at(1, 0), image.at(0, 1), image.at(2, 0)),
            (DifferenceBound::NONE, DifferenceBound::ZERO, DifferenceBound::new(5, false))
        );
    }
}
