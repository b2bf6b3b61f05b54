//! What a search has seen, transition by transition, for small state spaces that somebody wants to
//! look at.

use model::{System, system::EdgeId};
use rustc_hash::FxHashMap;

use crate::{
    search::{Counts, Observer, Taken},
    store::{Insert, NodeId},
};

/// A state that was ever stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedState {
    /// Its row.
    pub row: Vec<i32>,
    /// Its zone.
    pub zone: Vec<i64>,
    /// Whether it is greater than what was reached when it was stored, since others were joined
    /// with that.
    pub is_joined: bool,
    /// The number of the state that stands for it since it is gone.
    pub replaced_by: Option<usize>,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedTransition {
    /// The number of the state that it leaves; `None`: what is behind it is initial.
    pub from: Option<usize>,
    /// Its edges.
    pub edges: Vec<EdgeId>,
    /// The number of the state that it has led to.
    pub to: usize,
    /// Whether what was reached was in that state already.
    pub is_covered: bool,
}

/// All states and transitions of a search, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The states, those that are gone included.
    pub states: Vec<RecordedState>,
    /// The transitions.
    pub arcs: Vec<RecordedTransition>,
}

/// An observer that keeps all that it sees. Joins must not be undone meanwhile.
#[derive(Debug)]
pub struct Recorder {
    /// How many numbers of a row are a state's identity.
    identity: usize,
    recording: Recording,
    numbers: FxHashMap<NodeId, usize>,
    nodes: Vec<NodeId>,
}

impl Recorder {
    /// One that has seen nothing yet of a system.
    #[must_use]
    pub fn new(system: &System) -> Recorder {
        Recorder {
            identity: system.identity,
            recording: Recording::default(),
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
        }
    }

    /// What was seen.
    #[must_use]
    pub fn finish(self) -> Recording {
        self.recording
    }

    fn number(&self, node: NodeId) -> Option<usize> {
        self.numbers.get(&node).copied()
    }
}

impl Observer for Recorder {
    fn progress(&mut self, _: &Counts, _: usize) {}

    fn follows(&self) -> bool {
        true
    }

    fn arrived(&mut self, taken: &Taken<'_>) {
        let (node, is_covered) = match taken.inserted {
            Insert::Covered(node) => (node, true),
            Insert::New(node) => (node, false),
        };
        if !is_covered {
            let (mut row, mut zone) = (Vec::new(), Vec::new());
            taken.store.state(node, &mut row, &mut zone);
            let number = self.nodes.len();
            // What is gone now and was there before, the new state stands for.
            for (state, old) in self.recording.states.iter_mut().zip(&self.nodes) {
                if state.replaced_by.is_none() && taken.store.is_replaced(*old) {
                    state.replaced_by = Some(number);
                }
            }
            let is_joined = row[..self.identity] != taken.row[..self.identity] || zone != taken.zone;
            self.numbers.insert(node, number);
            self.nodes.push(node);
            self.recording.states.push(RecordedState { row, zone, is_joined, replaced_by: None });
        }
        if let Some(to) = self.number(node) {
            let from = taken.from.and_then(|from| self.number(from));
            self.recording.arcs.push(RecordedTransition { from, edges: taken.edges.to_vec(), to, is_covered });
        }
    }
}
