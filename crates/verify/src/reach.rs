//! Whether a state can be reached.

use explore::{
    bounds::ClockBounds,
    chain::Chains,
    goal::{asks_deadlock, witness},
    graph::ZoneGraph,
    heuristic::{Failures, relaxed::has_hidden_parts},
    merging::Merging,
    open::OpenList,
    search::{Limits, Observer, Outcome, Search, SymbolicTrace, follow},
    store::{Store, Update},
    symmetry::{self, Reduction},
    tally::Phase,
};
use model::{Formula, System, system::ClockId};
use zone::Bound;

use crate::{
    Answer, Heuristic, Order, Plan, Reason, Trace, Verdict, Wanted,
    fastest::{self, earliest},
    trace::{Aim, moves, run_to},
};

/// The states that were reached.
pub struct Reached<B> {
    /// The states.
    pub store: Store<B>,
    /// The clocks of the system that the clocks of their zones are.
    pub clocks: Vec<ClockId>,
}

/// The edges, rows and zones along a path that a search has found.
pub fn way<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    path: &[u32],
    reduction: Option<&mut Reduction<B>>,
    chains: Option<&mut Chains<B>>,
) -> Option<SymbolicTrace<B>> {
    match (reduction, chains) {
        (Some(reduction), _) => symmetry::follow(graph, path, reduction),
        (None, Some(chains)) => chains.follow(graph, path),
        (None, None) => follow(graph, path),
    }
}

/// Searches for a state of the goal, whose finding means `found`. Returns the states seen as well.
pub fn reach<B: Bound>(
    system: &System,
    goal: &Formula,
    found: Verdict,
    plan: &Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Reached<B>) {
    // Time is not abstracted from, so that a search by time need not end where there is nothing to
    // be found. And paths through joined states are not those of the model, so that the best of
    // them is not the best trace: joins only say whether there is one.
    let joins = plan.update == Update::Join && plan.wanted != Wanted::Some;
    if plan.wanted == Wanted::Fastest || joins {
        let plain = Plan { wanted: Wanted::Some, ..plan.clone() };
        let (first, reached) = reach(system, goal, found.clone(), &plain, limits, observer);
        if first.verdict != found {
            return (first, reached);
        }
        if joins {
            let (best, reached) = reach(system, goal, found, &plan.without_joins(system, goal), limits, observer);
            let answer = if best.verdict == first.verdict { best } else { Answer { plan: plan.clone(), ..first } };
            return (answer, reached);
        }
        observer.enter(Phase::Fastest);
    }
    let (searched, wanted);
    let projection = if plan.wanted == Wanted::Fastest { None } else { system.project(&[goal]) };
    match &projection {
        Some(projection) => (searched, wanted) = (&projection.system, &projection.formulas[0]),
        None => (searched, wanted) = (system, goal),
    }
    let mut open = plan.open_list(searched, wanted, system.clocks.len(), limits);
    observer.prepared();
    reach_by(system, goal, found, plan, &mut *open, limits, observer)
}

/// The same, in the order of an open list.
pub fn reach_by<B: Bound>(
    system: &System,
    goal: &Formula,
    found: Verdict,
    plan: &Plan,
    open: &mut dyn OpenList<B>,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Reached<B>) {
    let clock = system.clocks.len();
    let timed = (plan.wanted == Wanted::Fastest).then(|| fastest::timed(system));
    // The clock that measures time is compared with nothing, but counts.
    let projection = if timed.is_none() { system.project(&[goal]) } else { None };
    let (searched, wanted) = match (&timed, &projection) {
        (Some(timed), _) => (timed, goal),
        (_, Some(projection)) => (&projection.system, &projection.formulas[0]),
        _ => (system, goal),
    };
    let mut bounds = ClockBounds::of_formulas(searched, &[wanted]);
    if timed.is_some() {
        bounds.measure(clock);
    }
    let mut in_goal = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
        let found = witness(graph, wanted, row, zone)?;
        // Any part will do, but where time matters.
        if found.is_some() && plan.wanted == Wanted::Fastest { earliest(graph, wanted, row, zone) } else { Ok(found) }
    };
    let mut reduction = if plan.symmetry { Reduction::new(searched, &bounds) } else { None };
    let mut merging = plan.merging(searched, wanted, &bounds);
    let mut graph = ZoneGraph::new(searched, bounds, plan.abstraction);
    let mut store = plan.store(searched);
    let mut chains = plan.passing.map(|passing| Chains::new(searched, passing));
    let (outcome, counts) = Search {
        graph: &mut graph,
        goal: &mut in_goal,
        store: &mut store,
        open,
        chains: chains.as_mut(),
        merging: merging.as_mut(),
        symmetry: reduction.as_mut(),
        alu: plan.abstraction.simulates(),
        limits,
        interlude: None,
        observer,
    }
    .run();
    // Which of several errors is met, and whether one is, may depend on names.
    if plan.symmetry && matches!(outcome, Outcome::Error(..)) {
        observer.enter(Phase::Retry);
        return reach(system, goal, found, &Plan { symmetry: false, ..plan.clone() }, limits, observer);
    }
    if matches!(outcome, Outcome::Apart) {
        drop(merging);
        observer.enter(Phase::Retry);
        let apart = Plan { merged: Vec::new(), update: Update::Cover, ..plan.clone() };
        return reach(system, goal, found, &apart, limits, observer);
    }
    let lessons = merging.as_ref().map_or(0, Merging::lessons);
    let exact = plan.is_exact();
    let mut trace = None;
    let verdict = match outcome {
        Outcome::Exhausted | Outcome::Apart => found.opposite(),
        Outcome::Found(path) => {
            trace = way(&mut graph, &path, reduction.as_mut(), chains.as_mut()).and_then(|steps| match timed {
                Some(_) => {
                    let run = fastest::run(system, &mut graph, &steps, goal);
                    let steps = moves(steps);
                    Trace::along(&steps, run.or_else(|| run_to(system, &steps, Aim::Goal(goal))))
                }
                None => Trace::concrete(system, &moves(steps), goal),
            });
            // A way through representatives counts if a run of the system goes along it.
            if plan.symmetry && !trace.as_ref().is_some_and(|t| t.replayed) {
                observer.enter(Phase::Retry);
                return reach(system, goal, found, &Plan { symmetry: false, ..plan.clone() }, limits, observer);
            }
            // A run that the replayer has followed exists, however it was found.
            if exact || trace.as_ref().is_some_and(|t| t.replayed) { found } else { Verdict::Unknown(plan.doubt()) }
        }
        Outcome::Stopped(stop) => Verdict::Unknown(Reason::Limit(stop)),
        Outcome::Disorder(disorder) => Verdict::Unknown(Reason::disorder(system, &disorder)),
        Outcome::Error(path, error) => {
            let steps = way(&mut graph, &path, None, chains.as_mut());
            trace = steps.and_then(|steps| Trace::to_failure(system, &moves(steps), &error));
            Verdict::Unknown(Reason::of(system, &error))
        }
    };
    let directed = matches!(plan.order, Order::Astar | Order::Greedy | Order::Local) && plan.wanted == Wanted::Some;
    let sees_clocks = plan.guidance.heuristics.iter().any(Heuristic::sees_clocks);
    let unseen = directed && if sees_clocks { asks_deadlock(goal) } else { has_hidden_parts(goal) };
    let clocks = match &projection {
        Some(projection) => projection.kept.clone(),
        None => (0..searched.clocks.len() as u32).map(ClockId).collect(),
    };
    (
        Answer {
            verdict,
            plan: plan.clone(),
            counts,
            phases: Vec::new(),
            values: None,
            trace,
            unread: Vec::new(),
            unseen,
            prepared: open.prepared(),
            failures: Failures::default(),
            lessons,
            asked: None,
        },
        Reached { store, clocks },
    )
}
