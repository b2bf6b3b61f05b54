//! Sets of clock valuations that bounds on differences describe, in the plainest form that does the
//! job.
//!
//! This is a second implementation on purpose: nothing here comes from the crate that the engine
//! uses.

use crate::bound::DifferenceBound;

/// `left - right` is bounded. Clock 0 is always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DifferenceConstraint {
    /// The clock that is bounded.
    pub left: u32,
    /// The clock that is subtracted.
    pub right: u32,
    /// The bound.
    pub bound: DifferenceBound,
}

/// A set of clock valuations that is not empty. Every bound is as tight as the others make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    clocks: usize,
    bounds: Vec<DifferenceBound>,
}

/// What a clock becomes: another clock of before plus a number. Clock 0 makes it the number alone.
pub(crate) type ClockSource = (usize, i64);

impl Zone {
    /// All valuations of so many clocks, the reference included.
    #[must_use]
    pub fn all(clocks: usize) -> Zone {
        let mut zone = Zone { clocks, bounds: vec![DifferenceBound::NONE; clocks * clocks] };
        for x in 0..clocks {
            zone.put(x, x, DifferenceBound::ZERO);
            zone.put(0, x, DifferenceBound::ZERO);
        }
        zone
    }

    /// One valuation.
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

    /// The valuations that satisfy all constraints, if there are any.
    #[must_use]
    pub fn of(clocks: usize, constraints: &[DifferenceConstraint]) -> Option<Zone> {
        let mut zone = Zone::all(clocks);
        for c in constraints {
            let (x, y) = (c.left as usize, c.right as usize);
            zone.put(x, y, zone.at(x, y).min(c.bound));
        }
        zone.close().then_some(zone)
    }

    /// The bound of `x - y`.
    #[must_use]
    pub fn at(&self, x: usize, y: usize) -> DifferenceBound {
        self.bounds[x * self.clocks + y]
    }

    /// How many clocks there are, the reference included.
    #[must_use]
    pub(crate) fn clocks(&self) -> usize {
        self.clocks
    }

    fn put(&mut self, x: usize, y: usize, bound: DifferenceBound) {
        self.bounds[x * self.clocks + y] = bound;
    }

    /// Makes every bound as tight as the others make it (Floyd and Warshall). `false`: the set is
    /// empty.
    fn close(&mut self) -> bool {
        for z in 0..self.clocks {
            // Paths through a negative cycle would become longer and longer, and their numbers
            // larger.
            if self.at(z, z) < DifferenceBound::ZERO {
                return false;
            }
            for x in 0..self.clocks {
                let first = self.at(x, z);
                if first == DifferenceBound::NONE {
                    continue;
                }
                for y in 0..self.clocks {
                    let way = first.plus(self.at(z, y));
                    if way < self.at(x, y) {
                        self.put(x, y, way);
                    }
                }
            }
        }
        (0..self.clocks).all(|x| self.at(x, x) >= DifferenceBound::ZERO)
    }

    /// Keeps the valuations where `x - y` is bounded. `false`: there are none, and the zone is of
    /// no use any more.
    #[must_use]
    pub fn constrain(&mut self, x: usize, y: usize, bound: DifferenceBound) -> bool {
        if bound >= self.at(x, y) {
            return true;
        }
        if x == y || bound.plus(self.at(y, x)) < DifferenceBound::ZERO {
            return false;
        }
        // A bound that becomes tighter does so by a way through the new one, and through it once.
        let to_x: Vec<DifferenceBound> = (0..self.clocks).map(|a| self.at(a, x).plus(bound)).collect();
        let from_y: Vec<DifferenceBound> = (0..self.clocks).map(|b| self.at(y, b)).collect();
        for (a, first) in to_x.into_iter().enumerate() {
            for (b, second) in from_y.iter().enumerate() {
                let way = first.plus(*second);
                if way < self.at(a, b) {
                    self.put(a, b, way);
                }
            }
        }
        true
    }

    /// The valuations in both.
    #[must_use]
    pub fn and(&self, other: &Zone) -> Option<Zone> {
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(a, b)| *a.min(b)).collect();
        let mut both = Zone { clocks: self.clocks, bounds };
        both.close().then_some(both)
    }

    /// Whether all valuations satisfy all constraints.
    #[must_use]
    pub fn satisfies(&self, constraints: &[DifferenceConstraint]) -> bool {
        constraints.iter().all(|c| self.at(c.left as usize, c.right as usize) <= c.bound)
    }

    /// Whether all valuations are in the other zone.
    #[must_use]
    pub fn is_within(&self, other: &Zone) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(a, b)| a <= b)
    }

    /// The valuations that violate one of the constraints, as zones that do not overlap.
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

    /// All bounds that say something.
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

    /// The valuations behind an assignment to all clocks at once.
    pub(crate) fn image(&self, sources: &[ClockSource]) -> Zone {
        let mut image = Zone::all(self.clocks);
        for (x, &(from_x, plus_x)) in sources.iter().enumerate() {
            for (y, &(from_y, plus_y)) in sources.iter().enumerate() {
                image.put(x, y, self.at(from_x, from_y).shifted(plus_x - plus_y));
            }
        }
        image
    }

    /// The valuations after some time, or none. Where clocks stand still the zone may be larger
    /// than the set.
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

    /// The valuations some time before, or none. Where clocks stand still the zone may be larger
    /// than the set.
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

    /// The valuations after some time that is not zero. Where clocks stand still the zone may be
    /// larger than the set.
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

    /// Whether [`Zone::later`] and [`Zone::earlier`] are certain to be the sets themselves.
    ///
    /// With `m`, `n` going and `s`, `t` standing still, the bounds of `m - s` and `t - n` together
    /// bound `(m - n) + (t - s)` at all moments. A zone says that only if the bounds of `m - n` and
    /// of `t - s` do.
    #[must_use]
    pub fn moves_exactly(&self, stopped: &[bool]) -> bool {
        let stands = |x: usize| x == 0 || stopped[x];
        let (still, going): (Vec<usize>, Vec<usize>) = (0..self.clocks).partition(|x| stands(*x));
        let said = |m: usize, n: usize, s: usize, t: usize| {
            self.at(m, n).plus(self.at(t, s)) <= self.at(m, s).plus(self.at(t, n))
        };
        going.iter().all(|&m| {
            going.iter().all(|&n| still.iter().all(|&s| still.iter().all(|&t| m == n || s == t || said(m, n, s, t))))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_happen_at_once() {
        let values = [0, 3, 7, 20];
        // x becomes y, y becomes 5, z becomes x of before and two more.
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
