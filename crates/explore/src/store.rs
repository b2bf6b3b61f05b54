//! The states seen so far: discrete parts, each with the zones that were reached with it.
//!
//! Rows are packed, see `rows`; zones are kept once each, see [`crate::zones`]. A node keeps its parent and its place among
//! the parent's successors, from which a trace is run again.

use model::System;
use std::{cmp::Ordering, ops::Range};

use crate::{
    batch::Reached,
    pages::Pages,
    rows::Rows,
    zones::{ZoneId, Zones},
};

/// A node of the search tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

/// The number of a discrete part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Discrete(pub u32);

const NO_NODE: u32 = u32::MAX;
const GONE: u32 = u32::MAX;

/// Which states make others needless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Only equal ones.
    Simple,
    /// Those whose zone holds the other's.
    Cover,
    /// The zones of a discrete part become their convex hull: answers may be wrong on the side of "reachable".
    Join,
}

/// What became of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// It is in a stored one.
    Covered,
    /// It is new, or holds stored ones that are gone now.
    New(NodeId),
}

/// Where a state comes from.
pub struct Origin<'a> {
    /// The state before it.
    pub parent: Option<NodeId>,
    /// Its place among the parent's successors.
    pub ordinal: u32,
    /// Nodes that are not dropped, even if it covers them.
    pub keep: &'a Range<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    discrete: u32,
    /// The zone; [`GONE`] for nodes whose zone is in another one's.
    zone: u32,
    next: u32,
    parent: u32,
    ordinal: u32,
}

/// The set of states.
pub struct Store {
    rows: Rows,
    /// The first node of each discrete part.
    first: Pages<u32>,
    nodes: Pages<Node>,
    zones: Zones,
    update: Update,
    stored: usize,
    zone: Vec<i32>,
    other: Vec<i32>,
}

impl Store {
    /// An empty store for the states of a system.
    #[must_use]
    pub fn new(system: &System, update: Update) -> Store {
        Store {
            rows: Rows::new(system),
            first: Pages::new(1),
            nodes: Pages::new(1),
            zones: Zones::new(system.clocks.len()),
            update,
            stored: 0,
            zone: Vec::new(),
            other: Vec::new(),
        }
    }

    /// How many states were ever added.
    #[must_use]
    pub fn added(&self) -> usize {
        self.nodes.len()
    }

    /// How many states are in it.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// The zones of the states.
    #[must_use]
    pub fn zones(&self) -> &Zones {
        &self.zones
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.first.bytes() + self.nodes.bytes() + self.zones.bytes()
    }

    #[inline]
    fn node(&self, node: u32) -> &Node {
        self.nodes.item(node as usize)
    }

    fn node_mut(&mut self, node: u32) -> &mut Node {
        self.nodes.item_mut(node as usize)
    }

    /// Whether a node's zone is in another one's by now.
    #[must_use]
    pub fn is_gone(&self, node: NodeId) -> bool {
        self.node(node.0).zone == GONE
    }

    /// The nodes of all states that are in it, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId).filter(|node| !self.is_gone(*node))
    }

    /// The parent of a node, and its place among the parent's successors.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> (Option<NodeId>, u32) {
        let node = self.node(node.0);
        ((node.parent != NO_NODE).then_some(NodeId(node.parent)), node.ordinal)
    }

    /// Reads a node's state.
    pub fn get(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<i32>) {
        self.read_row(self.discrete(node), row);
        self.zones.read(self.zone(node), zone);
    }

    /// The discrete part of a node.
    #[must_use]
    pub fn discrete(&self, node: NodeId) -> Discrete {
        Discrete(self.node(node.0).discrete)
    }

    /// Reads a discrete part.
    pub fn read_row(&self, discrete: Discrete, row: &mut Vec<i32>) {
        self.rows.read(discrete.0, row);
    }

    /// The zone of a node that is not gone.
    #[must_use]
    pub fn zone(&self, node: NodeId) -> ZoneId {
        ZoneId(self.node(node.0).zone)
    }

    /// Forgets zones that no state has any more. Numbers of zones are good until then.
    pub fn sweep(&mut self) {
        self.zones.sweep();
    }

    /// The number of a row, new or old.
    pub fn intern(&mut self, row: &[i32]) -> Discrete {
        let (discrete, is_new) = self.rows.intern(row);
        if is_new {
            self.first.push(&[NO_NODE]);
        }
        Discrete(discrete)
    }

    /// Adds a state, unless it is covered: one with a zone whose lower and upper clock bounds are `alu` by one that simulates
    /// it, others by one that includes it. Returns the number of the state's zone as well.
    pub fn insert(
        &mut self,
        Discrete(discrete): Discrete,
        zone: Reached<'_>,
        alu: Option<(&[i32], &[i32])>,
        origin: &Origin<'_>,
    ) -> (Insert, ZoneId) {
        let reached = match zone {
            Reached::Known(id) => id,
            Reached::Fresh(zone) => self.zones.intern(zone),
        };
        let first = *self.first.item(discrete as usize);
        let mut id = reached;
        if self.update == Update::Simple {
            if self.has(first, reached) {
                return (Insert::Covered, reached);
            }
        } else if first != NO_NODE {
            match self.make_room(discrete, reached, alu, origin.keep) {
                Some(grown) => id = grown,
                None => return (Insert::Covered, reached),
            }
        }
        self.zones.share(id);
        let next = *self.first.item(discrete as usize);
        let parent = origin.parent.map_or(NO_NODE, |p| p.0);
        let new = Node { discrete, zone: id.0, next, parent, ordinal: origin.ordinal };
        let node = self.nodes.push(&[new]) as u32;
        *self.first.item_mut(discrete as usize) = node;
        self.stored += 1;
        (Insert::New(NodeId(node)), reached)
    }

    /// Whether one of the nodes from `at` on has the zone.
    fn has(&self, mut at: u32, zone: ZoneId) -> bool {
        while at != NO_NODE {
            let node = self.node(at);
            if node.zone == zone.0 {
                return true;
            }
            at = node.next;
        }
        false
    }

    /// Compares a zone with those of a discrete part. `None`: one of them covers it. Those that it covers are dropped; where
    /// zones are joined, all are, and the hull is returned.
    fn make_room(
        &mut self,
        discrete: u32,
        mut new: ZoneId,
        bounds: Option<(&[i32], &[i32])>,
        keep: &Range<u32>,
    ) -> Option<ZoneId> {
        if self.update == Update::Join {
            self.zones.read(new, &mut self.zone);
        }
        let (mut before, mut at) = (NO_NODE, *self.first.item(discrete as usize));
        while at != NO_NODE {
            let node = *self.node(at);
            let old = ZoneId(node.zone);
            let order = match bounds {
                None => self.zones.compare(new, old),
                Some(bounds) => self.zones.compare_by_simulation(new, old, bounds),
            };
            if order.is_some_and(Ordering::is_le) {
                return None;
            }
            let mut drops = order.is_some();
            if self.update == Update::Join && !drops {
                self.zones.read(old, &mut self.other);
                zone::convex_hull(&mut self.zone, &self.other);
                new = self.zones.intern(&self.zone);
                drops = true;
            }
            if drops && !keep.contains(&at) {
                self.zones.release(old);
                self.node_mut(at).zone = GONE;
                self.stored -= 1;
                if before == NO_NODE {
                    *self.first.item_mut(discrete as usize) = node.next;
                } else {
                    self.node_mut(before).next = node.next;
                }
            } else {
                before = at;
            }
            at = node.next;
        }
        Some(new)
    }
}
