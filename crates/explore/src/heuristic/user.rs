//! An expression of the user, about which nothing is known.
//!
//! Behrmann and Fehnker, "Efficient guiding towards cost-optimality in UPPAAL", TACAS 2001.

use model::{System, code::Pc, machine::Machine};

use super::{Depends, Estimate, EvaluatedState, Evaluator, Failures, Purpose};

/// The value of an expression that fails: such states come last. It only affects the order, so no
/// verdict depends on it.
const FAILED: u32 = u32::MAX - 1;

/// The value of an expression in a state.
pub struct User<'s> {
    machine: Machine<'s>,
    expression: Pc,
    failures: Failures,
}

impl<'s> User<'s> {
    /// Creates the heuristic for an expression of a system.
    #[must_use]
    pub fn new(system: &'s System, expression: Pc) -> User<'s> {
        let machine = Machine::new(&system.code, system.initial.len());
        User { machine, expression, failures: Failures::default() }
    }
}

impl Evaluator for User<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        self.machine.load(state.row);
        let value = match self.machine.value(self.expression) {
            // Negative values count as zero.
            Ok(value) => value.max(0) as u32,
            Err(fault) => {
                self.failures.note(Purpose::Heuristic, self.expression, fault);
                FAILED
            }
        };
        Some(value.into())
    }
    fn failures(&self) -> Failures {
        self.failures.clone()
    }
    fn depends(&self) -> Depends {
        Depends::Row
    }
}
