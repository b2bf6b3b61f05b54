//! The number of processes that are not blocked, for the search for deadlocks. It is independent of
//! the goal, is not admissible, and detects no dead ends.
//!
//! Groce and Visser, "Model checking Java programs using structural heuristics", ISSTA 2002: the
//! most-blocked heuristic. A process is blocked if no guard of its outgoing edges holds, or if the
//! edges whose guards hold lack a partner. Clocks are ignored, since time may pass.

use model::{
    System,
    machine::Machine,
    system::{Edge, LocationId, ProcessId, Sync},
};

use super::{Depends, Estimate, EvaluatedState, Evaluator};

/// The number of processes that are not blocked.
pub struct Blocked<'s> {
    system: &'s System,
    machine: Machine<'s>,
    /// The edges by their source locations.
    outgoing: Vec<Vec<&'s Edge>>,
    /// The synchronisations that are offered in the current state.
    offered: Vec<(usize, Sync)>,
}

impl<'s> Blocked<'s> {
    /// Creates the heuristic for a system.
    #[must_use]
    pub fn new(system: &'s System) -> Blocked<'s> {
        let mut outgoing = vec![Vec::new(); system.locations.len()];
        for edge in &system.edges {
            outgoing[edge.source.0 as usize].push(edge);
        }
        let machine = Machine::new(&system.code, system.initial.len());
        Blocked { system, machine, outgoing, offered: Vec::new() }
    }

    /// Returns whether the integer part of a guard holds. A guard that fails blocks nothing: the
    /// search has to meet its error.
    fn holds(&mut self, edge: &Edge) -> bool {
        edge.guard.condition.is_none_or(|condition| self.machine.test(condition).unwrap_or(true))
    }

    /// Returns whether a synchronisation of a process has a partner.
    fn has_partner(&self, process: usize, sync: Sync) -> bool {
        let others = || self.offered.iter().filter(|(other, _)| *other != process).map(|(_, sync)| *sync);
        match sync {
            Sync::Internal | Sync::Event(_) => true,
            Sync::Send(c) => self.system.channels[c.0 as usize].broadcast || others().any(|s| s == Sync::Receive(c)),
            Sync::Receive(c) => others().any(|s| s == Sync::Send(c)),
        }
    }
}

impl Evaluator for Blocked<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        self.machine.load(state.row);
        self.offered.clear();
        for process in 0..self.system.processes.len() {
            let LocationId(location) = self.system.location(state.row, ProcessId(process as u32));
            for i in 0..self.outgoing[location as usize].len() {
                let edge = self.outgoing[location as usize][i];
                if self.holds(edge) {
                    self.offered.push((process, edge.sync));
                }
            }
        }
        let can_act =
            |process: usize| self.offered.iter().any(|(own, sync)| *own == process && self.has_partner(process, *sync));
        let active = (0..self.system.processes.len()).filter(|process| can_act(*process)).count();
        Some((active as u32).into())
    }
    fn depends(&self) -> Depends {
        Depends::Row
    }
}
