//! The collection of nodes that are not needed any more.

use super::{Diagram, DiagramNode, Diagrams, END};

/// There are at least this number of nodes when it is worth while to collect.
const MIN_NODES: usize = 1 << 14;

impl Diagrams<'_> {
    /// Returns whether a collection is worth while: there are twice as many nodes as after the
    /// last.
    pub(crate) fn has_garbage(&self) -> bool {
        self.nodes.len() >= (2 * self.live).max(MIN_NODES)
    }

    /// Removes all nodes but those of some diagrams, which get new indices. Diagrams of other
    /// callers become invalid.
    pub(crate) fn collect(&mut self, roots: &mut [&mut Diagram]) {
        const GONE: u32 = u32::MAX;
        let mut kept = vec![false; self.nodes.len()];
        kept[..2].fill(true);
        roots.iter().for_each(|root| kept[root.0 as usize] = true);
        // Children come before their parents.
        for number in (0..self.nodes.len()).rev() {
            let node = self.nodes[number];
            if kept[number] && node.level != END {
                kept[node.low.0 as usize] = true;
                kept[node.high.0 as usize] = true;
            }
        }
        let mut new = vec![GONE; self.nodes.len()];
        self.unique.clear();
        let old = std::mem::take(&mut self.nodes);
        let renamed = |diagram: Diagram, new: &[u32]| Diagram(new[diagram.0 as usize]);
        for (number, node) in old.into_iter().enumerate().filter(|(number, _)| kept[*number]) {
            let node = match node.level {
                END => node,
                level => DiagramNode { level, low: renamed(node.low, &new), high: renamed(node.high, &new) },
            };
            new[number] = self.insert(node).0;
        }
        roots.iter_mut().for_each(|root| **root = renamed(**root, &new));
        self.live = self.nodes.len();
        self.cache.clear();
    }
}
