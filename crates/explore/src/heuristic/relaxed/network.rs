//! The relaxed problem as a network of nodes.
//!
//! A node is *reached* when enough of those that feed it are: all of them for an *and*, one for an
//! *or*. Facts ("process 2 is at location 5", "v has a value of region 3") are *or* nodes, actions
//! are *and* nodes of what their edges need, partners included. What an action adds is reached one
//! layer later, all else at once. Nodes count what they still wait for, so that each connection is
//! looked at once.

use model::system::EdgeId;

/// The number of a node.
pub type NodeNumber = u32;

/// Marks a connection along which a layer passes.
pub const LATER: u32 = 1 << 31;

/// An edge on one of the ways in which it may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The edge.
    pub edge: EdgeId,
    /// How it is taken with others.
    pub role: Role,
}

/// How an edge is taken with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Alone, or with one on the other side of a channel.
    Meets,
    /// It receives a broadcast: it comes along with whoever sends.
    Follows,
    /// It takes part in a vector.
    Joins,
}

/// The network. Nodes come in this order: partners, that is "somebody is there to take an action
/// with"; then facts and others without an edge; then actions and effects.
#[derive(Clone, Debug, Default)]
pub struct RelaxedNetwork {
    /// How many of those that feed a node must be reached.
    pub need: Vec<u32>,
    /// Where the connections of each node start; one entry more.
    pub starts: Vec<u32>,
    /// To whom they lead, with [`LATER`].
    pub outs: Vec<u32>,
    /// Where what an *and* node needs starts; one entry more.
    pub needs_at: Vec<u32>,
    /// What *and* nodes need; nothing for others.
    pub needs: Vec<NodeNumber>,
    /// The first node that is no partner.
    pub first_plain: NodeNumber,
    /// The first node that has an action.
    pub first_action: NodeNumber,
    /// The actions of the nodes from the first one on. Effects have that of their edge.
    pub actions: Vec<Action>,
    /// Reached where the goal may be.
    pub goal: NodeNumber,
}

impl RelaxedNetwork {
    /// To whom a node leads.
    #[inline]
    pub fn outs(&self, node: NodeNumber) -> &[u32] {
        &self.outs[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// What an *and* node needs.
    pub fn needs(&self, node: NodeNumber) -> &[NodeNumber] {
        &self.needs[self.needs_at[node as usize] as usize..self.needs_at[node as usize + 1] as usize]
    }

    /// The action of a node, if it has one.
    pub fn action(&self, node: NodeNumber) -> Option<&Action> {
        node.checked_sub(self.first_action).map(|i| &self.actions[i as usize])
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.need.len()
    }
}
