//! Groups of states that differ in elements of lattices and zones only.

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::{merging::merged_slots, pages::Pages, zones::ZoneId};

/// A state of a group.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub node: u32,
    pub zone: ZoneId,
}

/// The states of a group. The data for comparisons is contiguous.
#[derive(Default)]
pub(super) struct Group {
    pub members: Vec<Member>,
    /// The elements of all members, concatenated.
    elements: Vec<i32>,
    /// The values of join conditions of all members, concatenated; see [`crate::merging`].
    values: Vec<i32>,
    /// The number of integers of a member in both.
    widths: (u32, u32),
}

impl Group {
    pub(super) fn add(&mut self, member: Member, elements: &[i32], values: &[i32]) {
        self.widths = (elements.len() as u32, values.len() as u32);
        self.members.push(member);
        self.elements.extend_from_slice(elements);
        self.values.extend_from_slice(values);
    }

    pub(super) fn all_elements(&self) -> &[i32] {
        &self.elements
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

    /// Removes a member; the others stay in order.
    pub(super) fn remove(&mut self, i: usize) -> Member {
        let (elements, values) = (self.widths.0 as usize, self.widths.1 as usize);
        self.elements.drain(i * elements..(i + 1) * elements);
        self.values.drain(i * values..(i + 1) * values);
        self.members.remove(i)
    }
}

/// States by the part of their rows that is not an element of a lattice.
pub(super) struct Groups {
    /// The slots of the row that distinguish groups.
    own: Vec<usize>,
    /// The slots of the row that are elements, in the order of the row.
    pub slots: Vec<usize>,
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
        Groups {
            keys: Pages::new(own.len()),
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

    /// Returns the group of a row.
    pub(super) fn find(&mut self, row: &[i32]) -> u32 {
        self.key.clear();
        self.key.extend(self.own.iter().map(|slot| row[*slot]));
        let (keys, key) = (&mut self.keys, &self.key);
        let value = hash(key);
        if let Some(&found) = self.table.find(value, |i| keys.get(*i as usize) == key) {
            return found;
        }
        let new = keys.push(key) as u32;
        self.table.insert_unique(value, new, |i| hash(keys.get(*i as usize)));
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

fn hash(key: &[i32]) -> u64 {
    let mut hasher = FxHasher::default();
    key.iter().for_each(|number| hasher.write_i32(*number));
    hasher.finish()
}
