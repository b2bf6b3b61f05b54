//! The report of `merkhet bench scale`.

use serde::Serialize;

/// What `merkhet bench scale --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScaleReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The number of cores of the machine.
    pub cores: usize,
    /// The models.
    pub models: Vec<ScaledModel>,
    /// Remarks on the figures, and on what is missing.
    pub notes: Vec<String>,
}

/// A model, explored by several numbers of threads and of processes, or with random runs by several
/// numbers of threads.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScaledModel {
    /// The family.
    pub family: &'static str,
    /// Its size.
    pub size: u32,
    /// The number of stored states after which each search ends; null if searches are complete.
    pub state_limit: Option<usize>,
    /// The number of random runs that are made; null if states are explored.
    pub random_runs: Option<u64>,
    /// A run for each number of threads, and then of processes.
    pub runs: Vec<ScaledRun>,
}

/// A search in several threads or processes, and as many copies of the search in one thread.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScaledRun {
    /// The number of threads of each process.
    pub threads: u32,
    /// The number of processes. There are as many copies as threads or processes.
    pub processes: u32,
    /// The search.
    pub search: Throughput,
    /// The copies, all at once. Their time is that of the slowest.
    pub copies: Throughput,
    /// How much of the throughput of the copies the search reaches.
    pub share: f64,
}

/// The work of a search, or of several together.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Throughput {
    /// Successors that were computed; of random runs, the transitions.
    pub generated: usize,
    /// The time.
    pub seconds: f64,
    /// The same in a second.
    pub generated_per_second: f64,
    /// That as a multiple of one search in one thread.
    pub speed_up: f64,
}
