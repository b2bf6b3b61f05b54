//! Which worker owns a state.

use std::collections::HashMap;

use model::System;
use rustc_hash::FxBuildHasher;
use zone::Bound;

use crate::{
    merging::merged_slots,
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::{NodeId, Store},
};

/// The number of stored states by which slots are chosen, and the greatest number of integers of
/// their rows.
const SAMPLE: [usize; 2] = [1 << 13, 1 << 22];
/// The number of classes of states that each worker has to have, as the values of single slots
/// promise them, and as the sample shows them. With fewer classes, some workers would have too much
/// to do. The sample is of an early time, when states are more alike than later.
const CLASSES: [f64; 2] = [64.0, 2.0];

/// An odd number without a pattern, for hashes.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

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

    /// Lets fewer slots decide, if that distributes states evenly: those that transitions change
    /// least. Then more successors stay with the worker that computes them. Stored states show how
    /// often slots change, and how many classes of states they distinguish.
    #[must_use]
    pub fn near<B: Bound>(self, store: &Store<B>) -> Owners {
        let Sample { rows, changes } = Sample::new(&self.slots, store);
        let mut slots: Vec<u32> = self.slots.iter().copied().filter(|slot| changes[*slot as usize] > 0).collect();
        slots.sort_by_key(|slot| changes[*slot as usize]);
        let workers = self.workers as f64;
        let (mut hashes, mut promised) = (vec![0; rows.len()], 1.0);
        for (i, slot) in slots.iter().enumerate() {
            rows.iter().zip(&mut hashes).for_each(|(row, hash)| *hash = and(*hash, row[*slot as usize]));
            promised *= classes(rows.iter().map(|row| row[*slot as usize] as u64));
            if promised >= CLASSES[0] * workers && classes(hashes.iter().copied()) >= CLASSES[1] * workers {
                slots.truncate(i + 1);
                return Owners { slots, ..self };
            }
        }
        self
    }

    /// Writes the slots that decide. They depend on the states that were stored early.
    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.slots.len());
        self.slots.iter().for_each(|slot| out.number((*slot).into()));
    }

    /// Reads the slots that decide, of those that may.
    pub(super) fn load(&mut self, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        let slots = (0..from.length()?).map(|_| from.natural()).collect::<Result<Vec<u32>, _>>()?;
        if slots.iter().any(|slot| !self.slots.contains(slot)) {
            return Err(SnapshotError::Impossible("a variable does not decide who owns a state"));
        }
        self.slots = slots;
        Ok(())
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    #[inline]
    fn hash(&self, row: &[i32]) -> u64 {
        self.slots.iter().fold(0, |hash, slot| and(hash, row[*slot as usize]))
    }

    /// Returns the owner of states with a row.
    #[inline]
    pub(crate) fn owner(&self, row: &[i32]) -> usize {
        (((self.hash(row) >> 32) * self.workers as u64) >> 32) as usize
    }
}

/// Returns a hash of one value more. Only its upper bits depend on all values.
#[inline]
fn and(hash: u64, value: i32) -> u64 {
    (hash ^ u64::from(value as u32)).wrapping_mul(FACTOR)
}

/// Rows of stored states.
struct Sample {
    rows: Vec<Vec<i32>>,
    /// How many of the transitions to them change each slot.
    changes: Vec<usize>,
}

impl Sample {
    /// Takes states that were stored last, since states that come later are like them.
    fn new<B: Bound>(slots: &[u32], store: &Store<B>) -> Sample {
        let width = slots.last().map_or(0, |slot| *slot as usize + 1);
        let size = SAMPLE[0].min(SAMPLE[1] / width.max(1)).min(store.added());
        let mut sample = Sample { rows: Vec::new(), changes: vec![0; width] };
        let mut before = Vec::new();
        for number in store.added() - size..store.added() {
            let node = NodeId(number as u32);
            let mut row = Vec::new();
            store.row(node, &mut row);
            if let (Some(parent), _) = store.parent(node) {
                store.row(parent, &mut before);
                let slots = row.iter().zip(&before).zip(&mut sample.changes);
                slots.for_each(|((now, before), changes)| *changes += usize::from(now != before));
            }
            sample.rows.push(row);
        }
        sample
    }
}

/// Returns how many classes of equal size would make it as unlikely that two states are in the
/// same one as the classes do that states with equal hashes form.
fn classes(hashes: impl Iterator<Item = u64>) -> f64 {
    let mut sizes: HashMap<u64, usize, FxBuildHasher> = HashMap::default();
    hashes.for_each(|hash| *sizes.entry(hash).or_default() += 1);
    let states: usize = sizes.values().sum();
    let pairs = |size: usize| (size * size.saturating_sub(1)) as f64;
    pairs(states) / sizes.values().map(|size| pairs(*size)).sum::<f64>()
}
