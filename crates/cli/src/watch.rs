//! Holds the limits on time and memory, whatever the process is doing.
//!
//! A thread looks at the clock and at the memory that the process takes. At a limit it raises the
//! [`ALARM`], which is asked in every loop that input can make long, so that work ends in good
//! order and says what it knows. What does not end soon is ended with the process: a limit that
//! holds nearly always is none.

use std::{
    fs,
    io::Write,
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use model::{Alarm, LoadLimits, Signal, Stop};

use crate::{args::LimitArgs, memory, output, render::Renderer, status::Status};

/// What says that work is to end.
pub static ALARM: Alarm = Alarm::new();

static STATE: Mutex<State> = Mutex::new(State::new());
/// Whether nothing is done but waiting for what the user types.
static IDLE: AtomicBool = AtomicBool::new(false);

/// How often the thread looks.
const BETWEEN: Duration = Duration::from_millis(10);
/// How long work may take to end in good order. Tests that are about good order allow more, by this
/// variable of the environment, in seconds: on a slow machine it is not the work that is late.
const GRACE: Duration = Duration::from_millis(700);
const GRACE_VARIABLE: &str = "MERKHET_GRACE";
/// Less is not measured: reading a model takes as much. Searches count what they store, however
/// little it is.
const LEAST: usize = 16 << 20;
/// What a shell expects of a program that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

struct State {
    /// When the time is over.
    end: Option<Instant>,
    /// Whether only loading has taken some of it.
    is_loading: bool,
    /// How much memory may be taken, and how much was before anything was done.
    bytes: Option<usize>,
    before: usize,
    /// Since when the alarm is raised.
    raised: Option<Instant>,
    grace: Duration,
}

impl State {
    const fn new() -> State {
        State { end: None, is_loading: false, bytes: None, before: 0, raised: None, grace: GRACE }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on these limits hold.
pub fn start(limits: &LimitArgs) {
    {
        let mut state = state();
        state.bytes = limits.memory_limit.map(|most| most.max(LEAST));
        state.before = memory::resident();
        state.grace = grace();
    }
    begin(limits.time_limit);
    state().is_loading = true;
}

/// How long work may take to end.
fn grace() -> Duration {
    let given = std::env::var(GRACE_VARIABLE).ok().and_then(|seconds| seconds.parse().ok());
    given.map_or(GRACE, Duration::from_secs)
}

/// New work begins, which may take so long; the first one has what loading has left. Returns when
/// the time is over.
pub fn begin(limit: Option<Duration>) -> Option<Instant> {
    let mut state = state();
    if !std::mem::take(&mut state.is_loading) {
        // A moment too far away for the clock never comes.
        state.end = limit.and_then(|limit| Instant::now().checked_add(limit));
        quieten(&mut state);
    }
    if state.end.is_some() || state.bytes.is_some() {
        look_on();
    }
    state.end
}

/// The work has ended. What comes is short, and is not to suffer from its limit.
pub fn end() {
    let mut state = state();
    (state.end, state.is_loading) = (None, false);
    quieten(&mut state);
}

/// Only the user's wish holds for more than one piece of work.
fn quieten(state: &mut State) {
    state.raised = None;
    if ALARM.raised() != Some(Stop::Interrupted) {
        ALARM.rest();
    }
}

/// What a model may take, and what it is to ask.
pub fn room() -> LoadLimits {
    LoadLimits { bytes: state().bytes, signal: Signal::of(&ALARM) }
}

/// Why work was to end, if it was.
pub fn stopped() -> Option<Stop> {
    ALARM.raised()
}

/// The user wants all work to end. Whoever only waits ends at once.
pub fn interrupt() {
    if IDLE.load(Ordering::Relaxed) {
        exit(Stop::Interrupted, false);
    }
    ALARM.raise(Stop::Interrupted);
    look_on();
}

/// Forgets that the user wanted an end: what was to end has ended.
pub fn forget() {
    ALARM.rest();
    state().raised = None;
}

/// Says whether nothing is done but waiting for the user.
pub fn idle(is: bool) {
    IDLE.store(is, Ordering::Relaxed);
}

/// Starts the thread, if there is none.
fn look_on() {
    static THREAD: Once = Once::new();
    THREAD.call_once(|| {
        // Without it limits are still counted and asked.
        let _ = thread::Builder::new().name("limits".to_owned()).spawn(|| {
            loop {
                look();
                thread::sleep(BETWEEN);
            }
        });
    });
}

fn look() {
    let mut state = state();
    let now = Instant::now();
    let taken = state.bytes.map_or(0, |_| memory::resident()).saturating_sub(state.before);
    if state.end.is_some_and(|end| now >= end) {
        ALARM.raise(Stop::Time);
    }
    if let Some(most) = state.bytes {
        // What is counted comes first; this is for what is not.
        if taken > most.saturating_add(most / 5) {
            ALARM.raise(Stop::Memory);
        }
        if taken > most.saturating_add(most / 5 * 2) && state.grace <= GRACE {
            exit(Stop::Memory, true);
        }
    }
    match ALARM.raised() {
        None => state.raised = None,
        Some(stop) => {
            let since = *state.raised.get_or_insert(now);
            if now.duration_since(since) > state.grace {
                exit(stop, true);
            }
        }
    }
}

/// Ends the process.
#[allow(clippy::exit)] // Nothing else ends work that does not ask.
fn exit(stop: Stop, aloud: bool) -> ! {
    if aloud && let Some(mut err) = standard_error() {
        // The stream is locked by whoever does the work.
        let _ = err.write_all(Renderer::new(false).failure(&stop.to_string()).as_bytes());
    }
    output::discard_drafts();
    let code = if stop == Stop::Interrupted { INTERRUPTED } else { i32::from(Status::Unknown.code()) };
    std::process::exit(code)
}

#[cfg(unix)]
fn standard_error() -> Option<fs::File> {
    use std::os::fd::AsFd;
    std::io::stderr().as_fd().try_clone_to_owned().ok().map(fs::File::from)
}

#[cfg(not(unix))]
fn standard_error() -> Option<fs::File> {
    None
}
