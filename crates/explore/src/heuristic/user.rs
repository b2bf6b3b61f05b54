//! An expression of the user's. Nothing is known about it.
//!
//! Behrmann and Fehnker, "Efficient guiding towards cost-optimality in UPPAAL", TACAS 2001.

use model::{System, code::Pc, machine::Machine};

use super::{Estimate, EvaluatedState, Evaluator, Failures, Purpose};

/// What is taken for the value in a state where there is none: such states come last. It only
/// orders them, so that no verdict depends on it.
const FAILED: u32 = u32::MAX - 1;

/// The value of an expression in a state.
pub struct User<'s> {
    machine: Machine<'s>,
    expression: Pc,
    failures: Failures,
}

impl<'s> User<'s> {
    /// An expression of a system.
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
            // Whatever is below zero is as good as there.
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
    fn is_safe(&self) -> bool {
        true
    }
    fn is_admissible(&self) -> bool {
        false
    }
}
