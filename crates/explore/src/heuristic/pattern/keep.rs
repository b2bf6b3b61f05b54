//! What is kept of a network.

use model::{System, system::Variable};

use super::super::abstraction::subnetwork::{Subnetwork, Writes};

/// What is kept of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Whether each number of the row is kept; the locations of processes come first.
    pub slots: Vec<bool>,
    /// Whether each clock is kept.
    pub clocks: Vec<bool>,
}

impl Pattern {
    /// All but clocks.
    #[must_use]
    pub fn without_clocks(system: &System) -> Pattern {
        Pattern { slots: vec![true; system.initial.len()], clocks: vec![false; system.clocks.len()] }
    }

    /// The processes, variables and clocks that have one of some names. Names that nothing has are
    /// passed over.
    #[must_use]
    pub fn named(system: &System, names: &[String]) -> Pattern {
        let is_named = |name: &str| names.iter().any(|other| other == name);
        let mut slots = vec![false; system.initial.len()];
        for (slot, process) in system.processes.iter().enumerate() {
            slots[slot] = is_named(&process.name);
        }
        for variable in system.variables.iter().filter(|variable| is_named(&variable.name)) {
            slots[numbers(variable)].fill(true);
        }
        let clocks = system.clocks.iter().enumerate().map(|(number, clock)| number > 0 && is_named(&clock.name));
        Pattern { slots, clocks: clocks.collect() }
    }

    /// All that some processes have for themselves.
    pub(super) fn of_processes(system: &System, writes: &[Writes], processes: &[bool]) -> Pattern {
        let part = Subnetwork::new(system, writes, processes.to_vec());
        let mut clocks = vec![false; system.clocks.len()];
        part.clocks.iter().for_each(|clock| clocks[*clock as usize] = true);
        Pattern { slots: part.slots, clocks }
    }

    /// The part of the network with all who change what is kept. A process may take part though its
    /// location is not kept. What is changed with every transition is left out.
    pub(super) fn part(&self, system: &System, writes: &[Writes]) -> Subnetwork {
        let changes = |(process, own): (usize, &Writes)| {
            let clocks = |own: &std::collections::BTreeSet<u32>| own.iter().any(|clock| self.clocks[*clock as usize]);
            self.slots[process]
                || own.slots.iter().any(|slot| self.slots[*slot as usize])
                || own.clocks.as_ref().map_or(self.clocks.contains(&true), clocks)
        };
        let processes = writes[..system.processes.len()].iter().enumerate().map(changes).collect();
        let mut part = Subnetwork::new(system, writes, processes);
        part.slots.iter_mut().zip(&self.slots).for_each(|(slot, kept)| *slot &= kept);
        // These may differ in states that are one.
        for number in &system.unread {
            part.slots[numbers(&system.variables[*number as usize])].fill(false);
        }
        part.clocks.retain(|clock| *clock == 0 || self.clocks[*clock as usize]);
        part
    }
}

/// Where a variable is in the row.
fn numbers(variable: &Variable) -> std::ops::Range<usize> {
    let first = variable.first as usize;
    first..first + variable.shape.size().ints as usize
}
