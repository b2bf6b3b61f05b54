//! What `merkhet bench nets` says.

use serde::Serialize;

/// What `merkhet bench nets --format json` prints.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetsReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The source of the published figures.
    pub source: &'static str,
    /// Table 1: sizes of formulas.
    pub sizes: Vec<NetSizes>,
    /// Table 2: times of solvers.
    pub times: Vec<NetTimes>,
    /// Table 3: deadlocks beyond any bound.
    pub answers: Vec<NetAnswers>,
    /// Remarks on the figures.
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
    /// The number of places.
    pub places: usize,
    /// The number of transitions.
    pub transitions: usize,
    /// The paper's net of the same size, if there is one.
    pub published: Option<u32>,
}

/// The sizes of the formulas of a net.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetSizes {
    /// The net.
    pub net: Net,
    /// The number of steps.
    pub steps: u64,
    /// In linear arithmetic.
    pub la: EncodingSizes,
    /// In difference logic.
    pub dl: EncodingSizes,
}

/// The size of a formula, before and after variables are replaced.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EncodingSizes {
    /// With all variables; a closed form.
    pub before: Size,
    /// With unchanged variables replaced, as the paper does.
    pub after: Size,
    /// With constants replaced as well, as merkhet does.
    pub merkhet: Size,
    /// The paper's sizes.
    pub published: Option<PublishedSizes>,
}

/// The paper's sizes, before and after variables are replaced.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct PublishedSizes {
    pub before: Size,
    pub after: Size,
}

/// The size of a formula.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct Size {
    pub variables: u64,
    pub constraints: u64,
}

/// The times of solvers for a net and a number of steps.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetTimes {
    /// The net.
    pub net: Net,
    /// The number of steps.
    pub steps: usize,
    /// The result: `sat` if a deadlock is reachable within these steps, `unsat` otherwise; null if
    /// no exact encoding was solved.
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
    /// The encoding.
    pub encoding: &'static str,
    /// The variables that are replaced by others of the same value; null for encodings that are not
    /// the paper's.
    pub replaced: Option<&'static str>,
    /// The CPU time of the solver; null if it was stopped, or not run because it did not solve a
    /// shorter formula.
    pub seconds: Option<f64>,
    /// Its answer, or why it has none; null if it was not run.
    pub answer: Option<String>,
    /// The paper's time in seconds, as printed.
    pub published: Option<&'static str>,
}

/// The answers to a query about a net.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetAnswers {
    /// The net.
    pub net: Net,
    /// The query.
    pub query: &'static str,
    /// Merkhet's, by each method.
    pub runs: Vec<MethodRun>,
    /// Those of other tools.
    pub tools: Vec<ToolRun>,
}

/// An answer by a method.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodRun {
    /// The value of `--method`.
    pub method: &'static str,
    /// The time without reading the net; null if there is no answer.
    pub seconds: Option<f64>,
    /// `satisfied`, `not satisfied`, or why there is no answer.
    pub answer: String,
    /// The number of clauses of the invariant, if one was found.
    pub clauses: Option<usize>,
}

/// The answer of another tool.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolRun {
    /// The program.
    pub tool: &'static str,
    /// The time of the whole process; null if there is no answer.
    pub seconds: Option<f64>,
    /// `satisfied`, `not satisfied`, or why there is no answer.
    pub answer: String,
    /// The state classes or markings that it explored, if it says so.
    pub states: Option<u64>,
}
