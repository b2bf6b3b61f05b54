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
    /// Where the published figures come from.
    pub source: &'static str,
    /// The seconds that each search had.
    pub time_limit_seconds: f64,
    /// The models, with the searches of the tables.
    pub models: Vec<AbstractionModel>,
    /// A model's refinements one by one; null if nobody asked for them, or the model is not at
    /// hand.
    pub series: Option<AbstractionSeries>,
    /// Models of the paper that are not at hand.
    pub missing: Vec<&'static str>,
    /// What to know about the figures, and what is missing.
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
    /// How many processes it has.
    pub automata: usize,
    /// How many clocks.
    pub clocks: usize,
    /// How many variables; an array is one.
    pub variables: usize,
    /// Breadth-first search, which heuristics are to save work of; null if it was not run.
    pub blind: Option<Blind>,
    /// The searches, table by table.
    pub runs: Vec<AbstractionRun>,
}

/// What breadth-first search needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Blind {
    /// Successors that were computed.
    pub generated: usize,
    /// Whether it came to its end; else it would have needed more.
    pub complete: bool,
}

/// A search, as a cell of a table.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionRun {
    /// The number of the paper's table that it belongs to.
    pub table: u32,
    /// The head of its column.
    pub column: String,
    /// How many automata are in one part, where the table tells its lines apart by that.
    pub bound: Option<&'static str>,
    /// Its name.
    pub configuration: String,
    /// In which order states were explored.
    pub order: &'static str,
    /// By which heuristic.
    pub heuristic: Option<String>,
    /// What became of it.
    #[serde(flatten)]
    pub result: AbstractionResult,
    /// What the paper prints; null if it has no such cell.
    pub published: Option<PublishedCell>,
}

/// What became of a search.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionResult {
    /// Our figures, of the run in the middle where the order is random; null if it was stopped.
    pub merkhet: Option<AbstractionFigures>,
    /// Why the search did not come to its end.
    pub stopped: Option<String>,
    /// Whether more abstract states were built than states were saved; null if nothing was built,
    /// or nobody knows.
    pub loss: Option<bool>,
}

/// What we needed.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionFigures {
    /// How long it took, with what was done before the search.
    pub seconds: f64,
    /// States that were taken from the waiting list.
    pub explored: usize,
    /// Successors that were computed, duplicates included, the initial state not; the paper's
    /// number of states.
    pub generated: usize,
    /// The transitions on the way to the error; null if there is no error.
    pub transitions: Option<usize>,
    /// What was done before the search; null if nothing was.
    pub prepared: Option<Prepared>,
}

/// What the paper prints about a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublishedCell {
    /// What became of it.
    pub outcome: PublishedOutcome,
    /// Seconds before the search.
    pub overhead_seconds: Option<f64>,
    /// States.
    pub generated: Option<f64>,
    /// Seconds in all.
    pub seconds: Option<f64>,
}

/// What became of the paper's search. Only where it found the error there are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PublishedOutcome {
    /// It found the error.
    Found,
    /// The time was over before the search could start.
    NoTime,
    /// It ran out of memory.
    NoMemory,
    /// It is the same as its left neighbour in the table.
    AsLeft,
}

/// A model's refinements one by one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AbstractionSeries {
    /// The model.
    pub model: String,
    /// How many automata are in one part, at most.
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
    /// So many refinements at most; null: as many as seem to pay.
    pub rounds: Option<u32>,
    /// By which heuristic.
    pub heuristic: String,
    /// What became of it.
    #[serde(flatten)]
    pub result: AbstractionResult,
    /// What the paper says; null if it does not.
    pub published: Option<PublishedStep>,
}

/// What the paper says about a search after some refinements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PublishedStep {
    /// States.
    pub generated: u64,
    /// The lengths of the shortest abstract errors that it tells, part by part.
    pub lengths: Vec<u32>,
}
