//! A relaxed plan: transitions from a state to the goal, under the monotonicity abstraction.

use model::system::EdgeId;

use super::network::{NodeNumber, RelaxedNetwork, Role};

/// No node.
pub(crate) const NO_NODE: NodeNumber = NodeNumber::MAX;

/// The result of a relaxed exploration.
pub(crate) trait RelaxedReachability {
    /// Returns the network.
    fn network(&self) -> &RelaxedNetwork;
    /// Returns the predecessor that reached an *or* node; [`NO_NODE`]: it was given.
    fn by(&self, node: NodeNumber) -> NodeNumber;
    /// Returns the layer or cost of a node.
    fn moment(&self, node: NodeNumber) -> u32;
}

/// A transition of a plan: its layer or cost, an edge, and its partner.
pub type PlanStep = (u32, EdgeId, Option<EdgeId>);

/// Extracts plans.
#[derive(Default)]
pub(crate) struct Plan {
    /// Supported nodes, marked by the stamp of the extraction.
    seen: Vec<u32>,
    /// Actions and effects whose transitions are in the plan, marked likewise.
    taken: Vec<u32>,
    stamp: u32,
    open: Vec<NodeNumber>,
    steps: Vec<PlanStep>,
}

impl Plan {
    /// Extracts a plan and returns its length. Precondition: the goal is reached.
    pub(crate) fn find(&mut self, reached: &impl RelaxedReachability) -> u32 {
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
                // A fact or a choice needs its supporter.
                let by = reached.by(node);
                if by != NO_NODE {
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

    /// Writes the edges of the first transitions.
    pub(crate) fn helpful(&self, out: &mut Vec<EdgeId>) {
        out.clear();
        for (_, edge, with) in self.steps.iter().take_while(|(moment, ..)| *moment == 0) {
            out.push(*edge);
            out.extend(*with);
        }
    }

    /// Returns the transitions in the order of their layers or costs.
    pub(crate) fn steps(&self) -> &[PlanStep] {
        &self.steps
    }
}

/// Returns the transition of an action or effect.
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
            } else if network.needs(*need).is_empty() && by != NO_NODE && reached.moment(*need) == reached.moment(by) {
                // A value that is written in the same transition. Another receiver is taken anyway,
                // with the sender.
                sender = action(by).filter(|action| action.role != Role::Follows).map(|action| action.edge).or(sender);
            }
        }
        // An effect needs its action, which may need its announcement.
        at = needs.iter().find(|need| action(**need) == Some(own)).copied();
    }
    // The sender of a needed value is the partner.
    let with = sender.or(partner);
    match (with, own.role) {
        (None, _) => (moment, own.edge, None),
        (Some(sender), Role::Follows) => (moment, sender, None),
        // One transition for all participants.
        (Some(other), Role::Joins) => (moment, other.min(own.edge), None),
        (Some(other), Role::Meets) => (moment, other.min(own.edge), Some(other.max(own.edge))),
    }
}
