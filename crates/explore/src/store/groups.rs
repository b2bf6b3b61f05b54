//! Discrete parts that differ in elements of lattices only.

use hashbrown::HashTable;
use model::System;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::pages::Pages;

/// Discrete parts by all that is no element of a lattice.
pub(super) struct Groups {
    /// The numbers of the row that tell groups apart.
    own: Vec<usize>,
    /// The numbers of the row that are elements, in the order of the row.
    slots: Vec<usize>,
    keys: Pages<i32>,
    table: HashTable<u32>,
    /// The group of each discrete part.
    of: Pages<u32>,
    /// The elements of each discrete part, one behind the other.
    elements: Pages<i32>,
    key: Vec<i32>,
}

impl Groups {
    pub(super) fn new(system: &System) -> Groups {
        let slots: Vec<usize> = merged_slots(system).collect();
        let unread = system.unread.iter().flat_map(|number| {
            let variable = &system.variables[*number as usize];
            variable.first..variable.first + variable.shape.size().ints
        });
        let mut is_own = vec![true; system.identity];
        unread.map(|slot| slot as usize).chain(slots.iter().copied()).for_each(|slot| is_own[slot] = false);
        let own: Vec<usize> = (0..system.identity).filter(|slot| is_own[*slot]).collect();
        Groups {
            keys: Pages::new(own.len()),
            table: HashTable::new(),
            of: Pages::new(1),
            elements: Pages::new(slots.len()),
            key: Vec::new(),
            own,
            slots,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.bytes() + self.table.capacity() * 5 + self.of.bytes() + self.elements.bytes()
    }

    /// The group of a row, and whether it is new.
    pub(super) fn of_row(&mut self, row: &[i32]) -> (u32, bool) {
        self.key.clear();
        self.key.extend(self.own.iter().map(|slot| row[*slot]));
        let (keys, key) = (&mut self.keys, &self.key);
        let value = hash(key);
        if let Some(&found) = self.table.find(value, |i| keys.get(*i as usize) == key) {
            return (found, false);
        }
        let new = keys.push(key) as u32;
        self.table.insert_unique(value, new, |i| hash(keys.get(*i as usize)));
        (new, true)
    }

    /// Notes the group and the elements of a discrete part that is new.
    pub(super) fn add(&mut self, group: u32, row: &[i32]) {
        self.of.push(&[group]);
        let elements: Vec<i32> = self.slots.iter().map(|slot| row[*slot]).collect();
        self.elements.push(&elements);
    }

    /// The group of a discrete part.
    pub(super) fn group(&self, discrete: u32) -> u32 {
        *self.of.item(discrete as usize)
    }

    /// The elements of a discrete part.
    pub(super) fn elements(&self, discrete: u32) -> &[i32] {
        self.elements.get(discrete as usize)
    }

    /// Reads the elements of a row.
    pub(super) fn read(&self, row: &[i32], out: &mut Vec<i32>) {
        out.clear();
        out.extend(self.slots.iter().map(|slot| row[*slot]));
    }

    /// Puts elements into a row.
    pub(super) fn write(&self, elements: &[i32], row: &mut [i32]) {
        self.slots.iter().zip(elements).for_each(|(slot, value)| row[*slot] = *value);
    }
}

/// The numbers of a row that are elements by which states may cover each other and be joined.
fn merged_slots(system: &System) -> impl Iterator<Item = usize> {
    let merged = system.lattices.iter().filter(|variable| !variable.varies);
    merged.flat_map(|v| (v.first..v.first + v.width).map(|slot| slot as usize))
}

fn hash(key: &[i32]) -> u64 {
    let mut hasher = FxHasher::default();
    key.iter().for_each(|number| hasher.write_i32(*number));
    hasher.finish()
}
