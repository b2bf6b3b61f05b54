//! The workers of a search, and the threads that they run in.

use std::sync::{Arc, mpsc};

use model::system::System;
use zone::Bound;

use super::{Owners, Shard, exchange::Exchange};
use crate::{
    goal::{BoxedGoal, Goal},
    heuristic::Failures,
    open::OpenList,
    search::{Counts, Limits, Observer, Progress, Search, SearchOutcome, Stop, reopen},
    seen::Seen,
    store::{NodeId, Path, Store},
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
    shard: Option<Shard<B>>,
}

impl<'a, B: Bound> Worker<'a, B> {
    /// Creates the only worker of a search.
    #[must_use]
    pub fn alone(
        mut transitions: Box<dyn Transitions<'a, B> + 'a>,
        seen: Seen<'a, B>,
        open: Box<dyn OpenList<B> + 'a>,
    ) -> Worker<'a, B> {
        let progress = Progress::new(transitions.graph());
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
        Search { transitions, goal, seen, open, limits, observer, shard: shard.as_mut(), pauses: false }
            .resume(progress)
    }

    /// Returns whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.progress.is_begun
    }

    /// Ends a search that is not resumed.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        let failures = self.finish();
        report_end(&self.progress.counts, &failures, observer);
    }

    fn finish(&mut self) -> Failures {
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
    exchange: Arc<Exchange<B>>,
    is_begun: bool,
}

/// What a worker reports to the thread that waits for all of them.
struct WorkerReport {
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
struct PanicGuard<'e, B>(&'e Exchange<B>);

impl<B> Drop for PanicGuard<'_, B> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.pause();
        }
    }
}

impl<'a, B: Bound> Team<'a, B> {
    /// Creates a team whose workers have not begun.
    #[must_use]
    pub fn new(system: &System, owners: &Owners, workers: Vec<Worker<'a, B>>) -> Team<'a, B> {
        let exchange = Arc::new(Exchange::new(workers.len()));
        let (width, dim) = (system.initial.len(), system.clocks.len());
        let shard = |number| Shard::new(number, owners.clone(), exchange.clone(), width, dim * dim);
        let workers = workers.into_iter().enumerate().map(|(number, worker)| Worker {
            seen: worker.seen.of_worker(number as u16),
            shard: Some(shard(number)),
            ..worker
        });
        Team { workers: workers.collect(), exchange, is_begun: false }
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
            worker.progress = Progress::continued(worker.transitions.graph(), counts);
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
                    worker.open.advance();
                }
            }
        }
        self.is_begun = true;
        true
    }

    /// Starts or resumes the search, with a goal for each worker. Returns `None` if it pauses
    /// because of [`Limits::generated`] or because a goal asks for it.
    pub fn resume(
        &mut self,
        goals: &mut [BoxedGoal<'_, B>],
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Option<SearchOutcome> {
        if !std::mem::replace(&mut self.is_begun, true) {
            observer.begin();
        }
        let exchange = &*self.exchange;
        exchange.start();
        let mut monitor = Monitor {
            last: self.workers.iter().map(|worker| (worker.progress.counts, worker.open.len())).collect(),
            limits,
            stop: None,
        };
        let (sender, reports) = mpsc::channel();
        // The other limits are on all workers together, or can't be checked in other threads.
        let (bytes, states) = (limits.bytes, limits.states);
        let outcomes: Vec<Option<SearchOutcome>> = std::thread::scope(|scope| {
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
            for report in reports {
                if monitor.notes(report, observer) {
                    exchange.pause();
                }
            }
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            threads.into_iter().map(join).collect()
        });
        let stop = monitor.stop.map(SearchOutcome::Stopped);
        self.decide(outcomes).or(stop)
    }

    /// Returns the outcome of the search, given those of the workers.
    fn decide(&self, outcomes: Vec<Option<SearchOutcome>>) -> Option<SearchOutcome> {
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
            SearchOutcome::Found(path) => SearchOutcome::Found(self.complete(path)),
            SearchOutcome::Error(path, error) => SearchOutcome::Error(self.complete(path), error),
            other => other,
        })
    }

    /// Completes a path that starts in the store of another worker.
    #[must_use]
    pub fn complete(&self, mut path: Path) -> Path {
        while let Some(start) = path.after {
            let before = self.workers[start.worker as usize].seen.store.path(start.node);
            path = Path { after: before.after, steps: [before.steps, path.steps].concat() };
        }
        path
    }

    /// Returns the sums of the counters.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.workers.iter().fold(Counts::default(), |sum, worker| sum.and(&worker.progress.counts))
    }

    /// Ends a search that is not resumed.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        let mut failures = Failures::default();
        self.workers.iter_mut().for_each(|worker| failures.join(&worker.finish()));
        report_end(&self.counts(), &failures, observer);
    }
}

/// Adds up the reports of the workers, and watches the limits.
struct Monitor<'m> {
    last: Vec<(Counts, usize)>,
    limits: &'m Limits<'m>,
    stop: Option<Stop>,
}

impl Monitor<'_> {
    /// Notes a report. Returns whether the workers have to pause.
    fn notes(&mut self, report: WorkerReport, observer: &mut dyn Observer) -> bool {
        self.last[report.worker] = (report.counts, report.waiting);
        let sum = self.last.iter().fold(Counts::default(), |sum, (counts, _)| sum.and(counts));
        let waiting = self.last.iter().map(|(_, waiting)| waiting).sum();
        observer.progress(&sum, waiting);
        let states = self.limits.states.filter(|max| sum.stored > *max).map(|_| Stop::States);
        self.stop = self.stop.or(states).or(self.limits.reached(sum.bytes));
        self.stop.is_some() || self.limits.generated.is_some_and(|max| sum.generated > max)
    }
}
