//! Whether a maximal run stays where a formula holds.

use std::cell::RefCell;

use explore::{
    acyclic::{Acyclic, AcyclicProof},
    graph::ZoneGraph,
    liveness::{Always, Lasso, LivenessOutcome},
    parts::parts,
    ranked::Ranked,
    search::{self, Counts, Limits, Observer, Stop},
    store::{Store, Update},
    tally::Phase,
    time::Time,
    transitions::SymbolicTrace,
};
use model::{Formula, System, system::ClockId};
use zone::Bound;

use crate::{
    Answer, Plan, Reason, Trace, Verdict, lasso,
    path::Stage,
    task::{Subject, Task},
    trace::{Move, moves},
};

/// How a search for a run ended. A run has all its steps, those before it counts included.
enum End<'f> {
    Found(Vec<Stage<'f>>, model::replay::Ending),
    None,
    Stopped(Stop),
    Error(Vec<Move>, explore::graph::RunError),
}

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
    MaximalRun { after, always, found }: MaximalRun<'_>,
    mut plan: Plan,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Option<Absence<B>>) {
    // Joined zones would show runs that do not exist, and hide how runs end.
    if plan.update == Update::Join {
        plan.update = Update::Cover;
    }
    let asked: Vec<&Formula> = [always].into_iter().chain(after).collect();
    let subject = Subject::projected(system, &asked);
    let (wanted, start) = (subject.formula(), subject.formulas.get(1).map(|start| &**start));
    let mut graph = ZoneGraph::new(&subject.system, subject.bounds(), plan.abstraction);
    let run = |graph: &mut ZoneGraph<'_, B>, limits: &Limits<'_>, observer: &mut dyn Observer| {
        let mut search = Always::new(wanted, &subject.system);
        if proves {
            search = search.keeping();
        }
        observer.begin();
        let (end, outer, reached) = match after.zip(start) {
            None => (from_start(graph, &mut search, always, limits, observer), Counts::default(), None),
            Some((after, start)) => from_states(&subject, &mut search, start, (after, always), &plan, limits, observer),
        };
        let counts = outer.and(&search.counts);
        observer.end(&counts);
        let evidence = (proves && matches!(end, End::None)).then(|| (reached, search.ranked()));
        Attempted { end, counts, evidence }
    };
    let (mut ended, mut decided) = (None, Phase::Search);
    for attempt in ATTEMPTS {
        decided = attempt.phase();
        observer.enter(decided);
        ended = match attempt {
            LivenessAttempt::Search { states } => {
                let fewest = limits.states.into_iter().chain(states).min();
                let found = run(&mut graph, &Limits { states: fewest, ..*limits }, observer);
                let paused = states.is_some() && fewest != limits.states;
                Some(found).filter(|found| !(paused && matches!(found.end, End::Stopped(Stop::States))))
            }
            LivenessAttempt::Prove => prove_none(&mut graph, &subject, start, &plan, proves, limits, observer),
        };
        if ended.is_some() {
            break;
        }
    }
    let stopped = || Attempted { end: End::Stopped(Stop::States), counts: Counts::default(), evidence: None };
    let Attempted { end, counts, mut evidence } = ended.unwrap_or_else(stopped);
    if let (Phase::Search, Some((_, ranked))) = (decided, &evidence) {
        // A proof with few states is checked soon.
        let fewer = Limits { states: Some(counts.stored), ..*limits };
        observer.enter(Phase::Proof);
        let proved = prove_none(&mut graph, &subject, start, &plan, proves, &fewer, observer);
        let other = proved.and_then(|proved| proved.evidence);
        if let Some(smaller) = other.filter(|(_, other)| other.count() < ranked.count()) {
            evidence = Some(smaller);
        }
    }
    let mut trace = None;
    let verdict = match end {
        End::None => found.opposite(),
        End::Found(stages, ending) => {
            let lasso = lasso::concrete(system, &stages, ending, (after, always), limits);
            let sure = !plan.stopwatches || lasso.is_replayed();
            trace = Some(lasso);
            if sure { found } else { Verdict::Unknown(plan.doubt()) }
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

/// An attempt to find a maximal run, or to show that there is none.
#[derive(Clone, Copy)]
enum LivenessAttempt {
    /// Depth-first search for a run, with a limit on the states it stores.
    Search { states: Option<usize> },
    /// A breadth-first proof that there is no run.
    Prove,
}

/// The attempts, in their order; the first that decides ends them. A run is often found at once. If
/// not there may be none, and that is often easier to show breadth-first.
const ATTEMPTS: [LivenessAttempt; 3] = [
    LivenessAttempt::Search { states: Some(1 << 14) },
    LivenessAttempt::Prove,
    LivenessAttempt::Search { states: None },
];

impl LivenessAttempt {
    fn phase(self) -> Phase {
        match self {
            LivenessAttempt::Search { .. } => Phase::Search,
            LivenessAttempt::Prove => Phase::Proof,
        }
    }
}

/// Tries to prove that no maximal run satisfies `always`, from the start or from states that
/// satisfy `start`. `None`: there may be one, or the model has a run-time error, or a limit was
/// reached before the proof began.
fn prove_none<'f, B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    subject: &Subject<'_>,
    start: Option<&Formula>,
    plan: &Plan,
    proves: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Option<Attempted<'f, B>> {
    let mut proof = Acyclic::new(subject.formula(), graph.system());
    let mut outer = Counts::default();
    let mut reached = None;
    match start {
        None => {
            let zone = graph.start().ok()??;
            proof.start(graph, &graph.system().initial, &zone).ok()?;
        }
        Some(start) => {
            let mut note = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
                let Some(time) = Time::of(graph, row)? else { return Ok(None) };
                for part in parts(graph, &time, start, row, zone)?.zones() {
                    proof.start(graph, row, part)?;
                }
                Ok(None)
            };
            let mut task = Task::new(subject, &plan.undirected(), subject.bounds());
            let outcome = task.run(&mut note, limits, observer);
            let counts = task.counts();
            match outcome {
                search::SearchOutcome::Exhausted => {}
                // Another search would have no time, either.
                search::SearchOutcome::Stopped(stop @ (Stop::Time | Stop::Interrupted)) => {
                    return Some(Attempted { end: End::Stopped(stop), counts, evidence: None });
                }
                _ => return None,
            }
            outer = counts;
            reached = proves.then(|| task.into_stores());
        }
    }
    observer.begin();
    let outcome = proof.prove(graph, limits, observer);
    observer.end(&proof.counts);
    let counts = outer.and(&proof.counts);
    match outcome.ok()? {
        AcyclicProof::Done => {
            let evidence = if proves { proof.ranked().map(|ranked| (reached, ranked)) } else { None };
            Some(Attempted { end: End::None, counts, evidence })
        }
        AcyclicProof::Stopped(stop) => Some(Attempted { end: End::Stopped(stop), counts, evidence: None }),
        AcyclicProof::Unclear => None,
    }
}

fn from_start<'f, B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    search: &mut Always<'_, B>,
    always: &'f Formula,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> End<'f> {
    let zone = match graph.start() {
        Ok(Some(start)) => start,
        Ok(None) => return End::None,
        Err(error) => return End::Error(Vec::new(), error),
    };
    match search.search(graph, &graph.system().initial, &zone, limits, observer) {
        LivenessOutcome::Found((steps, ending)) => {
            End::Found(moves(steps).into_iter().map(|step| Stage::new(step, always)).collect(), ending)
        }
        LivenessOutcome::Exhausted => End::None,
        LivenessOutcome::Stopped(stop) => End::Stopped(stop),
        LivenessOutcome::Error(steps, error) => End::Error(moves(steps), error),
    }
}

/// Searches from every state that can be reached and satisfies `start`, which is `after` for the
/// system of the graph. Returns the states that can be reached as well, if there is no run.
fn from_states<'f, B: Bound>(
    subject: &Subject<'_>,
    search: &mut Always<'_, B>,
    start: &Formula,
    (after, always): (&'f Formula, &'f Formula),
    plan: &Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (End<'f>, Counts, Option<ReachedStores<B>>) {
    let observer = RefCell::new(Both { observer, counts: [Counts::default(); 2] });
    // What ended the inner search, if something did.
    let mut inner: Option<LivenessOutcome<B>> = None;
    let mut goal = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
        let Some(time) = Time::of(graph, row)? else { return Ok(None) };
        for part in parts(graph, &time, start, row, zone)?.zones() {
            match search.search(graph, row, part, limits, &mut Side { both: &observer, number: 1 }) {
                LivenessOutcome::Exhausted => {}
                other => {
                    inner = Some(other);
                    return Ok(Some(part.to_vec()));
                }
            }
        }
        Ok(None)
    };
    let mut task = Task::new(subject, &plan.undirected(), subject.bounds());
    let outcome = task.run(&mut goal, limits, &mut Side { both: &observer, number: 0 });
    let counts = task.counts();
    if matches!(outcome, search::SearchOutcome::Exhausted) {
        return (End::None, counts, Some(task.into_stores()));
    }
    let end = match (outcome, inner) {
        (search::SearchOutcome::Stopped(stop), _) | (_, Some(LivenessOutcome::Stopped(stop))) => End::Stopped(stop),
        (search::SearchOutcome::Error(path, error), _) => {
            End::Error(moves(task.follow(&path).unwrap_or_default()), error)
        }
        (search::SearchOutcome::Found(path), Some(LivenessOutcome::Found(found))) => {
            joined(task.follow(&path).unwrap_or_default(), found, after, always)
        }
        (search::SearchOutcome::Found(path), Some(LivenessOutcome::Error(more, error))) => {
            let mut steps = task.follow(&path).unwrap_or_default();
            steps.extend(more.into_iter().skip(1));
            End::Error(moves(steps), error)
        }
        (search::SearchOutcome::Found(_) | search::SearchOutcome::Exhausted, _) => End::None,
        // Elements are distinguished here.
        (
            search::SearchOutcome::Disorder(_)
            | search::SearchOutcome::TooManyElements
            | search::SearchOutcome::Spurious(_),
            _,
        ) => End::None,
    };
    (end, counts, None)
}

/// The path to a state, and a run from there. Both have that state, the run's part of it cut to
/// where it starts.
fn joined<'f, B>(path: SymbolicTrace<B>, (run, ending): Lasso<B>, after: &'f Formula, always: &'f Formula) -> End<'f> {
    use model::replay::Ending;
    let before = path.len();
    let mut stages: Vec<Stage<'f>> = moves(path).into_iter().map(|step| Stage::new(step, &Formula::True)).collect();
    stages.extend(moves(run).into_iter().map(|step| Stage::new(step, always)));
    stages[before].entry = Some(after);
    let ending = match ending {
        Ending::Cycle(start) => Ending::Cycle(before + start),
        other => other,
    };
    End::Found(stages, ending)
}

/// The observer of two searches, one inside the other, and what each of them counted. Together they
/// are one search.
struct Both<'o> {
    observer: &'o mut dyn Observer,
    counts: [Counts; 2],
}

/// One of two searches.
struct Side<'b, 'o> {
    both: &'b RefCell<Both<'o>>,
    number: usize,
}

impl Observer for Side<'_, '_> {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        let Both { observer, counts: both } = &mut *self.both.borrow_mut();
        both[self.number] = *counts;
        observer.progress(&both[0].and(&both[1]), waiting);
    }
}
