//! Packets between workers, and the moment at which all of them have nothing left to do.
//!
//! A worker that has nothing to do rests. When all rest and no packet is on its way, the level of a
//! breadth-first search ends, or the search. A packet counts as on its way from before it is sent
//! until its states are stored, so that the last worker to rest sees this moment.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use super::{disturbance::Disturbance, packet::Packet};

/// What a worker does after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterRest {
    /// It receives packets.
    Receive,
    /// It begins the next level.
    NextLevel,
    /// The search has ended.
    End,
    /// The search pauses or stops.
    Pause,
}

/// The exchange of packets between workers.
pub(super) struct Exchange<B> {
    inboxes: Vec<Inbox<B>>,
    on_the_way: AtomicUsize,
    pauses: AtomicBool,
    rest: Mutex<Rest>,
    pub disturbance: Disturbance,
}

/// The packets that a worker has not received.
struct Inbox<B> {
    has_packets: AtomicBool,
    packets: Mutex<Vec<Packet<B>>>,
    is_asleep: AtomicBool,
    wake: Condvar,
}

/// The workers that rest.
#[derive(Default)]
struct Rest {
    resting: usize,
    /// Counts the levels.
    level: usize,
    /// Whether one of them has states of the next level.
    has_next_level: bool,
    is_over: bool,
}

/// Locks what no panic leaves inconsistent: a worker that panics stops the search.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B> Exchange<B> {
    pub(super) fn new(workers: usize) -> Exchange<B> {
        let inbox = |_| Inbox {
            has_packets: AtomicBool::new(false),
            packets: Mutex::default(),
            is_asleep: AtomicBool::new(false),
            wake: Condvar::new(),
        };
        Exchange {
            inboxes: (0..workers).map(inbox).collect(),
            on_the_way: AtomicUsize::new(0),
            pauses: AtomicBool::new(false),
            rest: Mutex::default(),
            disturbance: Disturbance::new(),
        }
    }

    /// Prepares to start or to resume. No worker runs.
    pub(super) fn start(&self) {
        self.pauses.store(false, Ordering::SeqCst);
        *lock(&self.rest) = Rest::default();
    }

    /// Makes all workers pause.
    pub(super) fn pause(&self) {
        self.pauses.store(true, Ordering::SeqCst);
        let _rest = lock(&self.rest);
        self.inboxes.iter().for_each(|inbox| inbox.wake.notify_one());
    }

    #[inline]
    pub(super) fn pauses(&self) -> bool {
        self.pauses.load(Ordering::Relaxed)
    }

    /// Returns the number of packets on their way.
    pub(super) fn on_the_way(&self) -> usize {
        self.on_the_way.load(Ordering::Relaxed)
    }

    pub(super) fn send(&self, to: usize, packet: Packet<B>) {
        let inbox = &self.inboxes[to];
        self.on_the_way.fetch_add(1, Ordering::SeqCst);
        self.disturbance.delay();
        {
            let mut packets = lock(&inbox.packets);
            packets.push(packet);
            inbox.has_packets.store(true, Ordering::SeqCst);
        }
        // A worker falls asleep only after it has seen that there are no packets.
        if inbox.is_asleep.load(Ordering::SeqCst) {
            let _rest = lock(&self.rest);
            inbox.wake.notify_one();
        }
    }

    /// Returns whether a worker has packets to receive.
    #[inline]
    pub(super) fn has_packets(&self, worker: usize) -> bool {
        self.inboxes[worker].has_packets.load(Ordering::Relaxed)
    }

    /// Moves the packets for a worker to `out`.
    pub(super) fn receive(&self, worker: usize, out: &mut Vec<Packet<B>>) {
        let inbox = &self.inboxes[worker];
        let mut packets = lock(&inbox.packets);
        self.disturbance.take(&mut packets, out);
        inbox.has_packets.store(!packets.is_empty(), Ordering::SeqCst);
    }

    /// The states of a packet are stored.
    pub(super) fn arrived(&self) {
        self.on_the_way.fetch_sub(1, Ordering::SeqCst);
    }

    /// Lets a worker rest that has no open state of this level and has sent all its packets.
    pub(super) fn rest(&self, worker: usize, has_next_level: bool) -> AfterRest {
        let inbox = &self.inboxes[worker];
        self.disturbance.delay();
        let mut rest = lock(&self.rest);
        let level = rest.level;
        rest.resting += 1;
        rest.has_next_level |= has_next_level;
        loop {
            if self.pauses() {
                return AfterRest::Pause;
            }
            if rest.is_over {
                return AfterRest::End;
            }
            if rest.level != level {
                return AfterRest::NextLevel;
            }
            if inbox.has_packets.load(Ordering::SeqCst) {
                rest.resting -= 1;
                return AfterRest::Receive;
            }
            if rest.resting == self.inboxes.len() && self.on_the_way.load(Ordering::SeqCst) == 0 {
                if std::mem::take(&mut rest.has_next_level) {
                    (rest.level, rest.resting) = (level + 1, 0);
                } else {
                    rest.is_over = true;
                }
                self.inboxes.iter().for_each(|inbox| inbox.wake.notify_one());
                continue;
            }
            inbox.is_asleep.store(true, Ordering::SeqCst);
            // A packet that came before the flag was set has woken nobody.
            if !inbox.has_packets.load(Ordering::SeqCst) {
                rest = inbox.wake.wait(rest).unwrap_or_else(PoisonError::into_inner);
            }
            inbox.is_asleep.store(false, Ordering::SeqCst);
        }
    }
}
