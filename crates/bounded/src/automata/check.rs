//! Bounded model checking: searches for a run to the goal of bounded length.

use model::{
    Formula, System,
    replay::{Refusal, Trace},
};
use smt::{SatResult, Solver, Term};

use super::{Encoder, unroll::Unrolling};
use crate::{
    EncodingError,
    bound::{Bounded, FailingRun, describe_refusal, last_visit},
    code::Stop,
    failure,
    relation::Relation,
};

/// Searches for a run to the goal of at most `bound` transitions, shortest runs first. `at_depth`
/// is called with each depth.
///
/// # Errors
/// The system or the goal has an unsupported feature, or a limit was reached.
pub fn check(
    system: &System,
    goal: &Formula,
    bound: usize,
    solver: &mut dyn Solver,
    stop: &Stop<'_>,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Bounded, EncodingError> {
    let encoder = Encoder::new(system, stop)?;
    let mut base = BaseCase::new(&encoder, goal, solver)?;
    for depth in 0..=bound {
        at_depth(depth);
        if let Some(found) = base.check_goal(stop)? {
            return Ok(found);
        }
        if depth < bound
            && let Some(found) = base.step(stop)?
        {
            return Ok(found);
        }
        // If all runs end in errors, there are no longer ones.
        if base.failed() && base.is_over(stop) {
            break;
        }
    }
    Ok(base.end(bound))
}

/// The runs from the initial state, unrolled step by step while none reaches the goal.
pub(super) struct BaseCase<'e> {
    goal: &'e Formula,
    system: &'e System,
    run: Unrolling<'e>,
    /// The first run-time error.
    failed: Option<FoundFailure>,
}

/// A run-time error that was found.
enum FoundFailure {
    /// The error and a run to it.
    Known(FailingRun),
    /// An unidentified error after this many transitions.
    Unidentified(usize),
}

impl<'e> BaseCase<'e> {
    pub(super) fn new(
        relation: &'e dyn Relation,
        goal: &'e Formula,
        solver: &'e mut dyn Solver,
    ) -> Result<BaseCase<'e>, EncodingError> {
        let run = Unrolling::new(relation, solver)?;
        Ok(BaseCase { goal, system: relation.system(), run, failed: None })
    }

    /// Checks whether a run of the current length reaches the goal.
    pub(super) fn check_goal(&mut self, stop: &Stop<'_>) -> Result<Option<Bounded>, EncodingError> {
        let (holds, wrong) = self.run.formula(self.goal)?;
        let fault = self.run.fault();
        let fault = self.run.terms.or([fault, wrong]);
        // Where something fails, all other terms are meaningless.
        let reached = self.run.terms.and([holds, !fault]);
        match self.run.check(&[reached], stop) {
            SatResult::Satisfiable => return Ok(Some(self.found(stop))),
            SatResult::Unsatisfiable => self.run.assert(!reached),
            SatResult::Stopped => return Ok(Some(self.stopped())),
            SatResult::Unknown(why) => return Ok(Some(Bounded::Unknown(why))),
        }
        Ok(self.check_fault(fault, stop))
    }

    /// Adds a transition.
    pub(super) fn step(&mut self, stop: &Stop<'_>) -> Result<Option<Bounded>, EncodingError> {
        let guards = self.run.leave()?;
        if let Some(unknown) = self.check_fault(guards, stop) {
            return Ok(Some(unknown));
        }
        let updates = self.run.take();
        if let Some(unknown) = self.check_fault(updates, stop) {
            return Ok(Some(unknown));
        }
        self.run.land()?;
        Ok(None)
    }

    /// Returns whether no run is left.
    fn is_over(&mut self, stop: &Stop<'_>) -> bool {
        self.run.check(&[], stop) == SatResult::Unsatisfiable
    }

    /// Returns whether the model fails.
    pub(super) fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Returns the result if no run of at most `bound` transitions reaches the goal.
    pub(super) fn end(&self, bound: usize) -> Bounded {
        match &self.failed {
            Some(FoundFailure::Known(failure)) => Bounded::Fails(failure.clone()),
            Some(FoundFailure::Unidentified(1)) => {
                Bounded::Unknown("the model has a run-time error after 1 transition".to_owned())
            }
            Some(FoundFailure::Unidentified(n)) => {
                Bounded::Unknown(format!("the model has a run-time error after {n} transitions"))
            }
            None => Bounded::None(bound),
        }
    }

    /// Returns the result if a limit was reached. A known error is a better reason.
    pub(super) fn stopped(&self) -> Bounded {
        match self.failed {
            Some(_) => self.end(0),
            None => Bounded::Stopped,
        }
    }

    /// Checks whether a fault can hold, and excludes these runs from now on: a run that reaches the
    /// goal counts, whatever fails elsewhere.
    fn check_fault(&mut self, fault: Term, stop: &Stop<'_>) -> Option<Bounded> {
        if fault == Term::FALSE {
            return None;
        }
        match self.run.check(&[fault], stop) {
            SatResult::Satisfiable if self.failed.is_none() => {
                let trace: Option<Trace> = self.run.trace();
                let failure = trace.and_then(|trace| failure::find(self.system, trace, self.goal, stop));
                self.failed = Some(failure.map_or(FoundFailure::Unidentified(self.run.len()), FoundFailure::Known));
            }
            SatResult::Satisfiable | SatResult::Unsatisfiable => {}
            SatResult::Stopped => return Some(self.stopped()),
            SatResult::Unknown(why) => return Some(Bounded::Unknown(why)),
        }
        self.run.assert(!fault);
        None
    }

    /// Replays the run that was found.
    fn found(&mut self, stop: &Stop<'_>) -> Bounded {
        let Some(trace) = self.run.trace() else {
            return Bounded::Unknown("a run was found whose delays are too large to represent".to_owned());
        };
        match last_visit(self.system, &trace, Some(self.goal), stop) {
            Ok(Some(_)) => Bounded::Found(trace),
            Ok(None) => Bounded::Stopped,
            // The failing transition may have a higher priority than the one that the run takes:
            // formulas do not evaluate updates of other transitions.
            Err(Refusal::Fault(..)) => {
                let failure = failure::find(self.system, trace, self.goal, stop);
                self.failed = Some(failure.map_or(FoundFailure::Unidentified(self.run.len()), FoundFailure::Known));
                self.end(self.run.len())
            }
            Err(why) => Bounded::Unknown(format!("the run that was found does not replay: {}", describe_refusal(&why))),
        }
    }
}
