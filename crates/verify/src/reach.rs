//! One search for a state of a goal, and what its outcome means.

use explore::{
    cluster::Cluster,
    goal::{GoalPart, asks_deadlock, witness},
    graph::ZoneGraph,
    heuristic::relaxed::has_hidden_parts,
    open::OpenList,
    search::{Limits, Observer, SearchOutcome, Stop},
    store::{Store, Update},
    tally::Phase,
};
use model::{Formula, System, system::ClockId};
use zone::Bound;

use crate::{
    Answer, BlamedJoin, Heuristic, Order, Plan, Reason, Trace, Verdict, Wanted,
    fastest::{self, earliest},
    rival,
    task::{Subject, Task},
    trace::{Aim, moves, run_to},
};

/// A state that is searched for.
pub struct Question<'q> {
    /// Where.
    pub system: &'q System,
    /// What holds in it.
    pub goal: &'q Formula,
    /// What it means that there is one.
    pub found: Verdict,
}

/// The states that were reached.
pub struct Reached<B> {
    /// The states, by workers.
    pub stores: Vec<Store<B>>,
    /// The clocks of the system that the clocks of their zones are.
    pub clocks: Vec<ClockId>,
    /// The processes that have the other states.
    pub cluster: Option<Cluster>,
}

/// What became of a search.
pub struct Searched<B> {
    /// The answer, as far as this search knows it.
    pub answer: Answer,
    /// The states that it has seen.
    pub reached: Reached<B>,
    /// The plan of the search that has to decide instead, if this one could not.
    pub instead: Option<Plan>,
}

/// The goal of a search that looks at all states.
pub(crate) fn no_goal<B>(_: &mut ZoneGraph<'_, B>, _: &[i32], _: &[B]) -> GoalPart<B> {
    Ok(None)
}

/// Searches for a state of the goal by a plan, in the order of an open list if there is one.
pub fn search<B: Bound>(
    question: &Question<'_>,
    plan: &Plan,
    open: Option<Box<dyn OpenList<B> + '_>>,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Searched<B> {
    let Question { system, goal, found } = question;
    let is_timed = plan.wanted == Wanted::Fastest;
    let subject = if is_timed { Subject::timed(system, &[goal]) } else { Subject::projected(system, &[goal]) };
    let plan = &plan.settled::<B>(&subject, limits);
    let task = Task::<B>::new(&subject, plan, subject.bounds());
    let mut task = match open {
        Some(open) => task.ordered(open),
        None => task.directed(&subject, plan, limits),
    };
    observer.prepared();
    let wanted = subject.formula();
    let in_goal = move |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
        let found = witness(graph, wanted, row, zone)?;
        // Any part will do, but where time matters.
        if found.is_some() && is_timed { earliest(graph, wanted, row, zone) } else { Ok(found) }
    };
    let outcome = if plan.update == Update::Join && plan.refines() && !plan.may_spread() {
        let (covering, mut decided) = (plan.without_joins(system, goal), None);
        let outcome = rival::run(&mut task, &mut { in_goal }, limits, observer, &mut |limits, observer| {
            let searched = search::<B>(question, &covering, None, limits, observer);
            decided = Some(searched).filter(|searched| rival::decides(&searched.answer));
            decided.is_some()
        });
        if let Some(Searched { answer, reached, instead }) = decided {
            let refinements = task.refinements();
            return Searched { answer: Answer { decided: Phase::Probe, refinements, ..answer }, reached, instead };
        }
        outcome.unwrap_or(SearchOutcome::Stopped(Stop::States))
    } else {
        task.run_by_threads(&mut || Box::new(in_goal), limits, observer)
    };
    let (mut trace, mut blame, mut instead) = (None, None, None);
    // Several workers join states and do not judge what they find. They can't hand over to one that
    // does: it has to know from which states each joined one comes, and they do not note that.
    let unjudged = plan.update == Update::Join && task.threads_used() > 1;
    let verdict = match outcome {
        SearchOutcome::Exhausted => found.opposite(),
        SearchOutcome::Found(_) | SearchOutcome::Error(..) | SearchOutcome::TooManyElements if unjudged => {
            instead = Some(plan.alone());
            Verdict::Unknown(plan.doubt())
        }
        SearchOutcome::Found(path) => {
            trace = task.follow_to(&path, 0).and_then(|steps| {
                let run = if is_timed { fastest::run(system, task.graph(), &steps, goal) } else { None };
                let steps = moves(steps);
                Trace::along(&steps, run.or_else(|| run_to(system, &steps, Aim::Goal(goal))))
            });
            // A run that the replayer has followed exists, however it was found.
            let replayed = trace.as_ref().is_some_and(|trace| trace.is_replayed());
            if !replayed {
                // A path through representatives, or one with local times, counts if a run of the
                // system goes along it.
                instead = plan.unreduced();
            }
            if plan.is_exact() || replayed { found.clone() } else { Verdict::Unknown(plan.doubt()) }
        }
        SearchOutcome::Spurious(path) => {
            let states = path.states.iter().map(|state| (state.edges.clone(), state.row.clone()));
            trace = Some(Trace::symbolic(states.collect(), None));
            blame = Some(Box::new(BlamedJoin::new(system, goal, &path)));
            Verdict::Unknown(if path.called_feasible { Reason::CalledFeasible } else { plan.doubt() })
        }
        SearchOutcome::Stopped(Stop::User) => {
            trace = system.code.failures.while_stopped(|| {
                let steps = moves(task.follow(&task.interrupted_at()?)?);
                Trace::along(&steps, run_to(system, &steps, Aim::Anywhere))
            });
            Verdict::Unknown(Reason::Limit(Stop::User))
        }
        SearchOutcome::Stopped(stop) => Verdict::Unknown(Reason::Limit(stop)),
        SearchOutcome::Disorder(disorder) => Verdict::Unknown(Reason::disorder(system, &disorder)),
        SearchOutcome::TooManyElements => {
            instead = Some(plan.distinguishing());
            Verdict::Unknown(plan.doubt())
        }
        SearchOutcome::Error(path, error) => {
            // Which of several errors is met, and whether one is, may depend on names, or on what
            // other processes do meanwhile.
            instead = plan.unreduced();
            let steps = task.follow(&path).map(moves);
            if instead.is_none() {
                trace = steps.as_ref().and_then(|steps| Trace::to_failure(system, steps, &error));
            }
            if plan.may_be_spurious(system, steps.as_deref(), &error) {
                instead = plan.joining.refines.then(|| plan.distinguishing());
                Verdict::Unknown(plan.doubt())
            } else {
                Verdict::Unknown(Reason::of(system, &error))
            }
        }
    };
    let directed = matches!(plan.order, Order::Astar | Order::Greedy | Order::Local) && plan.wanted == Wanted::Some;
    let sees_clocks = plan.guidance.heuristics.iter().any(Heuristic::sees_clocks);
    let unseen = directed && if sees_clocks { asks_deadlock(goal) } else { has_hidden_parts(goal) };
    let answer = Answer {
        trace,
        blame,
        unseen,
        prepared: task.prepared(),
        refinements: task.refinements(),
        threads: task.threads_used(),
        ..Answer::new(verdict, plan.clone(), task.counts())
    };
    let cluster = task.cluster().cloned();
    let stores = task.into_stores();
    Searched { answer, reached: Reached { stores, clocks: subject.clocks.clone(), cluster }, instead }
}
