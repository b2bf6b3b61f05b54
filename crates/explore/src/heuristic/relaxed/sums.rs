//! Computes the additive cost of a network's goal: h_add of Bonet and Geffner, "Planning as
//! heuristic search", 2001.

use super::{
    build::Relaxation,
    network::{LATER, NodeNumber, RelaxedNetwork},
    plan::{NO_NODE, RelaxedReachability},
    start::Start,
};

/// The greatest cost.
const MAX_COST: u32 = 1 << 12;

/// The state of a node.
#[derive(Clone, Copy)]
struct CostNode {
    /// The number of missing needs of an *and* node.
    missing: u32,
    /// The sum of the costs of its reached needs for an *and* node, the least cost so far for an
    /// *or* node.
    cost: u32,
    /// The predecessor that reached it.
    by: NodeNumber,
    done: bool,
}

/// The costs of the nodes that are reached from a state.
pub(crate) struct Sums {
    network: RelaxedNetwork,
    start: Start,
    /// The initial values of all nodes.
    untouched: Vec<CostNode>,
    cells: Vec<CostNode>,
    /// The open nodes, by cost.
    waiting: Vec<Vec<NodeNumber>>,
}

impl Sums {
    /// Creates the costs of a network.
    #[must_use]
    pub(crate) fn new(Relaxation { network, start }: Relaxation) -> Sums {
        let cell = |node: usize| match network.needs(node as NodeNumber).len() as u32 {
            0 => CostNode { missing: 0, cost: u32::MAX, by: NO_NODE, done: false },
            missing => CostNode { missing, cost: 0, by: NO_NODE, done: false },
        };
        let untouched: Vec<CostNode> = (0..network.len()).map(cell).collect();
        Sums { start, cells: untouched.clone(), untouched, waiting: Vec::new(), network }
    }

    /// Returns whether the values of clocks matter.
    #[must_use]
    pub(crate) fn sees_clocks(&self) -> bool {
        !self.start.clocks.is_empty()
    }

    /// Returns the cost of the goal from a state; `None`: it is not reached.
    pub(crate) fn reach(&mut self, row: &[i32], zone: &[i32]) -> Option<u32> {
        self.start.locate(row, zone);
        self.cells.copy_from_slice(&self.untouched);
        self.waiting.iter_mut().for_each(Vec::clear);
        for i in 0..self.start.facts.len() {
            let fact = self.start.facts[i];
            self.cells[fact as usize].cost = 0;
            self.wait(fact, 0);
        }
        let mut cost = 0;
        while cost < self.waiting.len() {
            let Some(node) = self.waiting[cost].pop() else {
                cost += 1;
                continue;
            };
            if std::mem::replace(&mut self.cells[node as usize].done, true) {
                continue;
            }
            if node == self.network.goal {
                return Some(cost as u32);
            }
            self.spread(node, cost as u32);
        }
        None
    }

    fn wait(&mut self, node: NodeNumber, cost: u32) {
        let at = cost.min(MAX_COST) as usize;
        if self.waiting.len() <= at {
            self.waiting.resize(at + 1, Vec::new());
        }
        self.waiting[at].push(node);
    }

    /// Follows the connections of a node.
    fn spread(&mut self, node: NodeNumber, cost: u32) {
        for i in self.network.starts[node as usize]..self.network.starts[node as usize + 1] {
            let out = self.network.outs[i as usize];
            let to = out & !LATER;
            let cell = &mut self.cells[to as usize];
            let ready = if cell.missing > 0 {
                cell.missing -= 1;
                cell.cost += cost;
                cell.missing == 0
            } else {
                let cost = cost + (out >> 31);
                let better = !cell.done && cost < cell.cost;
                if better {
                    (cell.cost, cell.by) = (cost, node);
                }
                better
            };
            if ready {
                cell.cost = cell.cost.min(MAX_COST);
                let cost = cell.cost;
                self.wait(to, cost);
            }
        }
    }
}

impl RelaxedReachability for Sums {
    fn network(&self) -> &RelaxedNetwork {
        &self.network
    }
    fn by(&self, node: NodeNumber) -> NodeNumber {
        self.cells[node as usize].by
    }
    fn moment(&self, node: NodeNumber) -> u32 {
        self.cells[node as usize].cost
    }
}
