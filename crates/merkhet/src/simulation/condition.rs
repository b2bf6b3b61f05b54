//! Conditions on single states, in the language of queries.

use model::{Formula, Property, System};
use syntax::{Diagnostic, Sources};
use thiserror::Error;

use crate::reading;

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

/// Reads a condition. Messages call its text `name`. Also returns the system with its code and that
/// of the conditions before it.
///
/// # Errors
/// Everything that is wrong with it.
pub fn condition(
    text: &str,
    name: &str,
    sources: &mut Sources,
    model: &mut model::Model,
) -> Result<(System, Formula), ConditionError> {
    let query = reading::query(&format!("E<> {}", plain(text)), name, sources, model);
    let (_, lowered) = query.map_err(ConditionError::Refused)?;
    match model.system.with(&lowered) {
        (system, Property::State { goal, exists: true }) => Ok((system, goal)),
        _ => Err(ConditionError::Kind),
    }
}
