//! The ancestry of states, for undoing joins.

use std::collections::BTreeSet;
use zone::Bound;

use rustc_hash::FxHashMap;

use crate::{
    store::{NodeId, Store},
    zones::ZoneId,
};

/// A transition, by its ordinal among the successors of a state, and the stored state that covers
/// its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakenTransition {
    /// `None`: the target is an initial state.
    pub from: Option<NodeId>,
    pub ordinal: u32,
    pub to: NodeId,
}

/// The transitions and joins of a search.
#[derive(Default)]
pub(super) struct Ancestry {
    pub arcs: Vec<TakenTransition>,
    /// The zones of removed states.
    pub zones: FxHashMap<NodeId, ZoneId>,
    /// The states that were joined into a state or that it covers.
    pub parts: FxHashMap<NodeId, Vec<NodeId>>,
    /// Transitions whose targets were removed.
    pub waiting: BTreeSet<(Option<NodeId>, u32)>,
    /// Which states were removed permanently.
    pub removed: Vec<bool>,
    pub expanded: Vec<bool>,
}

impl Ancestry {
    pub(super) fn merge(&mut self, old: NodeId, zone: ZoneId, into: NodeId) {
        self.zones.insert(old, zone);
        self.parts.entry(into).or_default().push(old);
    }

    pub(super) fn arrive(&mut self, from: Option<NodeId>, ordinal: u32, to: NodeId) {
        self.arcs.push(TakenTransition { from, ordinal, to });
        self.waiting.remove(&(from, ordinal));
    }

    pub(super) fn expand(&mut self, node: NodeId) -> bool {
        let node = node.0 as usize;
        if self.expanded.len() <= node {
            self.expanded.resize(node + 1, false);
        }
        !std::mem::replace(&mut self.expanded[node], true)
    }

    pub(super) fn is_expanded(&self, node: NodeId) -> bool {
        self.expanded.get(node.0 as usize).is_some_and(|is| *is)
    }

    /// Marks states as removed permanently.
    pub(super) fn forget(&mut self, goes: &[bool]) {
        self.removed.resize(goes.len(), false);
        self.removed.iter_mut().zip(goes).for_each(|(removed, goes)| *removed |= goes);
    }

    /// Returns the transitions that have to be taken again because their targets were removed.
    pub(super) fn again<B: Bound>(&mut self, store: &Store<B>) -> Vec<(Option<NodeId>, u32)> {
        let Ancestry { arcs, waiting, removed, .. } = self;
        let is_removed = |node: Option<NodeId>| node.is_some_and(|node| removed[node.0 as usize]);
        arcs.retain(|arc| {
            let returns = is_removed(Some(arc.to));
            if returns {
                waiting.insert((arc.from, arc.ordinal));
            }
            !returns && !is_removed(arc.from)
        });
        waiting.retain(|(from, _)| !is_removed(*from));
        // The successors of a covered state are also those of the covering one; but it may be
        // restored later.
        let is_there = |from: &Option<NodeId>| from.is_none_or(|from| !store.is_gone(from));
        waiting.iter().filter(|(from, _)| is_there(from)).copied().collect()
    }

    /// Returns whether a state was removed permanently.
    pub(super) fn is_removed(&self, node: NodeId) -> bool {
        self.removed.get(node.0 as usize).is_some_and(|is| *is)
    }

    pub(super) fn parts_of(&self, node: NodeId) -> &[NodeId] {
        self.parts.get(&node).map_or(&[], Vec::as_slice)
    }
}
