//! A relaxed plan: transitions that lead from a state to the goal, if whatever was reached stays
//! reached.

use model::system::EdgeId;

use super::network::{NodeNumber, RelaxedNetwork, Role};

/// Nobody.
pub const NOBODY: NodeNumber = NodeNumber::MAX;

/// How nodes were reached.
pub trait RelaxedReachability {
    /// The network.
    fn network(&self) -> &RelaxedNetwork;
    /// Which node has led to one that one is enough for; [`NOBODY`]: it was there from the start.
    fn by(&self, node: NodeNumber) -> NodeNumber;
    /// When a node was reached: in which layer, or at which cost.
    fn moment(&self, node: NodeNumber) -> u32;
}

/// A transition of a plan: when, an edge, and the one that it is taken with.
pub type PlanStep = (u32, EdgeId, Option<EdgeId>);

/// Finds the plan behind what was reached.
#[derive(Default)]
pub struct Plan {
    /// Nodes that are seen to, by the search that did.
    seen: Vec<u32>,
    /// Actions and effects whose transitions are in the plan, likewise.
    taken: Vec<u32>,
    stamp: u32,
    open: Vec<NodeNumber>,
    steps: Vec<PlanStep>,
}

impl Plan {
    /// How many transitions there are. The goal must have been reached.
    pub fn find(&mut self, reached: &impl RelaxedReachability) -> u32 {
        let network = reached.network();
        if self.seen.len() < network.len() || self.stamp == u32::MAX {
            self.seen = vec![0; network.len()];
            self.taken = vec![0; network.len()];
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
                    if by >= network.first_action
                        && reached.moment(node) > reached.moment(by)
                        && std::mem::replace(&mut self.taken[by as usize], self.stamp) != self.stamp
                    {
                        self.steps.push(step(reached, by));
                    }
                }
                continue;
            }
            needs.iter().for_each(|need| self.need(*need));
        }
        self.steps.sort_unstable();
        self.steps.dedup();
        self.steps.len() as u32
    }

    #[inline]
    fn need(&mut self, node: NodeNumber) {
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
fn step(reached: &impl RelaxedReachability, node: NodeNumber) -> PlanStep {
    let network = reached.network();
    let moment = reached.moment(node);
    let action = |node: NodeNumber| network.action(node).copied();
    let Some(own) = action(node) else { return (moment, EdgeId(0), None) };
    let (mut partner, mut sender): (Option<EdgeId>, Option<EdgeId>) = (None, None);
    let mut at = Some(node);
    while let Some(needs) = at.map(|node| network.needs(node)) {
        for need in needs {
            let by = reached.by(*need);
            if *need < network.first_plain {
                let edge = action(by).map(|action| action.edge);
                partner = [partner, edge].into_iter().flatten().min();
            } else if network.needs(*need).is_empty() && by != NOBODY && reached.moment(*need) == reached.moment(by) {
                // A value that is written in the same transition. One that receives as well is
                // there anyway, with who sends to both.
                sender = action(by).filter(|action| action.role != Role::Follows).map(|action| action.edge).or(sender);
            }
        }
        // An effect needs its action, which may need to be ready.
        at = needs.iter().find(|need| action(**need) == Some(own)).copied();
    }
    // Who sends a value that is needed is the one to take it with.
    let with = sender.or(partner);
    match (with, own.role) {
        (None, _) => (moment, own.edge, None),
        (Some(sender), Role::Follows) => (moment, sender, None),
        // One step for all of them.
        (Some(other), Role::Joins) => (moment, other.min(own.edge), None),
        (Some(other), Role::Meets) => (moment, other.min(own.edge), Some(other.max(own.edge))),
    }
}
