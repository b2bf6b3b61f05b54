//! A team of workers that searches together with teams of other processes.

use std::{
    cell::Cell,
    sync::{Arc, Weak, mpsc},
};

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
        Cluster, FlatReader, FlatWriter, Malformed, PATIENCE, Participant, Resident, Step, read_counts, read_outcome,
        write_counts, write_outcome,
    },
    search::{Counts, Limits, Observer, SearchOutcome, Stop},
    snapshot::Journal,
};

/// Other processes are told the counters after so many looks at them.
const TOLD_LOOKS: usize = 16;

/// When the work has to stop, a checkpoint waits so many times for other processes to pause.
const PAUSING: u32 = 250;

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
        joint.gather(Step::Start, Vec::new(), limits).map(|_| ())
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
        let stopped = |stop| Some(SearchOutcome::Stopped(stop));
        let (mut outcome, mut any_wants_memory) = (own, wants_memory);
        if let Some(joint) = &mut self.joint {
            let cluster = joint.cluster.clone();
            let mut out = FlatWriter::default();
            write_outcome(outcome.as_ref(), out.byte(wants_memory.into()));
            write_counts(&counts, &mut out);
            cluster.own_memory().write(&mut out);
            let all = match joint.gather(Step::Outcome, out.0, limits) {
                Ok(all) => all,
                // What this process has found itself does not count without the others.
                Err(stop) => {
                    return match outcome {
                        Some(SearchOutcome::Stopped(own)) if !matches!(stop, Stop::Lost(_)) => stopped(own),
                        _ => stopped(stop),
                    };
                }
            };
            joint.counts = Counts::default();
            let mut outcomes = Vec::new();
            for (process, bytes) in all.iter().enumerate() {
                let Ok(end) = RunEnd::read(bytes) else { return stopped(cluster.distrust(process)) };
                outcomes.push(end.outcome);
                any_wants_memory |= end.wants_memory;
                if process != cluster.number() {
                    joint.counts = joint.counts.and(&end.counts);
                    cluster.note_memory(process, end.memory);
                }
            }
            outcome = Team::<B>::choose(outcomes);
        }
        let completed = match outcome {
            None => {
                if any_wants_memory {
                    self.drop_caches();
                }
                return None;
            }
            Some(SearchOutcome::Found(path)) => self.complete(path, limits).map(SearchOutcome::Found),
            Some(SearchOutcome::Error(path, error)) => {
                self.complete(path, limits).map(|path| SearchOutcome::Error(path, error))
            }
            Some(other) => Ok(other),
        };
        completed.map_or_else(stopped, Some)
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
            report.into_iter().for_each(|report| monitor.note(report));
            monitor.let_them_come(reports);
            monitor.others = exchange.others.as_ref().map_or_else(Vec::new, Others::progress);
            if monitor.pauses(exchange, observer) {
                exchange.pause();
            }
            untold += 1;
            if is_late || untold >= TOLD_LOOKS {
                untold = 0;
                exchange.others.iter().for_each(|others| others.tell_progress(monitor.own()));
            }
            // Whoever has stopped the work may have done so before this search was known.
            if joint.cluster.stopped().is_some() {
                exchange.pause_here();
            }
        }
    }
}

impl Joint {
    /// Lets all processes contribute at the start or at the end of a run. If checkpoints are
    /// written, a limit that is reached at this moment has to wait, so that the state can be saved.
    fn gather(&self, step: Step, own: Vec<u8>, limits: &Limits<'_>) -> Result<Vec<Vec<u8>>, Stop> {
        let Some(journal) = limits.journal.filter(|journal| Journal::writes(journal)) else {
            return self.cluster.gather(step, own, limits);
        };
        if limits.reached(0).is_some() {
            journal.hold();
        }
        let left = Cell::new(PAUSING);
        let is_over = || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0 && limits.reached(0).is_some()
        };
        let all = self.cluster.gather(step, own, &Limits { expired: Some(&is_over), ..Limits::default() });
        all.map_err(|stop| limits.reached(0).filter(|_| stop == Stop::Time).unwrap_or(stop))
    }
}

/// How a run has ended for a process.
struct RunEnd {
    wants_memory: bool,
    outcome: Option<SearchOutcome>,
    counts: Counts,
    memory: Resident,
}

impl RunEnd {
    fn read(bytes: &[u8]) -> Result<RunEnd, Malformed> {
        let mut read = FlatReader::new(bytes);
        let wants_memory = read.byte()? == 1;
        let outcome = read_outcome(&mut read)?;
        let counts = read_counts(&mut read)?;
        let memory = Resident::read(&mut read)?;
        read.end()?;
        Ok(RunEnd { wants_memory, outcome, counts, memory })
    }
}
