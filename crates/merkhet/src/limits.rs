//! The limits of an answer, and how to stop the work on it.

use std::time::Duration;

use model::Stop;

use crate::{Model, Watch};

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

impl Model {
    /// Does work on this model within limits on time and memory.
    ///
    /// # Errors
    /// A limit was reached, or the work was stopped; what it returned may be incomplete.
    pub fn within<T>(&mut self, limits: &Limits, work: impl FnOnce(&mut Model) -> T) -> Result<T, Stop> {
        let watch = self.watch();
        watch.begin(limits.time, limits.memory);
        let done = work(self);
        let stopped = watch.stopped();
        watch.end();
        stopped.map_or(Ok(done), Err)
    }
}
