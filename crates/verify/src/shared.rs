//! Several queries, one search.
//!
//! Queries that ask for states, and that the same clock bounds and settings answer, are asked of
//! each state together. A search then ends when the last of them is decided, so that many cost
//! little more than the dearest one alone.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use explore::{
    bounds::ClockBounds,
    cluster::{FlatReader, FlatWriter, Malformed, read_path, write_path},
    goal::{AfterGoal, BoxedGoal, Goal, GoalPart, promising, witness},
    graph::ZoneGraph,
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    shard::discard,
    snapshot::SnapshotError,
    store::{NodeId, Path, Store, Update},
    tally::Phase,
};
use model::{Formula, LoweredQuery, Property, System, symmetry::Symmetry};
use zone::Bound;

use crate::{
    Answer, LocalTime, Options, Order, Plan, Reason, Threads, Trace, Verdict, Wanted,
    attempts::{FIRST_PAUSE, LEAST_PROBE, PROBES, Probe},
    plan,
    request::OnAnswer,
    respond::{respond, respond_in},
    resume::Findings,
    tallied::Tallied,
    task::{Subject, Task},
    trace::moves,
    width::{Width, width},
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
        // The length of a path depends on the goal, and joined zones on what was found before.
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
        Property::State { goal, exists } => Some((goal, Verdict::if_found(*exists))),
        _ => None,
    }
}

/// Answers the queries of a group, and hands out each answer, with the number of its query, as soon
/// as it is known.
///
/// With [`Order::Adaptive`] the search pauses now and then, and other strategies are tried with a
/// small part of the work that it has done; then it goes on. If there are variables that nothing
/// reads, it starts anew instead, and does not distinguish them: counters that leave their ranges
/// soon were found by then.
pub(crate) fn answer_each(
    system: &System,
    properties: &[&Property],
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
    known: &mut OnAnswer<'_>,
) {
    let tallied = Tallied::new(observer);
    let observer: &mut dyn Observer = &mut &tallied;
    let known = &mut |number: usize, answer: Answer| known(number, tallied.sum_up(answer));
    let asked = QueryGroup { system, properties, options, limits };
    match width(system, properties, options) {
        Err(_) => {
            for (number, property) in properties.iter().enumerate() {
                known(number, respond(system, property, options, false, limits, observer).0);
            }
        }
        Ok(Width::Narrow) => asked.answer_each_in::<i32>(observer, known),
        Ok(Width::Wide) => asked.answer_each_in::<i64>(observer, known),
    }
}

/// Queries about a system.
#[derive(Clone, Copy)]
struct QueryGroup<'q> {
    system: &'q System,
    properties: &'q [&'q Property],
    options: &'q Options,
    limits: &'q Limits<'q>,
}

impl QueryGroup<'_> {
    /// Answers all, with zones of one width.
    fn answer_each_in<B: Bound>(self, observer: &mut dyn Observer, known: &mut OnAnswer<'_>) {
        let QueryGroup { system, properties, options, limits } = self;
        let simple = options.wanted == Wanted::Some && options.update.is_none_or(|update| update == Update::Cover);
        if options.order != Order::Adaptive || !simple || properties.iter().any(|p| goal(p).is_none()) {
            self.search::<B>(false, Phase::Search, observer, known);
            return;
        }
        let options = &Options { order: Order::Bfs, ..options.clone() };
        let rest = QueryGroup { options, ..self }.search::<B>(true, Phase::Search, observer, known);
        if rest.is_empty() {
            return;
        }
        let asked: Vec<&Property> = rest.iter().map(|i| properties[*i]).collect();
        let unread = system.find_unread(&goals(&asked));
        let mut system = system.clone();
        system.unread.clone_from(&unread);
        observer.enter(Phase::Unread);
        let again = QueryGroup { system: &system, properties: &asked, options, limits };
        again.search::<B>(false, Phase::Unread, observer, &mut |i, answer| {
            let found = goal(asked[i]).is_some_and(|(_, found)| answer.verdict == found);
            let replayed = answer.trace.as_ref().is_some_and(|trace| trace.is_replayed());
            // The counters of a state are those of one path to it, and may leave their ranges on
            // another.
            let verdict = if found && !replayed {
                Verdict::Unknown(Reason::Imprecise("variables that nothing reads"))
            } else {
                answer.verdict.clone()
            };
            known(rest[i], Answer { verdict, unread: unread.clone(), ..answer });
        });
    }

    /// Answers all by one search. If `pauses` is set, probes are tried in between; returns the
    /// queries that have no answer then, since there are variables that nothing reads.
    fn search<B: Bound>(
        self,
        pauses: bool,
        phase: Phase,
        observer: &mut dyn Observer,
        known: &mut OnAnswer<'_>,
    ) -> Vec<usize> {
        let QueryGroup { system, properties, options, limits } = self;
        let goals: Option<Vec<(&Formula, Verdict)>> = properties.iter().map(|p| goal(p)).collect();
        let Some(goals) = goals.filter(|goals| goals.len() > 1 || pauses) else {
            for (number, property) in properties.iter().enumerate() {
                let (answer, _) = respond(system, property, options, false, limits, observer);
                known(number, answer.within(phase));
            }
            return Vec::new();
        };
        let plan = plan(system, properties[0], &ClockBounds::<B>::new(system, properties[0]), options);
        let formulas: Vec<&Formula> = goals.iter().map(|(goal, _)| *goal).collect();
        let subject = Subject::projected(system, &formulas);
        let plan = plan.settled::<B>(&subject, limits);
        let hits = Hits::default();
        let mut task = Task::<B>::new(&subject, &plan, subject.bounds()).finding(&hits);
        let pending = (0..goals.len()).collect();
        let mut goals = Goals { system, plan: &plan, phase, pending, goals, unsure: Vec::new(), known };
        let mut pause = FIRST_PAUSE;
        let outcome = loop {
            let most = limits.generated.into_iter().chain(pauses.then_some(pause)).min();
            let mut each = |count: usize| {
                let goal = || GroupGoal::new(&subject.formulas, &goals.pending, &hits);
                (0..count).map(|_| Box::new(goal()) as BoxedGoal<'_, B>).collect()
            };
            let limited = &Limits { generated: most, ..*limits };
            let outcome = task.resume_by_threads(&mut each, limited, observer);
            hits.take().into_iter().for_each(|hit| goals.found(&mut task, hit));
            if goals.pending.is_empty() {
                break SearchOutcome::Exhausted;
            }
            match outcome {
                Some(outcome) => break outcome,
                None if !task.has_done(limited) => continue,
                None if most == limits.generated => break SearchOutcome::Stopped(Stop::States),
                None => {}
            }
            let decided = self.probe::<B>(&goals.pending, pause, observer, goals.known);
            goals.pending.retain(|number| !decided.contains(number));
            if goals.pending.is_empty() {
                break SearchOutcome::Exhausted;
            }
            let left: Vec<&Formula> = goals.pending.iter().map(|i| goals.goals[*i].0).collect();
            if !system.find_unread(&left).is_empty() {
                task.end(observer);
                return goals.pending;
            }
            pause *= 2;
        };
        task.end(observer);
        let (counts, threads) = (task.counts(), task.threads_used());
        discard(task.into_stores());
        goals.finish(self, &outcome, (counts, threads), observer);
        Vec::new()
    }

    /// Tries other strategies for the queries with these numbers, where so many transitions were
    /// computed so far. Returns those that were answered.
    fn probe<B: Bound>(
        self,
        open: &[usize],
        done: usize,
        observer: &mut dyn Observer,
        known: &mut OnAnswer<'_>,
    ) -> Vec<usize> {
        let mut decided = Vec::new();
        for Probe { order, alone, share } in PROBES {
            // A probe does a bounded amount of work, in turns.
            let threads = if alone { Threads::ONE } else { self.options.threads };
            let options = Options { order, threads, ..self.options.clone() };
            let left: Vec<usize> = open.iter().copied().filter(|i| !decided.contains(i)).collect();
            let mut note = |number: usize, answer: Answer| {
                if !matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_))) {
                    decided.push(number);
                    known(number, answer.within(Phase::Probe));
                }
            };
            let work = done / share / if alone { left.len().max(1) } else { 1 };
            if work < LEAST_PROBE {
                continue;
            }
            let limits = &Limits { generated: Some(work), ..*self.limits };
            observer.enter(Phase::Probe);
            if alone {
                for &i in &left {
                    let property = self.properties[i];
                    note(i, respond_in::<B>(self.system, property, &options, false, limits, observer).0);
                    observer.enter(Phase::Probe);
                }
            } else {
                let properties: Vec<&Property> = left.iter().map(|i| self.properties[*i]).collect();
                let asked = QueryGroup { properties: &properties, options: &options, limits, ..self };
                asked.search::<B>(false, Phase::Probe, observer, &mut |i, answer| note(left[i], answer));
            }
        }
        decided
    }
}

/// The goals of queries about states.
fn goals<'q>(properties: &[&'q Property]) -> Vec<&'q Formula> {
    properties.iter().filter_map(|property| goal(property)).map(|(goal, _)| goal).collect()
}

/// A state that satisfies goals of a group.
pub(crate) struct GoalHit {
    /// The path to it.
    pub path: Path,
    /// The numbers of the goals.
    pub goals: Vec<usize>,
    /// The states that the worker has stored.
    pub stored: usize,
}

/// What the workers have found.
#[derive(Default)]
struct Hits(Mutex<Vec<GoalHit>>);

impl Hits {
    fn list(&self) -> MutexGuard<'_, Vec<GoalHit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Vec<GoalHit> {
        std::mem::take(&mut *self.list())
    }
}

impl Findings for Hits {
    fn save(&self) -> Vec<i64> {
        let mut numbers = Vec::new();
        for GoalHit { path, goals, stored } in &*self.list() {
            numbers.extend([goals.len() as i64, path.steps.len() as i64, *stored as i64]);
            numbers.extend(goals.iter().map(|goal| *goal as i64));
            numbers.extend(path.steps.iter().map(|step| i64::from(*step)));
        }
        numbers
    }

    fn load(&self, mut numbers: &[i64]) -> Result<(), SnapshotError> {
        const WRONG: SnapshotError = SnapshotError::Impossible("there is no such goal");
        let natural = |number: &i64| usize::try_from(*number).map_err(|_| WRONG);
        while let Some(([goals, steps, stored], rest)) = numbers.split_first_chunk() {
            let (goals, steps, stored) = (natural(goals)?, natural(steps)?, natural(stored)?);
            let (goals, rest) = rest.split_at_checked(goals).ok_or(WRONG)?;
            let (steps, rest) = rest.split_at_checked(steps).ok_or(WRONG)?;
            let goals = goals.iter().map(natural).collect::<Result<_, _>>()?;
            let steps =
                steps.iter().map(|step| u32::try_from(*step).map_err(|_| WRONG)).collect::<Result<Vec<_>, _>>()?;
            self.list().push(GoalHit { path: steps.into(), goals, stored });
            numbers = rest;
        }
        if numbers.is_empty() { Ok(()) } else { Err(WRONG) }
    }

    fn pauses(&self) -> bool {
        !self.list().is_empty()
    }

    fn tell(&self, out: &mut FlatWriter) {
        let own = self.list();
        out.number(own.len() as u64);
        for GoalHit { path, goals, stored } in &*own {
            write_path(path, out);
            out.number(*stored as u64);
            out.smalls(&goals.iter().map(|goal| *goal as u32).collect::<Vec<_>>());
        }
    }

    /// All processes answer what one of them has found.
    fn hear(&self, all: &mut [FlatReader<'_>]) -> Result<(), (usize, Malformed)> {
        let mut hits = Vec::new();
        let mut hear = |from: &mut FlatReader<'_>| {
            for _ in 0..from.count()? {
                let (path, stored) = (read_path(from)?, from.count()?);
                let goals = from.smalls()?.into_iter().map(|goal| goal as usize).collect();
                hits.push(GoalHit { path, goals, stored });
            }
            from.end()
        };
        for (process, from) in all.iter_mut().enumerate() {
            hear(from).map_err(|wrong| (process, wrong))?;
        }
        *self.list() = hits;
        Ok(())
    }

    fn complete(&self, complete: &dyn Fn(Path) -> Result<Path, Stop>) -> Result<(), Stop> {
        for hit in &mut *self.list() {
            hit.path = complete(std::mem::take(&mut hit.path))?;
        }
        Ok(())
    }
}

/// The goals of a group that were not found, for one worker. The search pauses when one is found.
struct GroupGoal<'g> {
    formulas: &'g [Cow<'g, Formula>],
    pending: Vec<usize>,
    /// Those of the last state that was checked.
    last: Vec<usize>,
    hits: &'g Hits,
}

impl<'g> GroupGoal<'g> {
    fn new(formulas: &'g [Cow<'g, Formula>], pending: &[usize], hits: &'g Hits) -> GroupGoal<'g> {
        GroupGoal { formulas, pending: pending.to_vec(), last: Vec::new(), hits }
    }
}

impl<B: Bound> Goal<B> for GroupGoal<'_> {
    fn part(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]) -> GoalPart<B> {
        promising(graph, self.formulas, &self.pending, row, &mut self.last)?;
        let (mut part, mut kept) = (None, 0);
        for i in 0..self.last.len() {
            if let Some(own) = witness(graph, &self.formulas[self.last[i]], row, zone)? {
                self.last[kept] = self.last[i];
                kept += 1;
                part = Some(own);
            }
        }
        self.last.truncate(kept);
        Ok(part)
    }

    fn found(&mut self, node: NodeId, store: &Store<B>) -> AfterGoal {
        let goals = std::mem::take(&mut self.last);
        self.pending.retain(|number| !goals.contains(number));
        self.hits.list().push(GoalHit { path: store.path(node), goals, stored: store.stored() });
        AfterGoal::Pause
    }
}

/// The goals of a group, each of which is answered as soon as it is found.
struct Goals<'g, 'k> {
    system: &'g System,
    plan: &'g Plan,
    phase: Phase,
    goals: Vec<(&'g Formula, Verdict)>,
    /// The goals that were not found.
    pending: Vec<usize>,
    /// Those that were found where no run is known to lead.
    unsure: Vec<usize>,
    known: &'g mut OnAnswer<'k>,
}

impl Goals<'_, '_> {
    /// Answers the queries whose goals are satisfied in a state.
    fn found<B: Bound>(&mut self, task: &mut Task<'_, B>, hit: GoalHit) {
        let stored = if task.threads_used() == 1 { hit.stored } else { task.counts().stored };
        for &number in hit.goals.iter().filter(|number| self.pending.contains(number)) {
            match self.at(number, task, &hit.path, Counts { stored, ..Counts::default() }) {
                Some(answer) => (self.known)(number, Answer { threads: task.threads_used(), ..answer }),
                None => self.unsure.push(number),
            }
        }
        self.pending.retain(|number| !hit.goals.contains(number));
    }

    /// The answer to a query whose goal is at the end of a path; `None` if nothing shows that a run
    /// leads there.
    fn at<B: Bound>(&self, number: usize, task: &mut Task<'_, B>, path: &Path, counts: Counts) -> Option<Answer> {
        let (goal, found) = &self.goals[number];
        let trace = task.follow_to(path, number).and_then(|steps| Trace::concrete(self.system, &moves(steps), goal));
        let replayed = trace.as_ref().is_some_and(|trace| trace.is_replayed());
        // Joined states may be reachable where no run leads, and searches that are shared do not
        // judge what they find.
        let may_err = self.plan.symmetry || self.plan.local_time == LocalTime::On || self.plan.update_is_imprecise();
        if may_err && !replayed {
            return None;
        }
        let sure = !self.plan.stopwatches || replayed;
        let verdict = if sure { found.clone() } else { Verdict::Unknown(self.plan.doubt()) };
        Some(Answer { trace, ..self.answer(verdict, counts) })
    }

    fn answer(&self, verdict: Verdict, counts: Counts) -> Answer {
        Answer { decided: self.phase, ..Answer::new(verdict, self.plan.clone(), counts) }
    }

    /// Answers what was not found, and what is not sure.
    fn finish(
        mut self,
        asked: QueryGroup<'_>,
        outcome: &SearchOutcome,
        (counts, threads): (Counts, usize),
        observer: &mut dyn Observer,
    ) {
        let QueryGroup { system, properties, options, limits } = asked;
        let (unsure, pending) = (std::mem::take(&mut self.unsure), std::mem::take(&mut self.pending));
        for number in unsure.iter().chain(&pending).copied() {
            let verdict = match outcome {
                _ if unsure.contains(&number) => None,
                SearchOutcome::Exhausted | SearchOutcome::Found(_) => Some(self.goals[number].1.opposite()),
                SearchOutcome::Stopped(stop) => Some(Verdict::Unknown(Reason::Limit(*stop))),
                // It may be a formula of another query that fails, or a lattice as it is used for
                // another one.
                SearchOutcome::Error(..)
                | SearchOutcome::Disorder(_)
                | SearchOutcome::TooManyElements
                | SearchOutcome::Spurious(_) => None,
            };
            let answer = match verdict {
                Some(verdict) => Answer { threads, ..self.answer(verdict, counts) },
                None => {
                    observer.enter(Phase::Retry);
                    let left = limits.generated.map(|most| most.saturating_sub(counts.generated));
                    let limits = Limits { generated: left, ..*limits };
                    let (answer, _) = respond(system, properties[number], options, false, &limits, observer);
                    Answer { decided: Phase::Retry, ..answer }
                }
            };
            (self.known)(number, answer);
        }
    }
}
