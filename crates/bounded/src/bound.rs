//! Results of bounded checks.

use model::{
    Formula, System,
    machine::Fault,
    replay::{Refusal, Trace, Visit, replay_each},
};

use crate::code::Stop;

/// The result of a bounded check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounded {
    /// A run to the goal. It was replayed.
    Found(Trace),
    /// No run of at most this many steps reaches the goal.
    None(usize),
    /// The model has a run-time error, and no run to the goal was found.
    Fails(FailingRun),
    /// A limit was reached.
    Stopped,
    /// The check is undecided, for this reason.
    Unknown(String),
}

/// A run-time error of a model, with a run to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingRun {
    /// The error.
    pub fault: Fault,
    /// A run to the state in which the error occurs. It was replayed. `None`: the invariant of the
    /// initial state fails.
    pub trace: Option<Trace>,
}

/// Replays a trace and returns its last state; `None` if a limit was reached.
pub(crate) fn last_visit(
    system: &System,
    trace: &Trace,
    goal: Option<&Formula>,
    stop: &Stop<'_>,
) -> Result<Option<Visit>, Refusal> {
    let mut last = None;
    let ended = replay_each(system, trace, goal, &mut |visit| {
        last = Some(visit);
        !stop()
    })?;
    Ok(last.filter(|_| ended))
}

/// Describes why a trace is not a run.
pub(crate) fn describe_refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Delay(_, why) | Refusal::Transition(_, why) | Refusal::Ending(why) | Refusal::Unclear(_, why) => {
            (*why).to_owned()
        }
        Refusal::Fault(_, fault) => fault.kind.to_string(),
        Refusal::Initial => "the initial state violates an invariant".to_owned(),
        Refusal::Goal => "its last state is not in the goal".to_owned(),
        Refusal::Always(_) => "what should always hold does not".to_owned(),
    }
}
