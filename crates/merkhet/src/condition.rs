//! Conditions on single states, in the language of queries.

use model::{Formula, LoweredQuery, Property, System};
use syntax::{Diagnostic, Sources};
use thiserror::Error;

use crate::{Model, reading};

/// Why a text can't be used as a condition.
#[derive(Clone, Debug, Error)]
pub enum ConditionError {
    /// It is wrong.
    #[error("{}", .0.iter().find(|d| d.is_error()).map_or("", |d| &d.message))]
    Refused(Vec<Diagnostic>),
    /// It is about runs or bounds.
    #[error("only conditions on single states can be used here")]
    Kind,
}

/// Returns an expression without a leading `E<>`.
#[must_use]
pub fn plain(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix("E<>").unwrap_or(text).trim().to_owned()
}

/// Reads a condition. Messages call its text `name`. Also returns a system with its code, beside
/// that of the conditions that were added to `system` before.
///
/// # Errors
/// Everything that is wrong with it.
pub fn condition(
    text: &str,
    name: &str,
    sources: &mut Sources,
    model: &mut model::Model,
    system: &System,
) -> Result<(System, Formula), ConditionError> {
    let query = reading::query(&format!("E<> {}", plain(text)), name, sources, model);
    let (_, lowered) = query.map_err(ConditionError::Refused)?;
    match system.with(&lowered) {
        (system, Property::State { goal, exists: true }) => Ok((system, goal)),
        _ => Err(ConditionError::Kind),
    }
}

/// A condition that marks states, and its negation.
#[derive(Clone, Debug)]
pub struct StateCondition {
    holds: LoweredQuery,
    fails: LoweredQuery,
}

impl Model {
    /// Reads a condition on single states. Messages call its text `name`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn state_condition(&mut self, text: &str, name: &str) -> Result<StateCondition, ConditionError> {
        let text = plain(text);
        let mut lowered = |query: String| {
            let read = reading::query(&query, name, &mut self.sources, &mut self.loaded);
            read.map(|(_, lowered)| lowered).map_err(ConditionError::Refused)
        };
        // The negation is what a counterexample satisfies.
        let condition =
            StateCondition { holds: lowered(format!("E<> {text}"))?, fails: lowered(format!("A[] {text}"))? };
        if condition.formulas(&self.loaded.system).1.is_none() { Err(ConditionError::Kind) } else { Ok(condition) }
    }
}

impl StateCondition {
    /// Returns a system with the code of the condition, and the condition with its negation.
    pub(crate) fn formulas(&self, system: &System) -> (System, Option<(Formula, Formula)>) {
        let (system, properties) = system.with_all(&[&self.holds, &self.fails]);
        let mut properties = properties.into_iter();
        match (properties.next(), properties.next()) {
            (
                Some(Property::State { goal: holds, exists: true }),
                Some(Property::State { goal: fails, exists: false }),
            ) => (system, Some((holds, fails))),
            _ => (system, None),
        }
    }
}
