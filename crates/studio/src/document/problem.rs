//! Diagnostics with their places in what a page edits.

use serde::Serialize;
use show::{json::Level, shown::MAX_DIAGNOSTICS};
use syntax::{Diagnostic, Severity, Sources, Span, diagnostic::Label};

use super::{QUERIES, view::utf16};

/// A range in a fragment. Offsets count UTF-16, and the end of a line as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextPlace {
    /// The path of the fragment, see [`super::FragmentEntry`].
    pub path: String,
    /// The fragment in words; empty in plain text.
    pub what: String,
    /// The start of the range.
    pub from: usize,
    /// The end of the range.
    pub to: usize,
    /// The line of the start, from 1.
    pub line: u32,
    /// The column of the start in characters, from 1.
    pub column: u32,
}

impl TextPlace {
    /// Finds a span; `beside` is the name of the file of queries.
    #[must_use]
    pub fn of(sources: &Sources, span: Span, beside: Option<&str>) -> Option<TextPlace> {
        let at = sources.locate(span)?;
        let path = if Some(at.file) == beside { QUERIES.to_owned() } else { at.place.path.clone() };
        let (from, to) = (utf16(at.text, at.range.start), utf16(at.text, at.range.end));
        Some(TextPlace { path, what: at.place.what.clone(), from, to, line: at.start.line, column: at.start.column })
    }
}

/// A diagnostic.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// `error` or `warning`.
    pub severity: Level,
    /// A stable name for this kind of diagnostic.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Where; null if it is about the whole.
    pub at: Option<TextPlace>,
    /// A remark at this place.
    pub label: String,
    /// Other places that matter.
    pub notes: Vec<Remark>,
    /// What the user could do.
    pub help: Vec<String>,
}

/// A remark at a place.
#[derive(Clone, Debug, Serialize)]
pub struct Remark {
    /// The remark.
    pub message: String,
    /// Where.
    pub at: Option<TextPlace>,
}

impl Problem {
    /// Finds the places of a diagnostic.
    #[must_use]
    pub fn new(sources: &Sources, d: &Diagnostic, beside: Option<&str>) -> Problem {
        let place = |span| TextPlace::of(sources, span, beside);
        let remark = |label: &Label| Remark { message: label.text.clone(), at: place(label.span) };
        Problem {
            severity: match d.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            code: d.code,
            message: d.message.clone(),
            at: place(d.primary.span),
            label: d.primary.text.clone(),
            notes: d.others.iter().map(remark).collect(),
            help: d.help.clone(),
        }
    }

    /// Selects the diagnostics that are shown: errors first, as everywhere.
    #[must_use]
    pub fn list(sources: &Sources, diagnostics: &[Diagnostic], beside: Option<&str>) -> Vec<Problem> {
        let (errors, warnings): (Vec<_>, Vec<_>) = diagnostics.iter().partition(|d| d.is_error());
        let mut shown: Vec<&Diagnostic> = errors.into_iter().chain(warnings).take(MAX_DIAGNOSTICS).collect();
        shown.sort_by_cached_key(|d| sources.order(d.primary.span));
        shown.into_iter().map(|d| Problem::new(sources, d, beside)).collect()
    }
}
