//! The packets that workers have sent and received, and who rests, for reports.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::search::WorkerLoad;

/// The traffic of one worker. Nothing depends on it, so it is not synchronised.
#[derive(Default)]
pub(super) struct Traffic {
    sent: AtomicUsize,
    received: AtomicUsize,
    rests: AtomicBool,
}

/// Notes that a worker rests, as long as it exists.
pub(super) struct Resting<'t>(&'t Traffic);

impl Traffic {
    pub(super) fn send(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn receive(&self, packets: usize) {
        self.received.fetch_add(packets, Ordering::Relaxed);
    }

    pub(super) fn rest(&self) -> Resting<'_> {
        self.rests.store(true, Ordering::Relaxed);
        Resting(self)
    }

    /// Adds the traffic to a report.
    pub(super) fn report(&self, load: &mut WorkerLoad) {
        load.sent = self.sent.load(Ordering::Relaxed);
        load.received = self.received.load(Ordering::Relaxed);
        load.rests = self.rests.load(Ordering::Relaxed);
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.0.rests.store(false, Ordering::Relaxed);
    }
}
