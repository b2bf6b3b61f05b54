//! h^L: the number of layers until the relaxed goal is reached. Safe and admissible.
//!
//! See [`relaxed`](super::relaxed) for the abstraction and the paper.

use model::{Formula, System, system::EdgeId};

use super::{
    Depends, Estimate, EvaluatedState, Evaluator,
    relaxed::{Layers, RelaxationSettings, build},
};

/// h^L.
pub struct Hl {
    layers: Layers,
}

impl Hl {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, settings: RelaxationSettings) -> Hl {
        Hl { layers: Layers::new(build(system, goal, settings)) }
    }
}

impl Evaluator for Hl {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let value = self.layers.reach(state.row, state.zone)?;
        Some(Estimate { value, tie: self.layers.goal_sum() })
    }
    fn is_admissible(&self) -> bool {
        true
    }
    fn depends(&self) -> Depends {
        if self.layers.sees_clocks() { Depends::Zone } else { Depends::Row }
    }
    fn without(&mut self, state: EvaluatedState<'_>, edge: EdgeId) -> Option<Option<u32>> {
        Some(self.layers.reach_without(state.row, state.zone, edge))
    }
}
