//! Several queries, one search.
//!
//! Queries that ask for states, and that the same clock bounds and settings answer, are asked of
//! each state together. A search then ends when the last of them is decided, so that many cost
//! little more than the dearest one alone.

use std::{
    cell::{Cell, OnceCell, RefCell},
    sync::Arc,
};

use explore::{
    bounds::ClockBounds,
    chain::Chains,
    goal::{promising, witness},
    graph::ZoneGraph,
    heuristic::Failures,
    open::{Arrival, OpenList},
    search::{Counts, Interlude, Limits, Observer, Outcome, Search, path},
    store::{NodeId, Store, Update},
    symmetry::Reduction,
    tally::Phase,
};
use model::{Formula, LoweredQuery, Property, System, symmetry::Symmetry};
use zone::Bound;

use crate::{
    Answer, Options, Order, Plan, Reason, Trace, Verdict, Wanted, Width, answer, plan, reach::way, tallied::Tallied,
    trace::moves, width::width,
};

/// Queries that one search answers, by their numbers.
pub type Group = Vec<usize>;

/// What queries have in common that share a search: the constants of clocks matter, whether they
/// fit into bounds of 32 bits, and which members of scalar sets are alike.
type Kind = (Plan, Width, ClockBounds<i64>, Option<Arc<Symmetry>>);

/// Which queries share a search; each is in one group, in the order of the first of each group.
/// What is known of each query alone decides, so that none takes more because of others.
#[must_use]
pub fn groups(system: &System, queries: &[&LoweredQuery], options: &Options) -> Vec<Group> {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut groups: Vec<(Option<usize>, Group)> = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        let (system, property) = system.with(query);
        let (system, property) = (&system, &property);
        let mut kind = None;
        // How long a way is depends on what is searched for, and joined zones on what was found
        // before.
        if let Ok(width) = width(system, &[property], options)
            && goal(property).is_some()
            && options.wanted == Wanted::Some
            && !options.order.is_directed()
        {
            let bounds = ClockBounds::new(system, property);
            let plan = plan(system, property, &bounds, options);
            let symmetry = plan.symmetry.then(|| system.symmetry.clone());
            let own = (plan, width, bounds, symmetry);
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
/// So many states are stored at most by directed searches then, all together, and so many at least
/// by each.
const DIRECTED: usize = 1 << 15;
const LEAST: usize = 1 << 11;

/// Answers the queries of a group. See [`answer_each`].
pub fn answer_group(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Vec<Answer> {
    let mut answers: Vec<Option<Answer>> = vec![None; properties.len()];
    answer_each(system, properties, options, limits, observer, &mut |number, answer| answers[number] = Some(answer));
    answers.into_iter().flatten().collect()
}

/// Answers the queries of a group, and hands out each answer, with the number of its query, as soon
/// as it is known.
///
/// Breadth-first search finds short paths, and no long ones in a large system. Directed searches
/// find most of those at once, and depth-first search in a random order some more. With
/// [`Order::Adaptive`] both are tried with fewer states than the first search has stored, which
/// then goes on. If there are variables that nothing reads, it starts anew instead, and does not
/// distinguish them: counters that leave their ranges soon were found by then.
pub fn answer_each(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
    known: &mut dyn FnMut(usize, Answer),
) {
    let tallied = Tallied::new(observer);
    let observer: &mut dyn Observer = &mut &tallied;
    let known = RefCell::new(known);
    let known = |number: usize, answer: Answer| (known.borrow_mut())(number, tallied.sum_up(answer));
    match width(system, properties, options) {
        Err(_) => {
            for (number, property) in properties.iter().enumerate() {
                known(number, answer(system, property, options, limits, observer));
            }
        }
        Ok(Width::Narrow) => answer_each_in::<i32>(system, properties, options, limits, observer, &known),
        Ok(Width::Wide) => answer_each_in::<i64>(system, properties, options, limits, observer, &known),
    }
}

/// The same, with zones of one width.
fn answer_each_in<B: Bound>(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
    known: &dyn Fn(usize, Answer),
) {
    let simple = options.wanted == Wanted::Some && options.update.is_none_or(|update| update == Update::Cover);
    let probes = options.order == Order::Adaptive
        && simple
        && limits.states.is_none_or(|most| most > LOOK)
        && properties.iter().all(|p| goal(p).is_some());
    if !probes {
        search_group::<B>(system, properties, options, limits, None, observer, known);
        return;
    }
    let options = Options { order: Order::Bfs, ..options.clone() };
    let mut unread = Vec::new();
    let mut probe = |open: &[usize], observer: &mut dyn Observer| {
        let decided = RefCell::new(Vec::new());
        let note = |number: usize, answer: Answer| {
            if !matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_))) {
                decided.borrow_mut().push(number);
                known(number, answer);
            }
        };
        let directed = Options { order: Order::Auto, ..options.clone() };
        let few = Limits { states: Some((DIRECTED / open.len()).max(LEAST)), ..*limits };
        for &i in open {
            observer.enter(Phase::Probe);
            note(i, answer(system, properties[i], &directed, &few, observer));
        }
        let left: Vec<usize> = open.iter().copied().filter(|i| !decided.borrow().contains(i)).collect();
        let asked: Vec<&Property> = left.iter().map(|i| properties[*i]).collect();
        let random = Options { order: Order::RandomDfs, ..options.clone() };
        let few = Limits { states: Some(LOOK), ..*limits };
        observer.enter(Phase::Probe);
        search_group::<B>(system, &asked, &random, &few, None, observer, &|i, answer| note(left[i], answer));
        let decided = decided.into_inner();
        let left = open.iter().filter(|i| !decided.contains(i));
        let goals: Vec<&Formula> = left.filter_map(|i| goal(properties[*i])).map(|(goal, _)| goal).collect();
        unread = if goals.is_empty() { Vec::new() } else { system.find_unread(&goals) };
        (decided, !unread.is_empty())
    };
    let rest = search_group::<B>(system, properties, &options, limits, Some(&mut probe), observer, known);
    if rest.is_empty() {
        return;
    }
    let asked: Vec<&Property> = rest.iter().map(|i| properties[*i]).collect();
    let mut system = system.clone();
    system.unread.clone_from(&unread);
    observer.enter(Phase::Unread);
    search_group::<B>(&system, &asked, &options, limits, None, observer, &|i, answer| {
        let found = goal(asked[i]).is_some_and(|(_, found)| answer.verdict == found);
        let replayed = answer.trace.as_ref().is_some_and(|trace| trace.replayed);
        // The counters of a state are those of one way to it, and may leave their ranges on
        // another.
        let verdict = if found && !replayed {
            Verdict::Unknown(Reason::Imprecise("variables that nothing reads"))
        } else {
            answer.verdict.clone()
        };
        known(rest[i], Answer { verdict, unread: unread.clone(), ..answer });
    });
}

/// Searches for the goals with these numbers with other strategies. Returns those that need not be
/// searched for any more, and whether the search is to be given up.
type Probe<'l> = dyn FnMut(&[usize], &mut dyn Observer) -> (Vec<usize>, bool) + 'l;

/// Answers the queries of a group by one search, and hands out each answer when it is known. If
/// that takes long, there is a `probe` in between; returns the queries that have no answer since
/// the search was given up after it.
fn search_group<B: Bound>(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    probe: Option<&mut Probe<'_>>,
    observer: &mut dyn Observer,
    known: &dyn Fn(usize, Answer),
) -> Vec<usize> {
    let goals: Option<Vec<(&Formula, Verdict)>> = properties.iter().map(|p| goal(p)).collect();
    let Some(goals) = goals.filter(|goals| goals.len() > 1 || probe.is_some()) else {
        for (number, property) in properties.iter().enumerate() {
            known(number, answer(system, property, options, limits, observer));
        }
        return Vec::new();
    };
    let plan = plan(system, properties[0], &ClockBounds::<B>::new(system, properties[0]), options);
    let formulas: Vec<&Formula> = goals.iter().map(|(goal, _)| *goal).collect();
    let projection = system.project(&formulas);
    let (searched, wanted) = match &projection {
        Some(projection) => (&projection.system, projection.formulas.iter().collect()),
        None => (system, formulas),
    };
    // The bounds are the same for all of them.
    let bounds = ClockBounds::of_formulas(searched, &wanted[..1]);
    let mut reduction = if plan.symmetry { Reduction::new(searched, &bounds) } else { None };
    // Nothing is joined where several queries are asked at once, so that no goal is looked at
    // again.
    let mut merging = plan.merging(searched, wanted[0], &bounds);
    let mut graph = ZoneGraph::new(searched, bounds.clone(), plan.abstraction);
    let mut store = plan.store(searched);
    let mut chains = plan.passing.map(|passing| Chains::new(searched, passing));
    let finds = Finds { system, searched, bounds, goals: &goals, plan: &plan, again: OnceCell::new() };
    let found = RefCell::new(Found { pending: (0..goals.len()).collect(), hits: Vec::new(), unsure: Vec::new() });
    let mut in_goals = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| {
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
    let given_up = Cell::new(false);
    let mut play;
    let interlude = match probe {
        None => None,
        Some(probe) => {
            play = |observer: &mut dyn Observer| {
                let open = found.borrow().pending.clone();
                let (decided, gives_up) = probe(&open, observer);
                given_up.set(gives_up);
                let pending = &mut found.borrow_mut().pending;
                pending.retain(|number| !decided.contains(number));
                gives_up || pending.is_empty()
            };
            Some(Interlude { after: LOOK, play: &mut play })
        }
    };
    let (outcome, counts) = Search {
        graph: &mut graph,
        goal: &mut in_goals,
        store: &mut store,
        open: &mut Collecting { inner: plan.order.open_list(searched, plan.seed), found: &found, finds: &finds, known },
        chains: chains.as_mut(),
        merging: merging.as_mut(),
        symmetry: reduction.as_mut(),
        alu: plan.abstraction.simulates(),
        limits,
        interlude,
        observer,
    }
    .run();
    drop(store);
    let Found { pending, unsure, .. } = found.into_inner();
    let mut retry = |number: usize| {
        observer.enter(Phase::Retry);
        known(number, answer(system, properties[number], options, limits, observer));
    };
    unsure.into_iter().for_each(&mut retry);
    if given_up.get() {
        return pending;
    }
    for number in pending {
        let verdict = match &outcome {
            Outcome::Exhausted | Outcome::Found(_) => goals[number].1.opposite(),
            Outcome::Stopped(stop) => Verdict::Unknown(Reason::Limit(*stop)),
            // It may be a formula of another query that fails, or a lattice as it is used for
            // another one.
            Outcome::Error(..) | Outcome::Disorder(_) | Outcome::Apart => {
                retry(number);
                continue;
            }
        };
        known(number, finds.answer(verdict, None, counts));
    }
    Vec::new()
}

/// Makes answers of what is found, while the search goes on.
struct Finds<'s, B> {
    system: &'s System,
    searched: &'s System,
    bounds: ClockBounds<B>,
    goals: &'s [(&'s Formula, Verdict)],
    plan: &'s Plan,
    /// What takes the paths again that the search has found.
    again: OnceCell<RefCell<Again<'s, B>>>,
}

/// The search has a graph of its own, which is busy.
struct Again<'s, B> {
    graph: ZoneGraph<'s, B>,
    reduction: Option<Reduction<B>>,
    chains: Option<Chains<B>>,
}

impl<B: Bound> Finds<'_, B> {
    /// The answer to a query whose goal is at the end of a path; `None` if nothing shows that a run
    /// leads there.
    fn at(&self, number: usize, path: &[u32], counts: Counts) -> Option<Answer> {
        let (goal, found) = &self.goals[number];
        let again = self.again.get_or_init(|| {
            RefCell::new(Again {
                graph: ZoneGraph::new(self.searched, self.bounds.clone(), self.plan.abstraction),
                reduction: if self.plan.symmetry { Reduction::new(self.searched, &self.bounds) } else { None },
                chains: self.plan.passing.map(|passing| Chains::new(self.searched, passing)),
            })
        });
        let Again { graph, reduction, chains } = &mut *again.borrow_mut();
        let steps = way(graph, path, reduction.as_mut(), chains.as_mut());
        let trace = steps.and_then(|steps| Trace::concrete(self.system, &moves(steps), goal));
        let replayed = trace.as_ref().is_some_and(|trace| trace.replayed);
        if self.plan.symmetry && !replayed {
            return None;
        }
        let sure = !self.plan.stopwatches || replayed;
        let verdict = if sure { found.clone() } else { Verdict::Unknown(self.plan.doubt()) };
        Some(self.answer(verdict, trace, counts))
    }

    fn answer(&self, verdict: Verdict, trace: Option<Trace>, counts: Counts) -> Answer {
        Answer {
            verdict,
            plan: self.plan.clone(),
            counts,
            phases: Vec::new(),
            values: None,
            trace,
            unread: Vec::new(),
            unseen: false,
            prepared: None,
            failures: Failures::default(),
            lessons: 0,
            asked: None,
        }
    }
}

/// What was found so far.
struct Found {
    /// The goals that were not.
    pending: Vec<usize>,
    /// Those of the state that was looked at last.
    hits: Vec<usize>,
    /// Those that were found where no run is known to lead.
    unsure: Vec<usize>,
}

/// Hands out answers when states of the goals are found, and goes on until all are.
struct Collecting<'f, 's, B> {
    inner: Box<dyn OpenList<B>>,
    found: &'f RefCell<Found>,
    finds: &'f Finds<'s, B>,
    known: &'f dyn Fn(usize, Answer),
}

impl<B: Bound> OpenList<B> for Collecting<'_, '_, B> {
    fn push(&mut self, state: &Arrival<'_, B>) {
        self.inner.push(state);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.inner.pop()
    }
    fn len(&self) -> usize {
        self.inner.len()
    }
    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
    fn found(&mut self, node: NodeId, _: &[B], store: &Store<B>) -> bool {
        let Found { pending, hits, unsure } = &mut *self.found.borrow_mut();
        let path = path(store, node);
        let counts = Counts { stored: store.stored(), ..Counts::default() };
        for &number in hits.iter() {
            match self.finds.at(number, &path, counts) {
                Some(answer) => (self.known)(number, answer),
                None => unsure.push(number),
            }
        }
        pending.retain(|number| !hits.contains(number));
        pending.is_empty()
    }
}
