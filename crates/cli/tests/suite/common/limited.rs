//! Runs with limits: their output, and their time and memory.
//!
//! A run that ends cleanly has polled its limits. `MERKHET_GRACE` postpones the forced exit, so
//! that nothing else ends the run. Only CPU time counts, so that a busy machine does not matter.

#![cfg(unix)]

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::command;

/// The CPU time that a process may use beyond its limit: one second, and more for a slow machine.
const BEYOND: Duration = Duration::from_millis(2_500);
/// The memory of a process that has not done anything yet.
const BASE: u64 = 24 << 20;
pub const MEGABYTE: u64 = 1 << 20;
/// The wall-clock limit of every run, however busy the machine.
const LONGEST: Duration = Duration::from_secs(100);

/// The result of a run.
pub struct End {
    pub status: Option<i32>,
    /// The output on both streams.
    pub text: String,
    pub time: Duration,
    /// The CPU time; `None` if the system does not report it.
    cpu: Option<Duration>,
    /// The peak memory that was seen; `None` if the system does not report it.
    peak: Option<u64>,
}

/// Starts a run that only ends cleanly.
pub fn start(folder: &Path, words: &[&str]) -> Child {
    start_with(folder, words, "1000")
}

/// Runs the binary to its end, which is clean or forced.
pub fn run_by_all_means(folder: &Path, words: &[&str]) -> End {
    wait(folder, start_with(folder, words, ""))
}

fn start_with(folder: &Path, words: &[&str], grace: &str) -> Child {
    let out = fs::File::create(folder.join("out")).unwrap();
    let mut command = command(folder);
    command.args(words).env("MERKHET_GRACE", grace);
    command.stdin(Stdio::piped()).stdout(out.try_clone().unwrap()).stderr(out).spawn().unwrap()
}

/// Returns the peak memory of a process so far.
fn peak(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Returns the CPU time of a process so far.
fn cpu(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses. Times are in hundredths of a second.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// Waits for the end, and measures the process until then.
pub fn wait(folder: &Path, mut child: Child) -> End {
    let (start, mut most, mut computed) = (Instant::now(), None, None);
    loop {
        // The peak only grows, except when the child executes another program: before that it is
        // the memory of this process.
        most = peak(child.id()).or(most);
        computed = computed.max(cpu(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            let text = String::from_utf8_lossy(&fs::read(folder.join("out")).unwrap()).into_owned();
            return End { status: status.code(), text, time: start.elapsed(), cpu: computed, peak: most };
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("no end after {:?} and a CPU time of {computed:?}", start.elapsed());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs the binary to its end.
pub fn run(folder: &Path, words: &[&str]) -> End {
    wait(folder, start(folder, words))
}

impl End {
    /// Asserts the exit status, and that the output contains this text.
    #[track_caller]
    pub fn says(&self, status: i32, text: &str) -> &End {
        let start: String = self.text.chars().take(600).collect();
        assert_eq!(self.status, Some(status), "{start}");
        assert!(self.text.contains(text), "no {text:?} in {start}");
        self
    }

    /// Asserts that a time limit of this many seconds was respected.
    #[track_caller]
    pub fn in_time(&self, limit: f64) -> &End {
        match self.cpu {
            None => oracle::skip("the system does not say how long a process computes"),
            Some(cpu) => assert!(cpu <= Duration::from_secs_f64(limit) + BEYOND, "{cpu:?} at a limit of {limit} s"),
        }
        self
    }

    /// Asserts that a memory limit was respected.
    #[track_caller]
    pub fn within(&self, limit: u64) -> &End {
        match self.peak {
            None => oracle::skip("the system does not say how much memory a process takes"),
            Some(peak) => assert!(peak <= limit * 3 / 2 + BASE, "{} MB", peak / MEGABYTE),
        }
        self
    }
}
