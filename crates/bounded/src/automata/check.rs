//! Bounded checking: is there a run to the goal of at most so many transitions?

use model::{Formula, System, replay::replay};
use smt::{Outcome, Solver};

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
    let mut run = Unrolling::new(&encoder, solver)?;
    let mut failed = None;
    loop {
        at_depth(run.len());
        let (reached, wrong) = run.formula(goal)?;
        match run.check(&[reached], stop) {
            Outcome::Satisfiable => return Ok(found(system, goal, &mut run)),
            Outcome::Unsatisfiable => {}
            Outcome::Unknown(why) => return Ok(Bounded::Unknown(why)),
        }
        // A goal that is reached is reached, whatever fails elsewhere; so the search goes on.
        let fault = run.fault();
        let fault = run.terms.or([fault, wrong]);
        match run.check(&[fault], stop) {
            Outcome::Satisfiable => failed = failed.or(Some(run.len())),
            Outcome::Unsatisfiable => {}
            Outcome::Unknown(why) => return Ok(Bounded::Unknown(why)),
        }
        if run.len() >= bound {
            return Ok(match failed {
                Some(step) => Bounded::Unknown(fails(step)),
                None => Bounded::None(bound),
            });
        }
        run.assert(!reached);
        run.assert(!fault);
        run.extend()?;
    }
}

/// What is said where the model has a run-time error.
pub(super) fn fails(step: usize) -> String {
    match step {
        1 => "the model has a run-time error behind 1 transition".to_owned(),
        n => format!("the model has a run-time error behind {n} transitions"),
    }
}

/// The run that was found, if it is one.
pub(super) fn found(system: &System, goal: &Formula, run: &mut Unrolling<'_, '_>) -> Bounded {
    let Some(trace) = run.trace() else {
        return Bounded::Unknown("the moments of a run are no numbers that fit".to_owned());
    };
    match replay(system, &trace, Some(goal)) {
        Ok(_) => Bounded::Found(trace),
        Err(why) => Bounded::Unknown(format!("the run that was found does not replay: {why:?}")),
    }
}
