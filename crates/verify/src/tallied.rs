//! Counts all searches of an answer.

use std::cell::RefCell;

use explore::{
    heuristic::Failures,
    search::{Counts, Observer, Taken, WorkerLoad},
    tally::{Phase, Tally},
};

use crate::{Answer, Reason, Verdict};

/// Passes everything on to an observer, and adds up what searches count. Answers may ask for the
/// sums while a search runs.
pub(crate) struct Tallied<'o>(RefCell<Sums<'o>>);

struct Sums<'o> {
    observer: &'o mut dyn Observer,
    tally: Tally,
    failures: Failures,
}

impl<'o> Tallied<'o> {
    /// Nothing is counted yet.
    pub fn new(observer: &'o mut dyn Observer) -> Tallied<'o> {
        Tallied(RefCell::new(Sums { observer, tally: Tally::default(), failures: Failures::default() }))
    }

    /// The answer with what all searches have counted so far. The stored states stay those of the
    /// search that has decided it; if none has, they are the most that were stored at once.
    pub(crate) fn sum_up(&self, answer: Answer) -> Answer {
        let Sums { tally, failures, .. } = &*self.0.borrow();
        let total = tally.total();
        let stored = match answer.verdict {
            Verdict::Unknown(Reason::Limit(_)) => total.stored.max(answer.counts.stored),
            _ => answer.counts.stored,
        };
        let counts = Counts { stored, ..total };
        Answer { counts, phases: tally.phases(), failures: failures.clone(), ..answer }
    }
}

impl Observer for &Tallied<'_> {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        let Sums { observer, tally, .. } = &mut *self.0.borrow_mut();
        tally.update(counts);
        observer.progress(counts, waiting);
    }

    fn workers(&mut self, workers: &[WorkerLoad]) {
        self.0.borrow_mut().observer.workers(workers);
    }

    fn enter(&mut self, phase: Phase) {
        let Sums { observer, tally, .. } = &mut *self.0.borrow_mut();
        tally.enter(phase);
        observer.enter(phase);
    }

    fn begin(&mut self) {
        let Sums { observer, tally, .. } = &mut *self.0.borrow_mut();
        tally.begin();
        observer.begin();
    }

    fn end(&mut self, counts: &Counts) {
        let Sums { observer, tally, .. } = &mut *self.0.borrow_mut();
        tally.end(counts);
        observer.end(counts);
    }

    fn failed(&mut self, failures: &Failures) {
        let Sums { observer, failures: sum, .. } = &mut *self.0.borrow_mut();
        sum.join(failures);
        observer.failed(failures);
    }

    fn prepared(&mut self) {
        self.0.borrow_mut().observer.prepared();
    }

    fn unsaved(&mut self, why: &std::io::Error) {
        self.0.borrow_mut().observer.unsaved(why);
    }

    fn follows(&self) -> bool {
        self.0.borrow().observer.follows()
    }

    fn arrived(&mut self, step: &Taken<'_>) {
        self.0.borrow_mut().observer.arrived(step);
    }
}
