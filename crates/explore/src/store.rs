//! The states seen so far: discrete parts, each with the zones that were reached with it.
//!
//! Rows are packed to the bits that the ranges of their numbers need; zones are kept once each, see [`crate::zones`]. A
//! node keeps its parent and its place among the parent's successors, from which a trace is run again.

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHasher;
use std::{hash::Hasher, ops::Range};

use crate::{
    batch::Reached,
    graph::ZoneGraph,
    pages::Pages,
    zones::{ZoneId, Zones},
};

/// A node of the search tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

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

/// How a number of a row is packed.
#[derive(Clone, Copy)]
struct Field {
    low: i32,
    word: u32,
    shift: u32,
    bits: u32,
}

/// The set of states.
pub struct Store {
    fields: Vec<Field>,
    /// Meta variables, which no state is told apart by, are kept beside the packed row.
    packed: Pages<u64>,
    metas: Pages<i32>,
    table: HashTable<u32>,
    /// The first node of each discrete part.
    first: Pages<u32>,
    nodes: Pages<Node>,
    zones: Zones,
    update: Update,
    stored: usize,
    key: Vec<u64>,
    zone: Vec<i32>,
    other: Vec<i32>,
}

impl Store {
    /// An empty store for the states of a system.
    #[must_use]
    pub fn new(system: &System, update: Update) -> Store {
        let mut fields = Vec::new();
        let (mut word, mut used) = (0, 0);
        for &(low, high) in &system.ranges[..system.identity] {
            let bits = 64 - (i64::from(high) - i64::from(low)).max(0).leading_zeros();
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            fields.push(Field { low, word, shift: used, bits });
            used += bits;
        }
        let dim = system.clocks.len();
        let words = word as usize + 1;
        Store {
            fields,
            packed: Pages::new(words),
            metas: Pages::new(system.initial.len() - system.identity),
            table: HashTable::new(),
            first: Pages::new(1),
            nodes: Pages::new(1),
            zones: Zones::new(dim),
            update,
            stored: 0,
            key: vec![0; words],
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
        self.packed.bytes()
            + self.metas.bytes()
            + self.table.capacity() * 5
            + self.first.bytes()
            + self.nodes.bytes()
            + self.zones.bytes()
    }

    #[inline]
    fn node(&self, node: u32) -> &Node {
        &self.nodes.get(node as usize)[0]
    }

    fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes.get_mut(node as usize)[0]
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

    /// Reads a node's state; returns the number of its zone.
    pub fn get(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<i32>) -> ZoneId {
        let node = self.node(node.0);
        let packed = self.packed.get(node.discrete as usize);
        row.clear();
        row.extend(self.fields.iter().map(|f| {
            let mask = u64::MAX.checked_shr(64 - f.bits).unwrap_or(0);
            f.low.wrapping_add(((packed[f.word as usize] >> f.shift) & mask) as i32)
        }));
        row.extend_from_slice(self.metas.get(node.discrete as usize));
        let id = ZoneId(node.zone);
        self.zones.read(id, zone);
        id
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

    /// The number of a discrete part, new or old.
    fn discrete(&mut self, row: &[i32]) -> u32 {
        self.key.fill(0);
        for (f, value) in self.fields.iter().zip(row) {
            self.key[f.word as usize] |= u64::from(value.wrapping_sub(f.low) as u32) << f.shift;
        }
        let hash_value = hash(&self.key);
        let (packed, key) = (&self.packed, &self.key);
        if let Some(&found) = self.table.find(hash_value, |i| packed.get(*i as usize) == key) {
            return found;
        }
        let new = self.packed.len() as u32;
        self.table.insert_unique(hash_value, new, |i| hash(packed.get(*i as usize)));
        self.packed.push(&self.key);
        self.metas.push(&row[self.fields.len()..]);
        self.first.push(&[NO_NODE]);
        new
    }

    /// Adds a state, unless it is covered. `alu`: aLU with the clock bounds of this graph decides what is covered;
    /// `None`: plain inclusion does. Returns the number of the state's zone as well.
    pub fn insert(
        &mut self,
        row: &[i32],
        zone: Reached<'_>,
        alu: Option<&mut ZoneGraph<'_>>,
        origin: &Origin<'_>,
    ) -> (Insert, ZoneId) {
        let discrete = self.discrete(row);
        let reached = match zone {
            Reached::Known(id) => id,
            Reached::Fresh(zone) => self.zones.intern(zone),
        };
        let first = self.first.get(discrete as usize)[0];
        if self.has(first, reached) {
            return (Insert::Covered, reached);
        }
        let mut id = reached;
        if first != NO_NODE && self.update != Update::Simple {
            match self.make_room(discrete, reached, alu.map(|graph| graph.bounds(row)), origin.keep) {
                Some(grown) => id = grown,
                None => return (Insert::Covered, reached),
            }
        }
        self.zones.share(id);
        let next = self.first.get(discrete as usize)[0];
        let parent = origin.parent.map_or(NO_NODE, |p| p.0);
        let new = Node { discrete, zone: id.0, next, parent, ordinal: origin.ordinal };
        let node = self.nodes.push(&[new]) as u32;
        self.first.get_mut(discrete as usize)[0] = node;
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
        let (mut before, mut at) = (NO_NODE, self.first.get(discrete as usize)[0]);
        while at != NO_NODE {
            let node = *self.node(at);
            let old = ZoneId(node.zone);
            let covers = |a, b| match bounds {
                None => self.zones.is_included(b, a),
                Some(bounds) => self.zones.is_subsumed(b, a, bounds),
            };
            if covers(old, new) {
                return None;
            }
            let mut drops = covers(new, old);
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
                    self.first.get_mut(discrete as usize)[0] = node.next;
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

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for word in words {
        hasher.write_u64(*word);
    }
    hasher.finish()
}
