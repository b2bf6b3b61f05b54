//! A team of workers that searches together with teams of other processes.

use std::sync::{Arc, Weak, mpsc};

use model::system::System;
use zone::Bound;

use super::{
    Owners, Team, Worker,
    exchange::Exchange,
    others::Others,
    team::{Monitor, WorkerReport},
};
use crate::{
    cluster::{
        Cluster, FlatReader, FlatWriter, Malformed, PATIENCE, Participant, Step, read_counts, read_outcome, read_path,
        write_counts, write_outcome, write_path,
    },
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    store::Path,
};

/// Other processes are told the counters after this number of reports.
const TOLD_REPORTS: usize = 64;

/// The part of a cluster in a team.
pub(super) struct Joint {
    pub(super) cluster: Cluster,
    /// The counters of the other processes when the search paused.
    pub(super) counts: Counts,
}

impl<'a, B: Bound> Team<'a, B> {
    /// Creates the workers of this process of a search by a cluster. `owners` knows all workers.
    #[must_use]
    pub fn across(cluster: &Cluster, system: &System, owners: &Owners, workers: Vec<Worker<'a, B>>) -> Team<'a, B> {
        let mut others = Others::new(cluster, system);
        let count = workers.len();
        let exchange = Arc::new_cyclic(|exchange: &Weak<Exchange<B>>| {
            let member: Weak<dyn Participant> = exchange.clone();
            others.set_search(cluster.enter(member));
            Exchange::new(count, Some(others))
        });
        let joint = Joint { cluster: cluster.clone(), counts: Counts::default() };
        Team::with_exchange(exchange, Some(joint), system, owners, workers)
    }

    /// Returns the number of workers of all processes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.joint.as_ref().map_or(self.workers.len(), |joint| joint.cluster.workers())
    }

    /// Returns the number of the first worker among all workers of a search.
    pub(super) fn first_worker(&self) -> usize {
        self.joint.as_ref().map_or(0, |joint| joint.cluster.first_worker(joint.cluster.number()))
    }

    /// Starts a run, in step with other processes.
    pub(super) fn start_together(&self, limits: &Limits<'_>) -> Result<(), Stop> {
        let Some(joint) = &self.joint else { return Ok(()) };
        joint.cluster.gather(Step::Start, Vec::new(), limits).map(|_| ())
    }

    /// Returns the outcome of a run of all processes, given that of this one. If one wants memory,
    /// all pause and drop their caches.
    pub(super) fn decide_together(
        &mut self,
        own: Option<SearchOutcome>,
        wants_memory: bool,
        limits: &Limits<'_>,
    ) -> Option<SearchOutcome> {
        if self.joint.is_some() {
            self.workers.iter_mut().for_each(|worker| drop(worker.finish()));
        }
        let counts = self.own_counts();
        let Some(joint) = &mut self.joint else {
            if wants_memory {
                self.drop_caches();
            }
            return own;
        };
        let stopped = |stop| Some(SearchOutcome::Stopped(stop));
        let mut out = FlatWriter::default();
        write_outcome(own.as_ref(), out.byte(wants_memory.into()));
        write_counts(&counts, &mut out);
        let all = match joint.cluster.gather(Step::Outcome, out.0, limits) {
            Ok(all) => all,
            Err(stop) => return stopped(stop),
        };
        joint.counts = Counts::default();
        let (mut outcomes, mut any_wants_memory) = (Vec::new(), false);
        for (process, bytes) in all.iter().enumerate() {
            let Ok(end) = RunEnd::read(bytes) else { return stopped(malformed(&joint.cluster, process)) };
            outcomes.push(end.outcome);
            any_wants_memory |= end.wants_memory;
            if process != joint.cluster.number() {
                joint.counts = joint.counts.and(&end.counts);
            }
        }
        let completed = match Team::<B>::choose(outcomes) {
            None => {
                if any_wants_memory {
                    self.drop_caches();
                }
                return None;
            }
            Some(SearchOutcome::Found(path)) => self.complete_together(path, limits).map(SearchOutcome::Found),
            Some(SearchOutcome::Error(path, error)) => {
                self.complete_together(path, limits).map(|path| SearchOutcome::Error(path, error))
            }
            Some(other) => Ok(other),
        };
        completed.map_or_else(stopped, Some)
    }

    /// Completes a path that starts in the store of any worker of any process. All processes call
    /// this with the same path.
    ///
    /// # Errors
    /// The work has to stop.
    pub fn complete_together(&self, mut path: Path, limits: &Limits<'_>) -> Result<Path, Stop> {
        let Some(Joint { cluster, .. }) = &self.joint else { return Ok(self.complete(path)) };
        while let Some(start) = path.after {
            let Some(owner) = cluster.process_of(start.worker.into()) else { return Err(malformed(cluster, 0)) };
            let mut out = FlatWriter::default();
            if owner == cluster.number() {
                let local = usize::from(start.worker) - self.first_worker();
                let store = &self.workers[local].seen.store;
                if store.has(start.node) {
                    write_path(&self.complete(store.path(start.node)), &mut out);
                }
            }
            let all = cluster.gather(Step::Path, out.0, limits)?;
            let mut read = FlatReader::new(&all[owner]);
            let before = read_path(&mut read).ok().filter(|_| read.end().is_ok());
            let Some(before) = before else { return Err(malformed(cluster, owner)) };
            path = Path { after: before.after, steps: [before.steps, path.steps].concat() };
        }
        Ok(path)
    }

    /// Passes reports on until all workers of this process have stopped. Looks at the limits now
    /// and then, since workers that rest report nothing.
    pub(super) fn watch_together(
        joint: &Joint,
        exchange: &Exchange<B>,
        reports: &mpsc::Receiver<WorkerReport>,
        monitor: &mut Monitor<'_>,
        observer: &mut dyn Observer,
    ) {
        let mut untold = 0;
        loop {
            let report = match reports.recv_timeout(PATIENCE) {
                Ok(report) => Some(report),
                Err(mpsc::RecvTimeoutError::Timeout) => None,
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            };
            let is_late = report.is_none();
            report.into_iter().for_each(|report| monitor.note(report, exchange));
            if let Some(others) = &exchange.others {
                monitor.others = others.progress();
                untold += 1;
                if is_late || untold >= TOLD_REPORTS {
                    untold = 0;
                    let (counts, waiting) = monitor.own();
                    others.tell_progress(&counts, waiting);
                }
            }
            if monitor.pauses(observer) {
                exchange.pause();
            }
            // Whoever has stopped the work may have done so before this search was known.
            if joint.cluster.stopped().is_some() {
                exchange.pause_here();
            }
        }
    }
}

/// How a run has ended for a process.
struct RunEnd {
    wants_memory: bool,
    outcome: Option<SearchOutcome>,
    counts: Counts,
}

impl RunEnd {
    fn read(bytes: &[u8]) -> Result<RunEnd, Malformed> {
        let mut read = FlatReader::new(bytes);
        let wants_memory = read.byte()? == 1;
        let outcome = read_outcome(&mut read)?;
        let counts = read_counts(&mut read)?;
        read.end()?;
        Ok(RunEnd { wants_memory, outcome, counts })
    }
}

/// Loses a process that has contributed what makes no sense.
fn malformed(cluster: &Cluster, process: usize) -> Stop {
    cluster.lose(process, "it has sent something unintelligible");
    Stop::Lost(process as u16)
}
