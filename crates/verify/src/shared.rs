//! Several queries, one search.
//!
//! Queries that ask for states, and that the same clock bounds and settings answer, are asked of each state together. A
//! search then ends when the last of them is decided, so that many cost little more than the dearest one alone.

use std::cell::RefCell;

use explore::{
    bounds::ClockBounds,
    chain::Chains,
    goal::{promising, witness},
    graph::ZoneGraph,
    open::{Arrival, OpenList},
    search::{Interlude, Limits, Observer, Outcome, Search, Stop, path},
    store::{NodeId, Update},
    symmetry::Reduction,
};
use model::{Formula, Property, System};

use crate::{Answer, Options, Order, Plan, Reason, Trace, Verdict, Wanted, answer, plan, reach::way, wide};

/// Queries that one search answers, by their numbers.
pub type Group = Vec<usize>;

/// Which queries share a search; each is in one group, in the order of the first of each group.
#[must_use]
pub fn groups(system: &System, properties: &[Property], options: &Options) -> Vec<Group> {
    let mut kinds: Vec<(Plan, ClockBounds)> = Vec::new();
    let mut groups: Vec<(Option<usize>, Group)> = Vec::new();
    for (number, property) in properties.iter().enumerate() {
        let mut kind = None;
        // How long a way is depends on what is searched for, and joined zones on what was found before.
        if wide::too_large(system, property).is_none()
            && goal(property).is_some()
            && options.wanted == Wanted::Some
            && !options.order.is_directed()
        {
            let bounds = ClockBounds::new(system, property);
            let own = (plan(system, property, &bounds, options), bounds);
            if !own.0.update_is_imprecise() {
                let known = kinds.iter().position(|other| *other == own);
                kind = Some(known.unwrap_or_else(|| {
                    kinds.push(own);
                    kinds.len() - 1
                }));
            }
        }
        match groups.iter_mut().find(|(other, _)| kind.is_some() && *other == kind) {
            Some((_, group)) => group.push(number),
            None => groups.push((kind, vec![number])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// What to search for, and what it means to find it.
fn goal(property: &Property) -> Option<(&Formula, Verdict)> {
    match property {
        Property::Possibly(p) => Some((p, Verdict::Satisfied)),
        Property::Invariantly(violation) => Some((violation, Verdict::NotSatisfied)),
        _ => None,
    }
}

/// So many states are stored before something else is tried, if the order is [`Order::Adaptive`].
const LOOK: usize = 1 << 17;
/// So many states are stored at most by directed searches then, all together, and so many at least by each.
const DIRECTED: usize = 1 << 15;
const LEAST: usize = 1 << 11;

/// Answers the queries of a group.
///
/// Breadth-first search finds short ways, and none that is long in a large system. Directed searches find most of those at once,
/// and depth-first search in a random order some more. With [`Order::Adaptive`] both are tried with fewer states than the first
/// search has stored, which then goes on. If there are variables that nothing reads, it starts anew instead, and does not tell them apart any more: counters that leave
/// their ranges soon were found by then.
pub fn answer_group(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Vec<Answer> {
    if properties.iter().any(|p| wide::too_large(system, p).is_some()) {
        return properties.iter().map(|p| answer(system, p, options, limits, observer)).collect();
    }
    let simple = options.wanted == Wanted::Some && options.update.is_none_or(|update| update == Update::Cover);
    let looks = options.order == Order::Adaptive
        && simple
        && limits.states.is_none_or(|most| most > LOOK)
        && properties.iter().all(|p| goal(p).is_some());
    if !looks {
        return search_group(system, properties, options, limits, None, observer);
    }
    let options = Options { order: Order::Bfs, ..options.clone() };
    let mut seen: Vec<Option<Answer>> = vec![None; properties.len()];
    let mut unread = Vec::new();
    let mut look = |open: &[usize], observer: &mut dyn Observer| {
        let decided =
            |answer: Answer| Some(answer).filter(|a| !matches!(a.verdict, Verdict::Unknown(Reason::Limit(_))));
        let directed = Options { order: Order::Auto, ..options.clone() };
        let few = Limits { states: Some((DIRECTED / open.len()).max(LEAST)), ..*limits };
        for &i in open {
            seen[i] = decided(answer(system, properties[i], &directed, &few, observer));
        }
        let left: Vec<usize> = open.iter().copied().filter(|i| seen[*i].is_none()).collect();
        let asked: Vec<&Property> = left.iter().map(|i| properties[*i]).collect();
        let random = Options { order: Order::RandomDfs, ..options.clone() };
        let few = Limits { states: Some(LOOK), ..*limits };
        for (i, answer) in left.into_iter().zip(search_group(system, &asked, &random, &few, None, observer)) {
            seen[i] = decided(answer);
        }
        let (left, decided): (Vec<usize>, Vec<usize>) = open.iter().partition(|i| seen[**i].is_none());
        let goals: Vec<&Formula> = left.iter().filter_map(|i| goal(properties[*i])).map(|(goal, _)| goal).collect();
        unread = if goals.is_empty() { Vec::new() } else { system.find_unread(&goals) };
        unread.is_empty().then_some(decided)
    };
    let answers = search_group(system, properties, &options, limits, Some(&mut look), observer);
    let mut answers: Vec<Answer> = answers.into_iter().zip(seen).map(|(own, seen)| seen.unwrap_or(own)).collect();
    if !unread.is_empty() {
        let is_open = |i: &usize| answers[*i].verdict == Verdict::Unknown(Reason::Limit(Stop::States));
        let rest: Vec<usize> = (0..answers.len()).filter(is_open).collect();
        let asked: Vec<&Property> = rest.iter().map(|i| properties[*i]).collect();
        let mut system = system.clone();
        system.unread.clone_from(&unread);
        for (i, answer) in rest.into_iter().zip(search_group(&system, &asked, &options, limits, None, observer)) {
            let found = goal(properties[i]).is_some_and(|(_, found)| answer.verdict == found);
            let replayed = answer.trace.as_ref().is_some_and(|trace| trace.replayed);
            // The counters of a state are those of one way to it, and may leave their ranges on another.
            let verdict = if found && !replayed {
                Verdict::Unknown(Reason::Imprecise("variables that nothing reads"))
            } else {
                answer.verdict
            };
            answers[i] = Answer { verdict, unread: unread.clone(), ..answer };
        }
    }
    answers
}

/// Looks for the goals with these numbers in another way. Returns those that need not be searched for any more; `None`: the
/// search is to be given up.
type Look<'l> = dyn FnMut(&[usize], &mut dyn Observer) -> Option<Vec<usize>> + 'l;

/// Answers the queries of a group by one search. If that takes long, there is a `look` in between.
fn search_group(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    look: Option<&mut Look<'_>>,
    observer: &mut dyn Observer,
) -> Vec<Answer> {
    let goals: Option<Vec<(&Formula, Verdict)>> = properties.iter().map(|p| goal(p)).collect();
    let Some(goals) = goals.filter(|goals| goals.len() > 1 || look.is_some()) else {
        return properties.iter().map(|p| answer(system, p, options, limits, observer)).collect();
    };
    let plan = plan(system, properties[0], &ClockBounds::new(system, properties[0]), options);
    let formulas: Vec<&Formula> = goals.iter().map(|(goal, _)| *goal).collect();
    let projection = system.project(&formulas);
    let (searched, wanted) = match &projection {
        Some(projection) => (&projection.system, projection.formulas.iter().collect()),
        None => (system, formulas),
    };
    // The bounds are the same for all of them.
    let bounds = ClockBounds::of_formulas(searched, &wanted[..1]);
    let mut reduction = if plan.symmetry { Reduction::new(searched, &bounds) } else { None };
    // Nothing is joined where several queries are asked at once, so that no goal is looked at again.
    let mut merging = plan.merging(searched, wanted[0], &bounds);
    let mut graph = ZoneGraph::new(searched, bounds, plan.abstraction);
    let mut store = plan.store(searched);
    let mut chains = plan.passing.map(|passing| Chains::new(searched, passing));
    let found =
        RefCell::new(Found { pending: (0..goals.len()).collect(), hits: Vec::new(), nodes: vec![None; goals.len()] });
    let mut in_goals = |graph: &mut ZoneGraph<'_>, row: &[i32], zone: &[i32]| {
        let Found { pending, hits, .. } = &mut *found.borrow_mut();
        promising(graph, &wanted, pending, row, hits)?;
        let (mut part, mut kept) = (None, 0);
        for i in 0..hits.len() {
            if let Some(own) = witness(graph, wanted[hits[i]], row, zone)? {
                hits[kept] = hits[i];
                kept += 1;
                part = Some(own);
            }
        }
        hits.truncate(kept);
        Ok(part)
    };
    let mut play;
    let interlude = match look {
        None => None,
        Some(look) => {
            play = |observer: &mut dyn Observer| {
                let open = found.borrow().pending.clone();
                let decided = look(&open, observer);
                let pending = &mut found.borrow_mut().pending;
                pending.retain(|number| decided.as_ref().is_some_and(|decided| !decided.contains(number)));
                pending.is_empty()
            };
            Some(Interlude { after: LOOK, play: &mut play })
        }
    };
    let (outcome, counts) = Search {
        graph: &mut graph,
        goal: &mut in_goals,
        store: &mut store,
        open: &mut Collecting { inner: plan.order.open_list(searched, plan.seed), found: &found },
        chains: chains.as_mut(),
        merging: merging.as_mut(),
        symmetry: reduction.as_mut(),
        alu: plan.abstraction.simulates(),
        limits,
        interlude,
        observer,
    }
    .run();
    let paths: Vec<Option<Vec<u32>>> = found.into_inner().nodes.iter().map(|n| n.map(|n| path(&store, n))).collect();
    drop(store);
    let mut answers = Vec::new();
    for ((property, (goal, found)), path) in properties.iter().zip(&goals).zip(&paths) {
        let mut trace = None;
        let verdict = match (path, &outcome) {
            (Some(path), _) => {
                let steps = way(&mut graph, path, reduction.as_mut(), chains.as_mut());
                trace = steps.and_then(|steps| Trace::concrete(system, &steps, Some(goal)));
                let replayed = trace.as_ref().is_some_and(|t| t.replayed);
                if plan.symmetry && !replayed {
                    answers.push(answer(system, property, options, limits, observer));
                    continue;
                }
                let sure = !plan.stopwatches || replayed;
                if sure { found.clone() } else { Verdict::Unknown(plan.doubt()) }
            }
            (None, Outcome::Exhausted | Outcome::Found(_)) => found.opposite(),
            (None, Outcome::Stopped(stop)) => Verdict::Unknown(Reason::Limit(*stop)),
            // It may be a formula of another query that fails, or a lattice as it is used for another one.
            (None, Outcome::Error(..) | Outcome::Disorder(_) | Outcome::Apart) => {
                answers.push(answer(system, property, options, limits, observer));
                continue;
            }
        };
        answers.push(Answer {
            verdict,
            plan: plan.clone(),
            counts,
            values: None,
            trace,
            unread: Vec::new(),
            unseen: false,
            prepared: None,
            lessons: 0,
            asked: None,
        });
    }
    answers
}

/// What was found so far.
struct Found {
    /// The goals that were not.
    pending: Vec<usize>,
    /// Those of the state that was looked at last.
    hits: Vec<usize>,
    /// A state of each goal.
    nodes: Vec<Option<NodeId>>,
}

/// Notes states of the goals, and goes on until all are found.
struct Collecting<'f> {
    inner: Box<dyn OpenList>,
    found: &'f RefCell<Found>,
}

impl OpenList for Collecting<'_> {
    fn push(&mut self, state: &Arrival<'_>) {
        self.inner.push(state);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.inner.pop()
    }
    fn len(&self) -> usize {
        self.inner.len()
    }
    fn found(&mut self, node: NodeId, _: &[i32]) -> bool {
        let Found { pending, hits, nodes } = &mut *self.found.borrow_mut();
        hits.iter().for_each(|number| nodes[*number] = Some(node));
        pending.retain(|number| !hits.contains(number));
        pending.is_empty()
    }
}
