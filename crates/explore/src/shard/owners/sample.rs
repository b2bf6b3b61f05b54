//! States and transitions by which features are chosen.

use zone::Bound;

use crate::store::{NodeId, Store};

/// The greatest number of states, and of integers of their rows.
const SIZE: [usize; 2] = [1 << 12, 1 << 21];

/// Rows of stored states, and those of the states before them.
pub(super) struct Sample {
    /// The slots that may decide.
    pub slots: Vec<u32>,
    /// The rows, each followed by that of its parent, with the values of these slots only.
    values: Vec<i32>,
    states: usize,
}

impl Sample {
    /// Takes states that were stored last, since states that come later are like them.
    pub(super) fn new<B: Bound>(slots: &[u32], store: &Store<B>) -> Sample {
        let size = SIZE[0].min(SIZE[1] / slots.len().max(1)).min(store.added());
        let mut sample = Sample { slots: slots.to_vec(), values: Vec::new(), states: 0 };
        let mut row = Vec::new();
        for number in store.added() - size..store.added() {
            let node = NodeId(number as u32);
            let (Some(parent), _) = store.parent(node) else { continue };
            for node in [node, parent] {
                store.row(node, &mut row);
                sample.values.extend(slots.iter().map(|slot| row[*slot as usize]));
            }
            sample.states += 1;
        }
        sample
    }

    #[cfg(test)]
    pub(super) fn of(slots: Vec<u32>, values: Vec<i32>) -> Sample {
        let states = values.len() / (2 * slots.len());
        Sample { slots, values, states }
    }

    /// Returns the number of states.
    pub(super) fn states(&self) -> usize {
        self.states
    }

    /// Returns the values that a slot, by its place among the slots, has in a state and before it.
    #[inline]
    pub(super) fn values(&self, place: usize, state: usize) -> (i32, i32) {
        let (width, at) = (self.slots.len(), 2 * state * self.slots.len() + place);
        (self.values[at], self.values[at + width])
    }
}
