//! The workers of a search, and the threads that they run in.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use model::system::System;
use zone::Bound;

use super::{Owners, Shard, exchange::Exchange, joint::Joint};
use crate::{
    goal::{BoxedGoal, Goal},
    heuristic::Failures,
    open::OpenList,
    search::{Counts, Limits, Observer, Progress, Search, SearchOutcome, Stop, WorkerLoad, count, drop_caches, reopen},
    seen::Seen,
    store::{NodeId, Store},
    transitions::Transitions,
};

/// All that one thread of a search needs.
pub struct Worker<'a, B = i32> {
    /// The transition system.
    pub transitions: Box<dyn Transitions<'a, B> + 'a>,
    /// The states.
    pub seen: Seen<'a, B>,
    /// The open list.
    pub open: Box<dyn OpenList<B> + 'a>,
    /// The progress.
    pub progress: Progress<B>,
    pub(super) shard: Option<Shard<B>>,
}

impl<'a, B: Bound> Worker<'a, B> {
    /// Creates the only worker of a search.
    #[must_use]
    pub fn alone(
        mut transitions: Box<dyn Transitions<'a, B> + 'a>,
        seen: Seen<'a, B>,
        open: Box<dyn OpenList<B> + 'a>,
    ) -> Worker<'a, B> {
        let progress = Progress::new(transitions.new_batch());
        Worker { transitions, seen, open, progress, shard: None }
    }

    /// Starts or resumes its search. Returns `None` if it pauses.
    pub fn resume(
        &mut self,
        goal: &mut dyn Goal<B>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        let Worker { transitions, seen, open, progress, shard } = self;
        let (transitions, open) = (&mut **transitions, &mut **open);
        Search { transitions, goal, seen, open, limits, observer, shard: shard.as_mut(), pauses: false, is_due: false }
            .resume(progress)
    }

    /// Returns whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.progress.is_begun
    }

    /// Drops its caches.
    fn drop_caches(&mut self) {
        let Worker { transitions, seen, open, progress, shard } = self;
        let (graph, counts) = (transitions.graph(), &mut progress.counts);
        drop_caches(graph, shard.as_mut(), counts);
        let packets = shard.as_ref().map_or(0, Shard::bytes);
        count(&seen.store, graph, &**open, packets, counts);
    }

    /// Returns what it has done so far, for reports.
    fn work(&self) -> WorkerLoad {
        let (counts, waiting) = (self.progress.counts, self.open.len());
        let process = self.shard.as_ref().and_then(Shard::process);
        WorkerLoad { process, counts, waiting, ..WorkerLoad::default() }
    }

    /// Ends a search that is not resumed.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        let failures = self.finish();
        report_end(&self.progress.counts, &failures, observer);
    }

    /// Updates its counters.
    pub(super) fn finish(&mut self) -> Failures {
        let Worker { transitions, seen, open, progress, .. } = self;
        progress.end(&mut **transitions, seen, &**open)
    }
}

/// The order in which open states are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redeal {
    /// That in which they would be expanded.
    Same,
    /// The opposite, for open lists whose last state comes first.
    Reversed,
}

/// Reports the end of a search.
fn report_end(counts: &Counts, failures: &Failures, observer: &mut dyn Observer) {
    observer.end(counts);
    if !failures.is_empty() {
        observer.failed(failures);
    }
}

/// Several workers that search together.
pub struct Team<'a, B = i32> {
    /// The workers.
    pub workers: Vec<Worker<'a, B>>,
    pub(super) exchange: Arc<Exchange<B>>,
    pub(super) is_begun: bool,
    /// The other processes that take part.
    pub(super) joint: Option<Joint>,
}

/// What a worker reports to the thread that waits for all of them.
pub(super) struct WorkerReport {
    worker: usize,
    counts: Counts,
    waiting: usize,
}

/// Passes reports of a worker on.
struct Reporter {
    worker: usize,
    reports: mpsc::Sender<WorkerReport>,
}

impl Observer for Reporter {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        // If nobody listens, the search has ended.
        let _ = self.reports.send(WorkerReport { worker: self.worker, counts: *counts, waiting });
    }
}

/// Pauses all workers if one of them panics, so that none waits for it.
struct PanicGuard<'e, B: Bound>(&'e Exchange<B>);

impl<B: Bound> Drop for PanicGuard<'_, B> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.pause();
        }
    }
}

impl<'a, B: Bound> Team<'a, B> {
    /// Creates a team whose workers have not begun.
    #[must_use]
    pub fn new(system: &System, owners: &Owners, workers: Vec<Worker<'a, B>>) -> Team<'a, B> {
        Team::with_exchange(Arc::new(Exchange::new(workers.len(), None)), None, system, owners, workers)
    }

    pub(super) fn with_exchange(
        exchange: Arc<Exchange<B>>,
        joint: Option<Joint>,
        system: &System,
        owners: &Owners,
        workers: Vec<Worker<'a, B>>,
    ) -> Team<'a, B> {
        let mut team = Team { workers: Vec::new(), exchange, is_begun: false, joint };
        let (width, first) = (system.initial.len(), team.first_worker());
        let workers = workers.into_iter().enumerate().map(|(local, worker)| {
            let area = worker.seen.store.zones().area();
            let shard = Shard::new((first + local, local), owners.clone(), team.exchange.clone(), width, area);
            Worker { seen: worker.seen.of_worker((first + local) as u16), shard: Some(shard), ..worker }
        });
        team.workers = workers.collect();
        team
    }

    /// Takes the place of a worker that has searched alone, and empties its open list. Returns
    /// whether its states could be dealt; if not, the team starts anew.
    pub fn take_over(&mut self, owners: &Owners, before: &mut Worker<'_, B>, order: Redeal) -> bool {
        if !before.has_begun() || !before.seen.can_be_dealt() {
            return false;
        }
        let owner = |row: &[i32]| owners.owner(row);
        let mut stores: Vec<&mut Store<B>> = self.workers.iter_mut().map(|worker| &mut worker.seen.store).collect();
        let places = before.seen.deal(before.transitions.graph(), owner, &mut stores);
        for (number, worker) in self.workers.iter_mut().enumerate() {
            let counts = if number == 0 { before.progress.counts } else { Counts::default() };
            worker.progress = Progress::continued(worker.transitions.new_batch(), counts);
        }
        let mut open = before.open.take_all();
        if order == Redeal::Reversed {
            open.reverse();
        }
        // The states of the least depth are the current level.
        let store = &before.seen.store;
        let level = open.first().and_then(|node| store.depth(*node));
        let is_now = |node: &NodeId| store.depth(*node) == level;
        let (now, next): (Vec<NodeId>, Vec<NodeId>) =
            open.into_iter().filter(|node| !store.is_gone(*node)).partition(is_now);
        for (nodes, is_now) in [(now, true), (next, false)] {
            let mut dealt = vec![Vec::new(); self.workers.len()];
            for node in nodes {
                let place = places[node.0 as usize];
                let stamp = store.parent(node).0.map(|parent| before.open.stamp(parent));
                dealt[place.worker as usize].push((place.node, stamp));
            }
            for (worker, nodes) in self.workers.iter_mut().zip(dealt) {
                reopen(&worker.seen.store, &mut *worker.open, nodes.into_iter());
                if is_now {
                    worker.open.advance(&worker.seen.store);
                }
            }
        }
        self.is_begun = true;
        true
    }

    /// Starts or resumes the search, with a goal for each worker. Returns `None` if it pauses
    /// because of [`Limits::generated`], because a goal asks for it, or because the limit on memory
    /// was near and the workers have dropped their caches.
    pub fn resume(
        &mut self,
        goals: &mut [BoxedGoal<'_, B>],
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        if !std::mem::replace(&mut self.is_begun, true) {
            observer.begin();
        }
        self.exchange.start();
        if let Err(stop) = self.start_together(limits) {
            return Some(SearchOutcome::Stopped(stop));
        }
        // Process 0 may have begun a level when workers of this process had paused at its end.
        self.catch_up();
        let exchange = &*self.exchange;
        let joint = self.joint.as_ref();
        let mut monitor = Monitor {
            last: self.workers.iter().map(Worker::work).collect(),
            reports: 0,
            others: Vec::new(),
            limits,
            stop: None,
            has_caches: !self.workers.iter_mut().all(|worker| worker.transitions.graph().is_frugal()),
            wants_memory: false,
        };
        let (sender, reports) = mpsc::channel();
        // The other limits are on all workers together, or can't be checked in other threads.
        let (bytes, states) = (limits.bytes, limits.states);
        let outcomes: Vec<Option<SearchOutcome>> = thread::scope(|scope| {
            let threads = self.workers.iter_mut().zip(goals).enumerate().map(|(number, (worker, goal))| {
                let mut reporter = Reporter { worker: number, reports: sender.clone() };
                scope.spawn(move || {
                    let _guard = PanicGuard(exchange);
                    let limits = Limits { bytes, states, ..Limits::default() };
                    let outcome = worker.resume(&mut **goal, &limits, &mut reporter);
                    // The others need not go on. An exhausted search has ended for all.
                    if outcome.as_ref().is_some_and(|outcome| !matches!(outcome, SearchOutcome::Exhausted)) {
                        exchange.pause();
                    }
                    outcome
                })
            });
            let threads: Vec<_> = threads.collect();
            drop(sender);
            if let Some(joint) = joint {
                Team::watch_together(joint, exchange, &reports, &mut monitor, observer);
            }
            while let Ok(report) = reports.recv() {
                monitor.note(report);
                monitor.let_them_come(&reports);
                if monitor.pauses(exchange, observer) {
                    exchange.pause();
                }
            }
            threads.into_iter().map(join).collect()
        });
        self.return_loans();
        let outcome = Team::<B>::choose(outcomes);
        let wants_memory = outcome.is_none() && monitor.wants_memory;
        let outcome = outcome.or(monitor.stop.map(SearchOutcome::Stopped));
        self.decide_together(outcome, wants_memory, limits)
    }

    /// Returns the outcome of the search, given those of the workers.
    pub(super) fn choose(outcomes: Vec<Option<SearchOutcome>>) -> Option<SearchOutcome> {
        // A run to the goal counts whatever fails elsewhere.
        let rank = |outcome: &SearchOutcome| match outcome {
            SearchOutcome::Found(_) | SearchOutcome::Spurious(_) => 0,
            SearchOutcome::Stopped(_) => 1,
            SearchOutcome::Error(..) | SearchOutcome::Disorder(_) | SearchOutcome::TooManyElements => 2,
            SearchOutcome::Exhausted => 3,
        };
        let all = outcomes.iter().all(Option::is_some);
        let first = outcomes.into_iter().flatten().min_by_key(rank)?;
        Some(match first {
            SearchOutcome::Exhausted if !all => return None,
            other => other,
        })
    }

    /// Gives states that were lent and not expanded back to their owners.
    fn return_loans(&mut self) {
        let shards = self.workers.iter_mut().filter_map(|worker| worker.shard.as_mut());
        let loans: Vec<_> = shards.flat_map(Shard::return_loans).collect();
        let first = self.first_worker();
        for (owner, nodes) in loans {
            self.workers[usize::from(owner) - first].open.take_back(&nodes);
        }
    }

    /// Lets all workers of this process drop their caches.
    pub(super) fn drop_caches(&mut self) {
        self.workers.iter_mut().for_each(Worker::drop_caches);
    }

    /// Returns the sums of the counters of this process.
    pub(super) fn own_counts(&self) -> Counts {
        self.workers.iter().fold(Counts::default(), |sum, worker| sum.and(&worker.progress.counts))
    }

    /// Returns the sums of the counters.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.joint.iter().fold(self.own_counts(), |sum, joint| sum.and(&joint.counts))
    }

    /// Returns what was stored, by workers.
    #[must_use]
    pub fn into_stores(self) -> Vec<Store<B>> {
        by_threads(self.workers, |worker| worker.seen.store)
    }

    /// Ends a search that is not resumed.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        let mut failures = Failures::default();
        self.workers.iter_mut().for_each(|worker| failures.join(&worker.finish()));
        report_end(&self.counts(), &failures, observer);
    }
}

/// Drops stores in as many threads. What takes time in one thread counts as often as there are
/// others that wait for it.
pub fn discard<B: Bound>(stores: Vec<Store<B>>) {
    by_threads(stores, drop);
}

/// Does something with each item, in a thread of its own if there are several.
fn by_threads<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
        threads.into_iter().map(join).collect()
    })
}

/// Returns what a thread has computed, and passes its panic on.
fn join<R>(thread: thread::ScopedJoinHandle<'_, R>) -> R {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// As many reports of a run are looked at one by one, and then all that have come in this time, so
/// that workers do not wake another thread again and again.
const PROMPT: usize = 1 << 8;
const INTERVAL: Duration = Duration::from_millis(1);

/// Adds up the reports of the workers, and watches the limits.
pub(super) struct Monitor<'m> {
    last: Vec<WorkerLoad>,
    /// The number of reports.
    reports: usize,
    /// What the workers of other processes have done.
    pub(super) others: Vec<WorkerLoad>,
    limits: &'m Limits<'m>,
    stop: Option<Stop>,
    /// Whether there are caches that can be dropped, and whether they have to be.
    has_caches: bool,
    wants_memory: bool,
}

impl Monitor<'_> {
    /// Notes a report.
    pub(super) fn note(&mut self, report: WorkerReport) {
        let own = &mut self.last[report.worker];
        (own.counts, own.waiting) = (report.counts, report.waiting);
        self.reports += 1;
    }

    /// Waits for more reports, if there were many, and notes them.
    pub(super) fn let_them_come(&mut self, reports: &mpsc::Receiver<WorkerReport>) {
        if self.reports > PROMPT {
            thread::sleep(INTERVAL);
            reports.try_iter().for_each(|report| self.note(report));
        }
    }

    /// Returns what the workers of this process have done.
    pub(super) fn own(&self) -> &[WorkerLoad] {
        &self.last
    }

    /// Passes the counters on. Returns whether the workers have to pause.
    pub(super) fn pauses<B: Bound>(&mut self, exchange: &Exchange<B>, observer: &mut dyn Observer) -> bool {
        self.last.iter_mut().zip(&exchange.traffic).for_each(|(load, traffic)| traffic.report(load));
        let all = |loads: &[WorkerLoad]| loads.iter().fold(Counts::default(), |sum, load| sum.and(&load.counts));
        let own = all(&self.last);
        let sum = own.and(&all(&self.others));
        let workers = [&self.last[..], &self.others].concat();
        observer.workers(&workers);
        observer.progress(&sum, workers.iter().map(|load| load.waiting).sum());
        if self.has_caches && self.limits.is_near(own.bytes) {
            self.wants_memory = true;
            return true;
        }
        let states = self.limits.states.filter(|max| sum.stored > *max).map(|_| Stop::States);
        // Each process has its own memory.
        self.stop = self.stop.or(states).or(self.limits.reached(own.bytes));
        let is_due = self.limits.journal.is_some_and(|journal| journal.is_due());
        is_due || self.stop.is_some() || self.limits.generated.is_some_and(|max| sum.generated > max)
    }
}
