//! Guides to paths with many different processes, independently of the goal. Not admissible, and
//! detects no dead ends.
//!
//! Groce and Visser, "Model checking Java programs using structural heuristics", ISSTA 2002: the
//! thread interleaving heuristic. The processes that were executed last are remembered for each
//! path. A state is worse each time that the process that was executed just now is among them, in
//! proportion to how far back that is. The paper also multiplies by the number of live threads; the
//! processes of a network are always alive, so that this would change nothing. Its histories may
//! have a limit, which it does not give.

use model::System;

use super::{Estimate, EvaluatedState, Evaluator};

/// The number of executions that are remembered.
const MEMORY: usize = 16;

/// No process.
const NOBODY: u32 = u32::MAX;

/// The last processes on a path, the most recent first.
type History = [u32; MEMORY];

/// The last processes on the paths to all states.
pub struct Interleaving<'s> {
    system: &'s System,
    histories: Vec<History>,
}

impl<'s> Interleaving<'s> {
    /// Creates the heuristic for a system.
    #[must_use]
    pub fn new(system: &'s System) -> Interleaving<'s> {
        Interleaving { system, histories: Vec::new() }
    }
}

impl Evaluator for Interleaving<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let known = state.path.parent.and_then(|parent| self.histories.get(parent as usize));
        let before = known.copied().unwrap_or([NOBODY; MEMORY]);
        let mut after = before;
        let mut value = 0;
        // The initiator is the most recent.
        for edge in state.edges.iter().rev() {
            let process = self.system.edges[edge.0 as usize].process.0;
            let again = before.iter().enumerate().filter(|(_, earlier)| **earlier == process);
            value += again.map(|(age, _)| age as u32 + 1).sum::<u32>();
            after.rotate_right(1);
            after[0] = process;
        }
        if let Some(node) = state.path.node {
            let at = node as usize;
            if self.histories.len() <= at {
                self.histories.resize(at + 1, [NOBODY; MEMORY]);
            }
            self.histories[at] = after;
        }
        Some(value.into())
    }
}
