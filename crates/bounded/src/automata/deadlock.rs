//! Deadlocks: no transition is possible, now or after a delay.
//!
//! For each transition a formula says whether it is possible at some later moment.

use model::system::{Edge, EdgeId, LocationId, Sync};
use smt::{Real, Term, Terms};

use super::{
    Encoder, Frame,
    bounds::{ClockBound, EncodedGuard},
    joint::JointTransition,
    moments::Moments,
};
use crate::{EncodingError, Unsupported};

impl Encoder<'_> {
    /// Returns the term "a transition is possible in a frame at some moment from `now` on", and the
    /// fault.
    pub(super) fn alive(&self, terms: &mut Terms, frame: &Frame, now: Real) -> Result<(Term, Term), EncodingError> {
        let system = self.system;
        if system.edges.iter().any(|e| self.is_urgent(e.sync) && !e.guard.clocks.is_empty()) {
            return Err(Unsupported::UrgentClockGuards.into());
        }
        let mut guards = Vec::new();
        for edge in &system.edges {
            self.check_stop()?;
            let here = self.at(frame, edge.source);
            let mut parts = if here == Term::FALSE {
                EncodedGuard { condition: Term::FALSE, limits: Vec::new(), fault: Term::FALSE }
            } else {
                self.encode_guard(terms, &edge.guard, frame)?
            };
            parts.condition = terms.and([here, parts.condition]);
            parts.fault = terms.and([here, parts.fault]);
            guards.push(parts);
        }
        let joint = self.all_joint(terms, frame, &guards)?;
        let mut faults = self.guard_faults(terms, frame, &guards);
        let moments = self.moments(terms, frame, now, &joint, &mut faults)?;
        let mut possible = Vec::new();
        let before = faults.len();
        for one in joint {
            let mut moments = moments.clone();
            moments.only(one.condition);
            one.limits.iter().for_each(|limit| moments.constrain(terms, limit, frame));
            self.constrain_target(terms, (frame, now), &one, &mut moments, &mut faults)?;
            possible.push(moments.exist(terms));
        }
        // A transition that a priority blocks can't fail. Whether it is blocked at the moment of
        // the failure is not encoded here.
        if system.has_priorities && faults[before..].iter().any(|fault| *fault != Term::FALSE) {
            return Err(Unsupported::PriorityFaults.into());
        }
        Ok((terms.or(possible), terms.or(faults)))
    }

    /// Returns the faults of the guards that are evaluated: those of receivers only if another
    /// process may send, and those of internal edges only if no committed location blocks them.
    fn guard_faults(&self, terms: &mut Terms, frame: &Frame, guards: &[EncodedGuard]) -> Vec<Term> {
        let committed = self.committed(terms, frame);
        let mut faults = Vec::new();
        for (e, edge) in (0..).map(EdgeId).zip(&self.system.edges) {
            let fault = guards[e.0 as usize].fault;
            let evaluated = match edge.sync {
                _ if fault == Term::FALSE => continue,
                Sync::Receive(c) => {
                    let sends = |(other, _): &(&Edge, &EncodedGuard)| {
                        other.sync == Sync::Send(c) && other.process != edge.process
                    };
                    let senders = self.system.edges.iter().zip(guards).filter(sends);
                    let ready: Vec<Term> = senders.map(|(_, guard)| guard.condition).collect();
                    terms.or(ready)
                }
                Sync::Internal => terms.implies(committed, Term::constant(self.leaves_committed(e))),
                Sync::Send(_) | Sync::Event(_) => Term::TRUE,
            };
            faults.push(terms.and([fault, evaluated]));
        }
        faults
    }

    fn is_urgent(&self, sync: Sync) -> bool {
        match sync {
            Sync::Send(c) | Sync::Receive(c) => self.system.channels[c.0 as usize].urgent,
            Sync::Internal | Sync::Event(_) => false,
        }
    }

    /// Returns the moments from `now` on that delays reach.
    fn moments(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        now: Real,
        joint: &[JointTransition],
        faults: &mut Vec<Term>,
    ) -> Result<Moments, EncodingError> {
        let system = self.system;
        let mut moments = Moments::from(Term::TRUE, now);
        let mut stopped = Vec::new();
        for (number, location) in (0..).zip(&system.locations) {
            let here = self.at(frame, LocationId(number));
            if here == Term::FALSE {
                continue;
            }
            self.check_stop()?;
            if location.urgent || location.committed {
                stopped.push(here);
            }
            let parts = self.encode_guard(terms, &location.invariant, frame)?;
            faults.push(terms.and([here, parts.fault]));
            for limit in parts.limits {
                let condition = terms.and([here, limit.condition]);
                moments.constrain(terms, &ClockBound { condition, ..limit }, frame);
            }
        }
        for one in joint {
            if self.is_urgent(system.edges[one.edges[0].0 as usize].sync) {
                stopped.push(one.condition);
            }
        }
        let stopped = terms.or(stopped);
        moments.until(stopped, now, false);
        Ok(moments)
    }
}
