//! Why work ends before its end, and the signal that says so.
//!
//! What takes long asks a [`Signal`] in its loops. Whoever runs it (the command line has a clock, knows how much memory there is
//! and hears Ctrl-C) raises the signal from another thread. Asking is reading a number, so it can be done in every loop that input
//! can make long, and the libraries need neither clocks nor threads.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Diagnostic, Span};

/// Why something gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time is over.
    Time,
    /// The memory is full.
    Memory,
    /// There are too many states.
    States,
    /// Somebody said so.
    Interrupted,
}

impl Stop {
    /// The code of a diagnostic that says so.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Stop::Time => "time-limit",
            Stop::Memory => "memory-limit",
            Stop::States => "state-limit",
            Stop::Interrupted => "interrupted",
        }
    }

    /// A diagnostic that says that this happened while something was loaded.
    #[must_use]
    pub fn while_loading(self, span: Span) -> Diagnostic {
        Diagnostic::error(self.code(), span, self.to_string()).label("while this was loaded")
    }

    /// What a diagnostic of this code says; `None`: it speaks of something wrong, and not of a limit.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Stop> {
        [Stop::Time, Stop::Memory, Stop::States, Stop::Interrupted].into_iter().find(|stop| stop.code() == code)
    }

    /// Why there is nothing but these diagnostics. `None`: an error among them says what is wrong, or none is an error.
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
        })
    }
}

/// What raises a [`Signal`].
#[derive(Debug, Default)]
pub struct Alarm(AtomicU8);

impl Alarm {
    /// One that is quiet.
    #[must_use]
    pub const fn new() -> Alarm {
        Alarm(AtomicU8::new(0))
    }

    /// Makes all that ask end. What was said first counts, but for an interrupt, which is the user's last word.
    pub fn raise(&self, stop: Stop) {
        let number = match stop {
            Stop::Time => 1,
            Stop::Memory => 2,
            Stop::States => 3,
            Stop::Interrupted => 4,
        };
        let replace = |old: u8| (old == 0 || number == 4).then_some(number);
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, replace);
    }

    /// Is quiet again: what was to end has ended.
    pub fn rest(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// What was said.
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

/// Whether to go on. All are equal: what a model means does not depend on who waits for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signal(Option<&'static Alarm>);

impl Signal {
    /// The one that an alarm raises.
    #[must_use]
    pub const fn of(alarm: &'static Alarm) -> Signal {
        Signal(Some(alarm))
    }

    /// Why to stop; `None`: there is no reason to.
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
    fn the_first_reason_counts_and_the_user_has_the_last_word() {
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
