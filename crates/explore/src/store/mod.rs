//! The store of states: discrete parts, each with its zones.
//!
//! Rows are packed, see `rows`; each zone is stored once, see `zones`. A node has its
//! parent and its ordinal among the parent's successors, so that a trace can be followed again.

mod deal;
mod groups;
mod index;
mod merge;
mod snapshot;

use model::System;
use std::cmp::Ordering;
use zone::{Bound, Profile};

use crate::{
    batch::ReachedZone,
    pages::Pages,
    rows::RowStore,
    zones::{ZoneBounds, ZoneId, Zones},
};
use groups::Groups;
use merge::{MergeBuffers, SourceCover};
pub(crate) use snapshot::{NumberedZones, ZoneNumbers};

/// A node of the search tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The id of a discrete part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Discrete(pub u32);

const NO_NODE: u32 = u32::MAX;
/// Marks the index of a list of nodes.
const LIST: u32 = 1 << 31;
const GONE: u32 = u32::MAX;

/// Which states cover others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Only equal ones.
    Simple,
    /// Those whose zone includes the other's.
    Cover,
    /// Those whose zone includes the other's, and states of a discrete part are joined to the
    /// convex hull of their zones: an over-approximation. States are then added by
    /// `Store::merge`.
    Join,
}

/// The result of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The state is covered by this stored one.
    Covered(NodeId),
    /// The state is new. It may have replaced stored ones.
    New(NodeId),
}

/// The origin of a state.
#[derive(Clone, Copy)]
pub struct Origin {
    /// Its parent, if that is in the same store.
    pub parent: Option<NodeId>,
    /// Its parent in the store of another worker.
    pub(crate) remote: Option<RemoteParent>,
    /// Its ordinal among the parent's successors.
    pub(crate) ordinal: u32,
}

/// The parent of a state, in the store of another worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteParent {
    pub at: RemoteNode,
    /// The length of the path to the state, if paths have to be short.
    pub depth: u32,
    /// Whether the parent is wide, see [`crate::merging`].
    pub is_wide: bool,
}

/// A node in the store of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RemoteNode {
    pub worker: u16,
    pub node: NodeId,
}

/// A path: the ordinals of the successors to take, the first one among the initial states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The state after which it starts, if that is in the store of another worker.
    pub(crate) after: Option<RemoteNode>,
    /// The ordinals.
    pub steps: Vec<u32>,
}

impl From<Vec<u32>> for Path {
    fn from(steps: Vec<u32>) -> Path {
        Path { after: None, steps }
    }
}

#[derive(Clone, Copy)]
struct SearchNode {
    discrete: u32,
    /// The zone; [`GONE`] for nodes that are covered by another one.
    zone: u32,
    parent: u32,
    ordinal: u32,
}

/// A node of a discrete part that has several nodes.
#[derive(Clone, Copy)]
struct ZoneEntry {
    zone: ZoneId,
    node: u32,
    /// Excludes most pairs of zones that do not cover each other, without comparing them.
    profile: Profile,
}

/// Lower and upper clock bounds.
type LuBounds<'b, B> = (&'b [B], &'b [B]);

/// The set of states.
pub struct Store<B = i32> {
    rows: RowStore,
    /// The states by their groups, if they differ in more than zones.
    groups: Option<Groups>,
    /// The node of each discrete part, or the index of its list if it ever had more than one.
    places: Pages<u32>,
    lists: Vec<Vec<ZoneEntry>>,
    /// The capacity of the lists in entries.
    capacity: usize,
    nodes: Pages<SearchNode>,
    /// The length of the path to each node, if paths have to be short: then a state covers another
    /// only if its path is not longer.
    depths: Option<Pages<u32>>,
    /// The worker in whose store the parent of each node is, if there are several.
    homes: Option<ParentStores>,
    zones: Zones<B>,
    update: Update,
    stored: usize,
    /// The nodes that the last new state replaced.
    replaced: Vec<NodeId>,
    /// What covers the source of the current expansion, if states have groups.
    source_cover: Option<SourceCover>,
    /// Buffers for the state that is added to its group.
    buffers: MergeBuffers,
    /// A buffer for a list of one entry.
    single: Vec<ZoneEntry>,
    zone: Vec<B>,
    other: Vec<B>,
}

/// The workers in whose stores the parents of nodes are.
struct ParentStores {
    /// The worker that owns this store.
    own: u16,
    of: Pages<u16>,
}

/// Stored states with bounds of 64 bits, for observers of a search.
pub trait Stored: Send + Sync {
    /// Reads the state of a node.
    fn state(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<i64>);
    /// Returns whether another node covers a node by now.
    fn is_replaced(&self, node: NodeId) -> bool;
}

impl<B: Bound> Stored for Store<B> {
    fn state(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<i64>) {
        let mut bounds = Vec::new();
        self.get(node, row, &mut bounds);
        zone.clear();
        zone.extend(bounds.into_iter().map(Bound::widest));
    }

    fn is_replaced(&self, node: NodeId) -> bool {
        self.is_gone(node)
    }
}

impl<B: Bound> Store<B> {
    /// Creates an empty store for the states of a system.
    #[must_use]
    pub fn new(system: &System, update: Update) -> Store<B> {
        Store {
            rows: RowStore::new(system),
            groups: None,
            places: Pages::new(1),
            lists: Vec::new(),
            capacity: 0,
            nodes: Pages::new(1),
            depths: None,
            homes: None,
            zones: Zones::new(system.clocks.len()),
            update,
            stored: 0,
            replaced: Vec::new(),
            source_cover: None,
            buffers: MergeBuffers::default(),
            single: Vec::new(),
            zone: Vec::new(),
            other: Vec::new(),
        }
    }

    /// Restricts covering to states whose paths are not shorter: a search by path length then finds
    /// a shortest path.
    #[must_use]
    pub fn with_depths(self) -> Store<B> {
        Store { depths: Some(Pages::new(1)), ..self }
    }

    /// Lets each zone have a tail of so many bounds, see [`crate::local_time`].
    #[must_use]
    pub fn with_tails(self, tail: usize) -> Store<B> {
        Store { zones: self.zones.with_tail(tail), ..self }
    }

    /// Makes it the empty store of one of several workers.
    #[must_use]
    pub(crate) fn of_worker(self, own: u16) -> Store<B> {
        Store { homes: Some(ParentStores { own, of: Pages::new(1) }), ..self }
    }

    /// Lets states cover each other and be joined whose discrete parts differ in some of the
    /// variables in [`model::Network::lattices`]. They are added by `Store::merge`.
    #[must_use]
    pub fn with_groups(self, system: &System, merged: &[usize]) -> Store<B> {
        Store { groups: Some(Groups::new(system, merged)), ..self }
    }

    /// Returns the length of the path to a node, if it is stored.
    #[must_use]
    pub(crate) fn depth(&self, node: NodeId) -> Option<u32> {
        self.depths.as_ref().map(|depths| *depths.item(node.0 as usize))
    }

    /// Returns the number of states that were ever added.
    #[must_use]
    pub(crate) fn added(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether ids are about to run out: nodes and lists have 31 bits each.
    #[must_use]
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= LIST as usize - (1 << 24)
    }

    /// Returns the number of stored states.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// Returns the number of discrete parts.
    #[must_use]
    pub fn discrete_parts(&self) -> usize {
        self.places.len()
    }

    /// Returns the nodes that the last state replaced when it was added by inclusion of zones.
    #[must_use]
    pub(crate) fn replaced(&self) -> &[NodeId] {
        &self.replaced
    }

    /// Returns the zones of the states.
    #[must_use]
    pub(crate) fn zones(&self) -> &Zones<B> {
        &self.zones
    }

    /// Returns the size in bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        // The allocator needs a few bytes for each list.
        let lists = self.lists.capacity() * (size_of::<Vec<ZoneEntry>>() + 16) + self.capacity * size_of::<ZoneEntry>();
        let depths = self.depths.as_ref().map_or(0, Pages::bytes);
        let homes = self.homes.as_ref().map_or(0, |homes| homes.of.bytes());
        self.rows.bytes()
            + self.groups.as_ref().map_or(0, Groups::bytes)
            + self.places.bytes()
            + lists
            + self.nodes.bytes()
            + depths
            + homes
            + self.zones.bytes()
    }

    #[inline]
    fn node(&self, node: u32) -> &SearchNode {
        self.nodes.item(node as usize)
    }

    fn node_mut(&mut self, node: u32) -> &mut SearchNode {
        self.nodes.item_mut(node as usize)
    }

    /// Returns whether another node covers a node by now.
    #[must_use]
    pub(crate) fn is_gone(&self, node: NodeId) -> bool {
        self.node(node.0).zone == GONE
    }

    /// Returns the nodes of all stored states, in the order of insertion.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId).filter(|node| !self.is_gone(*node))
    }

    /// Returns whether there is a node.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        (node.0 as usize) < self.nodes.len()
    }

    /// Returns the parent of a node, if it is in this store, and the node's ordinal among the
    /// parent's successors.
    #[must_use]
    pub(crate) fn parent(&self, node: NodeId) -> (Option<NodeId>, u32) {
        let SearchNode { parent, ordinal, .. } = *self.node(node.0);
        let is_own = parent != NO_NODE && self.home(node).is_none();
        (is_own.then_some(NodeId(parent)), ordinal)
    }

    /// Returns the worker in whose store the parent of a node is, if it is another one.
    fn home(&self, node: NodeId) -> Option<u16> {
        let homes = self.homes.as_ref()?;
        Some(*homes.of.item(node.0 as usize)).filter(|home| *home != homes.own)
    }

    /// Returns the path to a node, as far as it is in this store.
    #[must_use]
    pub fn path(&self, node: NodeId) -> Path {
        let mut steps = Vec::new();
        let (mut first, mut at) = (node, Some(node));
        while let Some(node) = at {
            let (parent, ordinal) = self.parent(node);
            steps.push(ordinal);
            (first, at) = (node, parent);
        }
        steps.reverse();
        let after = self.home(first).map(|worker| RemoteNode { worker, node: NodeId(self.node(first.0).parent) });
        Path { after, steps }
    }

    /// Reads the state of a node.
    pub fn get(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<B>) {
        self.row(node, row);
        self.zones.read(self.zone(node), zone);
    }

    /// Reads a node's row, even if it is gone.
    pub fn row(&self, node: NodeId, row: &mut Vec<i32>) {
        self.rows.read(self.node(node.0).discrete, row);
    }

    /// Returns the discrete part of a node.
    #[must_use]
    pub(crate) fn discrete(&self, node: NodeId) -> Discrete {
        Discrete(self.node(node.0).discrete)
    }

    /// Reads a discrete part that is expanded next.
    pub(crate) fn read_row(&mut self, discrete: Discrete, row: &mut Vec<i32>) {
        self.rows.read_next(discrete.0, row);
    }

    /// Returns the zone of a node that is not gone.
    #[must_use]
    pub(crate) fn zone(&self, node: NodeId) -> ZoneId {
        ZoneId(self.node(node.0).zone)
    }

    /// Returns the id of a reached zone, which may be new. It is valid until the next sweep.
    pub(crate) fn intern_zone(&mut self, zone: ReachedZone<'_, B>) -> ZoneId {
        match zone {
            ReachedZone::Known(id) => id,
            ReachedZone::Fresh(zone) => self.zones.intern(zone),
        }
    }

    /// Lets a zone keep its id.
    pub(crate) fn keep_zone(&mut self, zone: ZoneId) {
        self.zones.share(zone);
    }

    /// Returns whether a stored node of a discrete part that counts includes a zone.
    pub(crate) fn is_within(
        &self,
        Discrete(discrete): Discrete,
        zone: ZoneId,
        counts: impl Fn(NodeId) -> bool,
    ) -> bool {
        let includes = |node: u32, stored: ZoneId| {
            let order = || self.zones.compare(zone, stored, (true, false), None);
            counts(NodeId(node)) && matches!(order(), Some(Ordering::Less | Ordering::Equal))
        };
        match *self.places.item(discrete as usize) {
            NO_NODE => false,
            place if place & LIST == 0 => includes(place, ZoneId(self.node(place).zone)),
            place => self.lists[(place & !LIST) as usize].iter().any(|entry| includes(entry.node, entry.zone)),
        }
    }

    /// Returns the id of a zone of another store, given its hash. It may be new, and is valid until
    /// the next sweep.
    pub(crate) fn intern_stored_zone(&mut self, zone: ZoneBounds<'_, B>, hash: u32) -> ZoneId {
        self.zones.intern_stored(zone, hash)
    }

    /// Removes zones that no state has any more. Zone ids are valid until then.
    pub(crate) fn sweep(&mut self) {
        self.source_cover = None;
        self.zones.sweep();
    }

    /// Returns the id of a row, which may be new.
    pub(crate) fn intern(&mut self, row: &[i32]) -> Discrete {
        let (discrete, is_new) = self.rows.intern(row);
        if is_new {
            self.places.push_item(NO_NODE);
        }
        Discrete(discrete)
    }

    /// Adds a state, unless it is covered: by simulation if `alu` returns clock bounds, which it is
    /// asked for if other zones of the discrete part have to be compared; else by inclusion. Also
    /// returns the id of the state's zone.
    pub(crate) fn insert<'b>(
        &mut self,
        Discrete(discrete): Discrete,
        zone: ReachedZone<'_, B>,
        alu: impl FnOnce() -> Option<LuBounds<'b, B>>,
        origin: Origin,
    ) -> (Insert, ZoneId) {
        let reached = self.intern_zone(zone);
        self.replaced.clear();
        let place = *self.places.item(discrete as usize);
        let depth = self.depth_after(origin);
        if let Some(node) = self.with_zone(place, reached) {
            return (Insert::Covered(NodeId(node)), reached);
        }
        let alu = if place == NO_NODE { None } else { alu() };
        if place != NO_NODE
            && let Some(node) =
                self.with_list(place, discrete, |store, list| store.make_room(list, reached, alu, depth))
        {
            return (Insert::Covered(NodeId(node)), reached);
        }
        let node = self.push(discrete, reached, origin, depth);
        self.list(node, discrete, alu);
        (Insert::New(NodeId(node)), reached)
    }

    /// Returns the node of a discrete part with a zone, if that covers a state with the same zone
    /// whatever the lengths of paths. None of its nodes covers another one, so nothing else matters
    /// then.
    #[inline]
    fn with_zone(&self, place: u32, zone: ZoneId) -> Option<u32> {
        if place == NO_NODE || self.depths.is_some() {
            return None;
        }
        if place & LIST == 0 {
            return (self.node(place).zone == zone.0).then_some(place);
        }
        let list = &self.lists[(place & !LIST) as usize];
        list.iter().find(|entry| entry.zone == zone).map(|entry| entry.node)
    }

    /// Returns the length of the path to a state with this origin, or 0 if lengths are not stored.
    fn depth_after(&self, origin: Origin) -> u32 {
        match origin.remote {
            Some(remote) => remote.depth,
            None => origin.parent.and_then(|parent| self.depth(parent)).map_or(0, |depth| depth + 1),
        }
    }

    fn push(&mut self, discrete: u32, zone: ZoneId, origin: Origin, depth: u32) -> u32 {
        self.zones.share(zone);
        self.stored += 1;
        self.push_node(discrete, zone.0, origin, depth)
    }

    /// Adds a node that is covered by another one.
    fn push_gone(&mut self, discrete: u32, origin: Origin, depth: u32) -> u32 {
        self.push_node(discrete, GONE, origin, depth)
    }

    fn push_node(&mut self, discrete: u32, zone: u32, origin: Origin, depth: u32) -> u32 {
        let parent = origin.remote.map(|remote| remote.at.node).or(origin.parent).map_or(NO_NODE, |p| p.0);
        if let Some(homes) = &mut self.homes {
            homes.of.push_item(origin.remote.map_or(homes.own, |remote| remote.at.worker));
        }
        let node = self.nodes.push_item(SearchNode { discrete, zone, parent, ordinal: origin.ordinal }) as u32;
        if let Some(depths) = &mut self.depths {
            depths.push_item(depth);
        }
        node
    }

    fn entry(&mut self, node: u32, alu: Option<LuBounds<'_, B>>) -> ZoneEntry {
        let zone = ZoneId(self.node(node).zone);
        ZoneEntry { zone, node, profile: self.zones.profile(zone, alu) }
    }

    /// Adds a node to its discrete part.
    fn list(&mut self, node: u32, discrete: u32, alu: Option<LuBounds<'_, B>>) {
        let place = *self.places.item(discrete as usize);
        if place == NO_NODE {
            *self.places.item_mut(discrete as usize) = node;
        } else if place & LIST != 0 {
            let entry = self.entry(node, alu);
            let list = &mut self.lists[(place & !LIST) as usize];
            self.capacity -= list.capacity();
            list.push(entry);
            self.capacity += list.capacity();
        } else {
            let list = vec![self.entry(place, alu), self.entry(node, alu)];
            *self.places.item_mut(discrete as usize) = self.lists.len() as u32 | LIST;
            self.capacity += list.capacity();
            self.lists.push(list);
        }
    }

    /// Calls `work` with the nodes of a discrete part, which may remove some. The profile of a
    /// single one is not known.
    #[inline]
    fn with_list<R>(&mut self, place: u32, discrete: u32, work: impl FnOnce(&mut Self, &mut Vec<ZoneEntry>) -> R) -> R {
        if place & LIST == 0 {
            let mut list = std::mem::take(&mut self.single);
            list.clear();
            let zone = ZoneId(self.node(place).zone);
            list.push(ZoneEntry { zone, node: place, profile: Profile::default() });
            let result = work(self, &mut list);
            if list.is_empty() {
                *self.places.item_mut(discrete as usize) = NO_NODE;
            }
            self.single = list;
            return result;
        }
        let number = (place & !LIST) as usize;
        let mut list = std::mem::take(&mut self.lists[number]);
        let result = work(self, &mut list);
        self.lists[number] = list;
        result
    }

    /// Compares a zone with those of a discrete part. Returns the node of one that covers it; else
    /// removes those that it covers.
    fn make_room(
        &mut self,
        list: &mut Vec<ZoneEntry>,
        new: ZoneId,
        alu: Option<LuBounds<'_, B>>,
        depth: u32,
    ) -> Option<u32> {
        if self.update == Update::Simple {
            let i = list.iter().position(|entry| entry.zone == new)?;
            let node = list[i].node;
            // An equal state counts as new if its path is shorter.
            if self.depth(NodeId(node)).is_some_and(|old| depth < old) {
                self.remove(list, i);
                return None;
            }
            return Some(node);
        }
        // For one zone, a comparison costs less than a profile.
        let profile = (list.len() > 1).then(|| self.zones.profile(new, alu));
        let mut end = list.len();
        loop {
            let (mut less, mut greater) = (true, true);
            let related = |old: &ZoneEntry| {
                if let Some(profile) = &profile {
                    (less, greater) = zone::compare_profiles(profile, &old.profile);
                }
                less | greater
            };
            let Some(i) = list[..end].iter().rposition(related) else { break };
            end = i;
            let ZoneEntry { zone: old, node, .. } = list[i];
            let order = self.zones.compare(new, old, (less, greater), alu);
            let (sooner, later) = self.depth(NodeId(node)).map_or((true, true), |old| (old <= depth, depth <= old));
            match order {
                Some(Ordering::Less | Ordering::Equal) if sooner => return Some(node),
                Some(Ordering::Greater | Ordering::Equal) if later => self.remove(list, i),
                _ => {}
            }
        }
        None
    }

    /// Removes a state.
    fn remove(&mut self, list: &mut Vec<ZoneEntry>, i: usize) {
        let ZoneEntry { zone, node, .. } = list.remove(i);
        self.zones.release(zone);
        self.node_mut(node).zone = GONE;
        self.stored -= 1;
        self.replaced.push(NodeId(node));
    }
}
