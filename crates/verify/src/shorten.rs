//! Short traces without the price of a shortest one.
//!
//! A directed search finds some path to the goal. Two small searches then look for a shorter one,
//! see `attempts`: weighted A*, and breadth-first among the discrete states that the first search
//! has seen.

use std::collections::HashSet;

use explore::{
    open::{Arrival, Fifo, OpenList},
    store::{NodeId, Store},
};
use zone::Bound;

/// Breadth-first, through discrete parts that were seen before.
pub(crate) struct Within {
    inner: Fifo,
    seen: HashSet<Vec<i32>>,
}

impl Within {
    /// Through those of the states of some stores.
    pub fn new<B: Bound>(stores: &[Store<B>]) -> Within {
        let (mut row, mut seen) = (Vec::new(), HashSet::new());
        for store in stores {
            for node in store.nodes() {
                store.row(node, &mut row);
                seen.insert(row.clone());
            }
        }
        Within { seen, inner: Fifo::default() }
    }
}

impl<B: Bound> OpenList<B> for Within {
    fn push(&mut self, state: &Arrival<'_, B>) {
        if self.seen.contains(state.row) {
            self.inner.push(state);
        }
    }
    fn pop(&mut self) -> Option<NodeId> {
        OpenList::<B>::pop(&mut self.inner)
    }
    fn len(&self) -> usize {
        OpenList::<B>::len(&self.inner)
    }
    fn bytes(&self) -> usize {
        OpenList::<B>::bytes(&self.inner)
    }
}
