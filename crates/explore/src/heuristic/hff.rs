//! h_FF: the number of transitions in a relaxed plan whose supporters are chosen by h_add. Safe,
//! not admissible.
//!
//! Keyder and Geffner, "Heuristics for planning with action costs revisited", ECAI 2008.

use model::{Formula, System, system::EdgeId};

use super::{
    Depends, Estimate, EvaluatedState, Evaluator,
    relaxed::{Plan, RelaxationSettings, Sums, build},
};

/// h_FF.
pub struct Hff {
    sums: Sums,
    plan: Plan,
}

impl Hff {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, settings: RelaxationSettings) -> Hff {
        Hff { sums: Sums::new(build(system, goal, settings)), plan: Plan::default() }
    }
}

impl Evaluator for Hff {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        self.sums.reach(state.row, state.zone)?;
        Some(self.plan.find(&self.sums).into())
    }
    fn depends(&self) -> Depends {
        if self.sums.sees_clocks() { Depends::Zone } else { Depends::Row }
    }
    fn helpful(&mut self, state: EvaluatedState<'_>, out: &mut Vec<EdgeId>) {
        match self.evaluate(state) {
            Some(_) => self.plan.helpful(out),
            None => out.clear(),
        }
    }
}
