//! Bounded model checking of nets.

use model::{Formula, System, net::Net};
use smt::{SatResult, Solver, Term};

use super::{
    Contact, Exact, NetEncoding, NetRun, NetUnrolling, Paper, Replacing, StepSemantics,
    goal::formula,
    reduce::{expanded, reduced},
    supported,
    trace::{NetRunError, before_failure, concrete},
};
use crate::{
    EncodingError, Unsupported,
    bound::{Bounded, last_visit},
    code::Stop,
    failure,
};

/// Larger nets are not checked for safety. The check would take longer than the query, and no
/// answer depends on it.
const MAX_SAFETY_PLACES: usize = 500;

/// The encoding of a net and its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The encoding.
    pub encoding: NetEncoding,
    /// Which variables the encodings of the paper replace.
    pub replacing: Replacing,
    /// The step semantics of the exact encodings.
    pub steps: StepSemantics,
    /// The greatest number of steps.
    pub bound: usize,
    /// Whether the exact encodings first reduce the net.
    pub reduces: bool,
}

/// Creates an unrolling without steps.
///
/// # Errors
/// The net or the query has an unsupported feature.
pub fn unroll<'a>(net: &'a Net, setup: &Setup) -> Result<Box<dyn NetUnrolling + 'a>, Unsupported> {
    supported(net)?;
    Ok(match setup.encoding {
        NetEncoding::Linear => Box::new(Paper::new(net, true, setup.replacing)?),
        NetEncoding::Differences => Box::new(Paper::new(net, false, setup.replacing)?),
        NetEncoding::ExactDifferences => Box::new(Exact::new(net, false, setup.steps)),
        NetEncoding::Events => Box::new(Exact::new(net, true, setup.steps)),
    })
}

/// Searches for a run to the goal. `at_step` is called with the query of each step before the
/// solver is.
///
/// # Errors
/// The net or the query has an unsupported feature.
pub fn check(
    net: &Net,
    system: &System,
    goal: &Formula,
    setup: &Setup,
    solver: &mut dyn Solver,
    stop: &Stop<'_>,
    at_step: &mut dyn FnMut(&mut dyn NetUnrolling, Term),
) -> Result<Bounded, EncodingError> {
    supported(net)?;
    let is_exact = matches!(setup.encoding, NetEncoding::Events | NetEncoding::ExactDifferences);
    let smaller = (setup.reduces && is_exact).then(|| reduced(net, system, goal, stop));
    let same: Vec<Option<u32>> = (0..net.places.len() as u32).map(Some).collect();
    let (unrolled, places) = smaller.as_ref().map_or((net, &same), |smaller| (&smaller.net, &smaller.places));
    let mut unrolling = unroll(unrolled, setup)?;
    let unrolling = &mut *unrolling;
    // A contact may occur in any step, not only in the last one.
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
                let run = expanded(smaller.as_ref(), unrolling.run(solver, None));
                return Ok(replayed((net, system), goal, (setup, unrolling.steps()), &run, stop));
            }
            SatResult::Unsatisfiable if !is_last => {}
            SatResult::Unsatisfiable if contacts.is_empty() || net.places.len() > MAX_SAFETY_PLACES => {
                return Ok(Bounded::None(setup.bound));
            }
            SatResult::Unsatisfiable => {
                let contact = unrolling.terms().or(contacts.iter().map(|contact| contact.when));
                let result = solver.check(unrolling.terms(), &[contact], stop);
                let terms = unrolling.terms();
                let met = contacts
                    .iter()
                    .find(|contact| result == SatResult::Satisfiable && solver.holds(terms, contact.when));
                let Some(met) = met else { return Ok(Bounded::None(setup.bound)) };
                let run = expanded(smaller.as_ref(), unrolling.run(solver, Some(met)));
                return Ok(contact_result((net, system), goal, setup.bound, &run, stop));
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

/// Returns the result of a run to a contact: its last state may satisfy the goal, else it is a
/// run-time error.
fn contact_result(
    (net, system): (&Net, &System),
    goal: &Formula,
    bound: usize,
    run: &NetRun,
    stop: &Stop<'_>,
) -> Bounded {
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

/// Replays the run that was found.
fn replayed(
    (net, system): (&Net, &System),
    goal: &Formula,
    (setup, steps): (&Setup, usize),
    run: &NetRun,
    stop: &Stop<'_>,
) -> Bounded {
    let traced = concrete(net, system, run, stop);
    let found = traced.and_then(|trace| match last_visit(system, &trace, Some(goal), stop) {
        Ok(state) => Ok(state.map(|_| trace)),
        Err(why) => Err(NetRunError::Replay(why)),
    });
    match (found, setup.encoding) {
        (Ok(Some(trace)), _) => Bounded::Found(trace),
        (Ok(None), _) => Bounded::Stopped,
        _ if stop() => Bounded::Stopped,
        (Err(why), NetEncoding::Linear | NetEncoding::Differences) => Bounded::Unknown(format!(
            "the formula has a solution that is not a run, after step {steps} ({why}); use the encoding `event` or `dl-exact`, whose solutions are runs"
        )),
        (Err(why), _) => Bounded::Unknown(format!("the run that was found does not replay: {why}")),
    }
}

/// Returns whether the goal has `deadlock`, not negated.
pub(super) fn asks_for_deadlock(goal: &Formula) -> bool {
    match goal {
        Formula::Deadlock { negated } | Formula::NetDeadlock { negated, .. } => !negated,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(asks_for_deadlock),
        _ => false,
    }
}
