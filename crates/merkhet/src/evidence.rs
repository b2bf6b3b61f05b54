//! Whether a run shows what it is said to show, by rules that share no code with the engines.

use model::{
    Property, System,
    replay::{self, Claim, ConcreteState, Ending, Refusal, Visit},
};
use thiserror::Error;
use verify::{Reason, Trace, Verdict};

use crate::Reservation;

/// What a run is said to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The query is satisfied.
    Satisfied,
    /// The query is not satisfied.
    NotSatisfied,
    /// A run-time error follows.
    RunTimeError,
}

impl Shown {
    /// Returns what a state or a run shows that a query asks for.
    fn by_example(exists: bool) -> Shown {
        if exists { Shown::Satisfied } else { Shown::NotSatisfied }
    }

    /// Returns what the trace of an answer is said to show.
    fn by(verdict: &Verdict) -> Shown {
        match verdict {
            Verdict::Satisfied => Shown::Satisfied,
            Verdict::NotSatisfied => Shown::NotSatisfied,
            Verdict::Unknown(_) => Shown::RunTimeError,
        }
    }
}

/// Why a run does not show what it is said to show.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct Flaw {
    /// The step, counted from 1; 0 is the start. `None`: the run as a whole.
    pub step: Option<usize>,
    /// The reason.
    pub why: WhyFlawed,
}

/// What is wrong with a run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WhyFlawed {
    /// The initial state violates an invariant.
    #[error("the initial state violates an invariant")]
    Initial,
    /// Time can't pass.
    #[error("time can't pass: {0}")]
    Delay(String),
    /// A transition can't be taken.
    #[error("the transition can't be taken: {0}")]
    Transition(String),
    /// A transition is not possible by the checker's rules.
    #[error("the transition is not possible")]
    Impossible,
    /// The model fails.
    #[error("run-time error: {0}")]
    RunTime(String),
    /// The last state does not decide the query.
    #[error("the last state is not one that decides the query")]
    Goal,
    /// A formula that has to hold throughout does not.
    #[error("the formula does not hold throughout")]
    Always,
    /// The run does not continue as it is said to.
    #[error("the run does not go on as it should: {0}")]
    Ending(String),
    /// The rules can't tell.
    #[error("{0}")]
    Undecided(String),
    /// An infinite run does not decide this answer.
    #[error("a run that goes on does not decide this answer")]
    Infinite,
    /// No run-time error follows.
    #[error("no run-time error follows")]
    NoError,
    /// `E<>` that is not satisfied has no run to show.
    #[error("a run does not show that `E<>` is not satisfied")]
    Unreachable,
    /// `A[]` that is satisfied has no run to show.
    #[error("a run does not show that `A[]` is satisfied")]
    Invariant,
    /// The kind of query is not decided by one run.
    #[error("one run does not decide a query of this kind")]
    Kind,
    /// The exact delays are unknown.
    #[error("no exact delays were found")]
    NoDelays,
}

impl Flaw {
    /// Returns whether the run is not known to be wrong, only not known to be right.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        matches!(self.why, WhyFlawed::Undecided(_))
    }
}

impl From<Refusal> for Flaw {
    fn from(refusal: Refusal) -> Flaw {
        let (step, why) = match refusal {
            Refusal::Initial => (Some(0), WhyFlawed::Initial),
            Refusal::Delay(step, why) => (Some(step + 1), WhyFlawed::Delay(why.to_string())),
            Refusal::Transition(step, why) => (Some(step + 1), WhyFlawed::Transition(why.to_string())),
            Refusal::Fault(step, fault) => (Some(step + 1), WhyFlawed::RunTime(fault.kind.to_string())),
            Refusal::Goal => (None, WhyFlawed::Goal),
            Refusal::Always(step) => (Some(step + 1), WhyFlawed::Always),
            Refusal::Ending(why) => (None, WhyFlawed::Ending(why.to_string())),
            Refusal::Unclear(step, why) => (Some(step + 1), WhyFlawed::Undecided(why.to_owned())),
        };
        Flaw { step, why }
    }
}

/// What becomes of the trace of an answer.
pub(crate) enum Judged {
    /// It is a run that shows the verdict, or leads to what may be unreachable.
    Trace(Trace),
    /// No run is known, for this reason.
    Missing(Reservation),
    /// There is no trace.
    Nothing,
}

/// Judges the trace of an answer by the rules of `merkhet replay`.
pub(crate) fn judge(system: &System, property: &Property, answer: &mut verify::Answer) -> Judged {
    let Some(mut trace) = answer.trace.take() else { return Judged::Nothing };
    let Err(flaw) = follow(system, property, &answer.verdict, &trace) else { return Judged::Trace(trace) };
    let doubtful = match &answer.verdict {
        Verdict::Unknown(Reason::Imprecise(_)) => true,
        Verdict::Unknown(_) => !answer.plan.is_exact(),
        Verdict::Satisfied | Verdict::NotSatisfied => false,
    };
    if doubtful {
        trace.times = None;
        return Judged::Trace(trace);
    }
    let to_error = matches!(answer.verdict, Verdict::Unknown(_));
    Judged::Missing(Reservation::NoTrace { to_error, flaw })
}

/// Checks that a trace is a run that shows the verdict.
fn follow(system: &System, property: &Property, verdict: &Verdict, trace: &Trace) -> Result<(), Flaw> {
    let Some(run) = trace.run() else { return Err(Flaw { step: None, why: WhyFlawed::NoDelays }) };
    let run = replay::replay(system, &run, None)?;
    if let Verdict::Unknown(Reason::User(_, None)) = verdict {
        // A function of the user has failed at its end, which no state shows.
        return check_transitions(system, &run);
    }
    // Where priorities decide, two implementations of them have to agree.
    if system.has_priorities {
        check_transitions(system, &run)?;
    }
    check_run(system, (&run, trace.ending), Shown::by(verdict), property)
}

/// Checks that a run, whose transitions are possible, shows what it is said to show.
///
/// # Errors
/// Why it does not.
pub fn check_run(
    system: &System,
    (run, ending): (&[Visit], Option<Ending>),
    shown: Shown,
    property: &Property,
) -> Result<(), Flaw> {
    let step = Some(run.len());
    if let Some(ending) = ending {
        let claim = claim(shown, property, ending).ok_or(Flaw { step, why: WhyFlawed::Infinite })?;
        return Ok(replay::replay_maximal(system, &replay::Trace::of(run), &claim).map(|_| ())?);
    }
    let Some(end) = run.last().map(Visit::end) else { return Ok(()) };
    check_end(system, shown, property, &end).map_err(|why| Flaw { step, why })
}

/// Checks every transition of a run by the rules that certificates are checked by, too.
///
/// # Errors
/// The first that is not possible.
pub fn check_transitions(system: &System, run: &[Visit]) -> Result<(), Flaw> {
    for (i, pair) in run.windows(2).enumerate() {
        let flaw = |why| Flaw { step: Some(i + 1), why };
        match certify::takes(system, &pair[0].end(), &pair[1].edges) {
            Ok(true) => {}
            Ok(false) => return Err(flaw(WhyFlawed::Impossible)),
            Err(failure) => return Err(flaw(WhyFlawed::RunTime(system.explain(&failure.fault)))),
        }
    }
    Ok(())
}

/// Returns what a maximal run must satisfy to decide the query.
fn claim(shown: Shown, property: &Property, ending: Ending) -> Option<Claim<'_>> {
    match property {
        Property::Run { after, always, exists } if shown == Shown::by_example(*exists) => {
            Some(Claim { always, after: after.as_ref(), ending })
        }
        _ => None,
    }
}

/// Checks that the end of a run decides the query.
fn check_end(system: &System, shown: Shown, property: &Property, end: &ConcreteState) -> Result<(), WhyFlawed> {
    let goal = match (property, shown) {
        (_, Shown::RunTimeError) => {
            let failure = certify::fails_at(system, property, end);
            return failure.map(|_| ()).ok_or(WhyFlawed::NoError);
        }
        (Property::State { goal, exists }, _) if shown == Shown::by_example(*exists) => goal,
        (Property::State { exists: true, .. }, _) => return Err(WhyFlawed::Unreachable),
        (Property::State { exists: false, .. }, _) => return Err(WhyFlawed::Invariant),
        _ => return Err(WhyFlawed::Kind),
    };
    match certify::holds_at(system, goal, end) {
        Ok(true) => Ok(()),
        Ok(false) => Err(WhyFlawed::Goal),
        Err(failure) => Err(WhyFlawed::RunTime(system.explain(&failure.fault))),
    }
}
