//! Computes the goal layer of a network: the paper's abstract transition graph.

use model::system::EdgeId;

use super::{
    build::Relaxation,
    network::{LATER, NodeNumber, RelaxedNetwork},
    plan::{NO_NODE, RelaxedReachability},
    start::Start,
};

/// The layers of nodes that are reached from a state.
pub(crate) struct Layers {
    network: RelaxedNetwork,
    start: Start,
    /// The initial values of all nodes.
    untouched: Vec<LayerNode>,
    wave: Wave,
    /// An edge whose actions are disabled.
    banned: Option<EdgeId>,
}

impl Layers {
    /// Creates the layers of a network.
    #[must_use]
    pub(crate) fn new(Relaxation { network, start }: Relaxation) -> Layers {
        let count = network.len();
        let untouched: Vec<LayerNode> =
            network.need.iter().map(|need| LayerNode { missing: *need, layer: UNREACHED, by: NO_NODE }).collect();
        let wave = Wave {
            cells: untouched.clone().into(),
            layer: 0,
            line: NodeQueue::new(count),
            next: NodeQueue::new(count),
        };
        Layers { start, untouched, wave, banned: None, network }
    }

    /// Returns whether the values of clocks matter.
    #[must_use]
    pub(crate) fn sees_clocks(&self) -> bool {
        !self.start.clocks.is_empty()
    }

    /// Returns the layer in which the goal is reached from a state; `None`: it is not reached.
    pub(crate) fn reach(&mut self, row: &[i32], zone: &[i32]) -> Option<u32> {
        let Layers { network, start, untouched, wave, banned } = self;
        start.locate(row, zone);
        wave.begin(untouched, &start.facts);
        let is_banned =
            |node: NodeNumber| banned.is_some() && network.action(node).map(|action| action.edge) == *banned;
        let goal = network.goal as usize;
        loop {
            let mut at = 0;
            while at < wave.line.count {
                let node = wave.line.nodes[at];
                at += 1;
                if !is_banned(node) {
                    wave.spread(node, network.outs(node));
                }
                if wave.cells[goal].missing == 0 {
                    return Some(wave.layer);
                }
            }
            if !wave.rise() {
                return None;
            }
        }
    }

    /// Returns the sum of the layers of the goal's needs: a tie breaker among states with equal
    /// goal layers.
    #[must_use]
    pub(crate) fn goal_sum(&self) -> u32 {
        let by = self.by(self.network.goal);
        if by == NO_NODE { 0 } else { self.network.needs(by).iter().map(|need| self.moment(*need)).sum() }
    }

    /// Returns the same without an edge.
    pub(crate) fn reach_without(&mut self, row: &[i32], zone: &[i32], edge: EdgeId) -> Option<u32> {
        self.banned = Some(edge);
        let found = self.reach(row, zone);
        self.banned = None;
        found
    }
}

/// The layer of an unreached node.
const UNREACHED: u32 = u32::MAX;

/// The state of a node.
#[derive(Clone, Copy)]
struct LayerNode {
    /// The number of predecessors that are still missing.
    missing: u32,
    /// The layer in which it is reached, at the latest.
    layer: u32,
    /// The predecessor that reached it, for an *or* node.
    by: NodeNumber,
}

/// A queue of nodes with a fixed capacity.
struct NodeQueue {
    nodes: Box<[NodeNumber]>,
    count: usize,
}

impl NodeQueue {
    fn new(capacity: usize) -> NodeQueue {
        NodeQueue { nodes: vec![0; capacity].into(), count: 0 }
    }

    #[inline]
    fn push(&mut self, node: NodeNumber) {
        // Each node is reached once, so the capacity suffices.
        self.nodes[self.count] = node;
        self.count += 1;
    }
}

/// The nodes reached so far.
struct Wave {
    cells: Box<[LayerNode]>,
    layer: u32,
    /// The nodes of this layer and of the next one.
    line: NodeQueue,
    next: NodeQueue,
}

impl Wave {
    fn begin(&mut self, untouched: &[LayerNode], facts: &[NodeNumber]) {
        self.cells.copy_from_slice(untouched);
        self.layer = 0;
        self.line.count = 0;
        self.next.count = 0;
        for &fact in facts {
            // Several regions may share a fact.
            let cell = &mut self.cells[fact as usize];
            if std::mem::take(&mut cell.missing) > 0 {
                cell.layer = 0;
                self.line.push(fact);
            }
        }
    }

    /// Follows the connections of a node.
    #[inline]
    fn spread(&mut self, node: NodeNumber, outs: &[u32]) {
        let Wave { cells, layer, line, next } = self;
        for &out in outs {
            let to = out & !LATER;
            let cell = &mut cells[to as usize];
            if out & LATER == 0 {
                cell.missing = cell.missing.wrapping_sub(1);
                if cell.missing == 0 {
                    (cell.by, cell.layer) = (node, *layer);
                    line.push(to);
                }
            } else if cell.layer == UNREACHED {
                (cell.by, cell.layer) = (node, *layer + 1);
                next.push(to);
            }
        }
    }

    /// Moves on to the next layer. Returns `false` if it is empty.
    fn rise(&mut self) -> bool {
        std::mem::swap(&mut self.line, &mut self.next);
        self.next.count = 0;
        self.layer += 1;
        let Wave { cells, line, .. } = self;
        let all = std::mem::take(&mut line.count);
        for i in 0..all {
            let node = line.nodes[i];
            // Some nodes were reached otherwise before.
            if std::mem::take(&mut cells[node as usize].missing) == 1 {
                line.push(node);
            }
        }
        line.count > 0
    }
}

impl RelaxedReachability for Layers {
    fn network(&self) -> &RelaxedNetwork {
        &self.network
    }
    fn by(&self, node: NodeNumber) -> NodeNumber {
        self.wave.cells[node as usize].by
    }
    fn moment(&self, node: NodeNumber) -> u32 {
        self.wave.cells[node as usize].layer
    }
}
