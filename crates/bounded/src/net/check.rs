//! Looks for runs of a net, one step more at a time.

use model::{Formula, System, net::Net, replay};
use smt::{Outcome, Solver, Term};

use super::{Encoding, Exact, Paper, Refusal, Steps, Unrolling, goal::formula, supported, trace::concrete};
use crate::{Bounded, Refused};

/// Which formula is made, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Which formula.
    pub encoding: Encoding,
    /// Without replacing, for the paper's.
    pub raw: bool,
    /// What fires in one step, for the exact ones.
    pub steps: Steps,
    /// How many steps at most.
    pub bound: usize,
}

/// A formula of a net, without steps.
///
/// # Errors
/// What the formula lacks.
pub fn unroll<'a>(net: &'a Net, setup: &Setup) -> Result<Box<dyn Unrolling + 'a>, Refusal> {
    supported(net)?;
    Ok(match setup.encoding {
        Encoding::Linear => Box::new(Paper::new(net, true, setup.raw)?),
        Encoding::Differences => Box::new(Paper::new(net, false, setup.raw)?),
        Encoding::ExactDifferences => Box::new(Exact::new(net, false, setup.steps)),
        Encoding::Events => Box::new(Exact::new(net, true, setup.steps)),
    })
}

/// Looks for a run to the goal. `at_step` is told what is asked at each step before the solver is.
///
/// # Errors
/// What the formula lacks.
pub fn check(
    net: &Net,
    system: &System,
    goal: &Formula,
    setup: &Setup,
    solver: &mut dyn Solver,
    stop: &dyn Fn() -> bool,
    at_step: &mut dyn FnMut(&mut dyn Unrolling, Term),
) -> Result<Bounded, Refused> {
    let mut unrolling = unroll(net, setup).map_err(Refused)?;
    let unrolling = &mut *unrolling;
    // A token on another one is met on the way, not only at the end.
    let mut contacts = vec![unrolling.contact()];
    loop {
        for fact in unrolling.facts() {
            solver.assert(unrolling.terms(), fact);
        }
        let (reached, _) = formula(net, system, unrolling, goal)?;
        at_step(unrolling, reached);
        match solver.check(unrolling.terms(), &[reached], stop) {
            Outcome::Satisfiable => return Ok(found(net, system, goal, setup, unrolling, solver)),
            Outcome::Unsatisfiable => {}
            Outcome::Unknown(why) => return Ok(Bounded::Unknown(why)),
        }
        if unrolling.steps() >= setup.bound {
            break;
        }
        unrolling.step();
        contacts.push(unrolling.contact());
    }
    let contact = unrolling.terms().or(contacts);
    Ok(match solver.check(unrolling.terms(), &[contact], stop) {
        Outcome::Satisfiable => Bounded::Unknown(format!(
            "no run of at most {} steps was found, but the net is not safe: a token is put where there is one",
            setup.bound
        )),
        Outcome::Unsatisfiable | Outcome::Unknown(_) => Bounded::None(setup.bound),
    })
}

/// The run that was found, if it is one.
fn found(
    net: &Net,
    system: &System,
    goal: &Formula,
    setup: &Setup,
    unrolling: &mut dyn Unrolling,
    solver: &mut dyn Solver,
) -> Bounded {
    let run = unrolling.run(solver);
    let traced = concrete(net, system, &run, asks_for_deadlock(goal));
    let replayed = traced.and_then(|trace| match replay::replay(system, &trace, Some(goal)) {
        Ok(_) => Ok(trace),
        Err(why) => Err(format!("{why:?}")),
    });
    match (replayed, setup.encoding) {
        (Ok(trace), _) => Bounded::Found(trace),
        (Err(why), Encoding::Linear | Encoding::Differences) => Bounded::Unknown(format!(
            "the formula has a solution of {} steps that is no run ({why}); the encodings `event` and `dl-exact` have none of these",
            unrolling.steps()
        )),
        (Err(why), _) => Bounded::Unknown(format!("the run that was found does not replay: {why}")),
    }
}

/// Whether a state without a future is looked for.
fn asks_for_deadlock(goal: &Formula) -> bool {
    match goal {
        Formula::Deadlock { negated } => !negated,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(asks_for_deadlock),
        _ => false,
    }
}
