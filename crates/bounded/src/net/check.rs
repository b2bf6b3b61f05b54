//! Looks for runs of a net, one step more at a time.

use model::{Formula, System, net::Net, replay};
use smt::{Outcome, Solver, Term};

use super::{
    Encoding, Exact, Paper, Refusal, Run, Steps, Unrolling,
    goal::formula,
    reduce::{enlarged, reduced},
    supported,
    trace::concrete,
};
use crate::{
    bound::{Bounded, in_words},
    code::{Refused, Stop},
};

/// In larger nets it is not asked whether they are safe: that takes longer than the question, and no answer rests on it.
const MOST_PLACES: usize = 500;

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
    /// Whether the exact ones are made of a smaller net with the same answers.
    pub reduces: bool,
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
    stop: &Stop<'_>,
    at_step: &mut dyn FnMut(&mut dyn Unrolling, Term),
) -> Result<Bounded, Refused> {
    supported(net).map_err(Refused::Lacks)?;
    let is_exact = matches!(setup.encoding, Encoding::Events | Encoding::ExactDifferences);
    let smaller = (setup.reduces && is_exact).then(|| reduced(net, system, goal));
    let same: Vec<Option<u32>> = (0..net.places.len() as u32).map(Some).collect();
    let (unrolled, places) = smaller.as_ref().map_or((net, &same), |smaller| (&smaller.net, &smaller.places));
    let mut unrolling = unroll(unrolled, setup).map_err(Refused::Lacks)?;
    let unrolling = &mut *unrolling;
    // A token on another one is met on the way, not only at the end.
    let mut contacts = vec![unrolling.contact()];
    loop {
        for fact in unrolling.facts() {
            solver.assert(unrolling.terms(), fact);
        }
        let is_last = unrolling.steps() >= setup.bound;
        let mut unsafely = false;
        if is_last && is_exact && net.places.len() <= MOST_PLACES {
            let contact = unrolling.terms().or(contacts.iter().copied());
            unsafely = solver.check(unrolling.terms(), &[contact], stop) == Outcome::Satisfiable;
        }
        let (reached, _) = formula((net, places), (system, stop), unrolling, goal)?;
        at_step(unrolling, reached);
        match solver.check(unrolling.terms(), &[reached], stop) {
            Outcome::Satisfiable => {
                let mut run = unrolling.run(solver);
                if let Some(smaller) = &smaller {
                    run = enlarged(smaller, run);
                }
                return Ok(found(net, system, goal, setup, unrolling.steps(), &run));
            }
            Outcome::Unsatisfiable if !is_last => {}
            Outcome::Unsatisfiable if unsafely => return Ok(Bounded::Unknown(not_safe(setup.bound))),
            Outcome::Unsatisfiable => return Ok(Bounded::None(setup.bound)),
            Outcome::Stopped => return Ok(Bounded::Stopped),
            Outcome::Unknown(why) => return Ok(Bounded::Unknown(why)),
        }
        unrolling.step();
        contacts.push(unrolling.contact());
    }
}

fn not_safe(bound: usize) -> String {
    format!("no run of at most {bound} steps was found, but the net is not safe: a token is put where there is one")
}

/// The run that was found, if it is one.
fn found(net: &Net, system: &System, goal: &Formula, setup: &Setup, steps: usize, run: &Run) -> Bounded {
    let traced = concrete(net, system, run, asks_for_deadlock(goal));
    let replayed = traced.and_then(|trace| match replay::replay(system, &trace, Some(goal)) {
        Ok(_) => Ok(trace),
        Err(why) => Err(in_words(&why)),
    });
    match (replayed, setup.encoding) {
        (Ok(trace), _) => Bounded::Found(trace),
        (Err(why), Encoding::Linear | Encoding::Differences) => Bounded::Unknown(format!(
            "the formula has a solution that is no run, behind step {steps} ({why}); the encodings `event` and `dl-exact` have none of these"
        )),
        (Err(why), _) => Bounded::Unknown(format!("the run that was found does not replay: {why}")),
    }
}

/// Whether a state without a future is looked for.
pub(super) fn asks_for_deadlock(goal: &Formula) -> bool {
    match goal {
        Formula::Deadlock { negated } => !negated,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(asks_for_deadlock),
        _ => false,
    }
}
