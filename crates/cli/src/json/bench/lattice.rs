//! What `merkhet bench lattice` says.

use serde::Serialize;

/// What `merkhet bench lattice --format json` prints.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// Where the published figures come from.
    pub source: &'static str,
    /// The figures.
    pub figures: Vec<LatticeFigure>,
    /// What a variable of a lattice costs where it is of no use.
    pub overhead: Vec<LatticeOverhead>,
    /// What to know about the figures, and where they differ from those of others.
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
    /// What was done with states that met: `simple`, `cover` or `join`.
    pub update: String,
    /// Which states were joined, in the words of `--join`; null: all.
    pub strategy: Option<&'static str>,
    /// Whether joins that had led to a goal out of reach were taken back.
    pub refines: bool,
    /// Our figures; null if the search was stopped, or not run at all.
    pub merkhet: Option<LatticeFigures>,
    /// Why the search did not come to its end; null if it did, or was not run.
    pub stopped: Option<String>,
    /// What the paper says.
    pub published: Option<LatticePublished>,
    /// How many states there are by reckoning.
    pub expected: Option<u64>,
    /// How many times as long the paper's search took; null where it is not known.
    pub factor: Option<f64>,
}

/// What we needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeFigures {
    /// The number of states that the paper counts: one of the next two.
    pub states: u64,
    /// States that were ever added.
    pub added: u64,
    /// States that were there at the end.
    pub stored: u64,
    /// How long it took.
    pub seconds: f64,
    /// Whether the answer is certain.
    pub conclusive: bool,
    /// The least bound on the time of a program that the search can show; null for other models.
    pub bound: Option<i32>,
}

/// What the paper says a search needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticePublished {
    /// Explored states.
    pub states: u64,
    /// The time, as it is printed.
    pub time: &'static str,
    /// The time; null where it was less than a second.
    pub seconds: Option<f64>,
}

/// A model without lattices, and the same model with a variable of a lattice that nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LatticeOverhead {
    /// The family.
    pub family: &'static str,
    /// Its size.
    pub size: u32,
    /// States that were generated, the same for both.
    pub generated: u64,
    /// How long it took without, the fastest of several runs.
    pub plain_seconds: f64,
    /// How long it took with the variable.
    pub lattice_seconds: f64,
    /// How many times as long the second is as the first.
    pub ratio: f64,
}
