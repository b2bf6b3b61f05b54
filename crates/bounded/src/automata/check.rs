//! Bounded checking: is there a run to the goal of at most so many transitions?

use model::{
    Formula, System,
    replay::{Refusal, Trace},
};
use smt::{SatResult, Solver, Term};

use super::{Encoder, unroll::Unrolling};
use crate::{
    bound::{Bounded, FailingRun, in_words, last_visit},
    code::{EncodingError, Stop},
    failure,
};

/// Looks for a run to the goal of at most `bound` transitions, the shortest ones first. `at_depth`
/// is told how many transitions are looked at.
///
/// # Errors
/// What the system or the goal have that is not turned into formulas.
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
        if let Some(found) = base.look(stop)? {
            return Ok(found);
        }
        if depth < bound
            && let Some(found) = base.step(stop)?
        {
            return Ok(found);
        }
        // Where all runs end in errors there are no longer ones.
        if base.failed() && base.is_over(stop) {
            break;
        }
    }
    Ok(base.end(bound))
}

/// Runs from the start that grow step by step, as long as none leads to the goal.
pub(super) struct BaseCase<'e, 's> {
    goal: &'e Formula,
    system: &'s System,
    run: Unrolling<'e, 's>,
    /// The first run-time error that was found.
    failed: Option<FoundFailure>,
}

/// A run-time error.
enum FoundFailure {
    /// Which one, and a run to it.
    Known(FailingRun),
    /// After so many transitions.
    After(usize),
}

impl<'e, 's> BaseCase<'e, 's> {
    pub(super) fn new(
        encoder: &'e Encoder<'s>,
        goal: &'e Formula,
        solver: &'e mut dyn Solver,
    ) -> Result<BaseCase<'e, 's>, EncodingError> {
        let run = Unrolling::new(encoder, solver)?;
        Ok(BaseCase { goal, system: encoder.system(), run, failed: None })
    }

    /// Looks whether the goal is reached where the runs end.
    pub(super) fn look(&mut self, stop: &Stop<'_>) -> Result<Option<Bounded>, EncodingError> {
        let (holds, wrong) = self.run.formula(self.goal)?;
        let fault = self.run.fault();
        let fault = self.run.terms.or([fault, wrong]);
        // Where something fails, the rest of what was found has no meaning.
        let reached = self.run.terms.and([holds, !fault]);
        match self.run.check(&[reached], stop) {
            SatResult::Satisfiable => return Ok(Some(self.found(stop))),
            SatResult::Unsatisfiable => self.run.assert(!reached),
            SatResult::Stopped => return Ok(Some(self.stopped())),
            SatResult::Unknown(why) => return Ok(Some(Bounded::Unknown(why))),
        }
        Ok(self.fails(fault, stop))
    }

    /// Takes one more transition.
    pub(super) fn step(&mut self, stop: &Stop<'_>) -> Result<Option<Bounded>, EncodingError> {
        let guards = self.run.leave()?;
        if let Some(unknown) = self.fails(guards, stop) {
            return Ok(Some(unknown));
        }
        let updates = self.run.take();
        if let Some(unknown) = self.fails(updates, stop) {
            return Ok(Some(unknown));
        }
        self.run.land()?;
        Ok(None)
    }

    /// Whether no run is left.
    fn is_over(&mut self, stop: &Stop<'_>) -> bool {
        self.run.check(&[], stop) == SatResult::Unsatisfiable
    }

    /// Whether the model fails.
    pub(super) fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// What is said where no run of at most so many transitions leads to the goal.
    pub(super) fn end(&self, bound: usize) -> Bounded {
        match &self.failed {
            Some(FoundFailure::Known(failure)) => Bounded::Fails(failure.clone()),
            Some(FoundFailure::After(1)) => {
                Bounded::Unknown("the model has a run-time error after 1 transition".to_owned())
            }
            Some(FoundFailure::After(n)) => {
                Bounded::Unknown(format!("the model has a run-time error after {n} transitions"))
            }
            None => Bounded::None(bound),
        }
    }

    /// What is said where a limit is reached: an error that is known by then is the better reason.
    pub(super) fn stopped(&self) -> Bounded {
        match self.failed {
            Some(_) => self.end(0),
            None => Bounded::Stopped,
        }
    }

    /// Looks whether the model can fail like this, and leaves those runs aside: a goal that is
    /// reached is reached, whatever fails elsewhere.
    fn fails(&mut self, fault: Term, stop: &Stop<'_>) -> Option<Bounded> {
        if fault == Term::FALSE {
            return None;
        }
        match self.run.check(&[fault], stop) {
            SatResult::Satisfiable if self.failed.is_none() => {
                let trace: Option<Trace> = self.run.trace();
                let failure = trace.and_then(|trace| failure::find(self.system, trace, self.goal, stop));
                self.failed = Some(failure.map_or(FoundFailure::After(self.run.len()), FoundFailure::Known));
            }
            SatResult::Satisfiable | SatResult::Unsatisfiable => {}
            SatResult::Stopped => return Some(self.stopped()),
            SatResult::Unknown(why) => return Some(Bounded::Unknown(why)),
        }
        self.run.assert(!fault);
        None
    }

    /// The run that was found, if it is one.
    fn found(&mut self, stop: &Stop<'_>) -> Bounded {
        let Some(trace) = self.run.trace() else {
            return Bounded::Unknown("a run was found whose delays are too large to represent".to_owned());
        };
        match last_visit(self.system, &trace, Some(self.goal), stop) {
            Ok(Some(_)) => Bounded::Found(trace),
            Ok(None) => Bounded::Stopped,
            // What fails may have a higher priority than what the run takes instead: formulas do
            // not evaluate updates that are not made.
            Err(Refusal::Fault(..)) => {
                let failure = failure::find(self.system, trace, self.goal, stop);
                self.failed = Some(failure.map_or(FoundFailure::After(self.run.len()), FoundFailure::Known));
                self.end(self.run.len())
            }
            Err(why) => Bounded::Unknown(format!("the run that was found does not replay: {}", in_words(&why))),
        }
    }
}
