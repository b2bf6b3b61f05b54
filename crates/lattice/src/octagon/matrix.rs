//! Bounds on sums and differences of two members.
//!
//! Member `k` has two vertices: `2k` stands for its value and `2k + 1` for the negated value. The
//! opposite of vertex `i` is `i ^ 1`. Entry `(i, j)` bounds the difference of two vertices; entry
//! `(i, i ^ 1)` bounds twice a member.

use crate::numeric::Interval;

/// No bound.
pub(super) const NONE: i64 = i64::MAX;

/// Greater bounds are weakened to none, so that sums of bounds do not overflow.
const LARGEST: i128 = 1 << 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    dim: usize,
    bounds: Vec<i64>,
}

/// Returns the vertex of a member or of its negation.
pub(super) fn vertex(member: usize, is_negated: bool) -> usize {
    2 * member + usize::from(is_negated)
}

impl Matrix {
    /// Returns the matrix without bounds.
    pub(super) fn unbounded(members: usize) -> Matrix {
        let dim = 2 * members;
        let mut matrix = Matrix { dim, bounds: vec![NONE; dim * dim] };
        (0..dim).for_each(|i| matrix.bounds[i * dim + i] = 0);
        matrix
    }

    pub(super) fn members(&self) -> usize {
        self.dim / 2
    }

    pub(super) fn get(&self, i: usize, j: usize) -> i64 {
        self.bounds[i * self.dim + j]
    }

    /// Sets a bound at its entry and at the equivalent opposite entry.
    pub(super) fn put(&mut self, i: usize, j: usize, bound: i64) {
        self.bounds[i * self.dim + j] = bound;
        self.bounds[(j ^ 1) * self.dim + (i ^ 1)] = bound;
    }

    /// Bounds the difference of two vertices; the result is not closed.
    pub(super) fn impose(&mut self, i: usize, j: usize, bound: i128) {
        if bound <= LARGEST {
            let bound = bound.max(-LARGEST) as i64;
            self.put(i, j, bound.min(self.get(i, j)));
        }
    }

    /// Bounds one member; the result is not closed.
    pub(super) fn impose_interval(&mut self, member: usize, interval: Interval) {
        let (low, high) = interval.wide();
        let (plus, minus) = (vertex(member, false), vertex(member, true));
        self.impose(plus, minus, 2 * high);
        self.impose(minus, plus, -2 * low);
    }

    /// Returns the interval of a member. Precondition: the matrix is closed.
    pub(super) fn interval(&self, member: usize) -> Interval {
        let (plus, minus) = (vertex(member, false), vertex(member, true));
        let (high, low) = (self.get(plus, minus), self.get(minus, plus));
        Interval {
            low: if low == NONE { i64::MIN } else { -low.div_euclid(2) },
            high: if high == NONE { i64::MAX } else { high.div_euclid(2) },
        }
    }

    /// Drops all bounds of a member. A closed matrix stays closed.
    pub(super) fn forget(&mut self, member: usize) {
        for i in [vertex(member, false), vertex(member, true)] {
            for j in (0..self.dim).filter(|&j| j != i) {
                self.put(i, j, NONE);
            }
        }
    }

    /// Computes the tight closure for integers. Returns whether the octagon is not empty.
    ///
    /// See R. Bagnara, P. M. Hill, E. Zaffanella: *An improved tight closure algorithm for integer
    /// octagonal constraints* (VMCAI 2008): shortest paths, then even bounds for twice a member,
    /// then strong coherence of these bounds.
    pub(super) fn close(&mut self) -> bool {
        let dim = self.dim;
        for k in 0..dim {
            for i in 0..dim {
                let first = self.get(i, k);
                if first == NONE {
                    continue;
                }
                for j in 0..dim {
                    let second = self.get(k, j);
                    if second != NONE {
                        let bound = &mut self.bounds[i * dim + j];
                        *bound = (*bound).min(first + second);
                    }
                }
            }
            // Checked in each round: after a negative cycle, bounds would double with each round.
            if (0..dim).any(|i| self.get(i, i) < 0) {
                return false;
            }
        }
        for i in 0..dim {
            let twice = self.get(i, i ^ 1);
            if twice != NONE {
                self.bounds[i * dim + (i ^ 1)] = 2 * twice.div_euclid(2);
            }
        }
        for i in 0..dim {
            let (there, back) = (self.get(i, i ^ 1), self.get(i ^ 1, i));
            if there != NONE && back != NONE && there + back < 0 {
                return false;
            }
        }
        for i in 0..dim {
            for j in 0..dim {
                let (first, second) = (self.get(i, i ^ 1), self.get(j ^ 1, j));
                if i != j && first != NONE && second != NONE {
                    let bound = &mut self.bounds[i * dim + j];
                    *bound = (*bound).min((first + second) / 2);
                }
            }
        }
        true
    }
}
