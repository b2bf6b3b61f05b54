//! Which worker owns a state.

mod dealt;
mod features;
mod sample;
mod tables;

use model::System;
use zone::Bound;

use crate::{
    merging::merged_slots,
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::Store,
};
use features::Feature;
use sample::Sample;
use tables::Tables;

/// An odd number without a pattern, for hashes.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Assigns states to workers by their discrete parts, so that states that may cover each other or
/// be joined have the same owner.
#[derive(Clone)]
pub struct Owners {
    /// The slots of a row that may decide.
    slots: Vec<u32>,
    /// What decides instead of the values of all slots, if it is known.
    features: Vec<Feature>,
    /// The same, for each value of a slot.
    tables: Tables,
    /// The owner of each class of states by features, unless there are very many classes.
    dealt: Vec<u16>,
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
        Owners { slots, features: Vec::new(), tables: Tables::default(), dealt: Vec::new(), workers }
    }

    /// Lets features decide that few transitions change, if they distribute states evenly. Then
    /// more successors stay with the worker that computes them. Stored states show what
    /// transitions change, and how many classes of states there are.
    #[must_use]
    pub fn near<B: Bound>(self, store: &Store<B>) -> Owners {
        let sample = Sample::new(&self.slots, store);
        let features = features::choose(&sample, self.workers);
        let dealt = dealt::deal(&sample, &features, self.workers);
        Owners { tables: Tables::new(&features), features, dealt, ..self }
    }

    /// Returns whether it is known which features few transitions change.
    #[must_use]
    pub fn are_near(&self) -> bool {
        !self.features.is_empty()
    }

    /// Writes the features that decide, and who owns which class. They depend on the states that
    /// were stored early.
    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.features.len());
        self.features.iter().for_each(|feature| feature.save(out));
        self.dealt.iter().for_each(|worker| out.number((*worker).into()));
    }

    /// Reads the same.
    pub(super) fn load(&mut self, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        self.features = (0..from.length()?).map(|_| Feature::load(&self.slots, from)).collect::<Result<_, _>>()?;
        self.tables = Tables::new(&self.features);
        self.dealt = (0..dealt::classes(&self.features))
            .map(|_| from.below(self.workers, "there is no such worker").map(|worker| worker as u16))
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Returns the owner of states with a row.
    #[inline]
    pub(crate) fn owner(&self, row: &[i32]) -> usize {
        if self.features.is_empty() {
            let hash = self.slots.iter().fold(0, |hash, slot| and(hash, row[*slot as usize]));
            return by_hash(hash, self.workers);
        }
        let class = self.tables.class(row);
        match self.dealt.get(class as usize) {
            Some(worker) => usize::from(*worker),
            None => of_class(class, self.workers),
        }
    }
}

/// Returns the owner of a class of which nothing is known.
fn of_class(class: u64, workers: usize) -> usize {
    // The upper bits of the hash depend on all features.
    by_hash(((class + 1) ^ (class >> 17)).wrapping_mul(FACTOR), workers)
}

/// Returns the owner by a hash of which the upper bits count.
#[inline]
fn by_hash(hash: u64, workers: usize) -> usize {
    (((hash >> 32) * workers as u64) >> 32) as usize
}

/// Returns a hash of one value more. Only its upper bits depend on all values.
#[inline]
fn and(hash: u64, value: i32) -> u64 {
    (hash ^ u64::from(value as u32)).wrapping_mul(FACTOR)
}
