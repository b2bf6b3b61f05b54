//! When a search gives up.

use std::sync::atomic::{AtomicBool, Ordering};

pub use model::Stop;

/// When to give up.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Asked now and then: whether the time is over.
    pub expired: Option<&'a dyn Fn() -> bool>,
    /// Not with more bytes of stored states.
    pub bytes: Option<usize>,
    /// Not with more stored states.
    pub states: Option<usize>,
    /// A search pauses when it has computed more successors: a limit on work, whatever the machine.
    pub generated: Option<usize>,
    /// Set from outside to stop.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Limits<'_> {
    /// Whether time, memory or patience is over, with so many bytes taken.
    #[must_use]
    pub fn reached(&self, bytes: usize) -> Option<Stop> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Stop::Interrupted);
        }
        if self.expired.is_some_and(|is| is()) {
            return Some(Stop::Time);
        }
        if self.bytes.is_some_and(|most| bytes > most) {
            return Some(Stop::Memory);
        }
        None
    }
}
