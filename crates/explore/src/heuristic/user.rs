//! An expression of the user's. Nothing is known about it.
//!
//! Behrmann and Fehnker, "Efficient guiding towards cost-optimality in UPPAAL", TACAS 2001.

use model::{System, code::Pc, machine::Machine};

use super::{Evaluator, Guess, Look};

/// The value of an expression in a state.
pub struct User<'s> {
    machine: Machine<'s>,
    expression: Pc,
}

impl<'s> User<'s> {
    /// An expression of a system.
    #[must_use]
    pub fn new(system: &'s System, expression: Pc) -> User<'s> {
        User { machine: Machine::new(&system.code, system.initial.len()), expression }
    }
}

impl Evaluator for User<'_> {
    fn evaluate(&mut self, state: Look<'_>) -> Option<Guess> {
        self.machine.load(state.row);
        // Whatever is below zero is as good as there; where it fails, nothing is known.
        Some(self.machine.value(self.expression).map_or(u32::MAX - 1, |value| value.max(0) as u32).into())
    }
    fn is_safe(&self) -> bool {
        true
    }
    fn is_admissible(&self) -> bool {
        false
    }
}
