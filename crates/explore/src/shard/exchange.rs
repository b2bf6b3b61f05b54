//! Packets between workers, and the moment at which all of them have nothing left to do.
//!
//! A worker that has nothing to do rests. When all rest and no packet is on its way, the level of a
//! breadth-first search ends, or the search. A packet counts as on its way from before it is sent
//! until its states are stored, so that the last worker to rest sees this moment.

use std::{
    hint,
    ops::Deref,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use zone::Bound;

use super::{disturbance::Disturbance, others::Others, packet::Packet, traffic::Traffic};

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

/// A worker that rests looks so often whether it may go on before its thread sleeps, and pauses so
/// long in between: some 30 microseconds in all.
const DOZES: usize = 20;
const PAUSES: usize = 32;

/// What workers write often, in cache lines of its own. Otherwise those that read something beside
/// it would wait for these lines.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The exchange of packets between workers.
pub(super) struct Exchange<B> {
    inboxes: Vec<Apart<Inbox<B>>>,
    on_the_way: Apart<AtomicUsize>,
    /// The number of workers that are asleep.
    sleepers: AtomicUsize,
    /// For reports.
    pub(super) traffic: Vec<Apart<Traffic>>,
    pauses: AtomicBool,
    pub(super) rest: Apart<Mutex<Rest>>,
    /// The workers of other processes, if there are some.
    pub(super) others: Option<Others<B>>,
    pub(super) disturbance: Disturbance,
}

/// The packets that a worker has not received.
struct Inbox<B> {
    has_packets: AtomicBool,
    packets: Mutex<Vec<Packet<B>>>,
    is_asleep: AtomicBool,
    /// Whether it was woken since it fell asleep.
    is_called: AtomicBool,
    wake: Condvar,
    /// The level of the worker.
    level: AtomicUsize,
}

/// The workers that rest.
#[derive(Default)]
pub(super) struct Rest {
    resting: usize,
    /// Counts the levels.
    pub level: usize,
    /// Whether one of them has states of the next level.
    pub has_next_level: bool,
    pub is_over: bool,
}

impl Rest {
    /// Begins the next level.
    pub(super) fn next_level(&mut self) {
        *self = Rest { level: self.level + 1, ..Rest::default() };
    }
}

/// Locks what no panic leaves inconsistent: a worker that panics stops the search.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B> Exchange<B> {
    /// Creates the exchange of this number of workers, and those of other processes.
    pub(super) fn new(workers: usize, others: Option<Others<B>>) -> Exchange<B> {
        let inbox = |_| {
            Apart(Inbox {
                has_packets: AtomicBool::new(false),
                packets: Mutex::default(),
                is_asleep: AtomicBool::new(false),
                is_called: AtomicBool::new(false),
                wake: Condvar::new(),
                level: AtomicUsize::new(0),
            })
        };
        Exchange {
            inboxes: (0..workers).map(inbox).collect(),
            on_the_way: Apart::default(),
            sleepers: AtomicUsize::new(0),
            traffic: (0..workers).map(|_| Apart::default()).collect(),
            pauses: AtomicBool::new(false),
            rest: Apart::default(),
            others,
            disturbance: Disturbance::new(),
        }
    }

    /// Makes all workers of this process pause.
    pub(super) fn pause_here(&self) {
        self.pauses.store(true, Ordering::SeqCst);
        let _rest = lock(&self.rest);
        self.wake_all();
    }

    /// Wakes all workers. The caller has locked what they wait with.
    pub(super) fn wake_all(&self) {
        (0..self.inboxes.len()).for_each(|worker| self.wake(worker));
    }

    #[inline]
    pub(super) fn pauses(&self) -> bool {
        self.pauses.load(Ordering::Relaxed)
    }

    /// Returns the number of workers of this process.
    pub(super) fn workers(&self) -> usize {
        self.inboxes.len()
    }

    /// Returns the number of packets on their way.
    pub(super) fn on_the_way(&self) -> usize {
        self.on_the_way.load(Ordering::Relaxed)
    }

    /// Puts a packet into the inbox of a worker.
    pub(super) fn put(&self, to: usize, packet: Packet<B>) {
        let inbox = &self.inboxes[to];
        self.on_the_way.fetch_add(1, Ordering::SeqCst);
        self.disturbance.delay();
        let mut packets = lock(&inbox.packets);
        packets.push(packet);
        inbox.has_packets.store(true, Ordering::SeqCst);
    }

    /// Wakes a worker. The caller has locked what it waits with.
    pub(super) fn wake(&self, worker: usize) {
        self.inboxes[worker].is_called.store(true, Ordering::Relaxed);
        self.inboxes[worker].wake.notify_one();
    }

    /// Waits a moment for packets or a call. Most rests are short, and waking a thread takes
    /// longer.
    fn doze(&self, worker: usize) {
        let inbox = &self.inboxes[worker];
        for _ in 0..DOZES {
            for _ in 0..PAUSES {
                hint::spin_loop();
            }
            if inbox.has_packets.load(Ordering::Relaxed) || inbox.is_called.load(Ordering::Relaxed) {
                return;
            }
            // There may be more threads than cores.
            thread::yield_now();
        }
    }

    /// Returns whether a worker has packets to receive.
    #[inline]
    pub(super) fn has_packets(&self, worker: usize) -> bool {
        self.inboxes[worker].has_packets.load(Ordering::Relaxed)
    }

    /// Returns a worker that has nothing to do.
    #[inline]
    pub(super) fn sleeper(&self) -> Option<usize> {
        if self.sleepers.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let is_free = |inbox: &Apart<Inbox<B>>| {
            inbox.is_asleep.load(Ordering::Relaxed) && !inbox.has_packets.load(Ordering::Relaxed)
        };
        self.inboxes.iter().position(is_free)
    }

    /// Returns the level of a worker.
    #[inline]
    pub(super) fn level(&self, worker: usize) -> usize {
        self.inboxes[worker].level.load(Ordering::Relaxed)
    }

    /// Removes loans that a worker has not received. No worker runs.
    pub(super) fn take_loans(&self, worker: usize) -> Vec<Packet<B>> {
        let mut packets = lock(&self.inboxes[worker].packets);
        let loans = packets.extract_if(.., |packet| packet.is_loan).collect();
        self.inboxes[worker].has_packets.store(!packets.is_empty(), Ordering::SeqCst);
        loans
    }

    /// Moves the packets for a worker to `out`.
    pub(super) fn receive(&self, worker: usize, out: &mut Vec<Packet<B>>) {
        let inbox = &self.inboxes[worker];
        let mut packets = lock(&inbox.packets);
        let before = out.len();
        self.disturbance.take(&mut packets, out);
        self.traffic[worker].receive(out.len() - before);
        inbox.has_packets.store(!packets.is_empty(), Ordering::SeqCst);
    }

    /// Shows the packets that a worker has not received. No worker runs.
    pub(super) fn waiting(&self, worker: usize, visit: &mut dyn FnMut(&[Packet<B>])) {
        visit(&lock(&self.inboxes[worker].packets));
    }

    /// The states of a packet are stored.
    pub(super) fn arrived(&self) {
        self.on_the_way.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns whether all workers rest and no packet waits for one of them.
    pub(super) fn is_quiet(&self, rest: &Rest) -> bool {
        rest.resting == self.inboxes.len() && self.on_the_way.load(Ordering::SeqCst) == 0 && !self.pauses()
    }
}

impl<B: Bound> Exchange<B> {
    /// Prepares to start or to resume. No worker runs.
    pub(super) fn start(&self) {
        self.pauses.store(false, Ordering::SeqCst);
        let mut rest = lock(&self.rest);
        *rest = Rest { level: rest.level, ..Rest::default() };
        self.others.iter().for_each(Others::start);
    }

    /// Returns whether a level has begun since a worker paused, and lets it begin there. No worker
    /// runs.
    pub(super) fn catches_up(&self, worker: usize) -> bool {
        let level = lock(&self.rest).level;
        self.inboxes[worker].level.swap(level, Ordering::Relaxed) < level
    }

    /// Makes all workers pause.
    pub(super) fn pause(&self) {
        self.pause_here();
        self.others.iter().for_each(Others::pause);
    }

    /// Sends a packet of the worker `from`, which may be returned empty.
    pub(super) fn send(&self, from: usize, to: usize, packet: Packet<B>) -> Option<Packet<B>> {
        self.traffic[from].send();
        let first = match &self.others {
            Some(others) if others.send(to, self.level(from), &packet) => {
                return Some(packet);
            }
            Some(others) => others.first,
            None => 0,
        };
        self.put(to - first, packet);
        // A worker falls asleep only after it has seen that there are no packets.
        if self.inboxes[to - first].is_asleep.load(Ordering::SeqCst) {
            let _rest = lock(&self.rest);
            self.wake(to - first);
        }
        None
    }

    /// Lets a worker rest that has no open state of this level and has sent all its packets.
    pub(super) fn rest(&self, worker: usize, has_next_level: bool) -> AfterRest {
        let inbox = &self.inboxes[worker];
        let _resting = self.traffic[worker].rest();
        self.disturbance.delay();
        let mut rest = lock(&self.rest);
        // A level may have begun while this worker paused.
        let level = inbox.level.load(Ordering::Relaxed);
        if rest.level == level {
            rest.resting += 1;
            rest.has_next_level |= has_next_level;
        }
        let mut has_dozed = false;
        loop {
            // Either all workers begin the next level before they pause, or none does.
            if rest.level != level {
                inbox.level.store(rest.level, Ordering::Relaxed);
                return AfterRest::NextLevel;
            }
            if self.pauses() {
                return AfterRest::Pause;
            }
            if rest.is_over {
                return AfterRest::End;
            }
            if inbox.has_packets.load(Ordering::SeqCst) {
                rest.resting -= 1;
                return AfterRest::Receive;
            }
            if self.is_quiet(&rest) {
                let is_known = match &self.others {
                    Some(others) => others.is_quiet(&mut rest, self),
                    None => {
                        if rest.has_next_level {
                            rest.next_level();
                        } else {
                            rest.is_over = true;
                        }
                        self.wake_all();
                        true
                    }
                };
                if is_known {
                    continue;
                }
            }
            inbox.is_asleep.store(true, Ordering::SeqCst);
            inbox.is_called.store(false, Ordering::Relaxed);
            self.sleepers.fetch_add(1, Ordering::Relaxed);
            // A packet that came before the flag was set has woken nobody.
            if !inbox.has_packets.load(Ordering::SeqCst) {
                if std::mem::replace(&mut has_dozed, true) {
                    rest = inbox.wake.wait(rest).unwrap_or_else(PoisonError::into_inner);
                } else {
                    drop(rest);
                    self.doze(worker);
                    rest = lock(&self.rest);
                }
            }
            self.sleepers.fetch_sub(1, Ordering::Relaxed);
            inbox.is_asleep.store(false, Ordering::SeqCst);
        }
    }
}
