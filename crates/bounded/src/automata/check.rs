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
        if let Err(why) = fails(&mut run, fault, stop, &mut failed) {
            return Ok(Bounded::Unknown(why));
        }
        run.assert(!reached);
        if run.len() < bound {
            let fault = run.take()?;
            if let Err(why) = fails(&mut run, fault, stop, &mut failed) {
                return Ok(Bounded::Unknown(why));
            }
            run.land()?;
            continue;
        }
        return Ok(match failed {
            Some(1) => Bounded::Unknown("the model has a run-time error within 1 transition".to_owned()),
            Some(n) => Bounded::Unknown(format!("the model has a run-time error within {n} transitions")),
            None => Bounded::None(bound),
        });
    }
}

/// Looks whether the model can fail like this, and leaves those runs aside.
fn fails(
    run: &mut Unrolling<'_, '_>,
    fault: Term,
    stop: &dyn Fn() -> bool,
    failed: &mut Option<usize>,
) -> Result<(), String> {
    if fault == Term::FALSE {
        return Ok(());
    }
    match run.check(&[fault], stop) {
        Outcome::Satisfiable => *failed = failed.or(Some(run.len())),
        Outcome::Unsatisfiable => {}
        Outcome::Unknown(why) => return Err(why),
    }
    run.assert(!fault);
    Ok(())
}

/// The run that was found, if it is one.
fn found(system: &System, goal: &Formula, run: &mut Unrolling<'_, '_>) -> Bounded {
    let Some(trace) = run.trace() else {
        return Bounded::Unknown("the moments of a run are no numbers that fit".to_owned());
    };
    match replay(system, &trace, Some(goal)) {
        Ok(_) => Bounded::Found(trace),
        Err(why) => Bounded::Unknown(format!("the run that was found does not replay: {why:?}")),
    }
}
