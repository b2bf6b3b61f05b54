//! The limits of a search.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::snapshot::Journal;
pub use model::Stop;

/// The limits of a search.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Returns whether the time limit is exceeded. It is polled now and then.
    pub expired: Option<&'a dyn Fn() -> bool>,
    /// The greatest size of the stored states in bytes.
    pub bytes: Option<usize>,
    /// The greatest number of stored states.
    pub states: Option<usize>,
    /// A search pauses after this number of computed successors: a limit on work that does not
    /// depend on the machine.
    pub generated: Option<usize>,
    /// A search pauses when joining has cost this; see [`crate::seen::Seen::joining_cost`].
    pub joining: Option<usize>,
    /// Stops the search when it is set.
    pub interrupt: Option<&'a AtomicBool>,
    /// Has the results of earlier searches and saves the state of this one, see
    /// [`crate::snapshot`].
    pub journal: Option<&'a Journal>,
}

impl Limits<'_> {
    /// Returns the limit that is exceeded, given the size of the stored states in bytes.
    #[must_use]
    pub fn reached(&self, bytes: usize) -> Option<Stop> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Stop::Interrupted);
        }
        if self.expired.is_some_and(|is| is()) {
            return Some(Stop::Time);
        }
        if self.bytes.is_some_and(|max| bytes > max) {
            return Some(Stop::Memory);
        }
        None
    }

    /// Notes that the checkpoint that the search was resumed from, if there is one, is to blame for
    /// a state that can't be one. Returns what stops the search.
    pub(crate) fn distrust_checkpoint(&self, why: &'static str) -> Option<Stop> {
        self.journal?.distrust(why);
        Some(Stop::Interrupted)
    }
}
