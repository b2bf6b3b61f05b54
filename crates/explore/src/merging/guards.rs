//! Conditions that may hold of an element and not of a greater one.
//!
//! Lattice automata are to be monotone: what a state can do, one with greater elements can do as well. Where that is not known of
//! a guard, states are covered and joined only if the guard is not lost.

use model::{
    Formula, System,
    code::Pc,
    machine::{Fault, Machine},
    system::ProcessId,
};

pub(super) struct Guards<'a> {
    system: &'a System,
    /// For each location the conditions that matter there.
    at: Vec<Vec<Pc>>,
    /// Those that matter everywhere.
    everywhere: Vec<Pc>,
    first: Machine<'a>,
    second: Machine<'a>,
}

impl<'a> Guards<'a> {
    /// The conditions of a system and a goal that waver; `None`: there are none.
    pub(super) fn new(system: &'a System, goal: &Formula) -> Option<Guards<'a>> {
        let wavers = |condition: &Option<Pc>| condition.filter(|pc| system.wavering.contains(pc));
        let mut at = vec![Vec::new(); system.locations.len()];
        for edge in &system.edges {
            at[edge.source.0 as usize].extend(wavers(&edge.guard.condition));
        }
        for (place, location) in at.iter_mut().zip(&system.locations) {
            place.extend(wavers(&location.invariant.condition));
            place.sort_unstable_by_key(|pc| pc.0);
            place.dedup();
        }
        let mut everywhere = Vec::new();
        conditions(goal, &mut everywhere);
        everywhere.retain(|pc| system.wavering.contains(pc));
        if everywhere.is_empty() && at.iter().all(Vec::is_empty) {
            return None;
        }
        let machine = Machine::new(&system.code, system.initial.len());
        Some(Guards { system, at, everywhere, first: machine.clone(), second: machine })
    }

    /// Whether all conditions that hold in one state hold in another, whose discrete parts differ in elements only.
    pub(super) fn keep(&mut self, small: &[i32], large: &[i32]) -> Result<bool, Fault> {
        self.first.load(small);
        self.second.load(large);
        let places = (0..self.system.processes.len() as u32).map(|p| self.system.location(small, ProcessId(p)));
        for pc in self.everywhere.iter().chain(places.flat_map(|l| &self.at[l.0 as usize])) {
            if self.first.test(*pc)? && !self.second.test(*pc)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn conditions(formula: &Formula, out: &mut Vec<Pc>) {
    match formula {
        Formula::Condition(pc) => out.push(*pc),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| conditions(part, out)),
        _ => {}
    }
}
