//! Nodes with ranks: what a search that found no maximal run has to show for it.

use crate::rows::Rows;

/// Nodes of [`crate::liveness`], those of one row together. All that follows a node is in nodes of smaller ranks, and
/// no run ends in one, so no maximal run passes through any of them.
pub struct Ranked {
    pub(crate) rows: Rows,
    pub(crate) nodes: Vec<Node>,
}

pub(crate) struct Node {
    pub(crate) row: u32,
    pub(crate) zone: Box<[i32]>,
    pub(crate) rank: u32,
}

impl Ranked {
    pub(crate) fn new(rows: Rows, mut nodes: Vec<Node>) -> Ranked {
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

    /// Reads the row of a node; returns its zone and its rank.
    pub fn get(&self, node: usize, row: &mut Vec<i32>) -> (&[i32], u32) {
        let node = &self.nodes[node];
        self.rows.read(node.row, row);
        (&node.zone, node.rank)
    }
}
