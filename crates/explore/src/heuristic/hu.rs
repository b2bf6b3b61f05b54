//! h^U: the number of transitions in a relaxed plan. Safe, not admissible.
//!
//! See [`relaxed`](super::relaxed) for the abstraction and the paper. The first transitions of a
//! plan are *helpful* (Hoffmann and Nebel, "The FF planning system", 2001).

use model::{Formula, System, system::EdgeId};

use super::{
    Depends, Estimate, EvaluatedState, Evaluator,
    relaxed::{Layers, Plan, PlanStep, RelaxationSettings, build},
};

/// h^U.
pub struct Hu {
    layers: Layers,
    plan: Plan,
}

impl Hu {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, settings: RelaxationSettings) -> Hu {
        Hu { layers: Layers::new(build(system, goal, settings)), plan: Plan::default() }
    }

    /// Returns the plan of the state that was evaluated last.
    #[must_use]
    pub fn plan(&self) -> &[PlanStep] {
        self.plan.steps()
    }
}

impl Evaluator for Hu {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        self.layers.reach(state.row, state.zone)?;
        Some(self.plan.find(&self.layers).into())
    }
    fn depends(&self) -> Depends {
        if self.layers.sees_clocks() { Depends::Zone } else { Depends::Row }
    }
    fn helpful(&mut self, state: EvaluatedState<'_>, out: &mut Vec<EdgeId>) {
        match self.evaluate(state) {
            Some(_) => self.plan.helpful(out),
            None => out.clear(),
        }
    }
    fn without(&mut self, state: EvaluatedState<'_>, edge: EdgeId) -> Option<Option<u32>> {
        let reached = self.layers.reach_without(state.row, state.zone, edge);
        Some(reached.map(|_| self.plan.find(&self.layers)))
    }
}
