//! Whether there is a moment at which bounds on clocks hold.
//!
//! Each bound on a clock is a beginning or an end of the moments at which it holds. There is a
//! moment at which all hold if each beginning comes before each end.

use smt::{Real, Term, Terms, UpperBound};

use super::{Frame, bounds::ClockBound};

/// A moment plus a number, where a condition holds.
#[derive(Clone, Copy)]
struct Endpoint {
    condition: Term,
    moment: Real,
    plus: i64,
    strict: bool,
}

/// Moments of a frame.
#[derive(Clone)]
pub(super) struct Moments {
    all: Vec<Term>,
    starts: Vec<Endpoint>,
    ends: Vec<Endpoint>,
}

impl Moments {
    /// Those from `from` on, where a condition holds.
    pub(super) fn from(condition: Term, from: Real) -> Moments {
        let start = Endpoint { condition: Term::TRUE, moment: from, plus: 0, strict: false };
        Moments { all: vec![condition], starts: vec![start], ends: Vec::new() }
    }

    /// Only where this holds.
    pub(super) fn only(&mut self, condition: Term) {
        self.all.push(condition);
    }

    /// Only those before `end`, or not behind it, where a condition holds.
    pub(super) fn until(&mut self, condition: Term, end: Real, strict: bool) {
        self.ends.push(Endpoint { condition, moment: end, plus: 0, strict });
    }

    /// Only those at which a limit holds.
    pub(super) fn limit(&mut self, terms: &mut Terms, limit: &ClockBound, frame: &Frame) {
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

    /// Where there is one.
    pub(super) fn exist(mut self, terms: &mut Terms) -> Term {
        for start in &self.starts {
            for end in &self.ends {
                let bound = UpperBound { value: end.plus - start.plus, strict: start.strict || end.strict };
                let before = terms.difference(start.moment, end.moment, bound);
                let counts = terms.and([start.condition, end.condition]);
                self.all.push(terms.implies(counts, before));
            }
        }
        terms.and(self.all)
    }
}
