//! The progress of an answer.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use explore::{
    cluster::Cluster,
    search::{self, Counts, WorkerLoad},
    tally::{Phase, Tally},
};
use verify::FormulaStats;

use crate::{
    Answer, Model,
    workers::{Meter, Workers},
};

/// Something that happens on the path from a question to its answers.
#[derive(Debug)]
pub enum Event<'e> {
    /// The options are accepted, and the work begins.
    Start {
        /// The model.
        model: &'e Model,
    },
    /// A search goes on.
    Progress {
        /// The purpose of the search.
        phase: Phase,
        /// What all searches have counted so far.
        counts: Counts,
        /// The number of states that wait to be explored.
        waiting: usize,
        /// The workers of the search, and the memory of the process, or of all of a cluster.
        workers: &'e Workers,
        /// The time since the first search for this answer began.
        time: Duration,
    },
    /// A solver is about to be asked about a formula.
    Formula {
        /// The size of the formula.
        stats: &'e FormulaStats,
        /// The time since the work on this answer began.
        time: Duration,
    },
    /// A checkpoint could not be written. The work goes on, and the last checkpoint stays.
    Unsaved {
        /// The error of the storage.
        why: &'e std::io::Error,
    },
    /// A query is answered.
    Answer {
        /// The number of the query.
        number: usize,
        /// Its answer.
        answer: Box<Answer>,
        /// The model, for names and places.
        model: &'e Model,
    },
}

/// Receives events. Closures are observers, and `()` ignores everything.
pub trait Observer {
    /// Receives an event.
    fn event(&mut self, event: Event<'_>);
}

impl Observer for () {
    fn event(&mut self, _: Event<'_>) {}
}

impl<F: FnMut(Event<'_>)> Observer for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}

/// Adds up what searches report, and passes it on as events. A reference to it observes a
/// [`verify::Request`]. Answers are passed on while a search runs, hence the cell.
pub struct Reporter<'o>(RefCell<Progress<'o>>);

struct Progress<'o> {
    /// The processes that work together, if there are several.
    cluster: Option<Cluster>,
    observer: &'o mut dyn Observer,
    tally: Tally,
    meter: Meter,
    start: Instant,
    /// The time before the first search.
    before: Duration,
}

impl<'o> Reporter<'o> {
    /// Starts to measure the time.
    #[must_use]
    pub fn new(observer: &'o mut dyn Observer) -> Reporter<'o> {
        let (start, before) = (Instant::now(), Duration::ZERO);
        let (tally, meter) = (Tally::default(), Meter::default());
        Reporter(RefCell::new(Progress { cluster: None, observer, tally, meter, start, before }))
    }

    /// Adds the memory of the other processes of a cluster.
    #[must_use]
    pub(crate) fn with_cluster(self, cluster: Option<Cluster>) -> Reporter<'o> {
        self.0.borrow_mut().cluster = cluster;
        self
    }

    /// Returns the time so far, and the time before the first search.
    #[must_use]
    pub fn times(&self) -> (Duration, Duration) {
        let progress = self.0.borrow();
        (progress.start.elapsed(), progress.before)
    }

    pub(crate) fn event(&self, event: Event<'_>) {
        self.0.borrow_mut().observer.event(event);
    }
}

impl search::Observer for &Reporter<'_> {
    fn prepared(&mut self) {
        let progress = &mut *self.0.borrow_mut();
        progress.before = progress.start.elapsed();
    }

    fn enter(&mut self, phase: Phase) {
        self.0.borrow_mut().tally.enter(phase);
    }

    fn begin(&mut self) {
        self.0.borrow_mut().tally.begin();
    }

    fn end(&mut self, counts: &Counts) {
        self.0.borrow_mut().tally.end(counts);
    }

    fn workers(&mut self, workers: &[WorkerLoad]) {
        self.0.borrow_mut().meter.report(workers);
    }

    fn unsaved(&mut self, why: &std::io::Error) {
        self.event(Event::Unsaved { why });
    }

    fn progress(&mut self, counts: &Counts, waiting: usize) {
        let Progress { cluster, observer, tally, meter, start, .. } = &mut *self.0.borrow_mut();
        tally.update(counts);
        let (phase, counts, time) = (tally.phase(), tally.total(), start.elapsed());
        let others = || cluster.as_ref().map_or(0, |cluster| cluster.memory_of_others().now);
        let workers = meter.measure(&counts, waiting, time, others);
        observer.event(Event::Progress { phase, counts, waiting, workers, time });
    }
}

impl verify::Observer for &Reporter<'_> {
    fn formula(&mut self, stats: &FormulaStats) {
        let time = self.times().0;
        self.event(Event::Formula { stats, time });
    }
}
