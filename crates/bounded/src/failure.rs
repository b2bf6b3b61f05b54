//! The run-time error that a solution of a formula stands for.

use model::{
    Formula, System,
    replay::{Refusal, Trace},
    simulate::Simulator,
};

use crate::{
    bound::{FailingRun, last_visit},
    code::Stop,
};

/// Finds the run-time error of the last state of a run, or of the first state along it that has
/// one. `None`: exact arithmetic finds none, because the numbers of the run are too large or a
/// limit was reached.
pub(crate) fn find(system: &System, mut trace: Trace, goal: &Formula, stop: &Stop<'_>) -> Option<FailingRun> {
    let last = match last_visit(system, &trace, None, stop) {
        Ok(visit) => visit?,
        Err(Refusal::Fault(0, fault)) if last_visit(system, &Trace::default(), None, stop).is_err() => {
            return Some(FailingRun { fault, trace: None });
        }
        // The step that is refused is the one that fails, before or after its delay.
        Err(Refusal::Fault(step, _) | Refusal::Transition(step, _) | Refusal::Delay(step, _)) => {
            trace.last_delay = trace.steps.get(step).map_or(trace.last_delay, |step| Some(step.delay));
            trace.steps.truncate(step);
            if last_visit(system, &trace, None, stop).is_err() {
                trace.last_delay = None;
            }
            last_visit(system, &trace, None, stop).ok()??
        }
        Err(_) => return None,
    };
    let mut simulator = Simulator::new(system);
    let waited = last.end();
    let fault = match simulator.holds(goal, &waited) {
        Err(fault) => fault,
        Ok(_) => [&waited, &last.state].into_iter().find_map(|state| {
            let situation = simulator.situation(state).ok()?;
            Some(situation.failures.first()?.fault)
        })?,
    };
    Some(FailingRun { fault, trace: Some(trace) })
}
