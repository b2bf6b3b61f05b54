//! Guards, invariants and bounds on clocks.

use model::system::{ClockConstraint, Guard};
use smt::{Real, Term, Terms, UpperBound};

use super::{Encoder, Frame};
use crate::code::EncodingError;

/// `left - right <= bound`, or `<`, of clocks, where a condition on the row holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockBound {
    pub condition: Term,
    pub left: u32,
    pub right: u32,
    pub bound: UpperBound,
}

/// A guard: a condition on the row, limits that count where it holds, and where it fails.
#[derive(Clone, Debug)]
pub(super) struct EncodedGuard {
    pub condition: Term,
    pub limits: Vec<ClockBound>,
    pub fault: Term,
}

impl Encoder<'_> {
    /// Where a condition of the model holds and fails.
    fn condition(
        &self,
        terms: &mut Terms,
        condition: Option<model::code::Pc>,
        frame: &Frame,
    ) -> Result<(Term, Term), EncodingError> {
        match condition {
            None => Ok((Term::TRUE, Term::FALSE)),
            Some(pc) => self.code.condition(terms, pc, &|slot| frame.row[slot as usize].clone()),
        }
    }

    /// What a clock constraint says, for each choice of clocks and numbers, and where it fails.
    pub(super) fn limits(
        &self,
        terms: &mut Terms,
        c: &ClockConstraint,
        frame: &Frame,
    ) -> Result<(Vec<ClockBound>, Term), EncodingError> {
        let row = |slot: u32| frame.row[slot as usize].clone();
        let (counts, fault) = self.condition(terms, c.condition, frame)?;
        if counts == Term::FALSE {
            return Ok((Vec::new(), fault));
        }
        let (bound, unbounded) = self.code.operand(terms, c.bound, &row)?;
        let (left, no_left) = self.code.clock(terms, c.left, &row)?;
        let (right, no_right) = self.code.clock(terms, c.right, &row)?;
        let mut limits = Vec::new();
        for (x, s) in left.values() {
            for (y, t) in right.values() {
                for (n, u) in bound.values() {
                    let condition = terms.and([counts, *s, *t, *u]);
                    let bound = UpperBound { value: *n, strict: c.strict };
                    limits.push(ClockBound { condition, left: *x, right: *y, bound });
                }
            }
        }
        let inner = terms.or([unbounded, no_left, no_right]);
        let inner = terms.and([counts, inner]);
        Ok((limits, terms.or([fault, inner])))
    }

    /// The parts of a guard.
    pub(super) fn parts(&self, terms: &mut Terms, guard: &Guard, frame: &Frame) -> Result<EncodedGuard, EncodingError> {
        let (condition, fault) = self.condition(terms, guard.condition, frame)?;
        let mut parts = EncodedGuard { condition, limits: Vec::new(), fault };
        if condition == Term::FALSE {
            return Ok(parts);
        }
        for c in &guard.clocks {
            let (limits, fault) = self.limits(terms, c, frame)?;
            parts.limits.extend(limits);
            // The bounds are looked at only where the condition holds.
            let fault = terms.and([condition, fault]);
            parts.fault = terms.or([parts.fault, fault]);
        }
        Ok(parts)
    }

    /// Where a limit holds at a moment, or does not count.
    pub(super) fn limit(&self, terms: &mut Terms, limit: &ClockBound, frame: &Frame, now: Real) -> Term {
        // x - y is the moment at which y was zero less that of x.
        let within = terms.difference(frame.moment(limit.right, now), frame.moment(limit.left, now), limit.bound);
        terms.implies(limit.condition, within)
    }

    /// Where a guard holds at a moment, and where it fails.
    pub(super) fn guard(
        &self,
        terms: &mut Terms,
        guard: &Guard,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError> {
        let parts = self.parts(terms, guard, frame)?;
        let mut all = vec![parts.condition];
        for limit in &parts.limits {
            all.push(self.limit(terms, limit, frame, now));
        }
        Ok((terms.and(all), parts.fault))
    }
}
