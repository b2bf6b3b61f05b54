//! Whether a maximal run stays where a formula holds.

mod hunt;
mod shared;

use explore::{
    graph::Abstraction,
    ranked::Ranked,
    search::{Counts, Limits, Observer, Stop},
    store::{Store, Update},
    tally::Phase,
};
use model::{Formula, System, replay::Ending, system::ClockId};
use zone::Bound;

use crate::{Answer, Plan, Reason, Trace, Verdict, lasso, path::Stage, task::Subject, trace::Move};
use hunt::Hunt;
use shared::Shared;

/// The maximal run that is searched for.
pub struct MaximalRun<'f> {
    /// The run counts from any moment on at which this holds; otherwise from the start on.
    pub after: Option<&'f Formula>,
    /// Holds at every moment of the run.
    pub always: &'f Formula,
    /// What it means that there is one.
    pub found: Verdict,
}

/// What shows that there is no run.
pub struct Absence<B> {
    /// All that can be reached, where runs do not just count from the start on.
    pub reached: Option<ReachedStores<B>>,
    /// Nodes that hold all runs.
    pub ranked: Ranked<B>,
    /// The clocks of the system that the clocks of all zones are.
    pub clocks: Vec<ClockId>,
}

/// The states that were reached, by workers.
type ReachedStores<B> = Vec<Store<B>>;

/// How a search for a run ended. A run has all its steps, those before it counts included.
enum End<'f> {
    Found(Vec<Stage<'f>>, Ending),
    None,
    Stopped(Stop),
    Error(Vec<Move>, explore::graph::RunError),
}

/// How a search ended, what it counted, and what shows that there is no run.
struct Attempted<'f, B> {
    end: End<'f>,
    counts: Counts,
    evidence: Option<(Option<ReachedStores<B>>, Ranked<B>)>,
}

/// Searches for a maximal run. If there is none and `proves` is set, the second part shows it; it
/// does so by plain inclusion, if the plan does not cover by simulation.
pub fn maximal<B: Bound>(
    system: &System,
    run: MaximalRun<'_>,
    mut plan: Plan,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Absence<B>>) {
    let MaximalRun { after, always, ref found } = run;
    // Joined zones would show runs that do not exist, and hide how runs end.
    if plan.update == Update::Join {
        plan.update = Update::Cover;
    }
    let asked: Vec<&Formula> = [always].into_iter().chain(after).collect();
    let subject = Subject::projected(system, &asked);
    let mut decided = Phase::Search;
    let concrete = |stages: &[Stage<'_>], ending| lasso::concrete(system, stages, ending, (after, always), limits);
    let mut attempted = attempt(&subject, &run, &plan, proves, decided, limits, observer);
    let mut trace = None;
    if let End::Found(stages, ending) = &attempted.end {
        let lasso = concrete(stages, *ending);
        // A deadlock in an abstracted zone may be one of no run.
        if *ending == Ending::Stops && !plan.abstraction.keeps_deadlocks() && !lasso.is_replayed() {
            decided = Phase::Retry;
            plan.abstraction = keeping_deadlocks(&plan, proves);
            let first = attempted.counts;
            attempted = attempt(&subject, &run, &plan, proves, decided, limits, observer);
            if let End::Found(stages, ending) = &attempted.end {
                trace = Some(concrete(stages, *ending));
            }
            attempted.counts = Counts { stored: attempted.counts.stored, ..first.and(&attempted.counts) };
        } else {
            trace = Some(lasso);
        }
    }
    let Attempted { end, counts, evidence } = attempted;
    let verdict = match end {
        End::None => found.opposite(),
        End::Found(..) => {
            let sure = !plan.stopwatches || trace.as_ref().is_some_and(Trace::is_replayed);
            if sure { found.clone() } else { Verdict::Unknown(plan.doubt()) }
        }
        End::Stopped(stop) => Verdict::Unknown(Reason::Limit(stop)),
        End::Error(steps, error) => {
            trace = Trace::to_failure(system, &steps, &error);
            Verdict::Unknown(Reason::of(system, &error))
        }
    };
    let absence = evidence.map(|(reached, ranked)| Absence { reached, ranked, clocks: subject.clocks.clone() });
    (Answer { trace, decided, ..Answer::new(verdict, plan, counts) }, absence)
}

/// Returns the abstraction that takes the place of one that forgets deadlocks.
fn keeping_deadlocks(plan: &Plan, proves: bool) -> Abstraction {
    if plan.update == Update::Cover && !proves { Abstraction::Am } else { Abstraction::ExtraM }
}

/// Searches for a run with the abstraction of a plan.
fn attempt<'f, B: Bound>(
    subject: &Subject<'_>,
    run: &MaximalRun<'f>,
    plan: &Plan,
    proves: bool,
    phase: Phase,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Attempted<'f, B> {
    let shared = Shared::new(observer, phase);
    let mut hunt = Hunt::<B>::new(subject, plan, proves, limits, &shared);
    let start = subject.formulas.get(1).map(|start| &**start);
    let (end, reached) = match run.after.zip(start) {
        None => (hunt.search_from_start(run.always), None),
        Some((after, start)) => hunt.search_from_states(subject, plan, start, (after, run.always)),
    };
    let counts = shared.end();
    let evidence = (proves && end.is_none()).then(|| (reached, hunt.ranked()));
    let end = end.unwrap_or(End::None);
    Attempted { end, counts, evidence }
}
