//! Which worker owns a state.

use model::System;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::merging::merged_slots;

/// Assigns states to workers by their discrete parts, so that states that may cover each other or
/// be joined have the same owner.
#[derive(Clone)]
pub struct Owners {
    /// The slots of a row that decide.
    slots: Vec<u32>,
    workers: usize,
}

impl Owners {
    /// Distributes states to a number of workers. States that differ in the variables `merged` of
    /// [`model::Network::lattices`] or in variables that nothing reads have the same owner.
    #[must_use]
    pub fn new(system: &System, merged: &[usize], workers: usize) -> Owners {
        let unread = system.unread.iter().flat_map(|number| {
            let variable = &system.variables[*number as usize];
            variable.first as usize..(variable.first + variable.shape.size().ints) as usize
        });
        let mut decides = vec![true; system.identity];
        unread.chain(merged_slots(system, merged)).for_each(|slot| decides[slot] = false);
        let slots = (0..system.identity).filter(|slot| decides[*slot]).map(|slot| slot as u32).collect();
        Owners { slots, workers }
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Returns a hash of the part of a row that decides.
    #[inline]
    pub(crate) fn hash(&self, row: &[i32]) -> u64 {
        let mut hasher = FxHasher::default();
        self.slots.iter().for_each(|slot| hasher.write_i32(row[*slot as usize]));
        // The upper bits choose the owner, and hash tables of rows must not depend on it.
        hasher.finish().wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Returns the owner of states with a hash.
    #[inline]
    pub(crate) fn owner(&self, hash: u64) -> usize {
        (((hash >> 32) * self.workers as u64) >> 32) as usize
    }
}
