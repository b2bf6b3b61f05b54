//! Limits on time and memory that hold whatever the work is.
//!
//! While a limit is set, a thread watches the clock and the memory of the process. At a limit it
//! raises the [`Alarm`], which every loop polls whose length depends on the input, so that the work
//! ends in good order and reports what it knows. A program may have a last resort as well, for work
//! that does not end soon after that.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use explore::cluster::Cluster;
use model::{Alarm, LoadLimits, Signal, Stop};

use crate::memory;

/// The time between two looks at the clock and the memory.
const INTERVAL: Duration = Duration::from_millis(10);
/// A smaller limit on memory counts as this one for the process: reading a model takes as much.
/// Searches count what they store, however little it is.
const MIN_BYTES: usize = 16 << 20;

/// Watches the limits of one piece of work at a time.
#[derive(Debug)]
pub struct Watch {
    alarm: Alarm,
    interrupted: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The end of the time.
    end: Option<Instant>,
    /// Whether the time that runs began with loading, and goes on for the first piece of work.
    is_loading: bool,
    /// The memory that may be taken.
    bytes: Option<usize>,
    /// The memory that was taken before the limit was set.
    before: usize,
    /// Whether the limit on memory is that of one piece of work; otherwise it is that of all.
    is_own_memory: bool,
    /// Since when the alarm is raised.
    raised: Option<Instant>,
    last_resort: Option<LastResort>,
    /// The processes of which this one is one, if any of them may stop it.
    cluster: Option<Cluster>,
    /// Whether something is written that takes time, and is lost if the process ends.
    is_busy: bool,
    /// Whether the thread runs.
    is_watched: bool,
}

/// What ends work that does not react to the alarm.
#[derive(Clone, Copy, Debug)]
pub struct LastResort {
    /// The time that work has to end in good order.
    pub grace: Duration,
    /// Whether it also ends work that takes memory far beyond the limit before that time is over.
    pub at_memory: bool,
    /// Ends the process.
    pub end: fn(Stop),
}

impl State {
    /// Sets the limit on memory, from what is taken now.
    fn limit_memory(&mut self, bytes: Option<usize>) {
        self.bytes = bytes.map(|max| max.max(MIN_BYTES));
        self.before = if bytes.is_some() { memory::resident() } else { 0 };
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch::new()
    }
}

impl Watch {
    /// Creates a watch without limits.
    #[must_use]
    pub const fn new() -> Watch {
        let state = State {
            end: None,
            is_loading: false,
            bytes: None,
            before: 0,
            is_own_memory: false,
            raised: None,
            last_resort: None,
            cluster: None,
            is_busy: false,
            is_watched: false,
        };
        Watch { alarm: Alarm::new(), interrupted: AtomicBool::new(false), state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what ends work that does not react to the alarm.
    pub fn set_last_resort(&self, last_resort: LastResort) {
        self.state().last_resort = Some(last_resort);
    }

    /// Sets whether something is written that takes time. The last resort waits for it.
    pub(crate) fn set_busy(&self, is_busy: bool) {
        let mut state = self.state();
        (state.is_busy, state.raised) = (is_busy, None);
    }

    /// Starts the limits with loading. What it leaves of the time is that of the first work.
    pub fn start(&'static self, time: Option<Duration>, bytes: Option<usize>) {
        self.state().limit_memory(bytes);
        self.begin(time, None);
        self.state().is_loading = true;
    }

    /// Begins a new piece of work with limits on its time and memory. A limit on the memory of all
    /// work takes precedence. Returns the end of the time.
    pub fn begin(&'static self, time: Option<Duration>, bytes: Option<usize>) -> Option<Instant> {
        let mut state = self.state();
        if state.bytes.is_none() {
            state.limit_memory(bytes);
            state.is_own_memory = bytes.is_some();
        }
        if !std::mem::take(&mut state.is_loading) {
            // A moment too far away for the clock never comes.
            state.end = time.and_then(|limit| Instant::now().checked_add(limit));
            self.reset(&mut state);
        }
        if state.end.is_some() || state.bytes.is_some() {
            self.watch(&mut state);
        }
        state.end
    }

    /// Lets the work of this process end when that of all processes has to stop.
    pub(crate) fn obey(&'static self, cluster: &Cluster) {
        let mut state = self.state();
        state.cluster = Some(cluster.clone());
        self.watch(&mut state);
    }

    /// Ends a piece of work. What follows is short, and its limit does not apply to it.
    pub fn end(&self) {
        let mut state = self.state();
        (state.end, state.is_loading, state.cluster) = (None, false, None);
        if std::mem::take(&mut state.is_own_memory) {
            state.limit_memory(None);
        }
        self.reset(&mut state);
    }

    /// Only an interrupt holds for more than one piece of work.
    fn reset(&self, state: &mut State) {
        state.raised = None;
        if self.alarm.raised() != Some(Stop::Interrupted) {
            self.alarm.rest();
        }
    }

    /// Returns what a model may take, and the signal that it polls.
    pub fn load_limits(&'static self) -> LoadLimits {
        LoadLimits { bytes: self.state().bytes, signal: Signal::of(&self.alarm) }
    }

    /// Returns the reason for stopping, if there is one.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.alarm.raised()
    }

    /// Returns the flag that an interrupt sets.
    #[must_use]
    pub fn interrupted(&self) -> &AtomicBool {
        &self.interrupted
    }

    /// Requests all work to end, from another thread or a signal handler.
    pub fn interrupt(&'static self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.alarm.raise(Stop::Interrupted);
        self.watch(&mut self.state());
    }

    /// Forgets an interrupt after the work has ended.
    pub fn forget(&self) {
        self.interrupted.store(false, Ordering::Relaxed);
        self.alarm.rest();
        self.state().raised = None;
    }

    /// Starts the thread, if it does not run.
    fn watch(&'static self, state: &mut State) {
        if !state.is_watched {
            // Without it limits are still counted and polled.
            let thread = thread::Builder::new().name("limits".to_owned()).spawn(|| {
                while self.check() {
                    thread::sleep(INTERVAL);
                }
            });
            state.is_watched = thread.is_ok();
        }
    }

    /// Compares the clock and the memory with the limits. Returns whether there are any.
    fn check(&self) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        if state.end.is_some_and(|end| now >= end) {
            self.alarm.raise(Stop::Time);
        }
        if state.cluster.as_ref().is_some_and(|cluster| cluster.stops().load(Ordering::Relaxed)) {
            // Why, the processes know. Other work may follow, which an interrupt would stop.
            self.alarm.raise(Stop::Time);
        }
        if let Some(max) = state.bytes {
            let taken = memory::resident().saturating_sub(state.before);
            // What is counted comes first; this is for what is not.
            if taken > max.saturating_add(max / 5) {
                self.alarm.raise(Stop::Memory);
            }
            if let Some(last) = state.last_resort.filter(|last| last.at_memory)
                && !state.is_busy
                && taken > max.saturating_add(max / 5 * 2)
            {
                (last.end)(Stop::Memory);
            }
        }
        match self.alarm.raised() {
            None => state.raised = None,
            Some(_) if state.is_busy => {}
            Some(stop) => {
                let since = *state.raised.get_or_insert(now);
                if let Some(last) = state.last_resort.filter(|last| now.duration_since(since) > last.grace) {
                    (last.end)(stop);
                }
            }
        }
        let has_limits = state.end.is_some() || state.bytes.is_some() || state.cluster.is_some();
        state.is_watched = has_limits || self.alarm.raised().is_some();
        state.is_watched
    }
}

/// Watches that no model uses any more. A [`Signal`] refers to its alarm without counting, so
/// alarms live as long as the process, and are used again.
static FREE: Mutex<Vec<&'static Watch>> = Mutex::new(Vec::new());

/// A watch for one model.
#[derive(Debug)]
pub(crate) struct Lease {
    watch: &'static Watch,
    returns: bool,
}

impl Lease {
    /// Takes a watch that no other model has.
    pub(crate) fn new() -> Lease {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lease { watch: free.unwrap_or_else(|| Box::leak(Box::default())), returns: true }
    }

    /// Takes the watch of a program, which has one for everything.
    pub(crate) fn of(watch: &'static Watch) -> Lease {
        Lease { watch, returns: false }
    }

    pub(crate) fn watch(&self) -> &'static Watch {
        self.watch
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.returns {
            self.watch.end();
            self.watch.forget();
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(self.watch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for the thread to do something.
    fn wait(mut until: impl FnMut() -> bool) {
        while !until() {
            thread::sleep(INTERVAL);
        }
    }

    #[test]
    fn a_limit_on_time_raises_the_alarm_until_the_work_ends() {
        static WATCH: Watch = Watch::new();
        WATCH.begin(Some(Duration::ZERO), None);
        wait(|| WATCH.stopped() == Some(Stop::Time));
        WATCH.end();
        assert_eq!(WATCH.stopped(), None);
        wait(|| !WATCH.state().is_watched);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_limit_on_memory_raises_the_alarm_until_the_work_ends() {
        static WATCH: Watch = Watch::new();
        WATCH.begin(None, Some(MIN_BYTES));
        assert_eq!(WATCH.load_limits().bytes, Some(MIN_BYTES));
        // Other tests give memory back meanwhile, so that one block need not be enough.
        let mut blocks = Vec::new();
        wait(|| {
            blocks.push(vec![1_u8; 3 * MIN_BYTES]);
            WATCH.stopped() == Some(Stop::Memory)
        });
        drop(blocks);
        WATCH.end();
        assert_eq!((WATCH.stopped(), WATCH.load_limits().bytes), (None, None));
    }

    #[test]
    fn an_interrupt_holds_until_it_is_forgotten() {
        static WATCH: Watch = Watch::new();
        WATCH.interrupt();
        WATCH.end();
        WATCH.begin(None, None);
        assert_eq!(WATCH.stopped(), Some(Stop::Interrupted));
        WATCH.forget();
        assert_eq!((WATCH.stopped(), WATCH.interrupted().load(Ordering::Relaxed)), (None, false));
    }

    #[test]
    fn models_that_live_at_the_same_time_have_different_watches() {
        let (a, b) = (Lease::new(), Lease::new());
        assert!(!std::ptr::eq(a.watch(), b.watch()));
        a.watch().interrupt();
        assert_eq!(b.watch().stopped(), None);
        drop(a);
        assert_eq!(Lease::new().watch().stopped(), None);
    }
}
