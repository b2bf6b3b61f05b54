//! Records a search, transition by transition, for drawings of small state spaces.

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
    /// Whether it was joined with others when it was stored.
    pub is_joined: bool,
    /// The index of the state that replaced it.
    pub replaced_by: Option<usize>,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedTransition {
    /// The index of its source; `None`: its target is an initial state.
    pub from: Option<usize>,
    /// Its edges.
    pub edges: Vec<EdgeId>,
    /// The index of its target, or of the state that covers it.
    pub to: usize,
    /// Whether the target was covered.
    pub is_covered: bool,
}

/// All states and transitions of a search, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The states, including replaced ones.
    pub states: Vec<RecordedState>,
    /// The transitions.
    pub arcs: Vec<RecordedTransition>,
}

/// An observer that records a search. No join may be undone meanwhile.
#[derive(Debug)]
pub struct Recorder {
    /// The number of slots that identify a state.
    identity: usize,
    recording: Recording,
    numbers: FxHashMap<NodeId, usize>,
    nodes: Vec<NodeId>,
}

impl Recorder {
    /// Creates a recorder for a system.
    #[must_use]
    pub fn new(system: &System) -> Recorder {
        Recorder {
            identity: system.identity,
            recording: Recording::default(),
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
        }
    }

    /// Returns the recording.
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
            // The new state replaced the states that are gone now.
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
