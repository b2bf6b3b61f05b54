//! What `merkhet bench abstraction` says.

use serde::Serialize;

use crate::json::verify::Prepared;

/// What `merkhet bench abstraction --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The source of the published figures.
    pub source: &'static str,
    /// The time limit of each search.
    pub time_limit_seconds: f64,
    /// The models, with the searches of the tables.
    pub models: Vec<AbstractionModel>,
    /// The refinements of a model one by one; null if they were not requested, or the model is not
    /// available.
    pub series: Option<AbstractionSeries>,
    /// Models of the paper that are not available.
    pub missing: Vec<&'static str>,
    /// Remarks on the figures, and on what is missing.
    pub notes: Vec<String>,
}

/// A model.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionModel {
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
    /// Breadth-first search, as the base line; null if it was not run.
    pub blind: Option<Blind>,
    /// The searches, table by table.
    pub runs: Vec<AbstractionRun>,
}

/// The figures of breadth-first search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Blind {
    /// Successors that were computed.
    pub generated: usize,
    /// Whether it is complete; otherwise the number is a lower bound.
    pub complete: bool,
}

/// A search, as a cell of a table.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionRun {
    /// The number of the paper's table that it belongs to.
    pub table: u32,
    /// The heading of its column.
    pub column: String,
    /// The number of automata in one slice, if it distinguishes the lines of the table.
    pub bound: Option<&'static str>,
    /// Its name.
    pub configuration: String,
    /// The order in which states were explored.
    pub order: &'static str,
    /// The heuristic.
    pub heuristic: Option<String>,
    /// The outcome.
    #[serde(flatten)]
    pub result: AbstractionResult,
    /// The cell of the paper; null if it has none.
    pub published: Option<PublishedCell>,
}

/// The outcome of a search.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionResult {
    /// Merkhet's figures, of the median run if the order is random; null if it was stopped.
    pub merkhet: Option<AbstractionFigures>,
    /// Why the search was stopped.
    pub stopped: Option<String>,
    /// Whether more abstract states were built than states were saved; null if nothing was built,
    /// or if it is unknown.
    pub loss: Option<bool>,
}

/// Merkhet's figures.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionFigures {
    /// The time, including that before the search.
    pub seconds: f64,
    /// States that were taken from the waiting list.
    pub explored: usize,
    /// Successors that were computed, duplicates included, the initial state not; the paper's
    /// number of states.
    pub generated: usize,
    /// The transitions of the trace to the error; null if there is no error.
    pub transitions: Option<usize>,
    /// The abstractions that were built before the search; null if there were none.
    pub prepared: Option<Prepared>,
}

/// A cell of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublishedCell {
    /// The outcome.
    pub outcome: PublishedOutcome,
    /// Seconds before the search.
    pub overhead_seconds: Option<f64>,
    /// States.
    pub generated: Option<f64>,
    /// Total seconds.
    pub seconds: Option<f64>,
}

/// The outcome of the paper's search. Only a search that found the error has numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PublishedOutcome {
    /// It found the error.
    Found,
    /// The time limit was reached before the search.
    NoTime,
    /// It ran out of memory.
    NoMemory,
    /// It is equal to its left neighbour in the table.
    AsLeft,
}

/// The refinements of a model one by one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionSeries {
    /// The model.
    pub model: String,
    /// The largest number of automata in one slice.
    pub bound: u32,
    /// Breadth-first search; null if it was not run.
    pub blind: Option<Blind>,
    /// The steps.
    pub steps: Vec<AbstractionStep>,
}

/// A search after some refinements.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionStep {
    /// The largest number of refinements; null: as many as seem to pay off.
    pub rounds: Option<u32>,
    /// The heuristic.
    pub heuristic: String,
    /// The outcome.
    #[serde(flatten)]
    pub result: AbstractionResult,
    /// The paper's figures, if it has some.
    pub published: Option<PublishedStep>,
}

/// The paper's figures of a search after some refinements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublishedStep {
    /// States.
    pub generated: u64,
    /// The printed lengths of the shortest abstract errors, one for each slice.
    pub lengths: Vec<u32>,
}
