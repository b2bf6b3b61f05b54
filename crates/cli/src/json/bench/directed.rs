//! What `merkhet bench directed` says.

use serde::Serialize;

/// What `merkhet bench directed --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// Where the published figures come from.
    pub sources: Vec<&'static str>,
    /// How many values of a heuristic were kept; null: each was computed.
    pub heuristic_table: Option<u32>,
    /// The models.
    pub models: Vec<DirectedModel>,
    /// Models of the papers that are not at hand.
    pub missing: Vec<&'static str>,
    /// What to know about the figures, and what is missing.
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
    /// How many processes it has.
    pub automata: usize,
    /// How many clocks.
    pub clocks: usize,
    /// How many variables; an array is one.
    pub variables: usize,
    /// The searches.
    pub runs: Vec<DirectedRun>,
    /// What searches guided by predicate abstraction needed, as the other paper says.
    pub predicate_abstraction: Vec<PredicateFigures>,
}

/// A search.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedRun {
    /// Its name.
    pub configuration: &'static str,
    /// The table of the paper that it belongs to; null if it came later.
    pub table: Option<u32>,
    /// In which order states were explored.
    pub order: &'static str,
    /// By which heuristic.
    pub heuristic: Option<&'static str>,
    /// Whether helpful transitions came first.
    pub helpful: bool,
    /// Our figures, of the run in the middle where the order is random; null if it was stopped, or
    /// there is no such search.
    pub merkhet: Option<DirectedFigures>,
    /// Why the search did not come to its end.
    pub stopped: Option<String>,
    /// What the paper says.
    pub published: Option<PublishedFigures>,
}

/// What we needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DirectedFigures {
    /// How long the search took.
    pub seconds: f64,
    /// States that were taken from the waiting list.
    pub explored: usize,
    /// Successors that were computed, duplicates included, the initial state not; the paper's S.
    pub generated: usize,
    /// The most memory of the states.
    pub megabytes: f64,
    /// The transitions on the way to the error; null if there is no error.
    pub transitions: Option<usize>,
    /// The same and one; the paper's l.
    pub length: Option<usize>,
}

/// What a paper says a search needed; null where it says that there is no number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublishedFigures {
    /// How long the search took.
    pub seconds: Option<f64>,
    /// The paper's S.
    pub generated: Option<f64>,
    /// The peak memory of the whole process.
    pub megabytes: Option<f64>,
    /// The paper's l.
    pub length: Option<f64>,
}

/// What a search guided by predicate abstraction needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PredicateFigures {
    /// The paper's name for it.
    pub configuration: &'static str,
    /// Seconds before the search.
    pub overhead_seconds: Option<f64>,
    /// States; null if the memory did not suffice.
    pub generated: Option<f64>,
    /// Seconds in all.
    pub seconds: Option<f64>,
}
