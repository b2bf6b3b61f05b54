//! Dealing the states of one store to the stores of several workers.

use zone::Bound;

use super::{GONE, NO_NODE, NodeId, Origin, RemoteNode, RemoteParent, SearchNode, Store};
use crate::{
    graph::ZoneGraph,
    zones::{ZoneBuffer, ZoneId},
};

impl<B: Bound> Store<B> {
    /// Returns whether its states can be dealt: covering is a matter of zones alone.
    pub(crate) fn can_be_dealt(&self) -> bool {
        self.groups.is_none()
    }

    /// Copies all nodes to the stores of their owners, which are empty. Returns their places there.
    pub(crate) fn deal(
        &self,
        graph: &mut ZoneGraph<'_, B>,
        simulates: bool,
        owner: impl Fn(&[i32]) -> usize,
        stores: &mut [&mut Store<B>],
    ) -> Vec<RemoteNode> {
        let mut places: Vec<RemoteNode> = Vec::with_capacity(self.nodes.len());
        let (mut row, mut buffer) = (Vec::new(), ZoneBuffer::default());
        for number in 0..self.nodes.len() as u32 {
            let SearchNode { zone, parent, ordinal, .. } = *self.node(number);
            self.row(NodeId(number), &mut row);
            let worker = owner(&row);
            let depth = self.depth(NodeId(number)).unwrap_or(0);
            let parent = (parent != NO_NODE).then(|| places[parent as usize]);
            let is_own = |at: &RemoteNode| at.worker as usize == worker;
            let origin = Origin {
                parent: parent.filter(is_own).map(|at| at.node),
                remote: parent.filter(|at| !is_own(at)).map(|at| RemoteParent { at, depth, is_wide: false }),
                ordinal,
            };
            let alu = simulates.then(|| graph.bounds(&row));
            let store = &mut *stores[worker];
            let discrete = store.intern(&row).0;
            let node = if zone == GONE {
                store.push_gone(discrete, origin, depth)
            } else {
                let zone = ZoneId(zone);
                let bounds = self.zones.bounds(zone, &mut buffer);
                let zone = store.intern_stored_zone(bounds, self.zones.hash(zone));
                let node = store.push(discrete, zone, origin, depth);
                store.list(node, discrete, alu);
                node
            };
            places.push(RemoteNode { worker: worker as u16, node: NodeId(node) });
        }
        places
    }
}
