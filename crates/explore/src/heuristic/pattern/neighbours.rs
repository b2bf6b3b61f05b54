//! Interactions between processes.

use std::collections::BTreeSet;

use model::{
    Formula, System,
    symbolic::{Path, Symbolic},
    system::{ClockTerm, Guard, Sync},
};

use super::super::{abstraction::subnetwork::Writes, cases::cases};

/// The variables and clocks that processes and the goal read.
pub(crate) struct Neighbours {
    /// The slots of the row that each process reads; `None`: unknown.
    slots: Vec<Option<BTreeSet<u32>>>,
    /// The clocks that each process compares.
    clocks: Vec<BTreeSet<u32>>,
    /// The processes with which each one may synchronise.
    together: Vec<BTreeSet<u32>>,
    /// The slots of the row and the clocks of the goal.
    goal: (BTreeSet<u32>, BTreeSet<u32>),
}

impl Neighbours {
    /// Computes the interactions in a network with a goal.
    pub(crate) fn new(system: &System, symbolic: &mut Symbolic<'_>, goal: &Formula) -> Neighbours {
        let processes = system.processes.len();
        let mut out = Neighbours {
            slots: vec![Some(BTreeSet::new()); processes],
            clocks: vec![BTreeSet::new(); processes],
            together: vec![BTreeSet::new(); processes],
            goal: (BTreeSet::new(), BTreeSet::new()),
        };
        for edge in &system.edges {
            let process = edge.process.0 as usize;
            let target = &system.locations[edge.target.0 as usize].invariant;
            for guard in [&edge.guard, target] {
                out.clocks[process].extend(clocks(guard));
                if let Some(condition) = guard.condition {
                    let paths = symbolic.test(&Path::default(), condition);
                    out.note(symbolic, process, paths);
                }
            }
            if let Some(update) = edge.update {
                let paths = symbolic.update(&Path::default(), update, &BTreeSet::new());
                out.note(symbolic, process, paths);
            }
        }
        out.partners(system);
        for case in cases(symbolic, goal).unwrap_or_default() {
            let atoms = case.path.conditions.iter();
            out.goal.0.extend(atoms.flat_map(|atom| symbolic.terms.atom_support(*atom).unwrap_or_default()));
            for constraint in &case.clocks {
                out.goal.1.extend([constraint.left, constraint.right].into_iter().filter_map(clock));
            }
        }
        out
    }

    /// Adds what a process reads on symbolic paths; `None`: unknown.
    fn note(&mut self, symbolic: &Symbolic<'_>, process: usize, paths: Option<Vec<Path>>) {
        let (Some(own), Some(paths)) = (&mut self.slots[process], paths) else {
            self.slots[process] = None;
            return;
        };
        let terms = &symbolic.terms;
        for path in paths {
            let atoms = path.conditions.iter();
            own.extend(atoms.flat_map(|atom| terms.atom_support(*atom).unwrap_or_default()));
            let values = path.writes.values();
            own.extend(values.flat_map(|term| terms.support(*term).unwrap_or_default()));
        }
    }

    fn partners(&mut self, system: &System) {
        let mut by_channel: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); system.channels.len()];
        for edge in &system.edges {
            if let Sync::Send(channel) | Sync::Receive(channel) = edge.sync {
                by_channel[channel.0 as usize].insert(edge.process.0);
            }
        }
        let vectors = system.vectors.iter().map(|v| v.participants.iter().map(|p| p.process.0).collect());
        for group in by_channel.into_iter().chain(vectors) {
            for process in &group {
                self.together[*process as usize].extend(&group);
            }
        }
    }

    /// Returns the processes that the goal concerns: by their locations, or because they change
    /// what it reads.
    pub(crate) fn of_goal(&self, writes: &[Writes]) -> Vec<bool> {
        let (slots, clocks) = &self.goal;
        let is_asked = |process: usize| slots.contains(&(process as u32)) || changes(&writes[process], slots, clocks);
        (0..self.slots.len()).map(is_asked).collect()
    }

    /// Returns the other processes that interact with some.
    pub(crate) fn of(&self, writes: &[Writes], some: &[bool]) -> Vec<usize> {
        let others = (0..some.len()).filter(|process| !some[*process]);
        let kept: Vec<usize> = (0..some.len()).filter(|process| some[*process]).collect();
        let is_near = |other: &usize| {
            kept.iter().any(|own| {
                let reads = self.slots[*own].as_ref().is_none_or(|slots| {
                    changes(&writes[*other], slots, &self.clocks[*own]) || slots.contains(&(*other as u32))
                });
                reads || self.together[*own].contains(&(*other as u32))
            })
        };
        others.filter(is_near).collect()
    }
}

fn changes(writes: &Writes, slots: &BTreeSet<u32>, clocks: &BTreeSet<u32>) -> bool {
    !writes.slots.is_disjoint(slots) || writes.clocks.as_ref().is_none_or(|own| !own.is_disjoint(clocks))
}

fn clock(term: ClockTerm) -> Option<u32> {
    match term {
        ClockTerm::Clock(clock) if clock.0 > 0 => Some(clock.0),
        _ => None,
    }
}

fn clocks(guard: &Guard) -> impl Iterator<Item = u32> + '_ {
    guard.clocks.iter().flat_map(|constraint| [constraint.left, constraint.right]).filter_map(clock)
}
