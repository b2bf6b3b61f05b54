//! What is tried to answer a query, in which order, and with how much work.
//!
//! A query may take several searches: one that finds some trace and others that find a better one,
//! or a search by another plan where the first could not decide. They are a list of [`Attempt`]s,
//! which [`reach`] works off. What is tried while a plain search pauses is a list of [`Probe`]s.
//!
//! Work is counted in transitions that are computed, so that limits do not depend on how many
//! states a strategy stores. An attempt that is not needed for the verdict never costs more than a
//! fixed share of what was searched before it.

use explore::{
    open::OpenList,
    search::{Limits, Observer},
    store::Update,
    tally::Phase,
};
use model::{Formula, System};
use zone::Bound;

use crate::{
    Answer, Guidance, Heuristic, Order, Plan, Verdict, Wanted, race,
    reach::{Question, Reached, Searched, search},
    shorten::Within,
};

/// What is tried for a query.
struct Attempts {
    /// The search that decides the verdict.
    first: Plan,
    /// What follows if a state of the goal was found.
    better: Vec<Attempt>,
}

/// A search for a better trace.
struct Attempt {
    plan: Plan,
    phase: Phase,
    work: Work,
    then: Then,
    /// Whether it goes only through discrete states that the first search has seen.
    within: bool,
}

/// How much work an attempt may do.
#[derive(Clone, Copy)]
enum Work {
    /// As much as it needs.
    Any,
    /// So many times what the first search did, but not less than this.
    Share { times: usize, least: usize },
}

/// What is done with what an attempt has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// It is the answer.
    Replace,
    /// It is the answer, if it has found a state of the goal or a run-time error, too.
    Confirm,
    /// Its trace is taken if it is shorter.
    Shorten,
}

/// The work for a shorter trace. The trace was asked for, so that a search that has found some
/// trace at once is no reason to give up at once.
const SHORTEN: Work = Work::Share { times: 4, least: 1 << 18 };
/// How much the heuristic counts in a search for a shorter trace.
const WEIGHT: u32 = 5;

/// What is tried for a plan.
fn attempts(plan: &Plan, system: &System, goal: &Formula) -> Attempts {
    let some = Plan { wanted: Wanted::Some, ..plan.clone() };
    let attempt = |plan: Plan, phase: Phase, then: Then| Attempt { plan, phase, work: Work::Any, then, within: false };
    match plan.wanted {
        Wanted::Short => {
            let order = if plan.order.is_directed() { plan.order } else { Order::Auto };
            let first = Plan { order, ..some };
            let plain = Plan { passing: None, ..first.clone() };
            let heuristics = Heuristic::named("hff").into_iter().collect();
            let guidance = Guidance { heuristics, weight: WEIGHT, ..Guidance::default() };
            let near = Plan { wanted: Wanted::Shortest, ..plain.clone() };
            let weighted = Plan { order: Order::Astar, guidance, ..plain };
            let shorter = |plan: Plan| Attempt { work: SHORTEN, ..attempt(plan, Phase::Shorten, Then::Shorten) };
            Attempts { first, better: vec![Attempt { within: true, ..shorter(near) }, shorter(weighted)] }
        }
        // Paths through joined states are not those of the model, so that the best of them is not
        // the best trace: joins only say whether there is one.
        Wanted::Shortest | Wanted::Fastest if plan.update == Update::Join => {
            let phase = if plan.wanted == Wanted::Fastest { Phase::Fastest } else { Phase::Shorten };
            Attempts { first: some, better: vec![attempt(plan.without_joins(system, goal), phase, Then::Confirm)] }
        }
        // Time is not abstracted from, so that a search by time need not end where there is nothing
        // to be found.
        Wanted::Fastest => Attempts { first: some, better: vec![attempt(plan.clone(), Phase::Fastest, Then::Replace)] },
        Wanted::Some | Wanted::Shortest => Attempts { first: plan.clone(), better: Vec::new() },
    }
}

/// Searches for a state by all that a plan takes. Returns the states as well that the search has
/// seen which decides the verdict.
pub fn reach<B: Bound>(
    question: &Question<'_>,
    plan: &Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Reached<B>) {
    let Attempts { first, better } = attempts(plan, question.system, question.goal);
    let mut spent = 0;
    let (mut best, mut seen) = if race::applies(&first, limits) {
        race::run(question, &first, limits, &mut spent, observer)
    } else {
        settle(question, first, None, limits, &mut spent, observer)
    };
    // A path to a run-time error is to be a best one, too.
    let decides = |answer: &Answer| {
        answer.verdict == question.found || matches!(&answer.verdict, Verdict::Unknown(why) if why.is_run_time_error())
    };
    let confirms = better.iter().any(|attempt| attempt.then == Then::Confirm);
    if best.verdict != question.found && !(confirms && decides(&best)) {
        return (best, seen);
    }
    let (first, mut stored) = (spent, best.counts.stored);
    for Attempt { plan: own, phase, work, then, within } in better {
        if then == Then::Shorten && best.trace.is_none() {
            break;
        }
        observer.enter(phase);
        let open = within.then(|| Within::new(&seen.stores));
        let left = limits.generated.map(|most| most.saturating_sub(spent));
        let limits = Limits { generated: work.allowed(first).into_iter().chain(left).min(), ..*limits };
        let mut cost = 0;
        let (answer, reached) = settle(question, own, open, &limits, &mut cost, observer);
        spent += cost;
        let answer = Answer { decided: phase, ..answer };
        stored = stored.max(answer.counts.stored);
        let found = answer.verdict == question.found;
        match then {
            Then::Replace => (best, seen) = (answer, reached),
            Then::Confirm if decides(&answer) => (best, seen) = (answer, reached),
            Then::Confirm => best.plan.clone_from(plan),
            Then::Shorten => {
                if found && answer.length() < best.length() {
                    best = answer;
                }
                // Of several searches for one trace, the largest store counts.
                best.counts.stored = stored;
                best.plan.clone_from(plan);
            }
        }
    }
    (best, seen)
}

/// Searches by a plan, and where that can't decide by another one. `spent` is the work that this
/// takes together.
pub(crate) fn settle<B: Bound>(
    question: &Question<'_>,
    mut plan: Plan,
    mut open: Option<Within>,
    limits: &Limits<'_>,
    spent: &mut usize,
    observer: &mut dyn Observer,
) -> (Answer, Reached<B>) {
    let mut decided = Phase::Search;
    loop {
        let left = Limits { generated: limits.generated.map(|most| most.saturating_sub(*spent)), ..*limits };
        let open = open.take().map(|within| Box::new(within) as Box<dyn OpenList<B>>);
        let Searched { answer, reached, instead } = search(question, &plan, open, &left, observer);
        *spent += answer.counts.generated;
        let Some(other) = instead else { return (answer.within(decided), reached) };
        (plan, decided) = (other, Phase::Retry);
        observer.enter(decided);
    }
}

impl Work {
    /// How many transitions may be computed, where the first search computed so many.
    fn allowed(self, first: usize) -> Option<usize> {
        match self {
            Work::Any => None,
            Work::Share { times, least } => Some(first.saturating_mul(times).max(least)),
        }
    }
}

/// A search by another strategy while the plain one pauses.
pub struct Probe {
    /// The strategy.
    pub order: Order,
    /// Whether each query has a search of its own; otherwise they share one.
    pub alone: bool,
    /// The part of the work done so far that it may do, all queries together: one of so many.
    pub share: usize,
}

/// The probes. Breadth-first search finds short paths, and no long ones in a large system. Directed
/// searches find most of those at once, and depth-first search in a random order some more. A
/// transition costs a directed search more, since it evaluates heuristics.
pub(crate) const PROBES: [Probe; 2] =
    [Probe { order: Order::Auto, alone: true, share: 32 }, Probe { order: Order::RandomDfs, alone: false, share: 16 }];

/// A probe with less work than this for each of its searches is not worth what it takes to prepare
/// them.
pub(crate) const LEAST_PROBE: usize = 1 << 10;

/// The plain search pauses for the first time when it has computed so many transitions, and then
/// each time when it has computed twice as many.
pub(crate) const FIRST_PAUSE: usize = 1 << 18;
