//! Decides whether clock constraints hold at a common moment.
//!
//! A constraint on one clock is a lower or an upper bound on the moments at which it holds. All
//! constraints hold at some moment if each lower bound is below each upper bound.

use smt::{Real, Term, Terms, UpperBound};

use super::{Frame, bounds::ClockBound};

/// A moment plus a number, as a bound that applies where a condition holds.
#[derive(Clone, Copy)]
struct Endpoint {
    condition: Term,
    moment: Real,
    plus: i64,
    strict: bool,
}

/// A set of moments of a frame.
#[derive(Clone)]
pub(super) struct Moments {
    all: Vec<Term>,
    starts: Vec<Endpoint>,
    ends: Vec<Endpoint>,
}

impl Moments {
    /// Creates the set of moments from `from` on, which is empty unless a condition holds.
    pub(super) fn from(condition: Term, from: Real) -> Moments {
        let start = Endpoint { condition: Term::TRUE, moment: from, plus: 0, strict: false };
        Moments { all: vec![condition], starts: vec![start], ends: Vec::new() }
    }

    /// Empties the set unless a condition holds.
    pub(super) fn only(&mut self, condition: Term) {
        self.all.push(condition);
    }

    /// Keeps the moments up to `end`, or strictly before it, where a condition holds.
    pub(super) fn until(&mut self, condition: Term, end: Real, strict: bool) {
        self.ends.push(Endpoint { condition, moment: end, plus: 0, strict });
    }

    /// Keeps the moments at which a clock constraint holds.
    pub(super) fn constrain(&mut self, terms: &mut Terms, limit: &ClockBound, frame: &Frame) {
        let (UpperBound { value, strict }, condition) = (limit.bound, limit.condition);
        let zero = |x: u32| frame.zeros[x as usize];
        match (limit.left, limit.right) {
            (0, 0) => {
                let holds = Term::constant(value > 0 || value == 0 && !strict);
                self.all.push(terms.implies(condition, holds));
            }
            (x, 0) => self.ends.push(Endpoint { condition, moment: zero(x), plus: value, strict }),
            (0, y) => self.starts.push(Endpoint { condition, moment: zero(y), plus: -value, strict }),
            // Time does not change differences.
            (x, y) => {
                let holds = terms.difference(zero(y), zero(x), limit.bound);
                self.all.push(terms.implies(condition, holds));
            }
        }
    }

    /// Returns the term "the set is not empty".
    pub(super) fn exist(mut self, terms: &mut Terms) -> Term {
        for start in &self.starts {
            for end in &self.ends {
                let bound = UpperBound { value: end.plus - start.plus, strict: start.strict || end.strict };
                let before = terms.difference(start.moment, end.moment, bound);
                let applies = terms.and([start.condition, end.condition]);
                self.all.push(terms.implies(applies, before));
            }
        }
        terms.and(self.all)
    }
}
