//! The limits of the process, and the last resort for work that does not poll them.

use std::{
    fs,
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use merkhet::{LastResort, Stop, Watch};

use crate::{args::LimitArgs, output, render::Renderer, status::Status};

/// Watches the work of the process.
pub static WATCH: Watch = Watch::new();

/// Whether the process only waits for input.
static IDLE: AtomicBool = AtomicBool::new(false);

/// The time that work has to stop after a limit. Tests extend it by this environment variable, in
/// seconds, so that they do not depend on the speed of the machine.
const GRACE: Duration = Duration::from_millis(700);
const GRACE_VARIABLE: &str = "MERKHET_GRACE";
/// The exit status of a program that Ctrl-C ended, by convention.
const INTERRUPTED: i32 = 130;

/// Starts to watch these limits.
pub fn start(limits: &LimitArgs) {
    let given = std::env::var(GRACE_VARIABLE).ok().and_then(|seconds| seconds.parse().ok());
    let grace = given.map_or(GRACE, Duration::from_secs);
    WATCH.set_last_resort(LastResort { grace, at_memory: grace <= GRACE, end: |stop| exit(stop, true) });
    WATCH.start(limits.time_limit, limits.memory_limit);
}

/// Begins new work with a time limit. The first work has the time that loading has left.
pub fn begin(limit: Option<Duration>) -> Option<Instant> {
    WATCH.begin(limit, None)
}

/// Ends the work. Its limits do not apply to what follows, which is short.
pub fn end() {
    WATCH.end();
}

/// The limit that was reached, if any.
pub fn stopped() -> Option<Stop> {
    WATCH.stopped()
}

/// Stops all work. A process that only waits for input ends at once.
pub fn interrupt() {
    if IDLE.load(Ordering::Relaxed) {
        exit(Stop::Interrupted, false);
    }
    WATCH.interrupt();
}

/// Clears an interrupt after the work has stopped.
pub fn forget() {
    WATCH.forget();
}

/// Sets whether the process only waits for input.
pub fn idle(is: bool) {
    IDLE.store(is, Ordering::Relaxed);
}

/// Ends the process.
#[allow(clippy::exit)] // Nothing else ends work that does not poll.
fn exit(stop: Stop, aloud: bool) -> ! {
    if aloud && let Some(mut err) = standard_error() {
        // The working thread holds the lock of the stream.
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
