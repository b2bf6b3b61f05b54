//! Which run-time error a solution of the formulas stands for.

use model::{
    Formula, Ratio, System,
    replay::{Refusal, Trace, after, replay},
    simulate::Simulator,
};

use crate::bound::Failure;

/// The run-time error of the state that a run leads to, or of the first state on its way that has one. `None`: exact arithmetic finds
/// none, because the numbers of the run are too large.
pub(super) fn find(system: &System, mut trace: Trace, goal: &Formula) -> Option<Failure> {
    let states = match replay(system, &trace, None) {
        Ok(states) => states,
        Err(Refusal::Fault(0, fault)) if replay(system, &Trace::default(), None).is_err() => {
            return Some(Failure { fault, trace: None });
        }
        // The step that can't be taken is where it fails.
        Err(Refusal::Fault(step, _) | Refusal::Transition(step, _) | Refusal::Delay(step, _)) => {
            let delay = trace.steps.get(step).map_or(trace.last_delay, |step| Some(step.delay));
            trace.steps.truncate(step);
            trace.last_delay = delay;
            match replay(system, &trace, None) {
                Ok(states) => states,
                Err(_) => {
                    trace.last_delay = None;
                    replay(system, &trace, None).ok()?
                }
            }
        }
        Err(_) => return None,
    };
    let mut simulator = Simulator::new(system);
    let arrived = states.last()?;
    let waited = after(system, arrived, trace.last_delay.unwrap_or(Ratio::ZERO)).ok()?;
    let fault = match simulator.holds(goal, &waited) {
        Err(fault) => fault,
        // What fails may do so before the delay is over.
        Ok(_) => [&waited, arrived].into_iter().find_map(|state| {
            let situation = simulator.situation(state).ok()?;
            Some(situation.failures.first()?.fault)
        })?,
    };
    Some(Failure { fault, trace: Some(trace) })
}
