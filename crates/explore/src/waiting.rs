//! The waiting order, which avoids exploring states that are covered later.
//!
//! If zones cover each other, a search wastes time on states that a larger one replaces after all
//! their successors were explored. In the *waiting* order of Herbreteau and Tran ("Improving search
//! order for reachability testing in timed automata", FORMATS 2015) a state waits for all states
//! that can reach its locations by longer paths, in a topological order of the locations, so that
//! the largest zone comes first. On acyclic models no state is explored in vain. (Their other
//! remedy, to rank states that replace others, cost more than it gained on the families of
//! `merkhet bench zones`: Fischer with seven processes took 1.4 times as many states.)

use std::{cmp::Reverse, collections::BinaryHeap};
use zone::Bound;

use model::{System, system::Process};

use crate::{
    cycles::Cycles,
    open::{Arrival, OpenList},
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::NodeId,
};

/// The priority of a state: the round through the locations, and the position in it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    round: u32,
    weight: u32,
}

/// An open list in the waiting order.
pub struct Waiting {
    /// For each process, the longest distance of each location from the initial one without back
    /// edges.
    depths: Vec<Vec<u32>>,
    /// The priority of each node.
    turns: Vec<Turn>,
    heap: BinaryHeap<Reverse<(Turn, u32)>>,
}

impl Waiting {
    /// Creates an empty list for the states of a system.
    #[must_use]
    pub fn new(system: &System) -> Waiting {
        Waiting {
            depths: system.processes.iter().map(|process| depths(system, process)).collect(),
            turns: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }
}

impl<B: Bound> OpenList<B> for Waiting {
    fn push(&mut self, state: &Arrival<'_, B>) {
        let weight = self.depths.iter().zip(state.row).map(|(depths, at)| depths[*at as usize]).sum();
        let before = match state.stamp {
            Some(stamp) => Some(Turn { round: (stamp >> 32) as u32, weight: stamp as u32 }),
            None => state.parent.map(|parent| self.turns[parent.0 as usize]),
        };
        let turn = match before {
            None => Turn { round: 0, weight },
            Some(before) => Turn { round: before.round + u32::from(weight < before.weight), weight },
        };
        let at = state.node.0 as usize;
        self.turns.resize(self.turns.len().max(at + 1), Turn::default());
        self.turns[at] = turn;
        self.heap.push(Reverse((turn, state.node.0)));
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.heap.pop().map(|Reverse((_, node))| NodeId(node))
    }
    fn stamp(&self, node: NodeId) -> u64 {
        let Turn { round, weight } = self.turns[node.0 as usize];
        u64::from(round) << 32 | u64::from(weight)
    }
    fn len(&self) -> usize {
        self.heap.len()
    }
    fn can_be_saved(&self) -> bool {
        true
    }
    fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.turns.len());
        for Turn { round, weight } in &self.turns {
            out.number((*round).into());
            out.number((*weight).into());
        }
        let open: Vec<NodeId> = self.heap.iter().map(|Reverse((_, node))| NodeId(*node)).collect();
        out.nodes(open.iter());
    }
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        let (limit, number_of_turns) = (1 << 31, from.below(added + 1, "there are too many turns")?);
        let mut turn = || {
            let mut number = || from.below(limit, "there is no such turn");
            Ok(Turn { round: number()?, weight: number()? })
        };
        self.turns = (0..number_of_turns).map(|_| turn()).collect::<Result<_, SnapshotError>>()?;
        self.turns.resize(added, Turn::default());
        self.heap = from.nodes(added)?.into_iter().map(|node| Reverse((self.turns[node.0 as usize], node.0))).collect();
        Ok(())
    }
    fn bytes(&self) -> usize {
        self.turns.capacity() * size_of::<Turn>() + self.heap.capacity() * size_of::<(Turn, u32)>()
    }
}

/// Returns the longest distance of each location of a process from the initial one, without edges
/// that close a cycle.
fn depths(system: &System, process: &Process) -> Vec<u32> {
    let cycles = Cycles::of(system, process);
    let mut depths = vec![0; cycles.order.len()];
    for from in cycles.order.into_iter().rev() {
        for &to in &cycles.ahead[from] {
            depths[to] = depths[to].max(depths[from] + 1);
        }
    }
    depths
}
