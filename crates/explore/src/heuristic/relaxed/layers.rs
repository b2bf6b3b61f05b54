//! Reaches a network's goal, layer by layer: the paper's abstract transition graph.

use model::system::EdgeId;

use super::{
    build::Built,
    meetings::Meetings,
    network::{LATER, Network, Node},
    plan::{NOBODY, Reached},
    start::Start,
};

/// What is reached from a state, and when.
pub struct Layers {
    network: Network,
    start: Start,
    /// How many of those that feed each node are still to come.
    missing: Vec<u32>,
    /// The layer of each node that was reached.
    layer: Vec<u32>,
    /// Which node has led to each that one is enough for.
    by: Vec<Node>,
    meetings: Meetings,
    queue: Vec<Node>,
    /// What the next layer may reach, and by whom. Some of it may be there before.
    next: Vec<(Node, Node)>,
    /// Actions of this edge are not there.
    banned: Option<EdgeId>,
}

impl Layers {
    /// For a network.
    #[must_use]
    pub fn new(Built { network, start }: Built) -> Layers {
        let count = network.len();
        Layers {
            start,
            missing: vec![0; count],
            layer: vec![0; count],
            by: vec![NOBODY; count],
            meetings: Meetings::new(&network),
            queue: Vec::new(),
            next: Vec::new(),
            banned: None,
            network,
        }
    }

    /// Whether the values of clocks matter.
    #[must_use]
    pub fn sees_clocks(&self) -> bool {
        !self.start.clocks.is_empty()
    }

    /// The facts of a state, by which this relaxation tells states apart.
    pub fn facts(&mut self, row: &[i32], zone: &[i32]) -> &[Node] {
        self.start.locate(row, zone);
        &self.start.facts
    }

    /// The layer in which the goal is reached from a state; `None`: it never is.
    pub fn reach(&mut self, row: &[i32], zone: &[i32]) -> Option<u32> {
        self.start.locate(row, zone);
        self.missing.copy_from_slice(&self.network.need);
        self.meetings.reset();
        let (mut queue, mut next) = (std::mem::take(&mut self.queue), std::mem::take(&mut self.next));
        queue.clear();
        next.clear();
        for &fact in &self.start.facts {
            // Several regions may be one fact.
            if self.missing[fact as usize] > 0 {
                self.missing[fact as usize] = 0;
                self.layer[fact as usize] = 0;
                self.by[fact as usize] = NOBODY;
                queue.push(fact);
            }
        }
        let mut layer = 0;
        let goal = self.network.goal as usize;
        let found = loop {
            let mut at = 0;
            while at < queue.len() {
                let node = queue[at];
                at += 1;
                if node < self.network.first_waiting {
                    self.spread(node, layer, &mut queue, &mut next);
                } else {
                    self.meet(node, layer, &mut queue, &mut next);
                }
            }
            // Each that feeds it counts, also behind the first: it goes below zero.
            if self.missing[goal] as i32 <= 0 {
                break Some(layer);
            }
            if next.is_empty() {
                break None;
            }
            layer += 1;
            queue.clear();
            for (node, by) in next.drain(..) {
                if self.missing[node as usize] == 1 {
                    self.missing[node as usize] = 0;
                    self.layer[node as usize] = layer;
                    self.by[node as usize] = by;
                    queue.push(node);
                }
            }
        };
        (self.queue, self.next) = (queue, next);
        found
    }

    /// The sum of the layers of what the goal needs, where it was reached: some of that may be nearer in one state than in
    /// another, though the last of it is not.
    #[must_use]
    pub fn goal_sum(&self) -> u32 {
        let by = self.by[self.network.goal as usize];
        if by == NOBODY { 0 } else { self.network.needs(by).iter().map(|need| self.layer[*need as usize]).sum() }
    }

    /// The same, without an edge.
    pub fn reach_without(&mut self, row: &[i32], zone: &[i32], edge: EdgeId) -> Option<u32> {
        self.banned = Some(edge);
        let found = self.reach(row, zone);
        self.banned = None;
        found
    }

    /// Goes along the connections of a node.
    #[inline]
    fn spread(&mut self, node: Node, layer: u32, queue: &mut Vec<Node>, next: &mut Vec<(Node, Node)>) {
        if self.is_banned(node) {
            return;
        }
        for &out in self.network.outs(node) {
            let to = (out & !LATER) as usize;
            if out & LATER != 0 {
                // One of those that lead to it is enough for all that comes later.
                if self.missing[to] == 1 {
                    next.push((to as Node, node));
                }
                continue;
            }
            let missing = self.missing[to].wrapping_sub(1);
            self.missing[to] = missing;
            if missing == 0 {
                self.by[to] = node;
                self.layer[to] = layer;
                queue.push(to as Node);
            }
        }
    }

    #[inline]
    fn is_banned(&self, node: Node) -> bool {
        let edge = |node| self.network.action(node).map(|action| action.edge);
        self.banned.is_some() && edge(node) == self.banned
    }

    /// An action that is taken with others is ready.
    fn meet(&mut self, node: Node, layer: u32, queue: &mut Vec<Node>, next: &mut Vec<(Node, Node)>) {
        if self.is_banned(node) {
            return;
        }
        self.meetings.ready(&self.network, node);
        for i in 0..self.meetings.taken.len() {
            let node = self.meetings.taken[i];
            // What an action that waited does comes from now on.
            self.layer[node as usize] = layer;
            self.spread(node, layer, queue, next);
        }
    }
}

impl Reached for Layers {
    fn network(&self) -> &Network {
        &self.network
    }
    fn by(&self, node: Node) -> Node {
        self.by[node as usize]
    }
    fn moment(&self, node: Node) -> u32 {
        self.layer[node as usize]
    }
    fn partner(&self, node: Node) -> Node {
        self.meetings.partner(&self.network, node)
    }
    fn participants(&self, vector: u32) -> &[Node] {
        self.meetings.participants(vector)
    }
}
