//! h_add: the sum of the costs of the goal's conditions, each counted separately. Safe, not
//! admissible.
//!
//! Bonet and Geffner, "Planning as heuristic search", Artificial Intelligence 129, 2001.

use model::{Formula, System};

use super::{
    Depends, Estimate, EvaluatedState, Evaluator,
    relaxed::{RelaxationSettings, Sums, build},
};

/// h_add.
pub struct Hadd {
    sums: Sums,
}

impl Hadd {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, settings: RelaxationSettings) -> Hadd {
        Hadd { sums: Sums::new(build(system, goal, settings)) }
    }
}

impl Evaluator for Hadd {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        self.sums.reach(state.row, state.zone).map(Estimate::from)
    }
    fn depends(&self) -> Depends {
        if self.sums.sees_clocks() { Depends::Zone } else { Depends::Row }
    }
}
