//! The successors of rows by steps.

use model::symbolic::{Atom, TermId};

use super::super::abstraction::steps::{AbstractStep, AbstractSteps, ProcessMove};

/// The slot is not kept.
const NOT_KEPT: u32 = u32::MAX;

/// Steps by their source locations, and the position of each slot among the kept ones.
pub(crate) struct Successors {
    places: Vec<u32>,
    /// For each process with a kept location, the steps that leave each of its locations.
    from: Vec<Vec<Vec<u32>>>,
    /// Steps without a known source location.
    others: Vec<u32>,
}

impl Successors {
    /// Creates the index; `slots` are the kept slots in order.
    pub(crate) fn new(steps: &AbstractSteps<'_>, slots: &[u32]) -> Successors {
        let mut places = vec![NOT_KEPT; steps.subnetwork.slots.len()];
        (0..).zip(slots).for_each(|(at, slot)| places[*slot as usize] = at);
        let processes = &steps.system.processes;
        let located = slots.iter().filter_map(|slot| processes.get(*slot as usize));
        let mut from: Vec<Vec<Vec<u32>>> = located.map(|p| vec![Vec::new(); p.locations as usize]).collect();
        let mut others = Vec::new();
        for (number, step) in (0..).zip(&steps.steps) {
            let start = |m: &ProcessMove| {
                let place = places[m.process as usize];
                m.locations.filter(|_| place != NOT_KEPT).map(|(location, _)| (place, location))
            };
            match step.moves.iter().find_map(start) {
                Some((place, location)) => from[place as usize][location as usize].push(number),
                None => others.push(number),
            }
        }
        Successors { places, from, others }
    }

    /// Returns the position of a slot among the kept ones.
    pub(crate) fn place(&self, slot: u32) -> Option<usize> {
        self.places.get(slot as usize).filter(|place| **place != NOT_KEPT).map(|place| *place as usize)
    }

    /// Returns the steps that may leave the locations of a row.
    pub(crate) fn candidates<'a>(&'a self, row: &'a [i32]) -> impl Iterator<Item = u32> + 'a {
        let own = self.from.iter().zip(row).flat_map(|(from, location)| &from[*location as usize]);
        own.chain(&self.others).copied()
    }

    fn value(&self, steps: &AbstractSteps<'_>, term: TermId, row: &[i32]) -> Option<i32> {
        steps.terms.value(term, &|slot| row[self.places[slot as usize] as usize])
    }

    /// Returns whether a comparison holds in a row.
    pub(crate) fn holds(&self, steps: &AbstractSteps<'_>, atom: Atom, row: &[i32]) -> bool {
        let (left, right) = (self.value(steps, atom.left, row), self.value(steps, atom.right, row));
        left.zip(right).is_some_and(|(left, right)| atom.cmp.holds(left, right))
    }

    /// Returns whether a step is possible in a row, ignoring clocks.
    pub(crate) fn is_possible(&self, steps: &AbstractSteps<'_>, step: &AbstractStep, row: &[i32]) -> bool {
        let is_there = |m: &ProcessMove| match (m.locations, self.place(m.process)) {
            (Some((from, _)), Some(place)) => row[place] == from as i32,
            _ => true,
        };
        step.moves.iter().all(is_there) && step.conditions.iter().all(|atom| self.holds(steps, *atom, row))
    }

    /// Adds the rows that a step leads to.
    pub(crate) fn of(&self, steps: &AbstractSteps<'_>, step: &AbstractStep, row: &[i32], out: &mut Vec<Vec<i32>>) {
        let mut next = row.to_vec();
        let mut open: Vec<(usize, i32, i32)> = Vec::new();
        for m in &step.moves {
            match (m.locations, self.place(m.process)) {
                (_, None) => {}
                (Some((_, to)), Some(place)) => next[place] = to as i32,
                (None, Some(place)) => {
                    open.push((place, 0, steps.system.processes[m.process as usize].locations as i32 - 1));
                }
            }
        }
        for (slot, term) in &step.writes {
            let Some(place) = self.place(*slot) else { continue };
            let (low, high) = steps.system.ranges[*slot as usize];
            match term {
                None => open.push((place, low, high)),
                Some(term) => match self.value(steps, *term, row) {
                    Some(value) if (low..=high).contains(&value) => next[place] = value,
                    // The run ends with an error.
                    _ => return,
                },
            }
        }
        open.iter().for_each(|(place, low, _)| next[*place] = *low);
        loop {
            out.push(next.clone());
            // Counts, with one digit for each slot with an arbitrary value.
            let more = open.iter().find(|(place, low, high)| {
                let is_last = next[*place] == *high;
                if is_last {
                    next[*place] = *low;
                }
                !is_last
            });
            let Some((place, ..)) = more else { return };
            next[*place] += 1;
        }
    }
}
