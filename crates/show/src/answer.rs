//! Answers with names.

use std::{sync::Arc, time::Duration};

use merkhet::{Answer, Choices, Model, NetEncoding, Options, Phase, Proof, Range, Unproved};
use syntax::{
    Diagnostic, Sources, Span,
    ast::{Query, QueryKind},
};
use verify::Limit;

use crate::{
    estimate,
    json::{
        At,
        verify::{Bound, ExpressionBounds, Formulas, PhaseStats, Prepared, QueryResult, QueryValue, Stats, Verdict},
    },
    trace,
};

/// An answer with names, and what has none.
pub struct NamedAnswer {
    /// The answer. Its trace and its blame are there if the answer has them.
    pub result: QueryResult,
    /// The proof, if one is wanted.
    pub proof: Option<Result<Arc<Proof>, Unproved>>,
    /// Where the model fails, and what failed while it guided the search.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns the result of a query that was not answered. Messages call its text `file`.
#[must_use]
pub fn blank(sources: &Sources, file: &str, query: &Query) -> QueryResult {
    QueryResult {
        name: Some(query.name.clone()).filter(|name| !name.is_empty()),
        at: At::new(sources, file, query.span),
        ..unread(sources, file, &query.text)
    }
}

/// Returns the result of a text that could not be read as one query.
#[must_use]
pub fn unread(sources: &Sources, file: &str, text: &str) -> QueryResult {
    QueryResult {
        query: text.to_owned(),
        name: None,
        at: At::new(sources, file, Span::NONE),
        answer: None,
        reason: None,
        note: None,
        stats: None,
        value: None,
        trace: None,
        blame: None,
        certificate: None,
        diagnostics: Vec::new(),
    }
}

/// Names everything in the answer to a query with these options.
#[must_use]
pub fn named(model: &Model, (file, query): (&str, &Query), options: &Options, answer: Answer) -> NamedAnswer {
    let (encoding, alpha) = (options.encoding, options.alpha.number());
    let Answer { verdict, values, measured, certain, evidence, notes, diagnostics, stats } = answer;
    let mut result = blank(&model.sources, file, query);
    result.answer = Some(match verdict {
        merkhet::Verdict::Satisfied => Verdict::Satisfied,
        merkhet::Verdict::NotSatisfied => Verdict::NotSatisfied,
        merkhet::Verdict::Unknown(reason) => {
            result.reason = Some(reason.to_string());
            Verdict::Unknown
        }
    });
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    result.note = (!notes.is_empty()).then(|| notes.join("; "));
    result.value = values.map(|ranges| QueryValue::Bounds(bounds(model, query, &ranges)));
    if let Some(report) = measured {
        let mut found = estimate::named(model, query, alpha, report);
        found.certain = certain.map(|certain| certain.why);
        result.value = Some(QueryValue::Estimate(Box::new(found)));
    }
    result.stats = Some(numbers(model, encoding, stats));
    let system = &model.loaded.system;
    result.trace = evidence.trace.map(|trace| trace::named_trace(system, &trace));
    result.blame = evidence.blame.map(|blame| trace::named_blame(system, &blame));
    NamedAnswer { result, proof: evidence.proof, diagnostics }
}

/// Returns the counts of a search.
fn numbers(model: &Model, encoding: Option<NetEncoding>, stats: merkhet::Stats) -> Stats {
    let rounded = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e6;
    let counts = stats.counts;
    let is_net = model.loaded.tree.net.is_some();
    let encoding = is_net.then(|| encoding.unwrap_or(NetEncoding::Events).name().to_owned());
    Stats {
        explored: counts.explored,
        generated: counts.generated,
        added: counts.added,
        stored: counts.stored,
        seconds: rounded(stats.time),
        peak_bytes: counts.bytes,
        queries: stats.queries,
        phases: stats.phases.iter().map(|(p, explored)| PhaseStats { name: p.name(), explored: *explored }).collect(),
        decided_by: stats.decided.map(Phase::name),
        symmetry: stats.symmetry,
        local_time: stats.local_time,
        threads: stats.threads.max(1),
        strategy: stats.strategy,
        peak_resident_bytes: stats.resident,
        refinements: stats.refinements,
        heuristic_failures: stats.heuristic_failures,
        prepared: stats.prepared.map(|prepared| Prepared::new(prepared, rounded(stats.time_before))),
        formulas: stats.formulas.zip(stats.solver).map(|(size, solver)| Formulas::new(encoding, solver, &size)),
    }
}

/// Returns the bounds of each expression. Empty if no state satisfies the condition.
fn bounds(model: &Model, query: &Query, ranges: &[Range]) -> Vec<ExpressionBounds> {
    let (QueryKind::Sup(_, list) | QueryKind::Inf(_, list) | QueryKind::Bounds(_, list)) = query.kind else {
        return Vec::new();
    };
    let tree = &model.loaded.tree;
    let bound = |limit: Limit| match limit {
        Limit::Number { value, strict } => Bound { number: Some(value), strict },
        Limit::Infinite => Bound { number: None, strict: true },
    };
    let known = |(e, range): (_, &Range)| {
        let text = model.sources.text(tree.span(e)).split_whitespace().collect::<Vec<_>>().join(" ");
        (range.least.is_some() || range.greatest.is_some()).then(|| ExpressionBounds {
            expression: text,
            least: range.least.map(bound),
            greatest: range.greatest.map(bound),
        })
    };
    tree.list(list).iter().copied().zip(ranges).filter_map(known).collect()
}
