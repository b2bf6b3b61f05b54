//! Patterns.

use model::{System, system::Variable};

use super::super::abstraction::subnetwork::{Subnetwork, Writes};

/// A pattern: the kept part of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Whether each slot of the row is kept; the locations of processes come first.
    pub slots: Vec<bool>,
    /// Whether each clock is kept.
    pub clocks: Vec<bool>,
}

impl Pattern {
    /// Returns the pattern with everything but clocks.
    #[must_use]
    pub fn without_clocks(system: &System) -> Pattern {
        Pattern { slots: vec![true; system.initial.len()], clocks: vec![false; system.clocks.len()] }
    }

    /// Returns the pattern of the processes, variables and clocks with these names. Unknown names
    /// are ignored.
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

    /// Returns the pattern of everything that some processes have exclusively.
    pub(super) fn of_processes(system: &System, writes: &[Writes], processes: &[bool]) -> Pattern {
        let subnetwork = Subnetwork::new(system, writes, processes.to_vec());
        let mut clocks = vec![false; system.clocks.len()];
        subnetwork.clocks.iter().for_each(|clock| clocks[*clock as usize] = true);
        Pattern { slots: subnetwork.slots, clocks }
    }

    /// Returns the subnetwork of all processes that change what is kept. It may include a process
    /// whose location is not kept. What every transition changes is left out.
    pub(super) fn subnetwork(&self, system: &System, writes: &[Writes]) -> Subnetwork {
        let changes = |(process, own): (usize, &Writes)| {
            let clocks = |own: &std::collections::BTreeSet<u32>| own.iter().any(|clock| self.clocks[*clock as usize]);
            self.slots[process]
                || own.slots.iter().any(|slot| self.slots[*slot as usize])
                || own.clocks.as_ref().map_or(self.clocks.contains(&true), clocks)
        };
        let processes = writes[..system.processes.len()].iter().enumerate().map(changes).collect();
        let mut subnetwork = Subnetwork::new(system, writes, processes);
        subnetwork.slots.iter_mut().zip(&self.slots).for_each(|(slot, kept)| *slot &= kept);
        // Unread variables do not distinguish states.
        for number in &system.unread {
            subnetwork.slots[numbers(&system.variables[*number as usize])].fill(false);
        }
        subnetwork.clocks.retain(|clock| *clock == 0 || self.clocks[*clock as usize]);
        subnetwork
    }
}

/// Returns the slots of a variable.
fn numbers(variable: &Variable) -> std::ops::Range<usize> {
    let first = variable.first as usize;
    first..first + variable.shape.size().ints as usize
}
