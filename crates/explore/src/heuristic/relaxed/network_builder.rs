//! A network that is being made.

use std::collections::HashMap;

use super::network::{Action, LATER, NodeNumber, RelaxedNetwork};

/// A node of a draft.
struct BuilderNode {
    /// What it needs, if it needs all of that; else one of those that feed it will do.
    all: Option<Vec<NodeNumber>>,
    action: Option<Action>,
    is_partner: bool,
    outs: Vec<u32>,
}

/// Nodes and connections, in any order.
#[derive(Default)]
pub struct NetworkBuilder {
    parts: Vec<BuilderNode>,
    sets: HashMap<(bool, Vec<NodeNumber>), NodeNumber>,
}

impl NetworkBuilder {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// A node that one of those that feed it is enough for.
    pub fn any(&mut self) -> NodeNumber {
        self.parts.push(BuilderNode { all: None, action: None, is_partner: false, outs: Vec::new() });
        self.parts.len() as u32 - 1
    }

    /// A node for "somebody is there to take an action with".
    pub fn partner(&mut self) -> NodeNumber {
        self.parts.push(BuilderNode { all: None, action: None, is_partner: true, outs: Vec::new() });
        self.parts.len() as u32 - 1
    }

    /// A node that is reached with all of these.
    pub fn all(&mut self, mut needs: Vec<NodeNumber>, action: Option<Action>) -> NodeNumber {
        needs.sort_unstable();
        needs.dedup();
        let node = self.parts.len() as u32;
        needs.iter().for_each(|need| self.parts[*need as usize].outs.push(node));
        self.parts.push(BuilderNode { all: Some(needs), action, is_partner: false, outs: Vec::new() });
        node
    }

    /// A node that is reached with one, or with all, of these; the same one for the same question.
    pub fn shared(&mut self, all: bool, mut set: Vec<NodeNumber>) -> NodeNumber {
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
            set.iter().for_each(|from| self.lead(*from, node));
            node
        };
        self.sets.insert((all, set), node);
        node
    }

    /// `to` is reached with `from`.
    pub fn lead(&mut self, from: NodeNumber, to: NodeNumber) {
        self.parts[from as usize].outs.push(to);
    }

    /// `to` is reached one layer after `from`.
    pub fn lead_later(&mut self, from: NodeNumber, to: NodeNumber) {
        self.lead(from, to | LATER);
    }

    /// The network of the nodes from which `goal` can be reached, and the new numbers of all nodes;
    /// none for those left out.
    pub fn finish(self, goal: NodeNumber) -> (RelaxedNetwork, Vec<Option<NodeNumber>>) {
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
                // What an action needs it need not add.
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

    /// From which nodes the goal can be reached.
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
