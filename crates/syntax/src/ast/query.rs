//! Queries with their recorded results.

use super::{ExprId, List, StatisticalQuery};
use crate::{diagnostic::Diagnostic, names::Sym, source::Span};

/// A query of a model or a query file.
#[derive(Clone, Debug)]
pub struct Query {
    /// The text, without the comments around it.
    pub text: String,
    /// Its kind.
    pub kind: QueryKind,
    /// Where it occurs.
    pub span: Span,
    /// The user's comment.
    pub comment: String,
    /// The name that the comment gives it, on one line and without unrelated comments such as a
    /// file header.
    pub name: String,
    /// Options for this query alone.
    pub options: Vec<OptionPair>,
    /// The expected result.
    pub expect: Option<RecordedResult>,
    /// Earlier results.
    pub results: Vec<RecordedResult>,
    /// Its syntax errors. They are separate from the model's, so that a wrong query does not affect
    /// the others.
    pub problems: Vec<Diagnostic>,
    /// The names in it, if nothing else could be parsed.
    pub names: Vec<Sym>,
}

impl Query {
    /// Returns a query that nothing else is written about.
    pub(crate) fn new(text: String, kind: QueryKind, span: Span) -> Query {
        Query {
            text,
            kind,
            span,
            comment: String::new(),
            name: String::new(),
            options: Vec::new(),
            expect: None,
            results: Vec::new(),
            problems: Vec::new(),
            names: Vec::new(),
        }
    }
}

/// The kinds of queries.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryKind {
    /// `E<> p`
    Possibly(ExprId),
    /// `A[] p`
    Invariantly(ExprId),
    /// `E[] p`
    PotentiallyAlways(ExprId),
    /// `A<> p`
    Eventually(ExprId),
    /// `p --> q`
    LeadsTo(ExprId, ExprId),
    /// `A[] A<> p`
    InfinitelyOften(ExprId),
    /// `E<> E[] p`
    FinallyAlways(ExprId),
    /// `sup{p}: list`
    Sup(Option<ExprId>, List),
    /// `inf{p}: list`
    Inf(Option<ExprId>, List),
    /// `bounds{p}: list`
    Bounds(Option<ExprId>, List),
    /// A query about random runs.
    Statistical(Box<StatisticalQuery>),
    /// A query of another branch of UPPAAL, with the name of the feature.
    Unsupported(&'static str),
    /// Blanks or comments without a query.
    Empty,
    /// A query that could not be parsed; already reported.
    Wrong,
}

/// A key and its value.
pub type OptionPair = (String, String);

/// A result that is recorded with a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedResult {
    /// `success`, `failure`, `maybe_true`, …
    pub outcome: String,
    /// `quality`, `quantity`, …
    pub kind: String,
    /// A number, for `sup` and `inf`.
    pub value: String,
    /// The time of the verification.
    pub timestamp: String,
    /// The text of its `details`.
    pub details: String,
}
