//! The states seen so far: discrete parts, each with the zones that were reached with it.
//!
//! Rows are packed to the bits that the ranges of their numbers need, zones to 16 bits where all bounds fit. A node
//! keeps its parent and its place among the parent's successors, from which a trace is run again.

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHasher;
use std::hash::Hasher;

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

#[derive(Clone, Copy)]
struct Node {
    discrete: u32,
    /// The zone's place; [`GONE`] for nodes whose zone is in another one's.
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
    words: usize,
    /// Meta variables, which no state is told apart by, are kept beside the packed row.
    meta: usize,
    packed: Vec<u64>,
    metas: Vec<i32>,
    table: HashTable<u32>,
    /// The first node of each discrete part.
    first: Vec<u32>,
    nodes: Vec<Node>,
    dim: usize,
    zones: Zones,
    update: Update,
    key: Vec<u64>,
    stored: usize,
}

/// Zones, as 16-bit numbers as long as all fit.
struct Zones {
    area: usize,
    narrow: Vec<i16>,
    wide: Vec<i32>,
    /// Places of the narrow and wide zones that are gone.
    free: [Vec<u32>; 2],
}

/// Marks a place in the wide list.
const WIDE: u32 = 1 << 31;

fn narrow(bound: i32) -> Option<i16> {
    if bound == zone::INFINITY { Some(i16::MAX) } else { i16::try_from(bound).ok().filter(|b| *b != i16::MAX) }
}

fn widen(bound: i16) -> i32 {
    if bound == i16::MAX { zone::INFINITY } else { i32::from(bound) }
}

impl Zones {
    fn put(&mut self, zone: &[i32]) -> u32 {
        if zone.iter().all(|b| narrow(*b).is_some()) {
            let place = self.free[0].pop().unwrap_or_else(|| {
                self.narrow.resize(self.narrow.len() + self.area, 0);
                (self.narrow.len() / self.area) as u32 - 1
            });
            let to = &mut self.narrow[place as usize * self.area..][..self.area];
            for (to, from) in to.iter_mut().zip(zone) {
                *to = narrow(*from).unwrap_or(i16::MAX);
            }
            return place;
        }
        let place = self.free[1].pop().unwrap_or_else(|| {
            self.wide.resize(self.wide.len() + self.area, 0);
            (self.wide.len() / self.area) as u32 - 1
        });
        self.wide[place as usize * self.area..][..self.area].copy_from_slice(zone);
        place | WIDE
    }

    fn drop(&mut self, place: u32) {
        if place & WIDE == 0 {
            self.free[0].push(place);
        } else {
            self.free[1].push(place & !WIDE);
        }
    }

    fn get(&self, place: u32, out: &mut Vec<i32>) {
        out.clear();
        if place & WIDE == 0 {
            out.extend(self.narrow[place as usize * self.area..][..self.area].iter().map(|b| widen(*b)));
        } else {
            out.extend_from_slice(&self.wide[(place & !WIDE) as usize * self.area..][..self.area]);
        }
    }
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
        Store {
            words: word as usize + 1,
            fields,
            meta: system.initial.len() - system.identity,
            packed: Vec::new(),
            metas: Vec::new(),
            table: HashTable::new(),
            first: Vec::new(),
            nodes: Vec::new(),
            dim,
            zones: Zones { area: dim * dim, narrow: Vec::new(), wide: Vec::new(), free: [Vec::new(), Vec::new()] },
            update,
            key: Vec::new(),
            stored: 0,
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

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.packed.capacity() * 8
            + self.metas.capacity() * 4
            + self.table.capacity() * 5
            + self.first.capacity() * 4
            + self.nodes.capacity() * size_of::<Node>()
            + self.zones.narrow.capacity() * 2
            + self.zones.wide.capacity() * 4
    }

    /// Whether a node's zone is in another one's by now.
    #[must_use]
    pub fn is_gone(&self, node: NodeId) -> bool {
        self.nodes[node.0 as usize].zone == GONE
    }

    /// The nodes of all states that are in it, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId).filter(|node| !self.is_gone(*node))
    }

    /// The parent of a node, and its place among the parent's successors.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> (Option<NodeId>, u32) {
        let node = &self.nodes[node.0 as usize];
        ((node.parent != NO_NODE).then_some(NodeId(node.parent)), node.ordinal)
    }

    /// Reads a node's state.
    pub fn get(&self, node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<i32>) {
        let node = &self.nodes[node.0 as usize];
        let packed = &self.packed[node.discrete as usize * self.words..][..self.words];
        row.clear();
        for f in &self.fields {
            let mask = if f.bits == 0 { 0 } else { u64::MAX >> (64 - f.bits) };
            row.push((i64::from(f.low) + ((packed[f.word as usize] >> f.shift) & mask) as i64) as i32);
        }
        row.extend_from_slice(&self.metas[node.discrete as usize * self.meta..][..self.meta]);
        self.zones.get(node.zone, zone);
    }

    fn pack(&mut self, row: &[i32]) -> u64 {
        self.key.clear();
        self.key.resize(self.words, 0);
        for (f, value) in self.fields.iter().zip(row) {
            self.key[f.word as usize] |= ((i64::from(*value) - i64::from(f.low)) as u64) << f.shift;
        }
        hash(&self.key)
    }

    /// The number of a discrete part, new or old.
    fn discrete(&mut self, row: &[i32]) -> u32 {
        let hash_value = self.pack(row);
        let (packed, words, key) = (&self.packed, self.words, &self.key);
        let at = |i: u32| &packed[i as usize * words..][..words];
        if let Some(&found) = self.table.find(hash_value, |i| at(*i) == key.as_slice()) {
            return found;
        }
        let new = self.first.len() as u32;
        self.table.insert_unique(hash_value, new, |i| hash(at(*i)));
        self.packed.extend_from_slice(&self.key);
        self.metas.extend_from_slice(&row[self.fields.len()..]);
        self.first.push(NO_NODE);
        new
    }

    /// Adds a state, unless it is covered. `bounds`: lower and upper clock bounds, for aLU; `None` for plain inclusion.
    pub fn insert(
        &mut self,
        row: &[i32],
        zone: &[i32],
        bounds: Option<(&[i32], &[i32])>,
        parent: Option<NodeId>,
        ordinal: u32,
    ) -> Insert {
        let discrete = self.discrete(row);
        let mut joined = None;
        let mut other = Vec::with_capacity(zone.len());
        let (mut before, mut at) = (NO_NODE, self.first[discrete as usize]);
        while at != NO_NODE {
            let node = self.nodes[at as usize];
            self.zones.get(node.zone, &mut other);
            let new = joined.as_deref().unwrap_or(zone);
            if self.covers(new, &other, bounds) {
                return Insert::Covered;
            }
            let replaced = match self.update {
                Update::Simple => false,
                Update::Cover => self.covers(&other, new, bounds),
                Update::Join => {
                    let mut hull = new.to_vec();
                    zone::convex_hull(&mut hull, &other);
                    joined = Some(hull);
                    true
                }
            };
            if replaced {
                self.zones.drop(node.zone);
                self.nodes[at as usize].zone = GONE;
                self.stored -= 1;
                if before == NO_NODE {
                    self.first[discrete as usize] = node.next;
                } else {
                    self.nodes[before as usize].next = node.next;
                }
            } else {
                before = at;
            }
            at = node.next;
        }
        let zone = self.zones.put(joined.as_deref().unwrap_or(zone));
        let id = self.nodes.len() as u32;
        let parent = parent.map_or(NO_NODE, |p| p.0);
        self.nodes.push(Node { discrete, zone, next: self.first[discrete as usize], parent, ordinal });
        self.first[discrete as usize] = id;
        self.stored += 1;
        Insert::New(NodeId(id))
    }

    /// Whether `b` makes `a` needless.
    fn covers(&self, a: &[i32], b: &[i32], bounds: Option<(&[i32], &[i32])>) -> bool {
        match (self.update, bounds) {
            (Update::Simple, _) => a == b,
            (_, Some((lower, upper))) => zone::is_subsumed(a, b, self.dim, lower, upper),
            (_, None) => zone::is_included(a, b),
        }
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for word in words {
        hasher.write_u64(*word);
    }
    hasher.finish()
}
