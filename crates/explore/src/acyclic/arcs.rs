//! Arcs between nodes that cover successors: cycles, and heights above the end of all paths.

use crate::store::NodeId;

/// Marks a real arc.
const REAL: u32 = 1 << 31;

/// The arcs of all nodes.
#[derive(Default)]
pub(super) struct Arcs {
    /// The node that covers each node, or the node itself.
    covered_by: Vec<u32>,
    /// The arcs of each node: the range in `targets`.
    ranges: Vec<(usize, usize)>,
    targets: Vec<u32>,
}

/// A node that is neither on the path nor finished, and one that is on the path.
const NEW: u8 = 0;
const ON_PATH: u8 = 1;
const FINISHED: u8 = 2;

impl Arcs {
    pub(super) fn bytes(&self) -> usize {
        self.covered_by.capacity() * 4 + self.ranges.capacity() * 16 + self.targets.capacity() * 4
    }

    /// Adds a node that covers others.
    pub(super) fn add_node(&mut self, node: NodeId, replaced: &[NodeId]) {
        self.covered_by.push(node.0);
        self.ranges.push((0, 0));
        replaced.iter().for_each(|old| self.covered_by[old.0 as usize] = node.0);
    }

    /// The arcs that are added next are those of a node.
    pub(super) fn begin(&mut self, node: NodeId) {
        self.ranges[node.0 as usize] = (self.targets.len(), self.targets.len());
    }

    /// All arcs of a node were added.
    pub(super) fn end(&mut self, node: NodeId) {
        let (start, _) = self.ranges[node.0 as usize];
        self.targets[start..].sort_unstable();
        let mut end = start;
        for at in start..self.targets.len() {
            if at == start || self.targets[at] != self.targets[end - 1] {
                self.targets[end] = self.targets[at];
                end += 1;
            }
        }
        self.targets.truncate(end);
        self.ranges[node.0 as usize].1 = self.targets.len();
    }

    /// Adds an arc.
    pub(super) fn add(&mut self, to: NodeId, is_real: bool) {
        self.targets.push(to.0 | if is_real { REAL } else { 0 });
    }

    fn of(&self, node: u32) -> &[u32] {
        let (start, end) = self.ranges[node as usize];
        &self.targets[start..end]
    }

    /// Returns the node that covers a node and is not covered itself.
    pub(super) fn living(&self, NodeId(mut node): NodeId) -> NodeId {
        while self.covered_by[node as usize] != node {
            node = self.covered_by[node as usize];
        }
        NodeId(node)
    }

    /// Returns whether no other node covers a node.
    fn is_living(&self, node: u32) -> bool {
        self.covered_by[node as usize] == node
    }

    /// Returns the nodes of a cycle of real arcs. Nodes that others have covered meanwhile count:
    /// they were reached.
    pub(super) fn real_cycle(&self) -> Option<Vec<NodeId>> {
        let mut status = vec![NEW; self.ranges.len()];
        // The path, with the next arc of each node.
        let mut path: Vec<(u32, usize)> = Vec::new();
        for first in 0..self.ranges.len() as u32 {
            if status[first as usize] != NEW {
                continue;
            }
            status[first as usize] = ON_PATH;
            path.push((first, 0));
            while let Some((node, next)) = path.last_mut() {
                let Some(arc) = self.of(*node).get(*next) else {
                    status[*node as usize] = FINISHED;
                    path.pop();
                    continue;
                };
                *next += 1;
                let target = arc & !REAL;
                if arc & REAL == 0 || status[target as usize] == FINISHED {
                    continue;
                }
                if status[target as usize] == ON_PATH {
                    let from = path.iter().position(|(node, _)| *node == target)?;
                    return Some(path[from..].iter().map(|(node, _)| NodeId(*node)).collect());
                }
                status[target as usize] = ON_PATH;
                path.push((target, 0));
            }
        }
        None
    }

    /// Returns the greatest number of arcs from each node, for those from which no cycle is
    /// reached: removes nodes without successors repeatedly.
    pub(super) fn heights(&self) -> Vec<Option<u32>> {
        let count = self.ranges.len() as u32;
        let mut heights = vec![0u32; count as usize];
        let mut arcs_left = vec![0usize; count as usize];
        // The predecessors of all nodes, in one list.
        let mut starts = vec![0usize; count as usize + 1];
        for node in (0..count).filter(|node| self.is_living(*node)) {
            arcs_left[node as usize] = self.of(node).len();
            self.of(node).iter().for_each(|arc| starts[self.living(NodeId(arc & !REAL)).0 as usize + 1] += 1);
        }
        for node in 0..count as usize {
            starts[node + 1] += starts[node];
        }
        let mut filled = starts.clone();
        let mut predecessors = vec![0u32; starts[count as usize]];
        for node in (0..count).filter(|node| self.is_living(*node)) {
            for arc in self.of(node) {
                let at = &mut filled[self.living(NodeId(arc & !REAL)).0 as usize];
                predecessors[*at] = node;
                *at += 1;
            }
        }
        let mut is_done = vec![false; count as usize];
        let mut ready: Vec<u32> =
            (0..count).filter(|node| self.is_living(*node) && arcs_left[*node as usize] == 0).collect();
        while let Some(node) = ready.pop() {
            is_done[node as usize] = true;
            for &before in &predecessors[starts[node as usize]..starts[node as usize + 1]] {
                let before = before as usize;
                heights[before] = heights[before].max(heights[node as usize] + 1);
                arcs_left[before] -= 1;
                if arcs_left[before] == 0 {
                    ready.push(before as u32);
                }
            }
        }
        heights.into_iter().zip(is_done).map(|(height, is_done)| is_done.then_some(height)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    /// Whether each node is reached from each node by arcs.
    fn reached(count: usize, arcs: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut all = vec![vec![false; count]; count];
        arcs.iter().for_each(|(from, to)| all[*from][*to] = true);
        for via in 0..count {
            for from in 0..count {
                for to in 0..count {
                    all[from][to] |= all[from][via] && all[via][to];
                }
            }
        }
        all
    }

    #[test]
    fn cycles_and_heights_are_those_of_the_definition() {
        let (mut real, mut open, mut done) = (0, 0, 0);
        for seed in 0..500 {
            let mut random = SplitMix::new(seed);
            let count = 1 + random.below(8);
            let mut arcs = Arcs::default();
            // Each node may be covered by a later one.
            let mut covered: Vec<usize> = (0..count).collect();
            for node in 0..count {
                let old = random.below(count);
                let mut replaced = Vec::new();
                if old < node && covered[old] == old && random.below(3) == 0 {
                    covered[old] = node;
                    replaced.push(NodeId(old as u32));
                }
                arcs.add_node(NodeId(node as u32), &replaced);
            }
            let living = |mut node: usize| {
                while covered[node] != node {
                    node = covered[node];
                }
                node
            };
            let (mut all, mut exact) = (Vec::new(), Vec::new());
            for (node, by) in covered.iter().enumerate() {
                arcs.begin(NodeId(node as u32));
                for _ in 0..random.below(3) {
                    let (to, is_real) = (random.below(count), random.below(2) == 0);
                    arcs.add(NodeId(to as u32), is_real);
                    if is_real {
                        exact.push((node, to));
                    }
                    if *by == node {
                        all.push((node, living(to)));
                    }
                }
                arcs.end(NodeId(node as u32));
            }
            let by_real = reached(count, &exact);
            let cycle = arcs.real_cycle();
            assert_eq!(cycle.is_some(), (0..count).any(|node| by_real[node][node]), "{seed}");
            if let Some(cycle) = cycle {
                real += 1;
                for (i, from) in cycle.iter().enumerate() {
                    let to = cycle[(i + 1) % cycle.len()];
                    assert!(exact.contains(&(from.0 as usize, to.0 as usize)), "{seed}");
                }
            }
            let by_all = reached(count, &all);
            let heights = arcs.heights();
            for node in (0..count).filter(|node| covered[*node] == *node) {
                let is_open = (0..count).any(|on| by_all[on][on] && (on == node || by_all[node][on]));
                assert_eq!(heights[node].is_none(), is_open, "{seed}");
                open += usize::from(is_open);
                for (_, to) in all.iter().filter(|(from, _)| *from == node && !is_open) {
                    done += 1;
                    assert!(heights[*to] < heights[node], "{seed}");
                }
            }
        }
        assert!(real > 100 && open > 100 && done > 100, "{real} {open} {done}");
    }
}
