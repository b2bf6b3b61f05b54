//! Nodes with ranks: what a search that found no maximal run has to show for it.

use crate::rows::RowStore;
use zone::Bound;

/// Nodes of [`crate::liveness`], those of one row together. All that follows a node is in nodes of
/// smaller ranks, and no run ends in one, so no maximal run passes through any of them.
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
        // Large ranks first, as runs meet them.
        nodes.sort_by_key(|node| (node.row, std::cmp::Reverse(node.rank)));
        Ranked { rows, nodes }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Nodes with ranks, whatever the numbers that their zones have.
pub trait RankedStates {
    /// How many nodes there are.
    fn states(&self) -> usize;
    /// Reads the row and the zone of a node; returns its rank.
    fn state(&self, node: usize, row: &mut Vec<i32>, zone: &mut Vec<i64>) -> u32;
}

impl<B: Bound> RankedStates for Ranked<B> {
    fn states(&self) -> usize {
        self.len()
    }

    fn state(&self, node: usize, row: &mut Vec<i32>, zone: &mut Vec<i64>) -> u32 {
        let node = &self.nodes[node];
        self.rows.read(node.row, row);
        zone.clear();
        zone.extend(node.zone.iter().map(|bound| bound.widest()));
        node.rank
    }
}
