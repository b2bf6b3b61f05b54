//! Nodes with ranks: the evidence of a search that found no maximal run.

use crate::rows::RowStore;
use zone::Bound;

/// Nodes of [`crate::liveness`], sorted by row. The successors of a node are in nodes of smaller
/// ranks, and no run ends in a node, so no maximal run visits any of them.
pub struct Ranked<B = i32> {
    pub(crate) rows: RowStore,
    pub(crate) nodes: Vec<RankedNode<B>>,
}

pub(crate) struct RankedNode<B> {
    pub(crate) row: u32,
    pub(crate) zone: Box<[B]>,
    pub(crate) rank: u32,
}

impl<B: Bound> Ranked<B> {
    pub(crate) fn new(rows: RowStore, mut nodes: Vec<RankedNode<B>>) -> Ranked<B> {
        // Large ranks come first, in the order of runs.
        nodes.sort_by_key(|node| (node.row, std::cmp::Reverse(node.rank)));
        Ranked { rows, nodes }
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.nodes.len()
    }
}

/// Nodes with ranks, with bounds of 64 bits.
pub trait RankedStates: Send + Sync {
    /// Returns the number of nodes.
    fn states(&self) -> usize;
    /// Reads the row and the zone of a node; returns its rank.
    fn state(&self, node: usize, row: &mut Vec<i32>, zone: &mut Vec<i64>) -> u32;
}

impl<B: Bound> RankedStates for Ranked<B> {
    fn states(&self) -> usize {
        self.count()
    }

    fn state(&self, node: usize, row: &mut Vec<i32>, zone: &mut Vec<i64>) -> u32 {
        let node = &self.nodes[node];
        self.rows.read(node.row, row);
        zone.clear();
        zone.extend(node.zone.iter().map(|bound| bound.widest()));
        node.rank
    }
}
