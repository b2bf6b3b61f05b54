//! One search, put together.
//!
//! A [`Subject`] is the system that a query is asked of, in the form in which it is searched. From
//! it and a [`Plan`] a [`Task`] makes all that a search needs: clock bounds, the zone graph with
//! what wraps it, the store with its policy, and the open list.

use std::borrow::Cow;

use explore::{
    bounds::ClockBounds,
    chain::Chains,
    cluster::Cluster,
    goal::{BoxedGoal, Goal, witness},
    graph::ZoneGraph,
    heuristic::Prepared,
    local_time,
    merging::Merging,
    open::{Fifo, OpenList},
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    seen::Seen,
    shard::{Owners, Redeal, Team, Worker},
    snapshot::digest,
    store::{NodeId, Path, Store},
    symmetry::{Reduction, Represented},
    transitions::{SymbolicTrace, Transitions},
};
use model::{Formula, Signal, System, system::ClockId};
use zone::Bound;

use crate::{
    Plan, Threads, fastest,
    resume::{Findings, Noted},
};

/// A system as it is searched, and formulas about it.
pub struct Subject<'s> {
    /// The system.
    pub system: Cow<'s, System>,
    /// The formulas.
    pub formulas: Vec<Cow<'s, Formula>>,
    /// The clocks of the given system that the clocks of this one are.
    pub clocks: Vec<ClockId>,
    /// The clock that shows the time since the start, if there is one.
    time: Option<usize>,
}

impl<'s> Subject<'s> {
    /// A system as it is.
    pub fn whole(system: &'s System, formulas: &[&'s Formula]) -> Subject<'s> {
        Subject {
            system: Cow::Borrowed(system),
            formulas: formulas.iter().map(|formula| Cow::Borrowed(*formula)).collect(),
            clocks: (0..system.clocks.len() as u32).map(ClockId).collect(),
            time: None,
        }
    }

    /// A system without the clocks that nothing compares.
    pub fn projected(system: &'s System, formulas: &[&'s Formula]) -> Subject<'s> {
        match system.project(formulas) {
            Some(projection) => Subject {
                system: Cow::Owned(projection.system),
                formulas: projection.formulas.into_iter().map(Cow::Owned).collect(),
                clocks: projection.kept,
                time: None,
            },
            None => Subject::whole(system, formulas),
        }
    }

    /// A system with a clock that shows the time since the start. It is compared with nothing, but
    /// counts.
    pub fn timed(system: &'s System, formulas: &[&'s Formula]) -> Subject<'s> {
        let timed = fastest::timed(system);
        let clocks = (0..timed.clocks.len() as u32).map(ClockId).collect();
        let time = Some(system.clocks.len());
        Subject { system: Cow::Owned(timed), clocks, time, ..Subject::whole(system, formulas) }
    }

    /// The first formula.
    pub fn formula(&self) -> &Formula {
        &self.formulas[0]
    }

    /// The numbers that its clocks are compared with.
    pub fn bounds<B: Bound>(&self) -> ClockBounds<B> {
        let formulas: Vec<&Formula> = self.formulas.iter().map(|formula| &**formula).collect();
        let mut bounds = ClockBounds::of_formulas(&self.system, &formulas);
        if let Some(clock) = self.time {
            bounds.measure(clock);
        }
        bounds
    }
}

/// A search that is ready to run, runs, or has run.
pub(crate) struct Task<'t, B> {
    /// What determines it, besides the order that the goal guides.
    subject: &'t Subject<'t>,
    plan: Plan,
    bounds: ClockBounds<B>,
    /// The worker of a search in one thread.
    pub(crate) worker: Worker<'t, B>,
    /// The workers that have taken over.
    pub(crate) team: Option<Team<'t, B>>,
    /// Whether it may have several workers.
    may_spread: bool,
    /// The number of transitions that it computes before it has several.
    after: usize,
    /// Its entries in the journal.
    pub(crate) noted: Noted,
    /// What goals find that is no outcome.
    pub(crate) findings: Option<&'t dyn Findings>,
}

impl<'t, B: Bound> Task<'t, B> {
    /// A search for states of the first formula, in an order that the formula does not guide.
    pub fn new(subject: &'t Subject<'t>, plan: &Plan, bounds: ClockBounds<B>) -> Task<'t, B> {
        let system = &*subject.system;
        let formula = subject.formula();
        let merging = plan.merging(system, formula, &bounds);
        let seen = Seen::new(plan.store(system), plan.abstraction.simulates()).with_merging(merging);
        let transitions = transitions(system, plan, bounds.clone());
        let worker = Worker::alone(transitions, seen, plan.plain_open_list(system));
        Task {
            subject,
            plan: plan.clone(),
            bounds,
            worker,
            team: None,
            may_spread: plan.may_spread(),
            after: plan.threads.after,
            noted: Noted::default(),
            findings: None,
        }
    }

    /// The same, in the order that the plan wants for the formula.
    pub fn directed(mut self, subject: &'t Subject<'_>, plan: &Plan, limits: &Limits<'_>) -> Task<'t, B> {
        let clock = subject.time.unwrap_or(0);
        self.worker.open = plan.open_list(&subject.system, subject.formula(), clock, limits);
        self
    }

    /// The same, in the order of an open list, and in one thread.
    pub(crate) fn ordered(mut self, open: Box<dyn OpenList<B> + 't>) -> Task<'t, B> {
        self.worker.open = open;
        Task { may_spread: false, ..self }
    }

    /// The same, with another policy about elements of lattices, and in one thread.
    pub fn merging(mut self, merging: Merging<'t, B>) -> Task<'t, B> {
        self.worker.seen = self.worker.seen.with_merging(Some(merging));
        Task { may_spread: false, ..self }
    }

    /// The same, where goals find more than the outcome says.
    pub fn finding(self, findings: &'t dyn Findings) -> Task<'t, B> {
        Task { findings: Some(findings), ..self }
    }

    /// Begins, or goes on where the search has paused, in one thread. `None`: it pauses, having
    /// done the work that the limits allow.
    pub fn resume(
        &mut self,
        goal: &mut dyn Goal<B>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        self.noting(limits, observer, &mut |task, observer| task.worker.resume(goal, limits, observer))
    }

    /// The same, in as many threads as the plan allows, but in one as long as the search is small.
    /// `goals` returns goals for so many workers. It also
    /// pauses when it has become large.
    pub fn resume_by_threads<'g>(
        &mut self,
        goals: &mut dyn FnMut(usize) -> Vec<BoxedGoal<'g, B>>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        self.noting(limits, observer, &mut |task, observer| task.resume_workers(goals, limits, observer))
    }

    fn resume_workers<'g>(
        &mut self,
        goals: &mut dyn FnMut(usize) -> Vec<BoxedGoal<'g, B>>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        if self.team.is_none() && self.is_large_enough() {
            self.spread(observer);
        }
        if let Some(team) = &mut self.team {
            return team.resume(&mut goals(team.workers.len()), limits, observer);
        }
        let alone = self.may_spread.then_some(self.after);
        let generated = limits.generated.into_iter().chain(alone).min();
        let mut goal = goals(1).pop()?;
        self.worker.resume(&mut *goal, &Limits { generated, ..*limits }, observer)
    }

    /// Returns whether the search goes on in several threads.
    fn is_large_enough(&self) -> bool {
        let generated = self.worker.progress.counts.generated;
        let is_enough = self.after == 0 || generated > self.after;
        // Processes of a cluster have no common start.
        self.may_spread && (self.plan.cluster.is_some() || is_enough)
    }

    /// Deals the states to several workers, unless it has to be seen first how to distribute them.
    fn spread(&mut self, observer: &mut dyn Observer) {
        let (count, last_first) = (self.plan.own_workers(), self.plan.takes_last_first());
        let owners = self.owners(count);
        if self.after == Threads::SAMPLES[0] && self.plan.cluster.is_none() && !owners.are_near() {
            self.after = Threads::SAMPLES[1];
            return;
        }
        let mut team = self.recruit(count, &owners);
        let redeal = if last_first { Redeal::Reversed } else { Redeal::Same };
        if !team.take_over(&owners, &mut self.worker, redeal) && self.worker.has_begun() {
            self.worker.end(observer);
        }
        self.replace_worker(team);
    }

    /// Chooses who owns which states, if this process has so many workers.
    pub(crate) fn owners(&self, count: usize) -> Owners {
        let (system, plan) = (&*self.subject.system, &self.plan);
        let Some(cluster) = &plan.cluster else {
            return Owners::new(system, &plan.merged, count).near(&self.worker.seen.store);
        };
        let mut owners = Owners::new(system, &plan.merged, cluster.workers());
        // The processes have no common start, but all of them get the same sample, which is not
        // counted, and so the same owners.
        let seen = Seen::new(plan.store(system), plan.abstraction.simulates());
        let mut worker = Worker::alone(transitions(system, plan, self.bounds.clone()), seen, Box::<Fifo>::default());
        let mut no_goal = |_: &mut ZoneGraph<'_, B>, _: &[i32], _: &[B]| Ok(None);
        let mut sizes = Threads::SAMPLES.into_iter().filter(|_| plan.merged.is_empty());
        while !owners.are_near()
            && let Some(generated) = sizes.next()
        {
            let limits = Limits { generated: Some(generated), ..Limits::default() };
            // Whatever ends it, ends it everywhere.
            let has_ended = worker.resume(&mut no_goal, &limits, &mut ()).is_some();
            owners = owners.near(&worker.seen.store);
            if has_ended {
                break;
            }
        }
        owners
    }

    /// Makes a team of so many workers of this process.
    pub(crate) fn recruit(&self, count: usize, owners: &Owners) -> Team<'t, B> {
        let (system, plan, bounds) = (&*self.subject.system, &self.plan, &self.bounds);
        let recruit = |number: usize| {
            let merging = plan.merging_of_worker(system);
            let seen = Seen::new(plan.store(system), plan.abstraction.simulates()).with_merging(merging);
            let open = plan.open_list_of_worker(system, plan.first_worker() + number);
            Worker::alone(transitions(system, plan, bounds.clone()), seen, open)
        };
        let workers = (0..count).map(recruit).collect();
        match &plan.cluster {
            Some(cluster) => Team::across(cluster, system, owners, workers),
            None => Team::new(system, owners, workers),
        }
    }

    /// Returns whether it may have several workers.
    pub(crate) fn may_spread(&self) -> bool {
        self.may_spread
    }

    /// Lets a team go on.
    pub(crate) fn replace_worker(&mut self, team: Team<'t, B>) {
        let plan = &self.plan;
        self.worker.seen = Seen::new(plan.store(&self.subject.system), plan.abstraction.simulates());
        self.team = Some(team);
    }

    /// Ends a search that will not be resumed.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        self.noting_end(observer, &mut |task, observer| task.end_workers(observer));
    }

    fn end_workers(&mut self, observer: &mut dyn Observer) {
        match &mut self.team {
            Some(team) => team.end(observer),
            None => self.worker.end(observer),
        }
    }

    /// Runs to the end, or until the work is done that the limits allow, in one thread.
    pub fn run(&mut self, goal: &mut dyn Goal<B>, limits: &Limits<'_>, observer: &mut dyn Observer) -> SearchOutcome {
        let outcome = self.resume(goal, limits, observer);
        self.end(observer);
        outcome.unwrap_or(SearchOutcome::Stopped(Stop::States))
    }

    /// The same, in as many threads as the plan allows. `goal` returns a goal for a worker.
    pub fn run_by_threads<'g>(
        &mut self,
        goal: &mut dyn FnMut() -> BoxedGoal<'g, B>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> SearchOutcome {
        let mut goals = |count: usize| (0..count).map(|_| goal()).collect();
        let outcome = loop {
            match self.resume_by_threads(&mut goals, limits, observer) {
                Some(outcome) => break outcome,
                None if self.has_done(limits) => break SearchOutcome::Stopped(Stop::States),
                None => {}
            }
        };
        self.end(observer);
        outcome
    }

    /// Returns whether the work is done that limits allow.
    pub fn has_done(&self, limits: &Limits<'_>) -> bool {
        limits.generated.is_some_and(|max| self.counts().generated > max)
    }

    /// What joining has cost so far, in transitions.
    pub fn joining_cost(&self) -> usize {
        if let Some(call) = self.noted.replayed() {
            return call.joining.0;
        }
        self.worker.seen.joining_cost(&self.worker.progress.counts)
    }

    /// How often a join was undone.
    pub fn refinements(&self) -> usize {
        if let Some(call) = self.noted.replayed() {
            return call.joining.1;
        }
        self.worker.seen.refinements()
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        if let Some(call) = self.noted.replayed() {
            return call.counts;
        }
        self.team.as_ref().map_or(self.worker.progress.counts, Team::counts)
    }

    /// The number of threads that it has used at once, in all processes, of those that the plan
    /// allows.
    pub fn threads_used(&self) -> usize {
        if let Some(call) = self.noted.replayed() {
            return call.threads;
        }
        self.team.as_ref().map_or(1, Team::size)
    }

    /// The processes that have searched together.
    pub fn cluster(&self) -> Option<&Cluster> {
        self.plan.cluster.as_ref().filter(|_| self.may_spread)
    }

    /// A digest of all that determines the search. It is the same whenever a program takes the same
    /// way, and another one if a search belongs to another model or plan.
    pub(crate) fn digest(&self) -> String {
        let Subject { system, formulas, clocks, time } = self.subject;
        let mut system = system.clone();
        // Whether a signal is raised does not matter.
        system.to_mut().code.signal = Signal::default();
        let bits = size_of::<B>() * 8;
        digest(&(&*system, formulas, clocks, time, &self.plan, &self.bounds, bits, self.may_spread))
    }

    /// The workers that have searched, in one thread or in several.
    pub fn workers(&self) -> &[Worker<'t, B>] {
        self.team.as_ref().map_or(std::slice::from_ref(&self.worker), |team| &team.workers)
    }

    /// The states that were reached.
    pub fn into_stores(self) -> Vec<Store<B>> {
        self.team.map_or_else(|| vec![self.worker.seen.store], Team::into_stores)
    }

    /// Returns the preparation of the heuristics.
    pub fn prepared(&self) -> Option<Prepared> {
        self.worker.open.prepared()
    }

    /// The zone graph.
    pub fn graph(&mut self) -> &mut ZoneGraph<'t, B> {
        self.worker.transitions.graph()
    }

    /// The path to the state in whose expansion the search was stopped, if it has one thread.
    pub fn interrupted_at(&self) -> Option<Path> {
        let Worker { progress, seen, .. } = &self.worker;
        let node = progress.interrupted_at().filter(|_| self.team.is_none())?;
        Some(seen.store.path(node))
    }

    /// The path to a state of a search in one thread.
    pub fn path_to(&self, node: NodeId) -> Path {
        self.worker.seen.store.path(node)
    }

    /// The edges, rows and zones along a path that was found.
    pub fn follow(&mut self, path: &Path) -> Option<SymbolicTrace<B>> {
        self.worker.transitions.follow(&path.steps)
    }

    /// The same for a path to a state of the formula with this number.
    pub fn follow_to(&mut self, path: &Path, formula: usize) -> Option<SymbolicTrace<B>> {
        let formula = &*self.subject.formulas[formula];
        let mut goal = |graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]| witness(graph, formula, row, zone);
        self.worker.transitions.follow_to(&path.steps, &mut goal)
    }
}

/// What is searched by a plan.
pub fn transitions<'t, B: Bound>(
    system: &'t System,
    plan: &Plan,
    bounds: ClockBounds<B>,
) -> Box<dyn Transitions<'t, B> + 't> {
    let reduction = if plan.symmetry { Reduction::new(system, &bounds) } else { None };
    let graph = ZoneGraph::new(system, bounds, plan.abstraction);
    match (reduction, plan.passing, plan.agents(system)) {
        (Some(reduction), _, _) => Box::new(Represented::new(graph, reduction)),
        (None, Some(passing), _) => Box::new(Chains::new(graph, passing)),
        (None, None, Some(agents)) => Box::new(local_time::LocalTime::new(graph, agents)),
        (None, None, None) => Box::new(graph),
    }
}
