//! Files of traces, and the report of `merkhet replay`.

use serde::{Deserialize, Serialize};

use super::{
    DiagnosticEntry,
    certify::Malformed,
    verify::{Trace, Verdict},
};

/// What `merkhet verify --trace-file` writes, and `merkhet replay` reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TraceFile {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The model's name, as it was given; `<stdin>` for the standard input.
    pub model: String,
    /// The traces, in the order of the queries.
    pub traces: Vec<TracedQuery>,
}

/// A query and its trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TracedQuery {
    /// The query.
    pub query: String,
    /// Its answer; unknown for a trace to a run-time error.
    pub answer: Verdict,
    /// Why the answer is unknown.
    pub reason: Option<String>,
    /// The run that decides it, or a spurious trace if the answer is unknown.
    pub trace: Trace,
}

/// What `merkhet replay --format json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplayReport {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The model's name, as it was given; `<stdin>` for the standard input.
    pub model: String,
    /// The name of the file of traces, as it was given; `<stdin>` for the standard input.
    pub traces: String,
    /// Whether every trace is a run that decides its query.
    pub ok: bool,
    /// The limit that was reached before everything was checked.
    pub stopped: Option<String>,
    /// What is wrong with the model, or with a query of the file.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// What is wrong with the text of the file.
    pub malformed: Option<Malformed>,
    /// The traces, in the order of the file.
    pub results: Vec<ReplayResult>,
}

/// The result of replaying a trace.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplayResult {
    /// The query.
    pub query: String,
    /// The answer that the trace should show.
    pub answer: Verdict,
    /// Whether it is a run that shows it.
    pub ok: bool,
    /// The result.
    pub outcome: ReplayOutcome,
    /// How many transitions the trace has.
    pub length: usize,
    /// The first step that fails, or that can't be decided, counted from 1; 0 is the start, and one
    /// more than the length is the end. Null if the trace is accepted, spurious, or wrong as a
    /// whole.
    pub step: Option<usize>,
    /// Why it is not accepted.
    pub reason: Option<String>,
}

/// The result of replaying a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ReplayOutcome {
    /// It is a run that shows the answer.
    #[serde(rename = "ok")]
    Ok,
    /// It is not such a run.
    #[serde(rename = "wrong")]
    Wrong,
    /// It is undecided whether it is such a run.
    #[serde(rename = "unknown")]
    Unknown,
    /// The file marks it as spurious: not a run of the model.
    #[serde(rename = "spurious")]
    Spurious,
}
