//! Limits of runs.

use std::{path::Path, sync::atomic::AtomicBool, time::Duration};

use super::{
    case::{Action, FuzzCase},
    child::{self, Job},
    judge::Allowance,
};

/// The time limit of commands without `--time-limit`.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// The limits of all runs.
#[derive(Debug, Default)]
pub struct RunLimits {
    /// The time limit of a query.
    pub time: Duration,
    /// The memory limit in megabytes.
    pub megabytes: u64,
    /// The time that a run may take beyond its limit.
    pub slack: Duration,
    /// The commands that have `--time-limit`.
    timed: Vec<Action>,
    /// The commands that have `--memory-limit`.
    weighed: Vec<Action>,
}

impl RunLimits {
    /// Asks the binary which commands have limits.
    pub fn ask(program: &Path, time: Duration, megabytes: u64, slack: Duration) -> RunLimits {
        let has = |action: &Action, option: &str| {
            let words = [action.command().to_owned(), "--help".to_owned()];
            let job = Job {
                program,
                words: &words,
                folder: Path::new("."),
                input: b"",
                timeout: DEFAULT_TIMEOUT,
                max_memory: u64::MAX,
            };
            let run = child::run(&job, &AtomicBool::new(false));
            run.is_ok_and(|run| String::from_utf8_lossy(&run.out).contains(option))
        };
        let with = |option: &str| Action::ALL.into_iter().filter(|action| has(action, option)).collect();
        RunLimits { time, megabytes, slack, timed: with("--time-limit"), weighed: with("--memory-limit") }
    }

    /// Returns the options that set the limits of a command.
    pub fn words(&self, action: Action) -> Vec<String> {
        let mut words = Vec::new();
        if self.timed.contains(&action) {
            words.extend(["--time-limit".to_owned(), self.time.as_secs_f64().to_string()]);
        }
        if self.weighed.contains(&action) {
            words.extend(["--memory-limit".to_owned(), format!("{}M", self.megabytes)]);
        }
        words
    }

    /// Returns the allowance of a run.
    pub fn allowance(&self, case: &FuzzCase) -> Allowance {
        let time = if self.timed.contains(&case.action) { self.time * case.turns } else { DEFAULT_TIMEOUT };
        Allowance { time: time + self.slack, memory: (self.megabytes << 20) * 3 / 2 }
    }

    /// Returns the time after which a run is killed.
    pub fn timeout(&self, case: &FuzzCase) -> Duration {
        self.allowance(case).time * 3
    }

    /// Returns the memory at which a run is killed. It is a finding long before.
    pub fn max_memory(&self) -> u64 {
        (self.megabytes << 20) * 4
    }

    /// Returns the commands without a time limit, and those without a memory limit.
    pub fn missing(&self) -> [Vec<&'static str>; 2] {
        let names = |have: &[Action]| {
            let lacks = |action: &Action| *action != Action::List && !have.contains(action);
            Action::ALL.into_iter().filter(lacks).map(Action::name).collect()
        };
        [names(&self.timed), names(&self.weighed)]
    }
}
