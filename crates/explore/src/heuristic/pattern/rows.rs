//! The rows of a pattern and the steps between them: its transition system without clocks.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::{super::abstraction::steps::AbstractSteps, successors::Successors};

/// A step from a row, and its target row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowTransition {
    pub step: u32,
    pub to: u32,
}

/// The rows found so far. Their transitions are computed on demand.
pub(crate) struct PatternRows<'s> {
    /// The steps of the pattern.
    pub steps: AbstractSteps<'s>,
    /// The kept slots of the row.
    pub slots: Vec<u32>,
    /// The processes with kept locations, which come first in a row.
    located: Vec<u32>,
    /// The locations of the other processes of the subnetwork, any of which they may be at.
    anywhere: Vec<usize>,
    successors: Successors,
    /// The kept slots of each row, concatenated.
    data: Vec<i32>,
    numbers: HashMap<Box<[i32]>, u32, FxBuildHasher>,
    arcs: Vec<RowTransition>,
    /// The range of each row's transitions; `None`: not computed yet.
    ranges: Vec<Option<(u32, u32)>>,
    found: Vec<Vec<i32>>,
}

impl<'s> PatternRows<'s> {
    /// Creates an empty set of rows.
    pub(crate) fn new(steps: AbstractSteps<'s>) -> PatternRows<'s> {
        let slots: Vec<u32> =
            (0..).zip(&steps.subnetwork.slots).filter(|(_, kept)| **kept).map(|(slot, _)| slot).collect();
        let processes = &steps.system.processes;
        let lost = |process: &usize| steps.subnetwork.processes[*process] && !steps.subnetwork.slots[*process];
        let locations = |process: usize| {
            let first = processes[process].first_location.0 as usize;
            first..first + processes[process].locations as usize
        };
        PatternRows {
            successors: Successors::new(&steps, &slots),
            located: slots.iter().copied().take_while(|slot| (*slot as usize) < processes.len()).collect(),
            anywhere: (0..processes.len()).filter(lost).flat_map(locations).collect(),
            slots,
            data: Vec::new(),
            numbers: HashMap::default(),
            arcs: Vec::new(),
            ranges: Vec::new(),
            found: Vec::new(),
            steps,
        }
    }

    /// Returns the kept slots of a row.
    pub(crate) fn row(&self, row: u32) -> &[i32] {
        let width = self.slots.len();
        &self.data[row as usize * width..][..width]
    }

    /// Returns the value of a slot, if it is kept.
    pub(crate) fn value(&self, row: u32, slot: u32) -> Option<i32> {
        self.successors.place(slot).map(|place| self.row(row)[place])
    }

    /// Returns the locations of a row, as indices in the network.
    pub(crate) fn places(&self, row: u32) -> impl Iterator<Item = usize> + '_ {
        let first = |process: u32| self.steps.system.processes[process as usize].first_location.0 as usize;
        self.located.iter().zip(self.row(row)).map(move |(process, location)| first(*process) + *location as usize)
    }

    /// Returns all locations at which processes of the subnetwork may be in a row.
    pub(crate) fn possible_places(&self, row: u32) -> impl Iterator<Item = usize> + '_ {
        self.places(row).chain(self.anywhere.iter().copied())
    }

    /// Returns the initial row, which is the first.
    pub(crate) fn initial(&mut self) -> u32 {
        let initial: Vec<i32> = self.slots.iter().map(|slot| self.steps.system.initial[*slot as usize]).collect();
        self.intern(&initial)
    }

    /// Returns the index of a row with these kept slots, if it was found.
    pub(crate) fn find(&self, row: &[i32]) -> Option<u32> {
        self.numbers.get(row).copied()
    }

    fn intern(&mut self, row: &[i32]) -> u32 {
        if let Some(number) = self.numbers.get(row) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(row.into(), number);
        self.data.extend_from_slice(row);
        self.ranges.push(None);
        number
    }

    /// Returns the disjuncts of the goal that a row satisfies, ignoring clocks.
    pub(crate) fn targets(&self, row: u32) -> impl Iterator<Item = usize> + '_ {
        let row = self.row(row);
        let meets = |at: &usize| {
            let mut conditions = self.steps.targets[*at].conditions.iter();
            conditions.all(|atom| self.successors.holds(&self.steps, *atom, row))
        };
        (0..self.steps.targets.len()).filter(meets)
    }

    /// Returns the transitions of a row, except for self-loops without resets.
    pub(crate) fn arcs(&mut self, row: u32) -> &[RowTransition] {
        let (from, to) = match self.ranges[row as usize] {
            Some(range) => range,
            None => self.expand(row),
        };
        &self.arcs[from as usize..to as usize]
    }

    fn expand(&mut self, number: u32) -> (u32, u32) {
        let row = self.row(number).to_vec();
        let is_committed = self.places(number).any(|place| self.steps.places[place].is_committed);
        let first = self.arcs.len() as u32;
        let mut found = std::mem::take(&mut self.found);
        let candidates: Vec<u32> = self.successors.candidates(&row).collect();
        for step in candidates {
            let own = &self.steps.steps[step as usize];
            if is_committed && !own.is_committed && !own.has_others {
                continue;
            }
            let is_idle = own.resets.is_empty();
            if self.successors.is_possible(&self.steps, own, &row) {
                self.successors.of(&self.steps, own, &row, &mut found);
            }
            for to in found.drain(..) {
                let to = self.intern(&to);
                if !(is_idle && to == number) {
                    self.arcs.push(RowTransition { step, to });
                }
            }
        }
        self.found = found;
        let range = (first, self.arcs.len() as u32);
        self.ranges[number as usize] = Some(range);
        range
    }
}
