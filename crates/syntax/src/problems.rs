//! A limited list of diagnostics, for readers without a parser, and the error of what was reported.

use crate::{
    Signal,
    diagnostic::Diagnostic,
    lexer::{MAX_PROBLEMS, too_many_problems},
};

/// An error that has been reported as a diagnostic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// A limited list of diagnostics.
pub(crate) struct Problems<'a> {
    pub list: &'a mut Vec<Diagnostic>,
    /// The number of diagnostics before.
    known: usize,
    gave_up: bool,
    signal: Signal,
}

impl<'a> Problems<'a> {
    pub(crate) fn new(list: &'a mut Vec<Diagnostic>, signal: Signal) -> Problems<'a> {
        Problems { known: list.len(), list, gave_up: false, signal }
    }

    /// Returns whether to stop reading: there are too many problems, or the signal is raised.
    pub(crate) fn is_over(&self) -> bool {
        self.gave_up || self.signal.raised().is_some()
    }

    /// Returns the signal that stops reading.
    pub(crate) fn signal(&self) -> Signal {
        self.signal
    }

    pub(crate) fn report(&mut self, d: Diagnostic) {
        if self.gave_up {
            return;
        }
        self.list.push(d);
        self.limit();
    }

    /// Gives up if there are too many.
    pub(crate) fn limit(&mut self) {
        if let Some(last) = self.list.last()
            && self.list.len() - self.known > MAX_PROBLEMS
            && !self.gave_up
        {
            self.gave_up = true;
            let span = last.primary.span.after();
            self.list.push(too_many_problems(span));
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.list[self.known..].iter().any(Diagnostic::is_error)
    }
}
