//! The reports of `merkhet bench`. Text is made from the same values.

pub mod abstraction;
pub mod directed;
pub mod lattice;
pub mod nets;
pub mod scale;

use serde::Serialize;

/// What `merkhet bench zones --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ZonesReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The abstraction.
    pub abstraction: String,
    /// The order in which states were explored.
    pub order: String,
    /// Where the recorded figures come from.
    pub source: &'static str,
    /// The runs.
    pub runs: Vec<ZonesRun>,
    /// Models of other people.
    pub models: Vec<ModelRun>,
    /// Remarks on the figures, and on what is missing.
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
    /// The number of clocks.
    pub clocks: usize,
    /// Merkhet's figures.
    pub merkhet: Figures,
    /// Why the search was stopped; null if it was not.
    pub stopped: Option<String>,
    /// Recorded figures of TChecker.
    pub recorded: Option<Figures>,
    /// Figures of TChecker on this machine, for the same text.
    pub tck_reach: Option<Figures>,
}

/// A model of other people.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModelRun {
    /// The model.
    pub model: &'static str,
    /// The number of stored states after which the search was stopped.
    pub limit: usize,
    /// The number of clocks.
    pub clocks: usize,
    /// Merkhet's figures.
    pub merkhet: Figures,
}

/// The figures of a tool for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figures {
    /// States in the store at the end.
    pub stored: usize,
    /// States that were taken from the waiting list.
    pub visited: usize,
    /// Successors that were computed.
    pub transitions: Option<usize>,
    /// The time of the search.
    pub seconds: Option<f64>,
    /// Visited states per second.
    pub states_per_second: Option<f64>,
    /// Instructions in millions, including those for reading the model.
    pub million_instructions: Option<f64>,
    /// Peak memory: of the stored states for merkhet, of the whole process for TChecker.
    pub megabytes: Option<f64>,
    /// The same for each stored state, in bytes; merkhet only.
    pub bytes_per_stored: Option<f64>,
    /// Instructions for each transition.
    pub instructions_per_transition: Option<f64>,
    /// Bytes for each transition; merkhet only.
    pub bytes_per_transition: Option<f64>,
}

impl Figures {
    /// Adds a number of instructions, in millions.
    pub fn count_instructions(&mut self, millions: f64) {
        self.million_instructions = Some(millions);
        let each = |transitions: usize| millions * 1e6 / transitions as f64;
        self.instructions_per_transition = self.transitions.filter(|n| *n > 0).map(each);
    }
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
    /// The abstraction.
    pub abstraction: String,
    /// The order in which states were explored.
    pub order: String,
    /// Growing sizes.
    pub sizes: Vec<ScalingPoint>,
    /// The progress of the largest run.
    pub largest: Vec<ScalingPoint>,
    /// Remarks on the figures.
    pub notes: Vec<String>,
}

/// The work so far, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScalingPoint {
    /// The size of the model.
    pub size: u32,
    /// The number of clocks.
    pub clocks: usize,
    /// Successors that were computed.
    pub generated: usize,
    /// States in the store.
    pub stored: usize,
    /// The time.
    pub seconds: f64,
    /// Nanoseconds for each successor.
    pub nanoseconds: f64,
    /// The same for each bound of a zone, of which there are (clocks + 1)².
    pub nanoseconds_per_bound: f64,
    /// Whether the search is complete.
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
    /// Remarks on the figures.
    pub notes: Vec<String>,
}

/// The cost of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KernelFigures {
    /// The operation.
    pub kernel: &'static str,
    /// Clocks of the zones, the reference clock included.
    pub dimension: usize,
    /// Nanoseconds, including those for the copy that it works on.
    pub nanoseconds: f64,
    /// The same as a multiple of a plain copy of the row.
    pub copies: f64,
    /// UDBM's nanoseconds.
    pub udbm: Option<f64>,
}
