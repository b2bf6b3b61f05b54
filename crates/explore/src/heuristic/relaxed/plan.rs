//! A relaxed plan: transitions that lead from a state to the goal, if whatever was reached stays reached.

use model::system::EdgeId;

use super::network::{Network, Node, Role};

/// Nobody.
pub const NOBODY: Node = Node::MAX;
/// Marks the number of a vector whose strong participants an action is taken with.
pub const VECTOR: Node = 1 << 31;

/// How nodes were reached.
pub trait Reached {
    /// The network.
    fn network(&self) -> &Network;
    /// Which node has led to one that one is enough for; [`NOBODY`]: it was there from the start.
    fn by(&self, node: Node) -> Node;
    /// When a node was reached: in which layer, or at which cost.
    fn moment(&self, node: Node) -> u32;
    /// With whom an action that waits for others is taken.
    fn partner(&self, node: Node) -> Node;
    /// The strong participants of a vector, as they are taken.
    fn participants(&self, vector: u32) -> &[Node];
}

/// A transition of a plan: when, an edge, and the one that it is taken with.
pub type PlanStep = (u32, EdgeId, Option<EdgeId>);

/// Finds the plan behind what was reached.
#[derive(Default)]
pub struct Plan {
    /// Nodes that are seen to, by the search that did.
    seen: Vec<u32>,
    stamp: u32,
    open: Vec<Node>,
    steps: Vec<PlanStep>,
}

impl Plan {
    /// How many transitions there are. The goal must have been reached.
    pub fn find(&mut self, reached: &impl Reached) -> u32 {
        let network = reached.network();
        if self.seen.len() < network.len() || self.stamp == u32::MAX {
            self.seen = vec![0; network.len()];
            self.stamp = 0;
        }
        self.stamp += 1;
        self.steps.clear();
        self.open.clear();
        self.need(network.goal);
        while let Some(node) = self.open.pop() {
            let needs = network.needs(node);
            if needs.is_empty() {
                // A fact or a choice: whoever has led to it.
                let by = reached.by(node);
                if by != NOBODY {
                    self.need(by);
                    if by >= network.first_action && reached.moment(node) > reached.moment(by) {
                        self.steps.push(step(reached, by));
                    }
                }
                continue;
            }
            needs.iter().for_each(|need| self.need(*need));
            if node >= network.first_waiting {
                match reached.partner(node) {
                    NOBODY => {}
                    partner if partner & VECTOR != 0 => {
                        reached.participants(partner & !VECTOR).iter().for_each(|other| self.need(*other));
                    }
                    partner => network.needs(partner).iter().for_each(|need| self.need(*need)),
                }
            }
        }
        self.steps.sort_unstable();
        self.steps.dedup();
        self.steps.len() as u32
    }

    #[inline]
    fn need(&mut self, node: Node) {
        let seen = &mut self.seen[node as usize];
        if *seen != self.stamp {
            *seen = self.stamp;
            self.open.push(node);
        }
    }

    /// The edges that the plan starts with.
    pub fn helpful(&self, out: &mut Vec<EdgeId>) {
        out.clear();
        for (_, edge, with) in self.steps.iter().take_while(|(moment, ..)| *moment == 0) {
            out.push(*edge);
            out.extend(*with);
        }
    }

    /// The transitions in the order of their moments.
    pub fn steps(&self) -> &[PlanStep] {
        &self.steps
    }
}

/// The transition that an action or effect belongs to.
fn step(reached: &impl Reached, node: Node) -> PlanStep {
    let network = reached.network();
    let moment = reached.moment(node);
    let edge_of = |node: Node| network.action(node).map(|action| action.edge);
    let edge = edge_of(node).unwrap_or(EdgeId(0));
    // An effect needs its action.
    let own = |need: &&Node| **need >= network.first_waiting && edge_of(**need) == Some(edge);
    let action = if node >= network.first_waiting { Some(node) } else { network.needs(node).iter().find(own).copied() };
    let Some(action) = action else { return (moment, edge, None) };
    let mut partner = reached.partner(action);
    if partner == NOBODY {
        return (moment, edge, None);
    }
    if partner & VECTOR != 0 {
        let participants = reached.participants(partner & !VECTOR);
        let leader = participants.first().and_then(|first| edge_of(*first));
        // One step for all of them.
        return if participants.contains(&action) {
            (moment, leader.unwrap_or(edge), None)
        } else {
            (moment, edge, leader)
        };
    }
    // Who sends a value that the effect needs is the one to take it with.
    for need in network.needs(node) {
        let by = if network.needs(*need).is_empty() { reached.by(*need) } else { NOBODY };
        if by != NOBODY && by >= network.first_action && reached.moment(*need) == reached.moment(by) {
            let own = |n: &&Node| **n >= network.first_waiting && edge_of(**n) == edge_of(by);
            let writer =
                if by >= network.first_waiting { Some(by) } else { network.needs(by).iter().find(own).copied() };
            // One that receives as well is there anyway, with who sends to both.
            let sends = |n: &Node| network.action(*n).is_some_and(|a| matches!(a.role, Role::Channel { side: 0, .. }));
            partner = writer.filter(sends).unwrap_or(partner);
        }
    }
    let with = edge_of(partner);
    let alone = network.action(partner).is_some_and(|a| matches!(a.role, Role::Channel { free: true, .. }));
    match with {
        // Who receives a broadcast comes along with the sender.
        Some(sender) if alone => (moment, sender, None),
        Some(other) if other < edge => (moment, other, Some(edge)),
        _ => (moment, edge, with),
    }
}
