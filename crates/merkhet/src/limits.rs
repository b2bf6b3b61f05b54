//! The limits of an answer, and how to stop the work on it.

use std::time::Duration;

use model::Stop;

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

    /// Does work within limits on time and memory. The stopper stops it, too.
    ///
    /// # Errors
    /// A limit was reached, or the work was stopped; what it returned may be incomplete.
    pub fn within<T>(self, limits: &Limits, work: impl FnOnce() -> T) -> Result<T, Stop> {
        self.watch.begin(limits.time, limits.memory);
        let done = work();
        let stopped = self.watch.stopped();
        self.watch.end();
        stopped.map_or(Ok(done), Err)
    }
}
