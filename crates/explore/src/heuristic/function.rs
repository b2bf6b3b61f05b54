//! A function of the user, about which nothing is known but what the user says.

use model::System;

use super::{Depends, Estimate, EvaluatedState, Evaluator};
use crate::user::{StateView, UserHeuristic, WidenedZone, ask};

/// The estimate of a state from which the function sees no path, unless it is safe. Such states
/// come last.
const LAST: u32 = u32::MAX - 1;

/// The value of a function of the user.
pub struct Function<'s> {
    system: &'s System,
    heuristic: UserHeuristic,
}

impl<'s> Function<'s> {
    /// Creates the heuristic for a system.
    #[must_use]
    pub fn new(system: &'s System, heuristic: UserHeuristic) -> Function<'s> {
        Function { system, heuristic }
    }
}

impl Evaluator for Function<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let zone = WidenedZone::new(state.zone);
        let view = StateView::new(self.system, state.row, Some(&zone));
        let estimate = ask(self.system, "the heuristic of the user", || (self.heuristic.function)(&view));
        match estimate {
            Some(None) if self.heuristic.is_safe => None,
            Some(Some(value)) => Some(u32::try_from(value).unwrap_or(LAST).min(LAST).into()),
            // If the function has failed, the search is stopped.
            Some(None) | None => Some(LAST.into()),
        }
    }

    fn is_admissible(&self) -> bool {
        self.heuristic.is_admissible
    }

    fn depends(&self) -> Depends {
        Depends::Zone
    }
}
