//! Groups of states that differ in elements of lattices and zones only.

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHashMap;
use std::ops::Range;

use super::{NO_NODE, NodeId, index::Index};
use crate::{
    merging::{ElementKey, merged_slots},
    pages::{Pages, hash_integers},
    zones::ZoneId,
};

/// A state of a group.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// The node; [`NO_NODE`] if it was removed from an indexed group.
    pub node: u32,
    pub zone: ZoneId,
}

/// Returns the key of elements, if they have one.
pub(super) type FindKey<'k> = dyn Fn(&[i32]) -> Option<ElementKey> + 'k;

/// The states of a group. The data for comparisons is contiguous.
#[derive(Default)]
pub(super) struct Group {
    pub members: Vec<Member>,
    /// The elements of all members, concatenated.
    pub elements: Vec<i32>,
    /// The values of join conditions of all members, concatenated; see [`crate::merging`].
    values: Vec<i32>,
    /// The number of integers of a member in both.
    widths: (u32, u32),
    /// The number of removed members.
    removed: u32,
    /// The index of the elements, if there are many.
    pub index: Option<Box<Index>>,
}

impl Group {
    /// Adds a member. `find` returns the keys of elements, if they have keys.
    pub(super) fn add(&mut self, member: Member, elements: &[i32], values: &[i32], find: &FindKey<'_>) {
        self.compact();
        self.widths = (elements.len() as u32, values.len() as u32);
        self.members.push(member);
        self.elements.extend_from_slice(elements);
        self.values.extend_from_slice(values);
        match &mut self.index {
            Some(index) => find(elements).into_iter().for_each(|key| index.add(key)),
            None if Index::suits(self.members.len()) => self.build_index(find),
            None => {}
        }
    }

    fn build_index(&mut self, find: &FindKey<'_>) {
        if self.widths.0 == 0 {
            return;
        }
        let keys = self.elements.chunks_exact(self.widths.0 as usize).map(find);
        self.index = keys.collect::<Option<Vec<_>>>().map(|keys| Box::new(Index::new(keys.into_iter())));
    }

    /// Returns the number of integers that it takes.
    pub(super) fn capacity(&self) -> usize {
        let index = self.index.as_ref().map_or(0, |index| index.capacity());
        self.elements.capacity() + self.values.capacity() + 2 * self.members.capacity() + index
    }

    /// Drops removed members if they are many.
    fn compact(&mut self) {
        if 2 * self.removed as usize <= self.members.len() {
            return;
        }
        let (elements, values) = (self.widths.0 as usize, self.widths.1 as usize);
        let mut kept = 0;
        let Some(index) = &mut self.index else { return };
        for i in 0..self.members.len() {
            if self.members[i].node != NO_NODE {
                self.members[kept] = self.members[i];
                self.elements.copy_within(i * elements..(i + 1) * elements, kept * elements);
                self.values.copy_within(i * values..(i + 1) * values, kept * values);
                kept += 1;
            }
        }
        self.members.truncate(kept);
        self.elements.truncate(kept * elements);
        self.values.truncate(kept * values);
        self.removed = 0;
        index.compact();
    }

    #[inline]
    pub(super) fn elements(&self, i: usize) -> &[i32] {
        let width = self.widths.0 as usize;
        &self.elements[i * width..][..width]
    }

    #[inline]
    pub(super) fn values(&self, i: usize) -> &[i32] {
        let width = self.widths.1 as usize;
        &self.values[i * width..][..width]
    }

    /// Returns the nodes of its members.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.members.iter().map(|member| NodeId(member.node)).filter(|node| node.0 != NO_NODE)
    }

    /// Puts its members in the order of these nodes. Returns `false` if they have others.
    pub(super) fn put_in_order(&mut self, nodes: &[NodeId]) -> bool {
        let places: FxHashMap<u32, usize> = self.members.iter().enumerate().map(|(i, m)| (m.node, i)).collect();
        let order: Vec<usize> = nodes.iter().filter_map(|node| places.get(&node.0)).copied().collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.members.len()) || nodes.len() != order.len() {
            return false;
        }
        if order.is_sorted() {
            return true;
        }
        let elements = order.iter().flat_map(|i| self.elements(*i)).copied().collect();
        let values = order.iter().flat_map(|i| self.values(*i)).copied().collect();
        let index = self.index.as_ref().map(|index| index.keys());
        self.index = index.map(|keys| Box::new(Index::new(order.iter().filter_map(|i| keys[*i]))));
        self.members = order.iter().map(|i| self.members[*i]).collect();
        (self.elements, self.values) = (elements, values);
        true
    }

    /// Removes a member; the others stay in order. In an indexed group they keep their numbers.
    pub(super) fn remove(&mut self, i: usize) -> Member {
        if let Some(index) = &mut self.index {
            index.remove(i);
            self.removed += 1;
            let member = self.members[i];
            self.members[i].node = NO_NODE;
            return member;
        }
        let (elements, values) = (self.widths.0 as usize, self.widths.1 as usize);
        self.elements.drain(i * elements..(i + 1) * elements);
        self.values.drain(i * values..(i + 1) * values);
        self.members.remove(i)
    }
}

/// States by the part of their rows that is not an element of a lattice.
pub(super) struct Groups {
    /// The slots of the row that distinguish groups.
    own: Vec<Range<usize>>,
    /// The slots of the row that are elements.
    slots: Vec<Range<usize>>,
    keys: Pages<i32>,
    table: HashTable<u32>,
    /// The group of each discrete part that has a state.
    of: Vec<u32>,
    pub groups: Vec<Group>,
    /// The approximate capacity of the groups in integers.
    pub capacity: usize,
    key: Vec<i32>,
}

impl Groups {
    pub(super) fn new(system: &System, merged: &[usize]) -> Groups {
        let slots: Vec<usize> = merged_slots(system, merged).collect();
        let unread = system.unread.iter().flat_map(|number| {
            let variable = &system.variables[*number as usize];
            variable.first as usize..(variable.first + variable.shape.size().ints) as usize
        });
        let mut is_own = vec![true; system.identity];
        unread.chain(slots.iter().copied()).for_each(|slot| is_own[slot] = false);
        let own: Vec<usize> = (0..system.identity).filter(|slot| is_own[*slot]).collect();
        let (width, own, slots) = (own.len(), runs(&own), runs(&slots));
        Groups {
            keys: Pages::new(width),
            table: HashTable::new(),
            of: Vec::new(),
            groups: Vec::new(),
            capacity: 0,
            key: Vec::new(),
            own,
            slots,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.capacity * size_of::<i32>() + self.groups.capacity() * size_of::<Group>();
        self.keys.bytes() + crate::pages::table_bytes(&self.table) + self.of.capacity() * size_of::<u32>() + lists
    }

    /// Reads the elements of a row.
    pub(super) fn elements(&self, row: &[i32], out: &mut Vec<i32>) {
        collect(&self.slots, row, out);
    }

    /// Returns the group of a row.
    pub(super) fn find(&mut self, row: &[i32]) -> u32 {
        collect(&self.own, row, &mut self.key);
        let (keys, key) = (&mut self.keys, &self.key);
        let value = hash_integers(key);
        if let Some(&found) = self.table.find(value, |i| keys.get(*i as usize) == key) {
            return found;
        }
        let new = keys.push(key) as u32;
        self.table.insert_unique(value, new, |i| hash_integers(keys.get(*i as usize)));
        self.groups.push(Group::default());
        new
    }

    /// Stores the group of a new discrete part.
    pub(super) fn note(&mut self, discrete: u32, group: u32) {
        debug_assert!(discrete as usize <= self.of.len());
        if discrete as usize == self.of.len() {
            self.of.push(group);
        }
    }

    /// Returns the group of a discrete part that has a state.
    pub(super) fn of(&self, discrete: u32) -> u32 {
        self.of[discrete as usize]
    }
}

/// Returns consecutive slots as ranges.
fn runs(slots: &[usize]) -> Vec<Range<usize>> {
    let runs = slots.chunk_by(|slot, next| slot + 1 == *next);
    runs.filter_map(|run| Some(*run.first()?..*run.last()? + 1)).collect()
}

/// Reads some slots of a row.
fn collect(runs: &[Range<usize>], row: &[i32], out: &mut Vec<i32>) {
    out.clear();
    runs.iter().for_each(|run| out.extend_from_slice(&row[run.clone()]));
}
