//! What `merkhet bench directed` says.

use serde::Serialize;

/// What `merkhet bench directed --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The sources of the published figures.
    pub sources: Vec<&'static str>,
    /// The number of values of a heuristic that were kept; null: each was computed.
    pub heuristic_table: Option<u32>,
    /// The models.
    pub models: Vec<DirectedModel>,
    /// Models of the papers that are not available.
    pub missing: Vec<&'static str>,
    /// Remarks on the figures, and on what is missing.
    pub notes: Vec<String>,
}

/// A model.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedModel {
    /// Its name.
    pub model: String,
    /// The file that it was read from; null if it is built in.
    pub file: Option<String>,
    /// The number of processes.
    pub automata: usize,
    /// The number of clocks.
    pub clocks: usize,
    /// The number of variables; an array is one.
    pub variables: usize,
    /// The searches.
    pub runs: Vec<DirectedRun>,
    /// Published figures of searches guided by predicate abstraction.
    pub predicate_abstraction: Vec<PredicateFigures>,
}

/// A search.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedRun {
    /// Its name.
    pub configuration: &'static str,
    /// The table of the paper that it belongs to; null if it is not in the paper.
    pub table: Option<u32>,
    /// The order in which states were explored.
    pub order: &'static str,
    /// The heuristic.
    pub heuristic: Option<&'static str>,
    /// Whether helpful transitions came first.
    pub helpful: bool,
    /// The abstraction: that of the paper, or `auto`, which users get.
    pub abstraction: &'static str,
    /// Which of several states with the same rank came first: as in the paper, or `auto`.
    pub ties: &'static str,
    /// Whether states could cover others with shorter paths, as in the paper's A*.
    pub cover_shorter: bool,
    /// Merkhet's figures, of the median run if the order is random; null if it was stopped, or
    /// there is no such search.
    pub merkhet: Option<DirectedFigures>,
    /// Why the search was stopped.
    pub stopped: Option<String>,
    /// The paper's figures.
    pub published: Option<PublishedFigures>,
}

/// Merkhet's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedFigures {
    /// The time of the search.
    pub seconds: f64,
    /// States that were taken from the waiting list.
    pub explored: usize,
    /// Successors that were computed, duplicates included, the initial state not; the paper's S.
    pub generated: usize,
    /// Peak memory of the states.
    pub megabytes: f64,
    /// The transitions of the trace to the error; null if there is no error.
    pub transitions: Option<usize>,
    /// The same plus one; the paper's l.
    pub length: Option<usize>,
}

/// A paper's figures of a search; null if it prints no number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublishedFigures {
    /// The time of the search.
    pub seconds: Option<f64>,
    /// The paper's S.
    pub generated: Option<f64>,
    /// The peak memory of the whole process.
    pub megabytes: Option<f64>,
    /// The paper's l.
    pub length: Option<f64>,
}

/// Figures of a search guided by predicate abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PredicateFigures {
    /// The paper's name for it.
    pub configuration: &'static str,
    /// Seconds before the search.
    pub overhead_seconds: Option<f64>,
    /// States; null if it ran out of memory.
    pub generated: Option<f64>,
    /// Total seconds.
    pub seconds: Option<f64>,
}
