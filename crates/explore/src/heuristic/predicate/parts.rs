//! The steps of subnetworks.

use std::collections::BTreeSet;

use model::{Formula, System, symbolic::Symbolic};

use super::{
    super::abstraction::{
        steps::AbstractSteps,
        subnetwork::{Subnetwork, Writes, writes},
    },
    OtherProcesses,
    split::NetworkSplit,
};

/// A network that is split.
pub(super) struct Parts<'s, 'g> {
    /// The interactions of its processes.
    pub split: NetworkSplit<'s>,
    system: &'s System,
    goal: &'g Formula,
    others: OtherProcesses,
    symbolic: Symbolic<'s>,
    writes: Vec<Writes>,
    /// The steps of the whole network.
    whole: AbstractSteps<'s>,
}

impl<'s, 'g> Parts<'s, 'g> {
    /// Analyses a network; `None`: it has too many transitions.
    pub(super) fn new(system: &'s System, goal: &'g Formula, others: OtherProcesses) -> Option<Parts<'s, 'g>> {
        let mut symbolic = Symbolic::new(system);
        let writes = writes(system, &mut symbolic);
        let all = Subnetwork::new(system, &writes, vec![true; system.processes.len()]);
        let whole = AbstractSteps::new(system, &mut symbolic, all, goal)?;
        let split = NetworkSplit::new(system, &mut symbolic, goal);
        Some(Parts { split, system, goal, others, symbolic, writes, whole })
    }

    /// Returns the steps of a subnetwork; `None`: there are too many.
    pub(super) fn steps(&mut self, watched: &[bool]) -> Option<AbstractSteps<'s>> {
        if self.others == OtherProcesses::Effects || watched.iter().all(|own| *own) {
            return Some(self.whole.watch(watched, false));
        }
        let mut own = Subnetwork::new(self.system, &self.writes, watched.to_vec());
        let row = own.slots.len() as u32;
        let outside = self.writes.iter().enumerate().filter(|(process, _)| watched.get(*process) != Some(&true));
        let changed: BTreeSet<u32> = outside.flat_map(|(_, writes)| writes.slots.iter().copied()).collect();
        for var in changed.into_iter().flat_map(|var| self.split.affected(var)).filter(|var| **var < row) {
            own.slots[*var as usize] = false;
        }
        AbstractSteps::new(self.system, &mut self.symbolic, own, self.goal)
    }

    /// Returns the steps of a subnetwork without synchronisations with other processes that its
    /// processes can do among themselves, if there are any.
    pub(super) fn alone(&self, watched: &[bool], steps: &AbstractSteps<'s>) -> Option<AbstractSteps<'s>> {
        match self.others {
            OtherProcesses::Effects => {
                Some(self.whole.watch(watched, true)).filter(|alone| alone.steps.len() < steps.steps.len())
            }
            OtherProcesses::Unknown => steps.alone(),
        }
    }
}
