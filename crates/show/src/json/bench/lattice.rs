//! What `merkhet bench lattice` says.

use serde::Serialize;

/// What `merkhet bench lattice --format json` prints.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The source of the published figures.
    pub source: &'static str,
    /// The figures.
    pub figures: Vec<LatticeFigure>,
    /// The cost of an unused variable of a lattice.
    pub overhead: Vec<LatticeOverhead>,
    /// Remarks on the figures, and on differences from published ones.
    pub notes: Vec<String>,
}

/// A figure of the paper.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeFigure {
    /// Its number, or `cache`.
    pub figure: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Its rows.
    pub rows: Vec<LatticeRow>,
}

/// A model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeRow {
    /// Its size, or its name.
    pub row: String,
    /// The searches.
    pub runs: Vec<LatticeRun>,
}

/// A search.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeRun {
    /// Its name.
    pub search: &'static str,
    /// How new states updated the store: `simple`, `cover` or `join`.
    pub update: String,
    /// The states that were joined, as in `--join`; null: all.
    pub strategy: Option<&'static str>,
    /// Whether joins were undone that made an unreachable goal seem reachable.
    pub refines: bool,
    /// Merkhet's figures; null if the search was stopped or not run.
    pub merkhet: Option<LatticeFigures>,
    /// Why the search was stopped; null if it was not.
    pub stopped: Option<String>,
    /// The paper's figures.
    pub published: Option<LatticePublished>,
    /// The number of states by the formula.
    pub expected: Option<u64>,
    /// The paper's time as a multiple of Merkhet's; null if it is unknown.
    pub factor: Option<f64>,
}

/// Merkhet's figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeFigures {
    /// The number of states that the paper counts: one of the next two.
    pub states: u64,
    /// States that were ever added.
    pub added: u64,
    /// States that are stored at the end.
    pub stored: u64,
    /// The time.
    pub seconds: f64,
    /// Whether the answer is certain.
    pub conclusive: bool,
    /// The least bound on the time of a program that the search proves; null for other models.
    pub bound: Option<i32>,
}

/// The paper's figures of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticePublished {
    /// Explored states.
    pub states: u64,
    /// The time, as it is printed.
    pub time: &'static str,
    /// The time in seconds; null if it was less than one.
    pub seconds: Option<f64>,
}

/// A model without lattices, and the same model with an unused variable of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeOverhead {
    /// The family.
    pub family: &'static str,
    /// Its size.
    pub size: u32,
    /// States that were generated, the same for both.
    pub generated: u64,
    /// The time without the variable, of the fastest run.
    pub plain_seconds: f64,
    /// The time with the variable, of the fastest run.
    pub lattice_seconds: f64,
    /// The second divided by the first.
    pub ratio: f64,
}
