//! The reasons for stopping early, and the signal that requests it.
//!
//! Long computations poll a [`Signal`] in their loops. The caller raises the signal from another
//! thread: the command line watches the time, the memory and Ctrl-C. Polling is one atomic load, so
//! every loop whose length depends on the input can do it, and the libraries need neither clocks
//! nor threads.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Diagnostic, Span};

/// The reason for stopping early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The limit on states was reached.
    States,
    /// The user interrupted it.
    Interrupted,
    /// Another process of a cluster, with this number, was lost.
    Lost(u16),
    /// A function of the user has failed.
    User,
}

impl Stop {
    /// Returns the code of its diagnostic.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Stop::Time => "time-limit",
            Stop::Memory => "memory-limit",
            Stop::States => "state-limit",
            Stop::Interrupted => "interrupted",
            Stop::Lost(_) => "process-lost",
            Stop::User => "user-function",
        }
    }

    /// Returns a diagnostic for a stop during loading.
    #[must_use]
    pub fn while_loading(self, span: Span) -> Diagnostic {
        Diagnostic::error(self.code(), span, self.to_string()).label("while this was loaded")
    }

    /// Returns the reason for a code; `None`: it is the code of another diagnostic.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Stop> {
        [Stop::Time, Stop::Memory, Stop::States, Stop::Interrupted].into_iter().find(|stop| stop.code() == code)
    }

    /// Returns the first reason if all errors are stops. `None`: there is another error, or none at
    /// all.
    #[must_use]
    pub fn of_errors(found: &[Diagnostic]) -> Option<Stop> {
        let mut errors = found.iter().filter(|d| d.is_error()).map(|d| Stop::of_code(d.code));
        let first = errors.next()??;
        errors.all(|stop| stop.is_some()).then_some(first)
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Time => "the time limit was reached",
            Stop::Memory => "the memory limit was reached",
            Stop::States => "the state limit was reached",
            Stop::Interrupted => "interrupted",
            Stop::Lost(process) => return write!(f, "process {process} was lost"),
            Stop::User => "a function of the user has failed",
        })
    }
}

/// The source of a [`Signal`].
#[derive(Debug, Default)]
pub struct Alarm(AtomicU8);

impl Alarm {
    /// Creates an alarm that is not raised.
    #[must_use]
    pub const fn new() -> Alarm {
        Alarm(AtomicU8::new(0))
    }

    /// Raises the signal. The first reason counts, except that an interrupt replaces any other.
    pub fn raise(&self, stop: Stop) {
        let number = match stop {
            Stop::Time => 1,
            Stop::Memory => 2,
            Stop::States => 3,
            // Which process it is, or which function, searches know.
            Stop::Interrupted | Stop::Lost(_) | Stop::User => 4,
        };
        let replace = |old: u8| (old == 0 || number == 4).then_some(number);
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, replace);
    }

    /// Resets the signal after the work has stopped.
    pub fn rest(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Returns the reason if it is raised.
    #[inline]
    #[must_use]
    pub fn raised(&self) -> Option<Stop> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Stop::Time),
            2 => Some(Stop::Memory),
            3 => Some(Stop::States),
            _ => Some(Stop::Interrupted),
        }
    }
}

/// A request to stop, which is polled. All signals compare equal: the meaning of a model does not
/// depend on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signal(Option<&'static Alarm>);

impl Signal {
    /// Returns the signal of an alarm.
    #[must_use]
    pub const fn of(alarm: &'static Alarm) -> Signal {
        Signal(Some(alarm))
    }

    /// Returns the reason to stop, if there is one.
    #[inline]
    #[must_use]
    pub fn raised(self) -> Option<Stop> {
        self.0.and_then(Alarm::raised)
    }
}

impl PartialEq for Signal {
    fn eq(&self, _: &Signal) -> bool {
        true
    }
}

impl Eq for Signal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_unless_the_user_interrupts() {
        static ALARM: Alarm = Alarm::new();
        let signal = Signal::of(&ALARM);
        assert_eq!((signal.raised(), Signal::default().raised()), (None, None));
        ALARM.raise(Stop::Memory);
        ALARM.raise(Stop::Time);
        assert_eq!(signal.raised(), Some(Stop::Memory));
        ALARM.raise(Stop::Interrupted);
        ALARM.raise(Stop::Time);
        assert_eq!(signal.raised(), Some(Stop::Interrupted));
        ALARM.rest();
        assert_eq!(signal.raised(), None);
    }
}
