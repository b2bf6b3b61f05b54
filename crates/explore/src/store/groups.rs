//! Groups of states that differ in elements of lattices and zones only.

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use super::{NO_NODE, index::Index};
use crate::{
    merging::{ElementMark, Merging, merged_slots},
    pages::Pages,
    zones::ZoneId,
};
use zone::Bound;

/// A state of a group.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// The node; [`NO_NODE`] if it was removed from an indexed group.
    pub node: u32,
    pub zone: ZoneId,
}

/// Returns the mark of elements, if they have one.
pub(super) type FindMark<'m> = dyn Fn(&[i32]) -> Option<ElementMark> + 'm;

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
    /// The number of removed members.
    removed: u32,
    /// The index of the elements, if there are many.
    pub index: Option<Box<Index>>,
}

impl Group {
    /// Adds a member. `mark` returns the marks of elements, if they have marks.
    pub(super) fn add(&mut self, member: Member, elements: &[i32], values: &[i32], mark: &FindMark<'_>) {
        self.compact();
        self.widths = (elements.len() as u32, values.len() as u32);
        self.members.push(member);
        self.elements.extend_from_slice(elements);
        self.values.extend_from_slice(values);
        match &mut self.index {
            Some(index) => mark(elements).into_iter().for_each(|mark| index.add(mark)),
            None if Index::suits(self.members.len(), self.elements.len()) => self.build_index(mark),
            None => {}
        }
    }

    fn build_index(&mut self, mark: &FindMark<'_>) {
        let marks = self.elements.chunks_exact(self.widths.0 as usize).map(mark);
        self.index = marks.collect::<Option<Vec<_>>>().map(|marks| Box::new(Index::new(marks.into_iter())));
    }

    /// Returns the number of integers that it takes.
    pub(super) fn capacity(&self) -> usize {
        let index = self.index.as_ref().map_or(0, |index| index.capacity());
        self.elements.capacity() + self.values.capacity() + 2 * self.members.capacity() + index
    }

    /// Returns the mark of a state that is compared with members, if the group is indexed.
    pub(super) fn mark<B: Bound>(&self, elements: &[i32], merging: &Merging<'_, B>) -> Option<ElementMark> {
        self.index.as_ref().and_then(|_| merging.mark(elements))
    }

    /// Returns the first member, starting at an index, that may be above a state with a mark, or
    /// below it; if there is none, a number that is not less than that of the members.
    pub(super) fn next<B: Bound>(
        &self,
        (elements, mark): (&[i32], Option<ElementMark>),
        from: usize,
        above: bool,
        merging: &Merging<'_, B>,
    ) -> usize {
        match (&self.index, mark) {
            (Some(index), Some(mark)) => index.next(mark, from, above),
            _ => merging.next(elements, &self.elements, from, above),
        }
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
