//! What the trace of an answer is worth: every trace that is shown or written is a run, or says
//! that it is spurious.

use model::{Property, System, replay};
use verify::{Answer, Reason, Trace, Verdict};

use crate::{commands::replay as rules, json::verify as json};

/// A trace that can be shown; a spurious one has no delays. Otherwise why there is none
/// although a search has found a path.
pub enum Worth {
    /// There is one.
    Shown(Trace),
    /// There is none, for this reason.
    Missing(String),
    /// No path was found.
    Nothing,
}

/// Looks at the trace of an answer by the rules of `merkhet replay`.
pub fn judge(system: &System, property: &Property, answer: &mut Answer) -> Worth {
    let Some(mut trace) = answer.trace.take() else { return Worth::Nothing };
    let why = match follow(system, property, &answer.verdict, &trace) {
        Ok(()) => return Worth::Shown(trace),
        Err(why) => why,
    };
    let doubtful = match &answer.verdict {
        Verdict::Unknown(Reason::Imprecise(_)) => true,
        Verdict::Unknown(_) => !answer.plan.is_exact(),
        Verdict::Satisfied | Verdict::NotSatisfied => false,
    };
    if doubtful {
        trace.times = None;
        return Worth::Shown(trace);
    }
    let what = match answer.verdict {
        Verdict::Unknown(_) => "that there is a run to the error",
        _ => "that there is a run",
    };
    Worth::Missing(format!("known by the zones, which show {what}; no trace: {why}"))
}

/// Whether a trace is a run that shows the verdict; else why not.
fn follow(system: &System, property: &Property, verdict: &Verdict, trace: &Trace) -> Result<(), String> {
    let Some(run) = trace.run() else { return Err("no exact delays were found".to_owned()) };
    let run = replay::replay(system, &run, None).map_err(|why| rules::explain(why).why)?;
    // Where priorities decide, two implementations of them have to agree.
    if system.has_priorities {
        rules::possible(system, &run).map_err(|wrong| wrong.why)?;
    }
    let answer = match verdict {
        Verdict::Satisfied => json::Verdict::Satisfied,
        Verdict::NotSatisfied => json::Verdict::NotSatisfied,
        Verdict::Unknown(_) => json::Verdict::Unknown,
    };
    rules::shows(system, (&run, trace.ending), answer, property).map_err(|wrong| wrong.why)
}
