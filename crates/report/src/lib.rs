//! Answers about a model as one HTML file that needs nothing else: drawings, queries, reasons,
//! statistics, evidence, and traces that can be played.
//!
//! The file loads nothing, and its Content-Security-Policy allows the script and the style sheet
//! within it and no others. Without scripts it is a document with the same contents. Text of a
//! model is escaped, so that it never becomes markup.
//!
//! [`PLAYER`] plays traces on any page: it is an ES module, and [`trace_data`] makes its data.

mod data;
mod html;
mod page;
mod policy;

pub use data::trace_data;

use draw::DrawnTrace;

/// The module that plays traces.
pub const PLAYER: &str = include_str!("../assets/player.js");

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The model's name.
    pub model: String,
    /// What made the report, such as `merkhet 0.1.0`.
    pub generator: String,
    /// What is to be known about the whole report.
    pub notes: Vec<String>,
    /// The drawings of the model.
    pub drawings: Vec<ReportedDrawing>,
    /// The queries in their order.
    pub queries: Vec<ReportedQuery>,
}

/// A drawing of a part of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedDrawing {
    /// Its name.
    pub name: String,
    /// The index of the template; `None` for a net.
    pub template: Option<usize>,
    /// The picture.
    pub svg: String,
}

/// A query with its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportedQuery {
    /// The query.
    pub text: String,
    /// Its name.
    pub name: Option<String>,
    /// The comment of its author.
    pub comment: String,
    /// The answer.
    pub verdict: ReportedVerdict,
    /// Why the answer is unknown, or why there is none.
    pub reason: Option<String>,
    /// Values, reservations, statistics and evidence, a line for each.
    pub facts: Vec<String>,
    /// Errors and warnings, as text with excerpts.
    pub diagnostics: String,
    /// Charts of what was measured: names and pictures.
    pub charts: Vec<(String, String)>,
    /// The trace that decides it.
    pub trace: Option<ReportedTrace>,
}

/// The answer to a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportedVerdict {
    /// It is satisfied.
    Satisfied,
    /// It is not satisfied.
    NotSatisfied,
    /// The answer is unknown.
    #[default]
    Unknown,
    /// The query has errors.
    Refused,
}

/// A trace.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedTrace {
    /// What it shows, such as `trace with 4 transitions`.
    pub heading: String,
    /// The trace.
    pub trace: DrawnTrace,
}

impl Report {
    /// Renders the report.
    #[must_use]
    pub fn html(&self) -> String {
        page::write(self)
    }
}
