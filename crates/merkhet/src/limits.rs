//! The limits of an answer, and how to stop the work on it.

use std::time::Duration;

use crate::Watch;

/// The limits of the work on one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The time.
    pub time: Option<Duration>,
    /// The memory, in bytes.
    pub memory: Option<usize>,
    /// The number of stored states.
    pub states: Option<usize>,
}

/// Stops the work on a model.
#[derive(Clone, Copy, Debug)]
pub struct Stopper {
    pub(crate) watch: &'static Watch,
}

impl Stopper {
    /// Stops the work. Its answers are unknown, until [`Stopper::reset`].
    pub fn stop(self) {
        self.watch.interrupt();
    }

    /// Allows new work.
    pub fn reset(self) {
        self.watch.forget();
    }
}
