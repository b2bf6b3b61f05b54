//! Diagnostics up to a limit, for readers that have no parser of their own to count them.

use crate::{
    Signal,
    diagnostic::Diagnostic,
    lexer::{MAX_PROBLEMS, too_many_problems},
};

/// Diagnostics up to a limit.
pub(crate) struct Problems<'a> {
    pub list: &'a mut Vec<Diagnostic>,
    /// How many there were before.
    known: usize,
    gave_up: bool,
    signal: Signal,
}

impl<'a> Problems<'a> {
    pub fn new(list: &'a mut Vec<Diagnostic>, signal: Signal) -> Problems<'a> {
        Problems { known: list.len(), list, gave_up: false, signal }
    }

    /// Whether reading is to end: there are too many, or somebody stops it.
    pub fn is_over(&self) -> bool {
        self.gave_up || self.signal.raised().is_some()
    }

    /// What says whether to go on.
    pub fn signal(&self) -> Signal {
        self.signal
    }

    pub fn report(&mut self, d: Diagnostic) {
        if self.gave_up {
            return;
        }
        self.list.push(d);
        self.limit();
    }

    /// Gives up if there are too many.
    pub fn limit(&mut self) {
        if let Some(last) = self.list.last()
            && self.list.len() - self.known > MAX_PROBLEMS
            && !self.gave_up
        {
            self.gave_up = true;
            let span = last.primary.span.after();
            self.list.push(too_many_problems(span));
        }
    }

    pub fn has_errors(&self) -> bool {
        self.list[self.known..].iter().any(Diagnostic::is_error)
    }
}
