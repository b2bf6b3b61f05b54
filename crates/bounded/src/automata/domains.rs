//! The values that numbers of the row can have.
//!
//! A set of values for each number that holds the initial one and all that any update writes,
//! whatever the others are. Guards say what updates start from, where nothing else comes between.
//! Sets that grow for long become all of the range.

use std::collections::BTreeSet;

use model::{
    System,
    code::Pc,
    system::{Edge, Sync},
};
use smt::{Term, Terms};

use crate::{
    choice::{GuardedValue, Integer},
    code::{ClockValue, Conditions, EncodingError, Stop, go_on},
};

/// Sets with more values become all of the range.
const MOST_OF_SOME: usize = 64;
/// Numbers with more values are refused.
const MOST: i64 = 4096;

struct Finder<'s> {
    system: &'s System,
    code: Conditions<'s>,
    sets: Vec<BTreeSet<i32>>,
    /// What may have been written when an edge's own update begins: for those that call, and those
    /// that are called.
    before: [BTreeSet<u32>; 2],
    grown: bool,
}

/// Finds the values of each number of the row, in order.
pub(super) fn find(system: &System, stop: &Stop<'_>) -> Result<Vec<Vec<i32>>, EncodingError> {
    let written = |pcs: &mut dyn Iterator<Item = Pc>| pcs.flat_map(|pc| system.written(pc)).collect::<BTreeSet<u32>>();
    let first = written(&mut system.before_update.into_iter());
    let mut any = written(&mut system.edges.iter().filter(|e| e.sync != Sync::Internal).filter_map(|e| e.update));
    any.extend(&first);
    let mut finder = Finder {
        system,
        code: Conditions::new(system, stop),
        sets: system.initial.iter().map(|value| BTreeSet::from([*value])).collect(),
        before: [first, any],
        grown: true,
    };
    while finder.grown {
        finder.grown = false;
        for edge in &system.edges {
            go_on(stop)?;
            finder.edge(edge)?;
        }
        for pc in system.before_update.into_iter().chain(system.after_update) {
            let sets = finder.sets.clone();
            finder.update(pc, &sets)?;
        }
    }
    Ok(finder.sets.into_iter().map(|set| set.into_iter().collect()).collect())
}

impl Finder<'_> {
    fn add(&mut self, slot: usize, value: i32) -> Result<(), EncodingError> {
        let (low, high) = self.system.ranges[slot];
        // What is outside of its range is a failure of the model.
        if value < low || value > high || !self.sets[slot].insert(value) {
            return Ok(());
        }
        self.grown = true;
        if self.sets[slot].len() > MOST_OF_SOME {
            if i64::from(high) - i64::from(low) >= MOST {
                let name = self.system.slot_name(slot as u32);
                return Err(EncodingError::Unsupported(format!(
                    "variables with more than {MOST} values (`{name}` is one)"
                )));
            }
            self.sets[slot] = (low..=high).collect();
        }
        Ok(())
    }

    fn edge(&mut self, edge: &Edge) -> Result<(), EncodingError> {
        let process = edge.process.0 as usize;
        let first = self.system.processes[process].first_location.0;
        let place = |l: model::system::LocationId| (l.0 - first) as i32;
        if !self.sets[process].contains(&place(edge.source)) {
            return Ok(());
        }
        let mut sets = self.sets.clone();
        sets[process] = BTreeSet::from([place(edge.source)]);
        if let Some(pc) = edge.guard.condition {
            let mut terms = Terms::new();
            let row = numbers(&mut terms, &sets);
            let Some(learned) = self.code.learned(&mut terms, pc, &|slot| row[slot as usize].clone())? else {
                return Ok(());
            };
            let called = usize::from(!matches!(edge.sync, Sync::Internal | Sync::Send(_)));
            for (slot, values) in learned {
                if !self.before[called].contains(&slot) {
                    sets[slot as usize] = values;
                }
            }
        }
        self.add(process, place(edge.target))?;
        match edge.update {
            Some(pc) => self.update(pc, &sets),
            None => Ok(()),
        }
    }

    fn update(&mut self, pc: Pc, sets: &[BTreeSet<i32>]) -> Result<(), EncodingError> {
        let mut terms = Terms::new();
        let row = numbers(&mut terms, sets);
        let clocks = |x| ClockValue::known((x, 0));
        let effect = self.code.update(&mut terms, pc, &|slot| row[slot as usize].clone(), &clocks, Term::TRUE)?;
        for (slot, value) in effect.row {
            for (v, _) in value.values() {
                self.add(slot as usize, *v)?;
            }
        }
        Ok(())
    }
}

/// Each number is one of its values.
fn numbers(terms: &mut Terms, sets: &[BTreeSet<i32>]) -> Vec<Integer> {
    let of = |set: &BTreeSet<i32>| {
        let values: Vec<(i32, Term)> = set.iter().map(|v| (*v, terms.fresh())).collect();
        GuardedValue::collect(terms, values)
    };
    sets.iter().map(of).collect()
}
