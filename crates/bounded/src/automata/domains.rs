//! The domains of the variables of the row.
//!
//! The domain of a variable contains its initial value and all values that any update writes,
//! whatever the other variables are. Guards restrict the values that an update starts from, unless
//! another update comes between. A domain that keeps growing becomes the whole range.

use std::collections::BTreeSet;

use model::{
    System,
    code::Pc,
    system::{Edge, Sync},
};
use smt::{Term, Terms};

use crate::{
    EncodingError, Unsupported,
    code::{ClockValue, Conditions, Stop, check_stop},
    guarded::{GuardedValue, Integer},
};

/// Domains with more values become the whole range.
const MAX_SPARSE_VALUES: usize = 64;
/// Variables with more values are not supported.
const MAX_VALUES: i64 = 4096;

struct Finder<'s> {
    system: &'s System,
    code: Conditions<'s>,
    sets: Vec<BTreeSet<i32>>,
    /// The variables that may have been written before the update of an edge: of one that
    /// initiates a transition, and of a receiver or participant.
    before: [BTreeSet<u32>; 2],
    grown: bool,
}

/// Finds the domain of each variable of the row, sorted.
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
            check_stop(stop)?;
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
        // A value outside of the range is a run-time error of the model.
        if value < low || value > high || !self.sets[slot].insert(value) {
            return Ok(());
        }
        self.grown = true;
        if self.sets[slot].len() > MAX_SPARSE_VALUES {
            if i64::from(high) - i64::from(low) >= MAX_VALUES {
                let name = self.system.slot_name(slot as u32);
                return Err(Unsupported::LargeDomains { name, max: MAX_VALUES }.into());
            }
            self.sets[slot] = (low..=high).collect();
        }
        Ok(())
    }

    fn edge(&mut self, edge: &Edge) -> Result<(), EncodingError> {
        let process = edge.process.0 as usize;
        let first = self.system.processes[process].first_location.0;
        let index = |l: model::system::LocationId| (l.0 - first) as i32;
        if !self.sets[process].contains(&index(edge.source)) {
            return Ok(());
        }
        let mut sets = self.sets.clone();
        sets[process] = BTreeSet::from([index(edge.source)]);
        if let Some(pc) = edge.guard.condition {
            let mut terms = Terms::new();
            let row = numbers(&mut terms, &sets);
            let Some(constrained) = self.code.constrained(&mut terms, pc, &|slot| row[slot as usize].clone())? else {
                return Ok(());
            };
            let joins = usize::from(!matches!(edge.sync, Sync::Internal | Sync::Send(_)));
            for (slot, values) in constrained {
                if !self.before[joins].contains(&slot) {
                    sets[slot as usize] = values;
                }
            }
        }
        self.add(process, index(edge.target))?;
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

/// Returns variables that range over their domains.
fn numbers(terms: &mut Terms, sets: &[BTreeSet<i32>]) -> Vec<Integer> {
    let of = |set: &BTreeSet<i32>| {
        let values: Vec<(i32, Term)> = set.iter().map(|v| (*v, terms.fresh())).collect();
        GuardedValue::collect(terms, values)
    };
    sets.iter().map(of).collect()
}
