//! Reaches a network's goal at the least cost, where several needs cost their sum: h_add of Bonet and Geffner, "Planning as
//! heuristic search", 2001.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    build::Built,
    network::{LATER, Network, Node},
    plan::{NOBODY, Reached},
    start::Start,
};

/// No cost is counted beyond.
const MOST: u32 = 1 << 24;

/// What is reached from a state, and at which cost.
pub struct Sums {
    network: Network,
    start: Start,
    missing: Vec<u32>,
    /// The cost of what was reached.
    cost: Vec<u32>,
    /// The cost of what a node needs, as far as it was reached.
    sum: Vec<u32>,
    /// Whether a node was reached, and for those that wait for others, taken.
    done: Vec<bool>,
    by: Vec<Node>,
    heap: BinaryHeap<Reverse<(u32, Node, Node)>>,
}

impl Sums {
    /// For a network.
    #[must_use]
    pub fn new(Built { network, start }: Built) -> Sums {
        let count = network.len();
        Sums {
            start,
            missing: vec![0; count],
            cost: vec![0; count],
            sum: vec![0; count],
            done: vec![false; count],
            by: vec![NOBODY; count],
            heap: BinaryHeap::new(),
            network,
        }
    }

    /// Whether the values of clocks matter.
    #[must_use]
    pub fn sees_clocks(&self) -> bool {
        !self.start.clocks.is_empty()
    }

    /// The cost of the goal from a state; `None`: it is never reached.
    pub fn reach(&mut self, row: &[i32], zone: &[i32]) -> Option<u32> {
        self.start.locate(row, zone);
        self.missing.copy_from_slice(&self.network.need);
        self.sum.fill(0);
        self.done.fill(false);
        self.heap.clear();
        self.heap.extend(self.start.facts.iter().map(|fact| Reverse((0, *fact, NOBODY))));
        while let Some(Reverse((cost, node, by))) = self.heap.pop() {
            let n = node as usize;
            if std::mem::replace(&mut self.done[n], true) {
                continue;
            }
            self.cost[n] = cost;
            self.by[n] = by;
            if node == self.network.goal {
                return Some(cost);
            }
            self.spread(node);
        }
        None
    }

    /// Goes along the connections of a node.
    fn spread(&mut self, node: Node) {
        let cost = self.cost[node as usize];
        for i in self.network.starts[node as usize]..self.network.starts[node as usize + 1] {
            let out = self.network.outs[i as usize];
            let (to, later) = (out & !LATER, u32::from(out & LATER != 0));
            let t = to as usize;
            if self.done[t] {
                continue;
            }
            if self.network.needs(to).is_empty() {
                self.heap.push(Reverse((cost + later, to, node)));
                continue;
            }
            self.sum[t] = (self.sum[t] + cost).min(MOST);
            self.missing[t] -= 1;
            if self.missing[t] > 0 {
                continue;
            }
            self.heap.push(Reverse((self.sum[t], to, node)));
        }
    }
}

impl Reached for Sums {
    fn network(&self) -> &Network {
        &self.network
    }
    fn by(&self, node: Node) -> Node {
        self.by[node as usize]
    }
    fn moment(&self, node: Node) -> u32 {
        self.cost[node as usize]
    }
}
