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
    wave: Wave,
    meetings: Meetings,
    /// Actions of this edge are not there.
    banned: Option<EdgeId>,
}

impl Layers {
    /// For a network.
    #[must_use]
    pub fn new(Built { network, start }: Built) -> Layers {
        let count = network.len();
        let wave = Wave {
            missing: vec![0; count],
            how: vec![How { layer: 0, by: NOBODY }; count],
            layer: 0,
            queue: Vec::new(),
            next: Vec::new(),
        };
        Layers { start, wave, meetings: Meetings::new(&network), banned: None, network }
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
        let Layers { network, start, wave, meetings, banned } = self;
        start.locate(row, zone);
        meetings.reset();
        wave.begin(&network.need, &start.facts);
        let is_banned = |node: Node| banned.is_some() && network.action(node).map(|action| action.edge) == *banned;
        let goal = network.goal as usize;
        loop {
            let mut at = 0;
            while let Some(&node) = wave.queue.get(at) {
                at += 1;
                if is_banned(node) {
                    continue;
                }
                if node < network.first_waiting || meetings.is_simple(network, node) {
                    wave.spread(node, network.outs(node));
                } else {
                    meetings.ready(network, node);
                    for &taken in &meetings.taken {
                        // What an action that waited does comes from now on.
                        wave.how[taken as usize].layer = wave.layer;
                        wave.spread(taken, network.outs(taken));
                    }
                }
                if wave.missing[goal] == 0 {
                    return Some(wave.layer);
                }
            }
            if wave.next.is_empty() {
                return None;
            }
            std::mem::swap(&mut wave.queue, &mut wave.next);
            wave.next.clear();
            wave.layer += 1;
        }
    }

    /// The sum of the layers of what the goal needs, where it was reached: some of that may be nearer in one state than in
    /// another, though the last of it is not.
    #[must_use]
    pub fn goal_sum(&self) -> u32 {
        let by = self.by(self.network.goal);
        if by == NOBODY { 0 } else { self.network.needs(by).iter().map(|need| self.moment(*need)).sum() }
    }

    /// The same, without an edge.
    pub fn reach_without(&mut self, row: &[i32], zone: &[i32], edge: EdgeId) -> Option<u32> {
        self.banned = Some(edge);
        let found = self.reach(row, zone);
        self.banned = None;
        found
    }
}

/// How a node was reached.
#[derive(Clone, Copy)]
struct How {
    /// In which layer.
    layer: u32,
    /// Which node has led to it, if one is enough for it.
    by: Node,
}

/// What was reached so far.
struct Wave {
    /// How many of those that feed each node are still to come.
    missing: Vec<u32>,
    how: Vec<How>,
    layer: u32,
    /// The nodes of this layer, and of the next one.
    queue: Vec<Node>,
    next: Vec<Node>,
}

impl Wave {
    fn begin(&mut self, need: &[u32], facts: &[Node]) {
        self.missing.copy_from_slice(need);
        self.layer = 0;
        self.queue.clear();
        self.next.clear();
        for &fact in facts {
            // Several regions may be one fact.
            if std::mem::take(&mut self.missing[fact as usize]) > 0 {
                self.how[fact as usize] = How { layer: 0, by: NOBODY };
                self.queue.push(fact);
            }
        }
    }

    /// Goes along the connections of a node.
    #[inline]
    fn spread(&mut self, node: Node, outs: &[u32]) {
        for &out in outs {
            let to = (out & !LATER) as usize;
            let missing = self.missing[to].wrapping_sub(1);
            self.missing[to] = missing;
            if missing == 0 {
                let later = out >> 31;
                self.how[to] = How { layer: self.layer + later, by: node };
                if later == 0 { self.queue.push(to as Node) } else { self.next.push(to as Node) }
            }
        }
    }
}

impl Reached for Layers {
    fn network(&self) -> &Network {
        &self.network
    }
    fn by(&self, node: Node) -> Node {
        self.wave.how[node as usize].by
    }
    fn moment(&self, node: Node) -> u32 {
        self.wave.how[node as usize].layer
    }
    fn partner(&self, node: Node) -> Node {
        self.meetings.partner(&self.network, node)
    }
    fn participants(&self, vector: u32) -> &[Node] {
        self.meetings.participants(vector)
    }
}
