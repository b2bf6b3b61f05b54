//! How states came to be what they are.

use std::collections::BTreeSet;
use zone::Bound;

use rustc_hash::FxHashMap;

use crate::{
    store::{NodeId, Store},
    zones::ZoneId,
};

/// A transition, by its place among the successors of a state, and the state that stands for what
/// is behind it.
#[derive(Clone, Copy, Debug)]
struct TakenTransition {
    /// `None`: what is behind it is initial.
    from: Option<NodeId>,
    ordinal: u32,
    to: NodeId,
}

/// What is known of states beside what is stored.
#[derive(Default)]
pub(super) struct Ancestry {
    arcs: Vec<TakenTransition>,
    /// The zones of states that are gone.
    pub zones: FxHashMap<NodeId, ZoneId>,
    /// The states that a state stands for.
    pub parts: FxHashMap<NodeId, Vec<NodeId>>,
    /// Transitions whose targets are gone.
    waiting: BTreeSet<(Option<NodeId>, u32)>,
    /// Which states will never be there again.
    removed: Vec<bool>,
    expanded: Vec<bool>,
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

    /// States that go for ever.
    pub(super) fn forget(&mut self, goes: &[bool]) {
        self.removed.resize(goes.len(), false);
        self.removed.iter_mut().zip(goes).for_each(|(removed, goes)| *removed |= goes);
    }

    /// The transitions that have to be taken again, since their targets are gone.
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
        // What a state that is gone leads to, the one that stands for it leads to as well; but it
        // may be there again later.
        let is_there = |from: &Option<NodeId>| from.is_none_or(|from| !store.is_gone(from));
        waiting.iter().filter(|(from, _)| is_there(from)).copied().collect()
    }

    /// Whether a state will never be there again.
    pub(super) fn is_removed(&self, node: NodeId) -> bool {
        self.removed.get(node.0 as usize).is_some_and(|is| *is)
    }

    pub(super) fn parts_of(&self, node: NodeId) -> &[NodeId] {
        self.parts.get(&node).map_or(&[], Vec::as_slice)
    }
}
