//! Searches by several threads or processes, beside as many independent copies of the search in one
//! thread.
//!
//! Every search is a process of this program, so that copies share nothing but the machine. What
//! they reach together is what the machine can do.

use std::{
    env, io,
    process::Command,
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant},
};

use crate::{
    FAMILIES, Family,
    child::{self, ChildError},
};

pub use crate::child::ChildOutput;

/// A model to measure.
#[derive(Clone, Copy, Debug)]
pub struct ScaleModel {
    /// Its family.
    pub family: &'static Family,
    /// Its size.
    pub size: u32,
    /// The stored states after which the search ends; `None`: it is complete.
    pub states: Option<usize>,
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

/// The names of the families that are measured.
pub fn scale_families() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|sizes| sizes.family)
}

/// The models of these families, or of all; with this size, or the usual ones.
pub fn scale_models(families: &[String], size: Option<u32>, large: bool) -> Vec<ScaleModel> {
    let wanted = |name: &str| families.is_empty() || families.iter().any(|family| family == name);
    let mut models = Vec::new();
    for ScaleSizes { family: name, usual, large: larger, states } in MODELS {
        let Some(family) = FAMILIES.into_iter().find(|f| f.name == name && wanted(name)) else { continue };
        models.push(ScaleModel { family, size: size.unwrap_or(usual), states: None });
        if large {
            models.push(ScaleModel { family, size: larger, states });
        }
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

    /// Explores a model. Returns the reports of all searches.
    ///
    /// # Errors
    /// One of them did not end.
    pub fn explore(
        self,
        model: &ScaleModel,
        limit: Option<Duration>,
        interrupt: &AtomicBool,
    ) -> Result<Vec<ChildOutput>, ScaleError> {
        let program = env::current_exe().map_err(ScaleError::NoProgram)?;
        let options = self.options();
        let text = model.family.xta(model.size);
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let one = || {
            let mut command = Command::new(&program);
            command.args(["verify", "-", "-q", "E<> false", "--order", "bfs", "--progress", "never"]);
            // Processes search with a common time, so all do.
            command.args(["--format", "json", "--local-time", "off"]).args(&options);
            if let Some(states) = model.states {
                command.args(["--state-limit", &states.to_string()]);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            child::run(&mut command, &text, left, interrupt)
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
