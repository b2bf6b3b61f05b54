//! The reasons for which an edit is not made.

use serde::Serialize;
use thiserror::Error;

/// An edit that is not made, and why, in plain words.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize)]
#[error("{message}")]
pub struct EditError {
    /// One sentence without a full stop.
    pub message: String,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl EditError {
    /// Creates a refusal.
    pub(crate) fn new(message: impl Into<String>) -> EditError {
        EditError { message: message.into(), help: None }
    }

    /// Adds what to do instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> EditError {
        self.help = Some(help.into());
        self
    }

    /// Returns the refusal of an edit of a net in a model of automata.
    pub(crate) fn no_net() -> EditError {
        EditError::new("automata have no places and no transitions of nets")
    }

    /// Returns the refusal of an edit of something that does not exist.
    pub(crate) fn absent(what: &str, number: usize) -> EditError {
        EditError::new(format!("there is no {what} with the number {number}"))
            .help("the model has changed since it was drawn: load it again")
    }
}
