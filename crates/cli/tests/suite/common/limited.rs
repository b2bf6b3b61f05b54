//! Runs that have limits: what they say, and what they take.
//!
//! What ends in good order has asked whether to go on. So that nothing else ends it, the last
//! resort is put off (`MERKHET_GRACE`); and so that a busy machine does not matter, what counts is
//! the time that the process computes.

#![cfg(unix)]

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::command;

/// What a process may compute beyond its limit: one second, on a machine that may be slow.
const BEYOND: Duration = Duration::from_millis(2_500);
/// What a process takes before it does anything.
const BASE: u64 = 24 << 20;
pub const MEGABYTE: u64 = 1 << 20;
/// No run may take longer, however busy the machine.
const LONGEST: Duration = Duration::from_secs(100);

/// How a run ended.
pub struct End {
    pub status: Option<i32>,
    /// What it wrote, to either stream.
    pub text: String,
    pub time: Duration,
    /// The time that it computed; `None` where the system does not tell.
    cpu: Option<Duration>,
    /// The most memory that was seen; `None` where the system does not tell.
    peak: Option<u64>,
}

/// Starts a run that only ends in good order.
pub fn start(folder: &Path, words: &[&str]) -> Child {
    start_with(folder, words, "1000")
}

/// Runs the binary to its end, in good order or by the last resort.
pub fn run_by_all_means(folder: &Path, words: &[&str]) -> End {
    wait(folder, start_with(folder, words, ""))
}

fn start_with(folder: &Path, words: &[&str], grace: &str) -> Child {
    let out = fs::File::create(folder.join("out")).unwrap();
    let mut command = command(folder);
    command.args(words).env("MERKHET_GRACE", grace);
    command.stdin(Stdio::piped()).stdout(out.try_clone().unwrap()).stderr(out).spawn().unwrap()
}

/// The most memory that a process has taken so far.
fn peak(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// The time that a process has computed so far.
fn cpu(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses. Times are in hundredths of a second.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// Waits for the end, and looks at what the process takes until then.
pub fn wait(folder: &Path, mut child: Child) -> End {
    let (start, mut most, mut computed) = (Instant::now(), None, None);
    loop {
        // It only grows, except when the child becomes another program: before that it is the
        // memory of this process.
        most = peak(child.id()).or(most);
        computed = computed.max(cpu(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            let text = String::from_utf8_lossy(&fs::read(folder.join("out")).unwrap()).into_owned();
            return End { status: status.code(), text, time: start.elapsed(), cpu: computed, peak: most };
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("no end after {:?}, {computed:?} of it computed", start.elapsed());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs the binary to its end.
pub fn run(folder: &Path, words: &[&str]) -> End {
    wait(folder, start(folder, words))
}

impl End {
    /// Asserts that it ended so, with this text somewhere.
    #[track_caller]
    pub fn says(&self, status: i32, text: &str) -> &End {
        let start: String = self.text.chars().take(600).collect();
        assert_eq!(self.status, Some(status), "{start}");
        assert!(self.text.contains(text), "no {text:?} in {start}");
        self
    }

    /// Asserts that a time limit of so many seconds was kept.
    #[track_caller]
    pub fn in_time(&self, limit: f64) -> &End {
        match self.cpu {
            None => oracle::skip("the system does not say how long a process computes"),
            Some(cpu) => assert!(cpu <= Duration::from_secs_f64(limit) + BEYOND, "{cpu:?} at a limit of {limit} s"),
        }
        self
    }

    /// Asserts that a memory limit was kept.
    #[track_caller]
    pub fn within(&self, limit: u64) -> &End {
        match self.peak {
            None => oracle::skip("the system does not say how much memory a process takes"),
            Some(peak) => assert!(peak <= limit * 3 / 2 + BASE, "{} MB", peak / MEGABYTE),
        }
        self
    }
}
