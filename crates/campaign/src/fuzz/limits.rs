//! Limits: which commands take them, and what a run may take.

use std::{path::Path, sync::atomic::AtomicBool, time::Duration};

use super::{
    case::{Action, FuzzCase},
    child::{self, Job},
    judge::Allowance,
};

/// How long a command may take that has no time limit of its own.
const PATIENCE: Duration = Duration::from_secs(10);

/// The limits of all runs.
#[derive(Debug, Default)]
pub struct RunLimits {
    /// The time limit of a query.
    pub time: Duration,
    /// In megabytes.
    pub megabytes: u64,
    /// What a run may take longer.
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
                patience: PATIENCE,
                ceiling: u64::MAX,
            };
            let run = child::run(&job, &AtomicBool::new(false));
            run.is_ok_and(|run| String::from_utf8_lossy(&run.out).contains(option))
        };
        let with = |option: &str| Action::ALL.into_iter().filter(|action| has(action, option)).collect();
        RunLimits { time, megabytes, slack, timed: with("--time-limit"), weighed: with("--memory-limit") }
    }

    /// The words that set the limits of a command, as far as it has any.
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

    /// What a run may take.
    pub fn allowance(&self, case: &FuzzCase) -> Allowance {
        let time = if self.timed.contains(&case.action) { self.time * case.turns } else { PATIENCE };
        Allowance { time: time + self.slack, memory: (self.megabytes << 20) * 3 / 2 }
    }

    /// After which time a run is killed.
    pub fn patience(&self, case: &FuzzCase) -> Duration {
        self.allowance(case).time * 3
    }

    /// With how much memory a run is killed: it is a finding by then, and the machine may be needed
    /// for other things.
    pub fn ceiling(&self) -> u64 {
        (self.megabytes << 20) * 4
    }

    /// The commands without a time limit, and those without a memory limit.
    pub fn missing(&self) -> [Vec<&'static str>; 2] {
        let names = |have: &[Action]| {
            let lacks = |action: &Action| *action != Action::List && !have.contains(action);
            Action::ALL.into_iter().filter(lacks).map(Action::name).collect()
        };
        [names(&self.timed), names(&self.weighed)]
    }
}
