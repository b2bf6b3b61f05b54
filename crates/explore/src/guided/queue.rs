//! One queue of a directed search.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::Strategy;
use crate::store::NodeId;

/// States that wait, in an order.
pub struct Queue {
    pub strategy: Strategy,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// The lowest turn comes next.
    pub turn: i64,
    /// The least value of its heuristic so far.
    pub best: u32,
}

impl Queue {
    pub fn new(strategy: Strategy) -> Queue {
        Queue { strategy, heap: BinaryHeap::new(), turn: 0, best: u32::MAX }
    }

    pub fn push(&mut self, priority: u32, tie: u32, node: NodeId) {
        self.heap.push(Reverse((u64::from(priority) << 32 | u64::from(tie), node.0)));
    }

    pub fn pop(&mut self) -> Option<NodeId> {
        self.heap.pop().map(|Reverse((_, node))| NodeId(node))
    }

    /// The priority of the next one.
    pub fn priority(&self) -> Option<u32> {
        self.heap.peek().map(|Reverse((key, _))| (key >> 32) as u32)
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Drops those at the front that another queue has given.
    pub fn drop_given(&mut self, given: &[bool]) {
        while self.heap.peek().is_some_and(|Reverse((_, node))| given[*node as usize]) {
            self.heap.pop();
        }
    }
}
