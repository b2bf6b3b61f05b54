//! Reports of a running search.

use model::system::EdgeId;

use super::{Counts, WorkerLoad};
use crate::{
    heuristic::Failures,
    store::{Insert, NodeId, Stored},
    tally::Phase,
};

/// Receives reports of a running search.
pub trait Observer {
    /// Called now and then, and for each goal state, with the counters of the innermost search.
    fn progress(&mut self, counts: &Counts, waiting: usize);

    /// Called before [`Observer::progress`] if the innermost search has several workers.
    fn workers(&mut self, workers: &[WorkerLoad]) {
        let _ = workers;
    }

    /// Searches that begin from now on belong to this phase.
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// A search begins, with counters at zero. Another search may pause for it.
    fn begin(&mut self) {}

    /// The innermost search has ended with these counters.
    fn end(&mut self, counts: &Counts) {
        let _ = counts;
    }

    /// Expressions that guide the search have failed. Called after its end.
    fn failed(&mut self, failures: &Failures) {
        let _ = failures;
    }

    /// Called before a search starts, when its heuristics are prepared.
    fn prepared(&mut self) {}

    /// A checkpoint could not be written. The search goes on.
    fn unsaved(&mut self, why: &std::io::Error) {
        let _ = why;
    }

    /// Returns whether [`Observer::arrived`] is to be called.
    fn follows(&self) -> bool {
        false
    }

    /// Called for every transition.
    fn arrived(&mut self, step: &Taken<'_>) {
        let _ = step;
    }
}

/// A transition, and what became of its target.
pub struct Taken<'s> {
    /// The source; `None`: the target is an initial state.
    pub from: Option<NodeId>,
    /// Its edges.
    pub edges: &'s [EdgeId],
    /// The row of the target.
    pub row: &'s [i32],
    /// The zone of the target.
    pub zone: &'s [i64],
    /// Whether the target is covered by a stored state or new, possibly joined with others.
    pub(crate) inserted: Insert,
    /// All states, including the new one.
    pub store: &'s dyn Stored,
}

impl Observer for () {
    fn progress(&mut self, _: &Counts, _: usize) {}
}
