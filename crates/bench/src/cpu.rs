//! CPU time of this process and of the programs that it runs, so that a busy machine does not
//! matter. Where the operating system does not tell it, the clock on the wall counts.

use std::{
    fs, process,
    time::{Duration, Instant},
};

/// The number of clock ticks per second in `/proc`. Linux has this number on all of its current
/// architectures.
const TICKS_PER_SECOND: u64 = 100;

/// How much longer than a limit on CPU time something may take by the clock on the wall. A program
/// that waits for something uses no CPU time.
const PATIENCE: u32 = 20;

/// Measures CPU time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    ticks: Option<u64>,
    start: Instant,
}

impl Stopwatch {
    /// Starts to measure.
    #[must_use]
    pub fn start() -> Stopwatch {
        Stopwatch { ticks: ticks(), start: Instant::now() }
    }

    /// Returns the time that this process and its children have used since the start, to a
    /// hundredth of a second.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match (self.ticks, ticks()) {
            (Some(before), Some(now)) => Duration::from_millis(now.saturating_sub(before) * 1000 / TICKS_PER_SECOND),
            _ => self.start.elapsed(),
        }
    }

    /// Returns whether more time was used, or far more has passed.
    #[must_use]
    pub fn is_over(&self, limit: Duration) -> bool {
        self.elapsed() > limit || self.start.elapsed() > limit.saturating_mul(PATIENCE)
    }
}

/// The time of this process and of all of its children so far, whether they have ended or not.
fn ticks() -> Option<u64> {
    let mut sum = of_process("self")?;
    let tasks = fs::read_dir(format!("/proc/{}/task", process::id())).ok()?;
    for task in tasks.flatten() {
        // A thread, or a child, may end meanwhile.
        let Ok(children) = fs::read_to_string(task.path().join("children")) else { continue };
        sum += children.split_whitespace().filter_map(of_process).sum::<u64>();
    }
    Some(sum)
}

/// The time of a process and of those of its children that have ended and been waited for.
fn of_process(process: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program is in parentheses, and may contain anything. The state follows, and
    // after ten more fields the times of the process and of its children, in user and kernel mode.
    let (_, fields) = text.rsplit_once(')')?;
    let times: Vec<u64> = fields.split_whitespace().skip(11).take(4).map_while(|time| time.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn children_count_while_they_run_and_after_their_end() {
        let watch = Stopwatch::start();
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let enough = Duration::from_millis(200);
        while watch.elapsed() < enough {
            std::thread::yield_now();
        }
        let running = of_process(&child.id().to_string()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let after = watch.elapsed();
        assert!(running > 0 && after >= enough, "{running} {after:?}");
        assert!(watch.is_over(enough / 2) && !watch.is_over(enough * 100));
    }
}
