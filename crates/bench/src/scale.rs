//! Searches and random runs by several threads or processes, beside as many independent copies in
//! one thread.
//!
//! Every search is a process of this program, so that copies share nothing but the machine. What
//! they reach together is what the machine can do.

use std::{
    env, io,
    ops::RangeInclusive,
    process::Command,
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant},
};

use crate::{
    FAMILIES,
    child::{self, ChildError},
    families::with_size,
};

pub use crate::child::ChildOutput;

/// A model to measure.
#[derive(Clone, Debug)]
pub struct ScaleModel {
    /// The name of its family.
    pub name: &'static str,
    /// Its size.
    pub size: u32,
    /// The sizes that make sense.
    pub sizes: RangeInclusive<u32>,
    text: String,
    /// What is done with it.
    pub work: ScaleWork,
}

/// What is done with a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScaleWork {
    /// All its states are explored, or so many.
    Search(Option<usize>),
    /// Random runs are made: so many, each to this moment.
    Runs(u64, u32),
}

/// The sizes of a family.
struct ScaleSizes {
    family: &'static str,
    /// The one that is run by default.
    usual: u32,
    /// A larger one, and the stored states after which it has run for about a minute.
    large: u32,
    states: Option<usize>,
}

const MODELS: [ScaleSizes; 3] = [
    ScaleSizes { family: "fischer", usual: 10, large: 11, states: None },
    ScaleSizes { family: "train-gate", usual: 6, large: 7, states: Some(12_000_000) },
    ScaleSizes { family: "critical-region", usual: 5, large: 6, states: Some(3_000_000) },
];

/// A family of which random runs are made.
struct RandomFamily {
    name: &'static str,
    xta: &'static str,
    sizes: RangeInclusive<u32>,
    usual: u32,
    /// The number of runs that take some seconds in one thread, and their length in time units.
    runs: u64,
    time: u32,
}

const RANDOM: [RandomFamily; 3] = [
    RandomFamily {
        name: "runs-fischer",
        xta: include_str!("../../../models/statistical/fischer.xta"),
        sizes: 1..=100,
        usual: 6,
        runs: 50_000,
        time: 1000,
    },
    RandomFamily {
        name: "runs-train-gate",
        xta: include_str!("../../../models/statistical/train-gate.xta"),
        sizes: 1..=30,
        usual: 6,
        runs: 100_000,
        time: 1000,
    },
    RandomFamily {
        name: "runs-bluetooth",
        xta: include_str!("../../../models/statistical/bluetooth.xta"),
        sizes: 1..=100,
        usual: 4,
        runs: 10_000,
        time: 10_000,
    },
];

/// The names of the families that are measured.
pub fn scale_families() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|sizes| sizes.family).chain(RANDOM.iter().map(|family| family.name))
}

/// The models of these families, or of all; with this size, or the usual ones. `runs`: the number
/// of random runs, instead of the usual ones.
pub fn scale_models(families: &[String], size: Option<u32>, large: bool, runs: Option<u64>) -> Vec<ScaleModel> {
    let wanted = |name: &str| families.is_empty() || families.iter().any(|family| family == name);
    let mut models = Vec::new();
    for ScaleSizes { family: name, usual, large: larger, states } in MODELS {
        let Some(family) = FAMILIES.into_iter().find(|f| f.name == name && wanted(name)) else { continue };
        let model = |size: u32, states| {
            let (sizes, text) = (family.sizes.clone(), family.xta(size));
            ScaleModel { name, size, sizes, text, work: ScaleWork::Search(states) }
        };
        models.push(model(size.unwrap_or(usual), None));
        if large {
            models.push(model(larger, states));
        }
    }
    for family in RANDOM.into_iter().filter(|family| wanted(family.name)) {
        let RandomFamily { name, xta, sizes, usual, runs: some, time } = family;
        let size = size.unwrap_or(usual);
        let work = ScaleWork::Runs(runs.unwrap_or(some), time);
        models.push(ScaleModel { name, size, sizes, text: with_size(xta, size), work });
    }
    models
}

/// How a search uses the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleConfiguration {
    /// One search in so many threads.
    Threads(u32),
    /// One search by so many processes with one thread each, over TCP on this machine.
    Processes(u32),
    /// So many searches in one thread each.
    Copies(u32),
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum ScaleError {
    /// A search did not end.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// The path of this program is unknown.
    #[error("this program can't be started again: {0}")]
    NoProgram(io::Error),
}

impl ScaleConfiguration {
    /// The number of searches.
    fn searches(self) -> u32 {
        match self {
            ScaleConfiguration::Threads(_) | ScaleConfiguration::Processes(_) => 1,
            ScaleConfiguration::Copies(copies) => copies,
        }
    }

    /// The options of each search.
    fn options(self) -> Vec<String> {
        let one = ["--threads".to_owned(), "1".to_owned()];
        match self {
            ScaleConfiguration::Threads(threads) => vec!["--threads".to_owned(), threads.to_string()],
            ScaleConfiguration::Processes(processes) => {
                [one.to_vec(), vec!["--local-processes".to_owned(), processes.to_string()]].concat()
            }
            ScaleConfiguration::Copies(_) => one.to_vec(),
        }
    }

    /// Explores a model, or makes random runs of it. Returns the reports of all processes.
    ///
    /// # Errors
    /// One of them did not end.
    pub fn measure(
        self,
        model: &ScaleModel,
        limit: Option<Duration>,
        interrupt: &AtomicBool,
    ) -> Result<Vec<ChildOutput>, ScaleError> {
        let program = env::current_exe().map_err(ScaleError::NoProgram)?;
        let options = self.options();
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let one = || {
            let mut command = Command::new(&program);
            command.args(["verify", "-", "--format", "json", "--progress", "never"]).args(&options);
            match model.work {
                ScaleWork::Search(states) => {
                    // Processes search with a common time, so all do.
                    command.args(["-q", "E<> false", "--order", "bfs", "--local-time", "off"]);
                    if let Some(states) = states {
                        command.args(["--state-limit", &states.to_string()]);
                    }
                }
                ScaleWork::Runs(runs, time) => {
                    command.args(["-q", &format!("Pr[<={time}; {runs}](<> false)")]);
                }
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            child::run(&mut command, &model.text, left, interrupt)
        };
        let outputs: Result<Vec<ChildOutput>, ChildError> = thread::scope(|scope| {
            let all: Vec<_> = (0..self.searches()).map(|_| scope.spawn(one)).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(output) => output,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all.into_iter().map(join).collect()
        });
        Ok(outputs?)
    }
}
