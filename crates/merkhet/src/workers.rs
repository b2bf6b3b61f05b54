//! How fast each worker of a search is, and the memory of the process.

use std::time::Duration;

use explore::search::{Counts, WorkerLoad};

use crate::memory;

/// The time in which the speed of workers is measured.
const WINDOW: Duration = Duration::from_millis(500);
/// The time between two looks at the memory of the process.
const MEMORY_INTERVAL: Duration = Duration::from_millis(100);
/// A worker that has explored nothing for so long stalls.
const STALLED: Duration = Duration::from_secs(2);
/// A worker is slow that explores less than this part of what the middle one explores.
const SLOW: f64 = 0.5;

/// The workers of a search at a moment. A search in one thread has one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workers {
    /// The workers.
    pub list: Vec<WorkerProgress>,
    /// The resident memory of the process in bytes, where the system reports it; of a cluster, that
    /// of all processes.
    pub resident: Option<usize>,
}

/// A worker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerProgress {
    /// What it has done so far.
    pub load: WorkerLoad,
    /// The states that it explores in a second, measured over the last half second or more.
    pub rate: f64,
    /// The time since it was seen to explore states.
    pub idle: Duration,
}

/// What is wrong with a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imbalance {
    /// It has nothing to do most of the time.
    Rests,
    /// It explores far less than others.
    Slow,
    /// It has explored nothing for a while.
    Stalled,
}

impl Workers {
    /// Returns the least and the greatest number of states that a worker explores in a second.
    #[must_use]
    pub fn rates(&self) -> (f64, f64) {
        let rates = || self.list.iter().map(|worker| worker.rate);
        (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max))
    }

    /// Returns the worker that falls behind the others the most, if there is one.
    #[must_use]
    pub fn worst(&self) -> Option<(usize, Imbalance)> {
        // A strategy that rests has ended.
        let runs = |worker: &WorkerProgress| worker.load.strategy.is_none() || !worker.load.rests;
        let running = self.list.iter().enumerate().filter(|(_, worker)| runs(worker));
        let (number, worst) = running.min_by(|(_, a), (_, b)| a.rate.total_cmp(&b.rate))?;
        let mut rates: Vec<f64> = self.list.iter().map(|worker| worker.rate).collect();
        rates.sort_by(f64::total_cmp);
        // Strategies differ in what a state costs them.
        let is_slow =
            worst.load.strategy.is_none() && self.list.len() > 1 && worst.rate < SLOW * rates[rates.len() / 2];
        let imbalance = match worst {
            WorkerProgress { idle, .. } if *idle < STALLED && !is_slow => return None,
            WorkerProgress { load: WorkerLoad { rests: true, .. }, .. } => Imbalance::Rests,
            WorkerProgress { idle, .. } if *idle >= STALLED => Imbalance::Stalled,
            _ => Imbalance::Slow,
        };
        Some((number, imbalance))
    }
}

/// Measures the workers of a search.
#[derive(Default)]
pub(crate) struct Meter {
    now: Workers,
    /// When the window began, and what the workers had explored then.
    start: Duration,
    before: Vec<usize>,
    /// When each worker was last seen to explore states.
    active: Vec<Duration>,
    /// When the memory was last asked for.
    asked: Option<Duration>,
    /// Whether the workers were reported for the next report of progress.
    is_reported: bool,
}

impl Meter {
    /// Takes a report of several workers.
    pub(crate) fn report(&mut self, loads: &[WorkerLoad]) {
        self.now.list.resize_with(loads.len(), WorkerProgress::default);
        self.now.list.iter_mut().zip(loads).for_each(|(worker, load)| worker.load.clone_from(load));
        self.is_reported = true;
    }

    /// Returns the workers at a time since the start. If they were not reported, there is one, with
    /// these counters. `others` returns the memory of other processes.
    pub(crate) fn measure(
        &mut self,
        counts: &Counts,
        waiting: usize,
        time: Duration,
        others: impl FnOnce() -> usize,
    ) -> &Workers {
        if !std::mem::take(&mut self.is_reported) {
            self.report(&[WorkerLoad { counts: *counts, waiting, ..WorkerLoad::default() }]);
            self.is_reported = false;
        }
        let explored = |worker: &WorkerProgress| worker.load.counts.explored;
        let is_new = self.before.len() != self.now.list.len()
            || self.now.list.iter().zip(&self.before).any(|(worker, before)| explored(worker) < *before);
        if is_new {
            // Another search has begun.
            self.start = time;
            self.before = self.now.list.iter().map(explored).collect();
            self.active = vec![time; self.before.len()];
            self.now.list.iter_mut().for_each(|worker| (worker.rate, worker.idle) = (0.0, Duration::ZERO));
        }
        let window = time.saturating_sub(self.start);
        let is_over = window >= WINDOW;
        for (number, worker) in self.now.list.iter_mut().enumerate() {
            let done = explored(worker) - self.before[number];
            // The first window counts before it is over.
            if is_over || worker.rate == 0.0 && !window.is_zero() {
                worker.rate = done as f64 / window.as_secs_f64();
            }
            if done > 0 {
                self.active[number] = time;
            }
            worker.idle = time.saturating_sub(self.active[number]);
        }
        if is_over {
            self.start = time;
            self.before = self.now.list.iter().map(explored).collect();
        }
        if self.asked.is_none_or(|asked| time >= asked + MEMORY_INTERVAL) {
            self.asked = Some(time);
            self.now.resident = memory::read().map(|memory| memory.resident as usize * 1024 + others());
        }
        &self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(explored: usize) -> WorkerLoad {
        WorkerLoad { counts: Counts { explored, ..Counts::default() }, ..WorkerLoad::default() }
    }

    /// Measures workers once a second. Each row has what they have explored until then.
    fn measure(rows: &[&[usize]]) -> Workers {
        let mut meter = Meter::default();
        for (second, row) in rows.iter().enumerate() {
            let loads: Vec<WorkerLoad> = row.iter().map(|explored| load(*explored)).collect();
            meter.report(&loads);
            meter.measure(&Counts::default(), 0, Duration::from_secs(second as u64), || 0);
        }
        meter.now
    }

    #[test]
    fn a_worker_that_falls_behind_is_found() {
        let even = measure(&[&[0, 0, 0], &[100, 90, 110], &[200, 180, 210]]);
        assert_eq!((even.worst(), even.rates()), (None, (90.0, 100.0)));
        let slow = measure(&[&[0, 0, 0], &[100, 20, 110], &[200, 40, 210]]);
        assert_eq!(slow.worst(), Some((1, Imbalance::Slow)));
        let stalled = measure(&[&[0, 0, 0], &[100, 90, 110], &[200, 90, 210], &[300, 90, 300]]);
        assert_eq!(stalled.worst(), Some((1, Imbalance::Stalled)));
        assert_eq!(stalled.list[1].idle, Duration::from_secs(2));
        let mut resting = slow;
        resting.list[1].load.rests = true;
        assert_eq!(resting.worst(), Some((1, Imbalance::Rests)));
        // Different strategies need not be equally fast, and may have ended.
        let mut strategies = stalled;
        strategies.list.iter_mut().for_each(|worker| worker.load.strategy = Some("--order bfs".to_owned()));
        assert_eq!(strategies.worst(), Some((1, Imbalance::Stalled)));
        strategies.list[1].load.rests = true;
        assert_eq!(strategies.worst(), None);
    }

    #[test]
    fn one_worker_has_the_counters_of_its_search() {
        let mut meter = Meter::default();
        let explored = |explored| Counts { explored, ..Counts::default() };
        meter.measure(&explored(0), 1, Duration::ZERO, || 0);
        let workers = meter.measure(&explored(300), 7, Duration::from_secs(2), || 0);
        assert_eq!((workers.list[0].rate, workers.list[0].load.waiting, workers.list.len()), (150.0, 7, 1));
        // A search that begins anew counts from zero.
        assert_eq!(meter.measure(&explored(10), 7, Duration::from_secs(3), || 0).list[0].rate, 0.0);
        assert_eq!(meter.measure(&explored(30), 7, Duration::from_secs(4), || 0).rates(), (20.0, 20.0));
    }
}
