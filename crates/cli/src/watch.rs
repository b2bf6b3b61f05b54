//! The limits of the process, and how it ends if work does not.

use std::{
    fs,
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use merkhet::{LastResort, Stop, Watch};

use crate::{args::LimitArgs, output, render::Renderer, status::Status};

/// Watches the one thing that the process does.
pub static WATCH: Watch = Watch::new();

/// Whether nothing is done but waiting for what the user types.
static IDLE: AtomicBool = AtomicBool::new(false);

/// How long work may take to end in good order. Tests that are about good order allow more, by this
/// variable of the environment, in seconds: on a slow machine it is not the work that is late.
const GRACE: Duration = Duration::from_millis(700);
const GRACE_VARIABLE: &str = "MERKHET_GRACE";
/// What a shell expects of a program that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// From now on these limits hold.
pub fn start(limits: &LimitArgs) {
    let given = std::env::var(GRACE_VARIABLE).ok().and_then(|seconds| seconds.parse().ok());
    let grace = given.map_or(GRACE, Duration::from_secs);
    WATCH.set_last_resort(LastResort { grace, at_memory: grace <= GRACE, end: |stop| exit(stop, true) });
    WATCH.start(limits.time_limit, limits.memory_limit);
}

/// New work begins, which may take so long; the first one has what loading has left.
pub fn begin(limit: Option<Duration>) -> Option<Instant> {
    WATCH.begin(limit)
}

/// The work has ended. What follows is short, and its limit does not apply to it.
pub fn end() {
    WATCH.end();
}

/// Why work was to end, if it was.
pub fn stopped() -> Option<Stop> {
    WATCH.stopped()
}

/// The user wants all work to end. What only waits ends at once.
pub fn interrupt() {
    if IDLE.load(Ordering::Relaxed) {
        exit(Stop::Interrupted, false);
    }
    WATCH.interrupt();
}

/// Forgets that the user wanted an end: what was to end has ended.
pub fn forget() {
    WATCH.forget();
}

/// Says whether nothing is done but waiting for the user.
pub fn idle(is: bool) {
    IDLE.store(is, Ordering::Relaxed);
}

/// Ends the process.
#[allow(clippy::exit)] // Nothing else ends work that does not poll.
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
