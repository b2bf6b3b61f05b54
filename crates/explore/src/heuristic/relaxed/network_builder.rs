//! Builds networks.

use std::collections::HashMap;

use super::network::{Action, LATER, NodeNumber, RelaxedNetwork};

/// A node of a network that is built.
struct BuilderNode {
    /// The needs of an *and* node; `None`: an *or* node.
    all: Option<Vec<NodeNumber>>,
    action: Option<Action>,
    is_partner: bool,
    outs: Vec<u32>,
}

/// Nodes and connections, in the order of insertion.
#[derive(Default)]
pub(crate) struct NetworkBuilder {
    parts: Vec<BuilderNode>,
    sets: HashMap<(bool, Vec<NodeNumber>), NodeNumber>,
}

impl NetworkBuilder {
    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Adds an *or* node.
    pub(crate) fn any(&mut self) -> NodeNumber {
        self.parts.push(BuilderNode { all: None, action: None, is_partner: false, outs: Vec::new() });
        self.parts.len() as u32 - 1
    }

    /// Adds a node for "a partner is ready".
    pub(crate) fn partner(&mut self) -> NodeNumber {
        self.parts.push(BuilderNode { all: None, action: None, is_partner: true, outs: Vec::new() });
        self.parts.len() as u32 - 1
    }

    /// Adds an *and* node with these needs.
    pub(crate) fn all(&mut self, mut needs: Vec<NodeNumber>, action: Option<Action>) -> NodeNumber {
        needs.sort_unstable();
        needs.dedup();
        let node = self.parts.len() as u32;
        needs.iter().for_each(|need| self.parts[*need as usize].outs.push(node));
        self.parts.push(BuilderNode { all: Some(needs), action, is_partner: false, outs: Vec::new() });
        node
    }

    /// Returns an *or* or *and* node with these predecessors; equal arguments give the same node.
    pub(crate) fn shared(&mut self, all: bool, mut set: Vec<NodeNumber>) -> NodeNumber {
        set.sort_unstable();
        set.dedup();
        if let [only] = set[..] {
            return only;
        }
        if let Some(known) = self.sets.get(&(all, set.clone())) {
            return *known;
        }
        let node = if all {
            self.all(set.clone(), None)
        } else {
            let node = self.any();
            set.iter().for_each(|from| self.connect(*from, node));
            node
        };
        self.sets.insert((all, set), node);
        node
    }

    /// Connects `from` with `to`.
    pub(crate) fn connect(&mut self, from: NodeNumber, to: NodeNumber) {
        self.parts[from as usize].outs.push(to);
    }

    /// Connects `from` with `to`, which is reached one layer later.
    pub(crate) fn connect_later(&mut self, from: NodeNumber, to: NodeNumber) {
        self.connect(from, to | LATER);
    }

    /// Returns the network of the nodes from which `goal` can be reached, and the new numbers of
    /// all nodes; `None` for irrelevant ones.
    pub(crate) fn finish(self, goal: NodeNumber) -> (RelaxedNetwork, Vec<Option<NodeNumber>>) {
        let relevant = self.relevant(goal);
        let kind = |part: &BuilderNode| u32::from(!part.is_partner) + u32::from(part.action.is_some());
        let mut order: Vec<usize> = (0..self.parts.len()).filter(|i| relevant[*i]).collect();
        order.sort_by_key(|i| kind(&self.parts[*i]));
        let mut numbers = vec![None; self.parts.len()];
        order.iter().enumerate().for_each(|(new, old)| numbers[*old] = Some(new as NodeNumber));
        let mut network = RelaxedNetwork {
            starts: vec![0],
            needs_at: vec![0],
            first_plain: order.iter().filter(|i| kind(&self.parts[**i]) < 1).count() as NodeNumber,
            first_action: order.iter().filter(|i| kind(&self.parts[**i]) < 2).count() as NodeNumber,
            goal: numbers[goal as usize].unwrap_or(0),
            ..RelaxedNetwork::default()
        };
        for &old in &order {
            let part = &self.parts[old];
            network.need.push(part.all.as_ref().map_or(1, |all| all.len() as u32));
            for out in &part.outs {
                let to = out & !LATER;
                // An action need not add its own needs.
                if part.all.as_ref().is_some_and(|needs| needs.contains(&to)) {
                    continue;
                }
                network.outs.extend(numbers[to as usize].map(|new| new | out & LATER));
            }
            network.starts.push(network.outs.len() as u32);
            let needs = part.all.iter().flatten().filter_map(|need| numbers[*need as usize]);
            network.needs.extend(needs);
            network.needs_at.push(network.needs.len() as u32);
            network.actions.extend(part.action);
        }
        (network, numbers)
    }

    /// Returns the nodes from which the goal can be reached.
    fn relevant(&self, goal: NodeNumber) -> Vec<bool> {
        let mut into: Vec<Vec<NodeNumber>> = vec![Vec::new(); self.parts.len()];
        for (from, part) in self.parts.iter().enumerate() {
            part.outs.iter().for_each(|to| into[(to & !LATER) as usize].push(from as NodeNumber));
        }
        let mut relevant = vec![false; self.parts.len()];
        let mut open = vec![goal];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut relevant[node as usize], true) {
                open.append(&mut into[node as usize]);
            }
        }
        relevant
    }
}
