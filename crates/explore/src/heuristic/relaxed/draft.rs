//! A network that is being made.

use std::collections::HashMap;

use super::network::{Action, LATER, Network, Node};

/// A node of a draft.
struct Part {
    /// What it needs, if it needs all of that; else one of those that feed it will do.
    all: Option<Vec<Node>>,
    action: Option<Action>,
    is_partner: bool,
    outs: Vec<u32>,
}

/// Nodes and connections, in any order.
#[derive(Default)]
pub struct Draft {
    parts: Vec<Part>,
    sets: HashMap<(bool, Vec<Node>), Node>,
}

impl Draft {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// A node that one of those that feed it is enough for.
    pub fn any(&mut self) -> Node {
        self.parts.push(Part { all: None, action: None, is_partner: false, outs: Vec::new() });
        self.parts.len() as u32 - 1
    }

    /// A node for "somebody is there to take an action with".
    pub fn partner(&mut self) -> Node {
        self.parts.push(Part { all: None, action: None, is_partner: true, outs: Vec::new() });
        self.parts.len() as u32 - 1
    }

    /// A node that is reached with all of these.
    pub fn all(&mut self, mut needs: Vec<Node>, action: Option<Action>) -> Node {
        needs.sort_unstable();
        needs.dedup();
        let node = self.parts.len() as u32;
        needs.iter().for_each(|need| self.parts[*need as usize].outs.push(node));
        self.parts.push(Part { all: Some(needs), action, is_partner: false, outs: Vec::new() });
        node
    }

    /// A node that is reached with one, or with all, of these; the same one for the same question.
    pub fn shared(&mut self, all: bool, mut set: Vec<Node>) -> Node {
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
    pub fn lead(&mut self, from: Node, to: Node) {
        self.parts[from as usize].outs.push(to);
    }

    /// `to` is reached one layer after `from`.
    pub fn lead_later(&mut self, from: Node, to: Node) {
        self.lead(from, to | LATER);
    }

    /// The network of the nodes from which `goal` can be reached, and the new numbers of all nodes;
    /// none for those left out.
    pub fn finish(self, goal: Node) -> (Network, Vec<Option<Node>>) {
        let relevant = self.relevant(goal);
        let kind = |part: &Part| u32::from(!part.is_partner) + u32::from(part.action.is_some());
        let mut order: Vec<usize> = (0..self.parts.len()).filter(|i| relevant[*i]).collect();
        order.sort_by_key(|i| kind(&self.parts[*i]));
        let mut numbers = vec![None; self.parts.len()];
        order.iter().enumerate().for_each(|(new, old)| numbers[*old] = Some(new as Node));
        let mut network = Network {
            starts: vec![0],
            needs_at: vec![0],
            first_plain: order.iter().filter(|i| kind(&self.parts[**i]) < 1).count() as Node,
            first_action: order.iter().filter(|i| kind(&self.parts[**i]) < 2).count() as Node,
            goal: numbers[goal as usize].unwrap_or(0),
            ..Network::default()
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
    fn relevant(&self, goal: Node) -> Vec<bool> {
        let mut into: Vec<Vec<Node>> = vec![Vec::new(); self.parts.len()];
        for (from, part) in self.parts.iter().enumerate() {
            part.outs.iter().for_each(|to| into[(to & !LATER) as usize].push(from as Node));
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
