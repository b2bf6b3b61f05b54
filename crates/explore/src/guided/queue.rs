//! One queue of a directed search.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::QueueStrategy;
use crate::store::NodeId;

/// A priority and two tie breakers; the least key comes first.
pub(crate) type QueueKey = (u32, u32, u32);

/// Open states in an order.
pub(crate) struct Queue {
    pub strategy: QueueStrategy,
    heap: BinaryHeap<Reverse<(QueueKey, NodeId)>>,
    /// The queue with the least turn is next.
    pub turn: i64,
    /// The least estimate so far.
    pub best: u32,
    /// The keys of all states that it ever held, by their nodes, if a state may take another's
    /// place.
    keys: Option<Vec<Option<QueueKey>>>,
}

impl Queue {
    pub(crate) fn new(strategy: QueueStrategy) -> Queue {
        // A queue with a high cost does not come first.
        Queue { strategy, heap: BinaryHeap::new(), turn: strategy.cost - 1, best: u32::MAX, keys: None }
    }

    /// Keeps the keys of states, so that [`Queue::key`] knows them.
    pub(crate) fn keep_keys(&mut self) {
        self.keys.get_or_insert_default();
    }

    /// Returns the key of a state that it holds or held.
    pub(crate) fn key(&self, node: NodeId) -> Option<QueueKey> {
        self.keys.as_ref()?.get(node.0 as usize).copied().flatten()
    }

    pub(crate) fn push(&mut self, key: QueueKey, node: NodeId) {
        if let Some(keys) = &mut self.keys {
            let at = node.0 as usize;
            if keys.len() <= at {
                keys.resize(at + 1, None);
            }
            keys[at] = Some(key);
        }
        self.heap.push(Reverse((key, node)));
    }

    pub(crate) fn pop(&mut self) -> Option<NodeId> {
        self.heap.pop().map(|Reverse((_, node))| node)
    }

    /// Returns the size of the keys in bytes.
    pub(crate) fn key_bytes(&self) -> usize {
        self.keys.as_ref().map_or(0, |keys| keys.capacity() * size_of::<Option<QueueKey>>())
    }

    /// Returns the priority of the next state.
    pub(crate) fn priority(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse((key, _))| key.0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Drops the states at the front that another queue has returned.
    pub(crate) fn drop_given(&mut self, given: &[bool]) {
        while self.heap.peek().is_some_and(|Reverse((_, node))| given[node.0 as usize]) {
            self.heap.pop();
        }
    }
}
