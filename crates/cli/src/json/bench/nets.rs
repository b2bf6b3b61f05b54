//! What `merkhet bench nets` says.

use serde::Serialize;

/// What `merkhet bench nets --format json` prints.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetsReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// Where the published figures come from.
    pub source: &'static str,
    /// Table 1: how large formulas are.
    pub sizes: Vec<NetSizes>,
    /// Table 2: how long solvers take.
    pub times: Vec<NetTimes>,
    /// What to know about the figures.
    pub notes: Vec<String>,
}

/// A net.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Net {
    /// The family.
    pub family: &'static str,
    /// Its size.
    pub size: u32,
    /// How many places it has.
    pub places: usize,
    /// How many transitions it has.
    pub transitions: usize,
    /// The paper's net of the same size, if there is one.
    pub published: Option<u32>,
}

/// How large the formulas of a net are.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetSizes {
    /// The net.
    pub net: Net,
    /// How many steps the formulas have.
    pub steps: u64,
    /// In linear arithmetic.
    pub la: EncodingSizes,
    /// In difference logic.
    pub dl: EncodingSizes,
}

/// How large a formula is before and after replacing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EncodingSizes {
    /// Written out.
    pub before: Size,
    /// With equal variables replaced, as the paper does.
    pub after: Size,
    /// With constants replaced as well, as merkhet does.
    pub merkhet: Size,
    /// What the paper prints.
    pub published: Option<PublishedSizes>,
}

/// What the paper prints, before and after replacing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct PublishedSizes {
    pub before: Size,
    pub after: Size,
}

/// How large a formula is.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Size {
    pub variables: u64,
    pub constraints: u64,
}

/// How long solvers take for a net and a number of steps.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetTimes {
    /// The net.
    pub net: Net,
    /// How many steps the formulas have.
    pub steps: usize,
    /// What is true: `sat` if there is a deadlock within these steps, `unsat` if there is none;
    /// null if no exact encoding was solved.
    pub result: Option<&'static str>,
    /// The runs.
    pub runs: Vec<NetRun>,
}

/// A solver on a formula.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetRun {
    /// The solver.
    pub solver: &'static str,
    /// The formula.
    pub encoding: String,
    /// How long the solver took; null if it was not asked, because a shorter formula was too much
    /// for it, or did not end.
    pub seconds: Option<f64>,
    /// What it said, or why it said nothing; null if it was not asked.
    pub answer: Option<String>,
    /// What the paper prints, in seconds.
    pub published: Option<&'static str>,
}
