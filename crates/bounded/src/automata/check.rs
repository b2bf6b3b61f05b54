//! Bounded checking: is there a run to the goal of at most so many transitions?

use model::{Formula, System, replay::replay};
use smt::{Outcome, Solver, Term};

use super::{Encoder, unroll::Unrolling};
use crate::{bound::Bounded, code::Refused};

/// Looks for a run to the goal of at most `bound` transitions, the shortest ones first. `at_depth` is told how many transitions
/// are looked at.
///
/// # Errors
/// What the system or the goal have that is not turned into formulas.
pub fn check(
    system: &System,
    goal: &Formula,
    bound: usize,
    solver: &mut dyn Solver,
    stop: &dyn Fn() -> bool,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Bounded, Refused> {
    let encoder = Encoder::new(system)?;
    let mut base = Base::new(&encoder, goal, solver)?;
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
    }
    Ok(base.end(bound))
}

/// Runs from the start that grow step by step, as long as none leads to the goal.
pub(super) struct Base<'e, 's> {
    goal: &'e Formula,
    system: &'s System,
    run: Unrolling<'e, 's>,
    /// Behind how many transitions the model fails.
    failed: Option<usize>,
}

impl<'e, 's> Base<'e, 's> {
    pub(super) fn new(
        encoder: &'e Encoder<'s>,
        goal: &'e Formula,
        solver: &'e mut dyn Solver,
    ) -> Result<Base<'e, 's>, Refused> {
        let run = Unrolling::new(encoder, solver)?;
        Ok(Base { goal, system: encoder.system(), run, failed: None })
    }

    /// Looks whether the goal is reached where the runs end.
    pub(super) fn look(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Bounded>, Refused> {
        let (reached, wrong) = self.run.formula(self.goal)?;
        match self.run.check(&[reached], stop) {
            Outcome::Satisfiable => return Ok(Some(self.found())),
            Outcome::Unsatisfiable => self.run.assert(!reached),
            Outcome::Unknown(why) => return Ok(Some(Bounded::Unknown(why))),
        }
        let fault = self.run.fault();
        let fault = self.run.terms.or([fault, wrong]);
        Ok(self.fails(fault, stop))
    }

    /// Takes one more transition.
    pub(super) fn step(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<Bounded>, Refused> {
        let fault = self.run.take()?;
        if let Some(unknown) = self.fails(fault, stop) {
            return Ok(Some(unknown));
        }
        self.run.land()?;
        Ok(None)
    }

    /// Whether the model fails.
    pub(super) fn failed(&self) -> bool {
        self.failed.is_some()
    }

    /// What is said where no run of at most so many transitions leads to the goal.
    pub(super) fn end(&self, bound: usize) -> Bounded {
        match self.failed {
            Some(1) => Bounded::Unknown("the model has a run-time error within 1 transition".to_owned()),
            Some(n) => Bounded::Unknown(format!("the model has a run-time error within {n} transitions")),
            None => Bounded::None(bound),
        }
    }

    /// Looks whether the model can fail like this, and leaves those runs aside: a goal that is reached is reached, whatever fails
    /// elsewhere.
    fn fails(&mut self, fault: Term, stop: &dyn Fn() -> bool) -> Option<Bounded> {
        if fault == Term::FALSE {
            return None;
        }
        match self.run.check(&[fault], stop) {
            Outcome::Satisfiable => self.failed = self.failed.or(Some(self.run.len())),
            Outcome::Unsatisfiable => {}
            Outcome::Unknown(why) => return Some(Bounded::Unknown(why)),
        }
        self.run.assert(!fault);
        None
    }

    /// The run that was found, if it is one.
    fn found(&mut self) -> Bounded {
        let Some(trace) = self.run.trace() else {
            return Bounded::Unknown("the moments of a run are no numbers that fit".to_owned());
        };
        match replay(self.system, &trace, Some(self.goal)) {
            Ok(_) => Bounded::Found(trace),
            Err(why) => Bounded::Unknown(format!("the run that was found does not replay: {why:?}")),
        }
    }
}
