//! Guides to edges that were rarely taken, independently of the goal. Not admissible, and detects
//! no dead ends.
//!
//! Groce and Visser, "Model checking Java programs using structural heuristics", ISSTA 2002: the
//! branch coverage heuristic. The targets of edges that were never taken come first, then those of
//! rarely taken ones.

use model::System;

use super::{Estimate, EvaluatedState, Evaluator};

/// The number of times that each edge was taken.
pub struct Coverage {
    taken: Vec<u32>,
}

impl Coverage {
    /// Creates the heuristic for a system.
    #[must_use]
    pub fn new(system: &System) -> Coverage {
        Coverage { taken: vec![0; system.edges.len()] }
    }
}

impl Evaluator for Coverage {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let least = state.edges.iter().map(|edge| self.taken[edge.0 as usize]).min();
        state.edges.iter().for_each(|edge| self.taken[edge.0 as usize] = self.taken[edge.0 as usize].saturating_add(1));
        Some(least.unwrap_or(0).into())
    }
}
