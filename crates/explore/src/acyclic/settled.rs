//! The nodes of a finished search from which no cycle of arcs is reached. No maximal run starts in
//! them.

use zone::Bound;

use super::Acyclic;
use crate::{
    batch::ReachedZone,
    graph::{RunError, ZoneGraph},
    ranked::RankedNode,
    rows::RowStore,
    store::NodeId,
    transitions::SymbolicTrace,
};

/// A finished search, and which of its nodes have no maximal run.
pub struct Settled<'f, B = i32> {
    search: Acyclic<'f, B>,
    /// The greatest number of arcs from each node, unless a cycle is reached.
    heights: Vec<Option<u32>>,
}

impl<'f, B: Bound> Acyclic<'f, B> {
    /// Ends a search that has expanded all nodes.
    #[must_use]
    pub fn settle(self) -> Settled<'f, B> {
        let heights = self.arcs.heights();
        Settled { search: self, heights }
    }
}

impl<B: Bound> Settled<'_, B> {
    /// Returns the nodes in which runs start that may be maximal: they include all other such
    /// nodes.
    #[must_use]
    pub fn open(&self) -> Vec<NodeId> {
        let starts = &self.search.starts;
        let mut open: Vec<NodeId> = starts.iter().map(|node| self.search.arcs.living(*node)).collect();
        open.sort_unstable();
        open.dedup();
        open.retain(|node| self.heights[node.0 as usize].is_none());
        open
    }

    /// Reads a node.
    pub fn read(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<B>) {
        self.search.store.get(node, row, zone);
    }

    /// Returns the number that the caller has given to the state from which a node was reached.
    #[must_use]
    pub fn source(&self, node: NodeId) -> u32 {
        self.search.roots[self.search.root(node)].source
    }

    /// Returns the path to a node, from its source with this row on.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn path(&self, graph: &mut ZoneGraph<'_, B>, row: &[i32], node: NodeId) -> Result<SymbolicTrace<B>, RunError> {
        self.search.path(graph, Some(row), node)
    }

    /// Returns whether no maximal run is known to start in a zone of a row.
    pub(crate) fn covers(&mut self, row: &[i32], zone: &[B]) -> bool {
        let discrete = self.search.store.intern(row);
        let zone = self.search.store.intern_zone(ReachedZone::Fresh(zone));
        let heights = &self.heights;
        let found = self.search.store.is_within(discrete, zone, |node| heights[node.0 as usize].is_some());
        self.search.store.sweep();
        found
    }

    /// Adds the nodes without maximal runs to others, with their heights as ranks. Returns a rank
    /// above all of theirs.
    pub(crate) fn rank(&self, rows: &mut RowStore, nodes: &mut Vec<RankedNode<B>>) -> u32 {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let mut above = 0;
        for node in self.search.store.nodes() {
            let Some(rank) = self.heights[node.0 as usize] else { continue };
            self.search.store.get(node, &mut row, &mut zone);
            nodes.push(RankedNode { row: rows.intern(&row).0, zone: zone.as_slice().into(), rank });
            above = above.max(rank + 1);
        }
        above
    }
}
