//! The lines of `merkhet verify --progress json`.

use merkhet::{Counts, Phase, WorkerProgress, Workers};
use serde::Serialize;
use std::time::Duration;

use super::VERSION;

/// A line on the standard error while a query is answered, about twice a second.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProgressLine {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The time since the work on the query began, or on the queries that share a search.
    pub seconds: f64,
    /// The resident memory of the process, or of all processes of a cluster; null if the system
    /// does not report it.
    pub resident_bytes: Option<usize>,
    /// The search; null if no states are explored.
    pub search: Option<SearchProgress>,
    /// The formula that a solver gets next; null if there is none.
    pub formula: Option<FormulaProgress>,
}

/// The progress of a search.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SearchProgress {
    /// The name of the phase, as in the report.
    pub phase: &'static str,
    /// States that were expanded, in all phases.
    pub explored: usize,
    /// Successors that were computed, in all phases.
    pub generated: usize,
    /// The most states that were stored at once.
    pub stored: usize,
    /// States that wait to be expanded.
    pub waiting: usize,
    /// Peak memory of the stored states, with tables.
    pub peak_bytes: usize,
    /// Whether caches were dropped, since the limit on memory was near.
    pub caches_dropped: bool,
    /// The workers of the search, each in a thread; of a cluster those of all processes.
    pub workers: Vec<WorkerEntry>,
}

/// A worker of a search.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WorkerEntry {
    /// How it searches, if workers search in different ways; null if they share one search.
    pub strategy: Option<String>,
    /// The number of its process; null if there is only one.
    pub process: Option<usize>,
    /// States that it has expanded.
    pub explored: usize,
    /// Successors that it has computed.
    pub generated: usize,
    /// States that it stores.
    pub stored: usize,
    /// Its states that wait to be expanded.
    pub waiting: usize,
    /// The memory of its states, with tables.
    pub bytes: usize,
    /// States that it expands in a second, over the last half second or more.
    pub states_per_second: f64,
    /// Packets of states that it has sent to other workers.
    pub packets_sent: usize,
    /// Packets that it has received.
    pub packets_received: usize,
    /// Whether it has nothing to do until it receives states or the level ends.
    pub rests: bool,
    /// The time since it was seen to expand states.
    pub idle_seconds: f64,
}

/// The size of a formula.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FormulaProgress {
    /// The number of steps.
    pub steps: usize,
    /// Distinct subformulas.
    pub nodes: usize,
    /// The level of the search for an invariant; null if there is none.
    pub level: Option<usize>,
}

/// Seconds with three digits.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

impl ProgressLine {
    /// The progress of a search.
    pub fn of_search(phase: Phase, counts: &Counts, waiting: usize, workers: &Workers, time: Duration) -> ProgressLine {
        let search = Some(SearchProgress {
            phase: phase.name(),
            explored: counts.explored,
            generated: counts.generated,
            stored: counts.stored,
            waiting,
            peak_bytes: counts.bytes,
            caches_dropped: counts.caches_dropped,
            workers: workers.list.iter().map(WorkerEntry::new).collect(),
        });
        let resident_bytes = workers.resident;
        ProgressLine { version: VERSION, seconds: seconds(time), resident_bytes, search, formula: None }
    }

    /// The formula that a solver gets next.
    pub fn of_formula(size: &verify::FormulaStats, time: Duration) -> ProgressLine {
        let formula = Some(FormulaProgress { steps: size.steps, nodes: size.nodes, level: size.levels });
        let resident_bytes = merkhet::memory::read().map(|memory| memory.resident as usize * 1024);
        ProgressLine { version: VERSION, seconds: seconds(time), resident_bytes, search: None, formula }
    }
}

impl WorkerEntry {
    fn new(worker: &WorkerProgress) -> WorkerEntry {
        let WorkerProgress { load, rate, idle } = worker;
        WorkerEntry {
            strategy: load.strategy.clone(),
            process: load.process,
            explored: load.counts.explored,
            generated: load.counts.generated,
            stored: load.counts.stored,
            waiting: load.waiting,
            bytes: load.counts.bytes,
            states_per_second: rate.round(),
            packets_sent: load.sent,
            packets_received: load.received,
            rests: load.rests,
            idle_seconds: seconds(*idle),
        }
    }
}
