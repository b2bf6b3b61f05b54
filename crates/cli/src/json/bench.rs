//! What `merkhet bench` says. The text for people is made from the same values.

pub mod abstraction;
pub mod directed;
pub mod lattice;
pub mod nets;

use serde::Serialize;

/// What `merkhet bench zones --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ZonesReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// How zones were made finitely many.
    pub abstraction: String,
    /// In which order states were explored.
    pub order: String,
    /// Where the recorded figures come from.
    pub source: &'static str,
    /// The runs.
    pub runs: Vec<ZonesRun>,
    /// What to know about the figures, and what is missing.
    pub notes: Vec<String>,
}

/// A model of some size.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ZonesRun {
    /// The family.
    pub family: &'static str,
    /// Its size.
    pub size: u32,
    /// How many clocks the model has.
    pub clocks: usize,
    /// Our figures.
    pub merkhet: Figures,
    /// Why the search did not come to its end; null if it did.
    pub stopped: Option<String>,
    /// What TChecker needed, as somebody wrote it down.
    pub recorded: Option<Figures>,
    /// What TChecker needed here and now, on the same text.
    pub tck_reach: Option<Figures>,
}

/// What a tool needed for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figures {
    /// States in the store at the end.
    pub stored: usize,
    /// States that were taken from the waiting list.
    pub visited: usize,
    /// Successors that were computed.
    pub transitions: Option<usize>,
    /// How long the search took.
    pub seconds: Option<f64>,
    /// Visited states in a second.
    pub states_per_second: Option<f64>,
    /// Instructions in millions, with those for reading the model.
    pub million_instructions: Option<f64>,
    /// The most memory: of the stored states for merkhet, of the whole process for TChecker.
    pub megabytes: Option<f64>,
    /// The same for each stored state, in bytes; merkhet only.
    pub bytes_per_stored: Option<f64>,
}

/// What `merkhet bench zones --scaling --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScalingReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The family.
    pub family: &'static str,
    /// How zones were made finitely many.
    pub abstraction: String,
    /// In which order states were explored.
    pub order: String,
    /// Growing sizes.
    pub sizes: Vec<ScalingPoint>,
    /// Moments of the largest run.
    pub largest: Vec<ScalingPoint>,
    /// What to know about the figures.
    pub notes: Vec<String>,
}

/// What was done so far, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScalingPoint {
    /// The size of the model.
    pub size: u32,
    /// How many clocks it has.
    pub clocks: usize,
    /// Successors that were computed.
    pub generated: usize,
    /// States in the store.
    pub stored: usize,
    /// How long it took.
    pub seconds: f64,
    /// Nanoseconds for each successor.
    pub nanoseconds: f64,
    /// The same for each bound of a zone, of which there are (clocks + 1)².
    pub nanoseconds_per_bound: f64,
    /// Whether the search came to its end.
    pub complete: bool,
}

/// What `merkhet bench kernels --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KernelsReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// Where UDBM's figures come from.
    pub source: &'static str,
    /// The operations.
    pub kernels: Vec<KernelFigures>,
    /// What to know about the figures.
    pub notes: Vec<String>,
}

/// What an operation costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KernelFigures {
    /// The operation.
    pub kernel: &'static str,
    /// Clocks of the zones, the reference clock included.
    pub dimension: usize,
    /// Nanoseconds, with those for the copy that it works on.
    pub nanoseconds: f64,
    /// How many times a plain copy of the same row takes that.
    pub copies: f64,
    /// What UDBM needs, in nanoseconds.
    pub udbm: Option<f64>,
}
