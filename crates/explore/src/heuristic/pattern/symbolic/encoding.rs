//! Rows as lists of bits.

use model::System;

use crate::diagram::{Diagram, DiagramResult, Diagrams};

/// The bits of a slot: consecutive levels, the most significant first. They encode the difference
/// to the least value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotBits {
    pub slot: u32,
    pub first_level: u32,
    pub width: u32,
    pub low: i32,
    /// The greatest difference to the least value.
    pub max: u32,
}

impl SlotBits {
    /// Returns the code of a value, if it is in the range.
    pub(super) fn code(&self, value: i32) -> Option<u32> {
        let code = u32::try_from(i64::from(value) - i64::from(self.low)).ok()?;
        (code <= self.max).then_some(code)
    }

    /// Returns the level of a bit, by its significance.
    pub(super) fn level(&self, significance: u32) -> u32 {
        self.first_level + self.width - 1 - significance
    }

    /// Returns the set of rows with a value, which is given by its code.
    pub(super) fn equals(&self, diagrams: &mut Diagrams<'_>, code: u32) -> DiagramResult {
        let mut set = Diagram::TRUE;
        for significance in 0..self.width {
            let (low, high) = if code >> significance & 1 == 1 { (Diagram::FALSE, set) } else { (set, Diagram::FALSE) };
            set = diagrams.node(self.level(significance), low, high)?;
        }
        Ok(set)
    }

    /// Returns the set of rows with a value in the range.
    fn valid(&self, diagrams: &mut Diagrams<'_>) -> DiagramResult {
        let mut set = Diagram::TRUE;
        for significance in 0..self.width {
            let is_set = self.max >> significance & 1 == 1;
            let (low, high) = if is_set { (Diagram::TRUE, set) } else { (set, Diagram::FALSE) };
            set = diagrams.node(self.level(significance), low, high)?;
        }
        Ok(set)
    }
}

/// The bits of all kept slots.
#[derive(Clone, Debug)]
pub(super) struct Encoding {
    /// The slots in the order of their levels.
    pub slots: Vec<SlotBits>,
    /// The index of each slot of the network in `slots`.
    places: Vec<Option<u32>>,
    /// The index in `slots` of the slot of each level.
    levels: Vec<u32>,
}

impl Encoding {
    /// Encodes some slots, in this order.
    pub(super) fn new(system: &System, order: &[u32]) -> Encoding {
        let mut encoding = Encoding { slots: Vec::new(), places: vec![None; system.initial.len()], levels: Vec::new() };
        for (number, slot) in (0..).zip(order.iter().copied()) {
            let (low, high) = match system.processes.get(slot as usize) {
                Some(process) => (0, process.locations as i32 - 1),
                None => system.ranges[slot as usize],
            };
            let max = high.abs_diff(low);
            let width = u32::BITS - max.leading_zeros();
            let first_level = encoding.levels.len() as u32;
            encoding.slots.push(SlotBits { slot, first_level, width, low, max });
            encoding.places[slot as usize] = Some(number);
            encoding.levels.extend((0..width).map(|_| number));
        }
        encoding
    }

    /// Returns the bits of a slot, if it is kept.
    pub(super) fn of(&self, slot: u32) -> Option<&SlotBits> {
        self.places.get(slot as usize).copied().flatten().map(|place| &self.slots[place as usize])
    }

    /// Returns the bit of a row on a level.
    pub(super) fn bit(&self, row: &[i32], level: u32) -> bool {
        let bits = &self.slots[self.levels[level as usize] as usize];
        let code = row[bits.slot as usize].wrapping_sub(bits.low) as u32;
        code >> (bits.first_level + bits.width - 1 - level) & 1 == 1
    }

    /// Returns whether all kept values of a row are in their ranges.
    pub(super) fn encodes(&self, row: &[i32]) -> bool {
        self.slots.iter().all(|bits| bits.code(row[bits.slot as usize]).is_some())
    }

    /// Returns the set of rows with values in their ranges.
    pub(super) fn valid(&self, diagrams: &mut Diagrams<'_>) -> DiagramResult {
        let mut set = Diagram::TRUE;
        for bits in self.slots.iter().rev() {
            let own = bits.valid(diagrams)?;
            set = diagrams.and(own, set)?;
        }
        Ok(set)
    }
}
