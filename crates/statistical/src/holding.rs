//! Which edges of a location have conditions that hold, by the numbers that these conditions read.
//!
//! An edge of the template gives many: one for each value of a select label, and one for each
//! channel that an index may mean. Mostly all of them but one are excluded by their conditions, and
//! which one is left depends on a few numbers.

use model::{machine::Fault, system::LocationId};

use crate::{network::Network, state::RunState};

/// The number of results that are kept for a location, at first and at most.
const ENTRIES: (usize, usize) = (64, 4096);

/// The results for the locations that a process has been in.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    of: Vec<Option<Box<Known>>>,
}

/// The results for a location.
#[derive(Clone, Debug)]
struct Known {
    /// The numbers that were read, entry by entry.
    read: Vec<i32>,
    /// The outputs whose conditions hold, by their indices; `None`: this entry was not used.
    outputs: Vec<Option<Vec<u32>>>,
    /// How many were computed since there are so many entries.
    computed: usize,
}

impl Known {
    fn new(entries: usize, width: usize) -> Known {
        Known { read: vec![0; entries * width], outputs: vec![None; entries], computed: 0 }
    }
}

impl Holding {
    pub(crate) fn new(network: &Network<'_>) -> Holding {
        Holding { of: vec![None; network.system.locations.len()] }
    }

    /// Returns the outputs of a location whose conditions hold now; `None`: results are not kept
    /// for it.
    pub(crate) fn outputs(&mut self, state: &mut RunState<'_>, location: LocationId) -> Result<Option<&[u32]>, Fault> {
        let network = state.network;
        let place = network.place(location);
        let Some(slots) = &place.condition_slots else { return Ok(None) };
        let width = slots.len();
        let known = self.of[location.0 as usize].get_or_insert_with(|| Box::new(Known::new(ENTRIES.0, width)));
        let mut entries = known.outputs.len();
        if known.computed > 2 * entries && entries < ENTRIES.1 {
            // There are too few entries for the results that are asked for.
            entries *= 4;
            **known = Known::new(entries, width);
        }
        let row = state.machine.row();
        let mut hash = 0_u32;
        for slot in slots {
            hash = (hash.rotate_left(5) ^ row[*slot as usize] as u32).wrapping_mul(0x9e37_79b9);
        }
        let entry = (hash >> 16) as usize & (entries - 1);
        let read = &mut known.read[entry * width..][..width];
        let outputs = &mut known.outputs[entry];
        let is_known = outputs.is_some() && read.iter().zip(slots).all(|(value, slot)| *value == row[*slot as usize]);
        if !is_known {
            let mut holding = outputs.take().unwrap_or_default();
            holding.clear();
            for (i, output) in place.outputs.iter().enumerate() {
                if state.test_edge(output.edge)? {
                    holding.push(i as u32);
                }
            }
            let row = state.machine.row();
            read.iter_mut().zip(slots).for_each(|(value, slot)| *value = row[*slot as usize]);
            *outputs = Some(holding);
            known.computed += 1;
        }
        Ok(outputs.as_deref())
    }
}
