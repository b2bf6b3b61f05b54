//! Guards, invariants and clock constraints.

use model::system::{ClockConstraint, Guard};
use smt::{Real, Term, Terms, UpperBound};

use super::{Encoder, Frame};
use crate::EncodingError;

/// A clock constraint `left - right <= bound`, or `<`, that applies where a condition on the row
/// holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockBound {
    pub condition: Term,
    pub left: u32,
    pub right: u32,
    pub bound: UpperBound,
}

/// A guard: a condition on the row, the clock constraints that apply where it holds, and its fault.
#[derive(Clone, Debug)]
pub(super) struct EncodedGuard {
    pub condition: Term,
    pub limits: Vec<ClockBound>,
    pub fault: Term,
}

impl Encoder<'_> {
    /// Encodes an optional condition. Returns its truth and its fault.
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

    /// Encodes a clock constraint, one bound for each combination of clocks and numbers. Returns
    /// them with the fault.
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

    /// Encodes a guard.
    pub(super) fn encode_guard(
        &self,
        terms: &mut Terms,
        guard: &Guard,
        frame: &Frame,
    ) -> Result<EncodedGuard, EncodingError> {
        let (condition, fault) = self.condition(terms, guard.condition, frame)?;
        let mut parts = EncodedGuard { condition, limits: Vec::new(), fault };
        if condition == Term::FALSE {
            return Ok(parts);
        }
        for c in &guard.clocks {
            let (limits, fault) = self.limits(terms, c, frame)?;
            parts.limits.extend(limits);
            // Clock constraints are evaluated only where the condition holds.
            let fault = terms.and([condition, fault]);
            parts.fault = terms.or([parts.fault, fault]);
        }
        Ok(parts)
    }

    /// Returns the term "the constraint holds at a moment, or does not apply".
    pub(super) fn clock_bound(&self, terms: &mut Terms, limit: &ClockBound, frame: &Frame, now: Real) -> Term {
        // x - y is the moment at which y was zero minus that of x.
        let within = terms.difference(frame.moment(limit.right, now), frame.moment(limit.left, now), limit.bound);
        terms.implies(limit.condition, within)
    }

    /// Encodes a guard at a moment. Returns its truth and its fault.
    pub(super) fn guard(
        &self,
        terms: &mut Terms,
        guard: &Guard,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError> {
        let parts = self.encode_guard(terms, guard, frame)?;
        let mut all = vec![parts.condition];
        for limit in &parts.limits {
            all.push(self.clock_bound(terms, limit, frame, now));
        }
        Ok((terms.and(all), parts.fault))
    }
}
