//! The relaxed problem as a network of nodes.
//!
//! An *and* node is *reached* when all its predecessors are, an *or* node when one is. Facts
//! ("process 2 is at location 5", "v has a value of region 3") are *or* nodes, actions are *and*
//! nodes of the needs of their edges, including partners. The facts that an action adds are reached
//! one layer later, all other nodes at once. Nodes count their missing predecessors, so that each
//! connection is followed once.

use model::system::EdgeId;

/// The number of a node.
pub(crate) type NodeNumber = u32;

/// Marks a connection to the next layer.
pub(super) const LATER: u32 = 1 << 31;

/// An edge, with a way to take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// The edge.
    pub edge: EdgeId,
    /// Its role in synchronisations.
    pub(crate) role: Role,
}

/// The role of an edge in synchronisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is taken alone, or with a partner on the other side of a channel.
    Meets,
    /// It receives a broadcast.
    Follows,
    /// It participates in a vector.
    Joins,
}

/// The network. Nodes are ordered: partners, that is "a partner is ready"; then facts and others
/// without an edge; then actions and effects.
#[derive(Clone, Debug, Default)]
pub(crate) struct RelaxedNetwork {
    /// The number of predecessors that a node needs.
    pub need: Vec<u32>,
    /// The offsets of each node's connections; one entry more.
    pub starts: Vec<u32>,
    /// The targets of connections, with [`LATER`].
    pub(crate) outs: Vec<u32>,
    /// The offsets of each *and* node's needs; one entry more.
    pub(crate) needs_at: Vec<u32>,
    /// The needs of *and* nodes.
    pub needs: Vec<NodeNumber>,
    /// The first node that is not a partner.
    pub(crate) first_plain: NodeNumber,
    /// The first node with an action.
    pub(crate) first_action: NodeNumber,
    /// The actions of the nodes from that one on. Effects have the action of their edge.
    pub actions: Vec<Action>,
    /// The goal node.
    pub goal: NodeNumber,
}

impl RelaxedNetwork {
    /// Returns the connections of a node.
    #[inline]
    pub(crate) fn outs(&self, node: NodeNumber) -> &[u32] {
        &self.outs[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Returns the needs of an *and* node.
    pub(crate) fn needs(&self, node: NodeNumber) -> &[NodeNumber] {
        &self.needs[self.needs_at[node as usize] as usize..self.needs_at[node as usize + 1] as usize]
    }

    /// Returns the action of a node, if it has one.
    pub(crate) fn action(&self, node: NodeNumber) -> Option<&Action> {
        node.checked_sub(self.first_action).map(|i| &self.actions[i as usize])
    }

    /// Returns the number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.need.len()
    }
}
