//! Conditions that may hold of an element and not of a greater one.
//!
//! Lattice automata are to be monotone: what a state can do, one with greater elements can do as well. Where that is not known of
//! a guard, states are covered and joined only if the guard is not lost.

use model::{Formula, System, code::Pc, machine::Machine, system::ProcessId};

pub(super) struct Guards<'a> {
    system: &'a System,
    /// For each location the conditions that matter there.
    at: Vec<Vec<Pc>>,
    /// Those that matter everywhere.
    everywhere: Vec<Pc>,
    machine: Machine<'a>,
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
        everywhere.retain(|pc| system.wavering_goals.contains(pc));
        if everywhere.is_empty() && at.iter().all(Vec::is_empty) {
            return None;
        }
        Some(Guards { system, at, everywhere, machine: Machine::new(&system.code, system.initial.len()) })
    }

    /// Adds which of the conditions hold in a state: 1 for those that do, 0 for others. All states of a group have the same ones.
    pub(super) fn values(&mut self, row: &[i32], out: &mut Vec<i32>) {
        self.machine.load(row);
        let places = (0..self.system.processes.len() as u32).map(|p| self.system.location(row, ProcessId(p)));
        for pc in self.everywhere.iter().chain(places.flat_map(|l| &self.at[l.0 as usize])) {
            out.push(self.machine.test(*pc).map_or(FAILS, i32::from));
        }
    }
}

/// The value of a condition that fails. It is met when the state is explored.
const FAILS: i32 = -1;

/// Whether all conditions that hold in one state hold in another one of its group.
pub(super) fn keep(small: &[i32], large: &[i32]) -> bool {
    small.iter().zip(large).all(|(small, large)| small == large || (*small, *large) == (0, 1))
}

fn conditions(formula: &Formula, out: &mut Vec<Pc>) {
    match formula {
        Formula::Condition(pc) => out.push(*pc),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| conditions(part, out)),
        _ => {}
    }
}
