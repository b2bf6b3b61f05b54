//! What a search reports while it runs.

use model::system::EdgeId;

use super::Counts;
use crate::{
    heuristic::Failures,
    store::{Insert, NodeId, Stored},
    tally::Phase,
};

/// Something that wants to know how far a search is.
pub trait Observer {
    /// Called now and then, and before a state of the goal is handed out, with what the innermost
    /// search has counted.
    fn progress(&mut self, counts: &Counts, waiting: usize);

    /// Searches that begin from now on belong to this phase.
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// A search begins, and counts from zero. Another one may pause for it.
    fn begin(&mut self) {}

    /// The innermost search has ended, having counted this.
    fn end(&mut self, counts: &Counts) {
        let _ = counts;
    }

    /// Expressions that were to guide the search that has ended have failed.
    fn failed(&mut self, failures: &Failures) {
        let _ = failures;
    }

    /// Called when a search is about to start, and all that directs it is there.
    fn prepared(&mut self) {}

    /// Whether [`Observer::arrived`] is to be called.
    fn follows(&self) -> bool {
        false
    }

    /// Called for every transition that is taken.
    fn arrived(&mut self, step: &Taken<'_>) {
        let _ = step;
    }
}

/// A transition that was taken, and what became of the state after it.
pub struct Taken<'s> {
    /// The state that it leaves; `None`: what comes after it is initial.
    pub from: Option<NodeId>,
    /// Its edges.
    pub edges: &'s [EdgeId],
    /// The row after it.
    pub row: &'s [i32],
    /// The zone after it.
    pub zone: &'s [i64],
    /// The state is in a stored one, or new and maybe joined with others.
    pub inserted: Insert,
    /// All states, the new one among them.
    pub store: &'s dyn Stored,
}

impl Observer for () {
    fn progress(&mut self, _: &Counts, _: usize) {}
}
