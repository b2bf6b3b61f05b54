//! Looks for runs of a net, one step more at a time.

use model::{Formula, System, net::Net};
use smt::{SatResult, Solver, Term};

use super::{
    Contact, Exact, NetEncoding, NetRun, NetUnrolling, Paper, Refusal, StepSemantics,
    goal::formula,
    reduce::{enlarged, reduced},
    supported,
    trace::{before_failure, concrete},
};
use crate::{
    bound::{Bounded, in_words, last_visit},
    code::{EncodingError, Stop},
    failure,
};

/// In larger nets it is not asked whether they are safe: that takes longer than the question, and
/// no answer rests on it.
const MOST_PLACES: usize = 500;

/// Which formula is made, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Which formula.
    pub encoding: NetEncoding,
    /// Without replacing, for the paper's.
    pub raw: bool,
    /// What fires in one step, for the exact ones.
    pub steps: StepSemantics,
    /// How many steps at most.
    pub bound: usize,
    /// Whether the exact ones are made of a smaller net with the same answers.
    pub reduces: bool,
}

/// A formula of a net, without steps.
///
/// # Errors
/// What the formula lacks.
pub fn unroll<'a>(net: &'a Net, setup: &Setup) -> Result<Box<dyn NetUnrolling + 'a>, Refusal> {
    supported(net)?;
    Ok(match setup.encoding {
        NetEncoding::Linear => Box::new(Paper::new(net, true, setup.raw)?),
        NetEncoding::Differences => Box::new(Paper::new(net, false, setup.raw)?),
        NetEncoding::ExactDifferences => Box::new(Exact::new(net, false, setup.steps)),
        NetEncoding::Events => Box::new(Exact::new(net, true, setup.steps)),
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
    at_step: &mut dyn FnMut(&mut dyn NetUnrolling, Term),
) -> Result<Bounded, EncodingError> {
    supported(net).map_err(EncodingError::Unsupported)?;
    let is_exact = matches!(setup.encoding, NetEncoding::Events | NetEncoding::ExactDifferences);
    let smaller = (setup.reduces && is_exact).then(|| reduced(net, system, goal, stop));
    let same: Vec<Option<u32>> = (0..net.places.len() as u32).map(Some).collect();
    let (unrolled, places) = smaller.as_ref().map_or((net, &same), |smaller| (&smaller.net, &smaller.places));
    let mut unrolling = unroll(unrolled, setup).map_err(EncodingError::Unsupported)?;
    let unrolling = &mut *unrolling;
    // A token on another one is met on the way, not only at the end.
    let mut contacts: Vec<Contact> = Vec::new();
    loop {
        for fact in unrolling.facts() {
            if stop() {
                return Ok(Bounded::Stopped);
            }
            solver.assert(unrolling.terms(), fact);
        }
        let is_last = unrolling.steps() >= setup.bound;
        let (holds, fault) = formula((net, places), (system, stop), unrolling, goal)?;
        let reached = unrolling.terms().and([holds, !fault]);
        at_step(unrolling, reached);
        match solver.check(unrolling.terms(), &[reached], stop) {
            SatResult::Satisfiable => {
                let run = enlarged(smaller.as_ref(), unrolling.run(solver, None));
                return Ok(found((net, system), goal, (setup, unrolling.steps()), &run, stop));
            }
            SatResult::Unsatisfiable if !is_last => {}
            SatResult::Unsatisfiable if contacts.is_empty() || net.places.len() > MOST_PLACES => {
                return Ok(Bounded::None(setup.bound));
            }
            SatResult::Unsatisfiable => {
                let contact = unrolling.terms().or(contacts.iter().map(|contact| contact.when));
                let outcome = solver.check(unrolling.terms(), &[contact], stop);
                let terms = unrolling.terms();
                let met = contacts
                    .iter()
                    .find(|contact| outcome == SatResult::Satisfiable && solver.holds(terms, contact.when));
                let Some(met) = met else { return Ok(Bounded::None(setup.bound)) };
                let run = enlarged(smaller.as_ref(), unrolling.run(solver, Some(met)));
                return Ok(not_safe((net, system), goal, setup.bound, &run, stop));
            }
            SatResult::Stopped => return Ok(Bounded::Stopped),
            SatResult::Unknown(why) => return Ok(Bounded::Unknown(why)),
        }
        unrolling.step(stop);
        if stop() {
            return Ok(Bounded::Stopped);
        }
        contacts.extend_from_slice(unrolling.contacts());
    }
}

/// What a run to a token on another one says: it may be the goal to meet it, else it is a run-time
/// error.
fn not_safe((net, system): (&Net, &System), goal: &Formula, bound: usize, run: &NetRun, stop: &Stop<'_>) -> Bounded {
    let traced = before_failure(net, system, run, stop);
    if let Ok(trace) = &traced
        && let Ok(Some(_)) = last_visit(system, trace, Some(goal), stop)
    {
        return Bounded::Found(trace.clone());
    }
    let failure = traced.ok().and_then(|trace| failure::find(system, trace, goal, stop));
    failure.map_or_else(
        || {
            Bounded::Unknown(format!(
                "no run of at most {bound} steps reaches the goal, and the net is not safe: a token is put on a marked place"
            ))
        },
        Bounded::Fails,
    )
}

/// The run that was found, if it is one.
fn found(
    (net, system): (&Net, &System),
    goal: &Formula,
    (setup, steps): (&Setup, usize),
    run: &NetRun,
    stop: &Stop<'_>,
) -> Bounded {
    let traced = concrete(net, system, run, asks_for_deadlock(goal), stop);
    let replayed = traced.and_then(|trace| match last_visit(system, &trace, Some(goal), stop) {
        Ok(state) => Ok(state.map(|_| trace)),
        Err(why) => Err(in_words(&why)),
    });
    match (replayed, setup.encoding) {
        (Ok(Some(trace)), _) => Bounded::Found(trace),
        (Ok(None), _) => Bounded::Stopped,
        _ if stop() => Bounded::Stopped,
        (Err(why), NetEncoding::Linear | NetEncoding::Differences) => Bounded::Unknown(format!(
            "the formula has a solution that is not a run, after step {steps} ({why}); use the encoding `event` or `dl-exact`, whose solutions are runs"
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
