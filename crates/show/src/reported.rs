//! The parts of a report: answers, traces and drawings.

use std::io;

use merkhet::{Trace, pictures};
use model::Model;
use report::{ReportedDrawing, ReportedQuery, ReportedTrace, ReportedVerdict};
use syntax::{Sources, Tree};

use crate::{
    details::{write_blame, write_details},
    json::verify::{QueryResult, QueryValue, Verdict},
    plots::PlotKind,
    render::{Renderer, count},
    shown::{self, Shown},
};

/// Returns a trace as a report shows it.
#[must_use]
pub fn trace(model: &Model, trace: &Trace) -> ReportedTrace {
    let length = count(trace.steps.len(), "step");
    let heading = match trace.is_replayed() {
        true => format!("Trace with {length}, replayed with exact arithmetic"),
        false => format!("Spurious trace with {length}: not a run of the model"),
    };
    ReportedTrace { heading, trace: pictures::trace(model, trace, pictures::MAX_STEPS) }
}

/// Returns the result of a query as a report shows it.
///
/// # Errors
/// Its text could not be written.
pub fn query(
    result: &QueryResult,
    comment: &str,
    shown: Shown<'_>,
    trace: Option<ReportedTrace>,
) -> io::Result<ReportedQuery> {
    let (mut details, mut diagnostics) = (Vec::new(), Vec::new());
    write_details(result, true, &mut details)?;
    result.blame.as_ref().map_or(Ok(()), |blame| write_blame(blame, &mut details))?;
    shown::write(&[shown], &Renderer::new(false), &mut diagnostics)?;
    Ok(ReportedQuery {
        text: result.query.clone(),
        name: result.name.clone(),
        comment: comment.to_owned(),
        verdict: match result.answer {
            Some(Verdict::Satisfied) => ReportedVerdict::Satisfied,
            Some(Verdict::NotSatisfied) => ReportedVerdict::NotSatisfied,
            Some(Verdict::Unknown) => ReportedVerdict::Unknown,
            None => ReportedVerdict::Refused,
        },
        reason: result.reason.clone(),
        facts: String::from_utf8_lossy(&details).lines().map(|line| line.trim().to_owned()).collect(),
        diagnostics: String::from_utf8_lossy(&diagnostics).into_owned(),
        charts: charts(result),
        trace,
    })
}

/// Draws what was measured on random runs.
fn charts(result: &QueryResult) -> Vec<(String, String)> {
    let Some(QueryValue::Estimate(estimate)) = &result.value else { return Vec::new() };
    let title = result.short_query();
    PlotKind::CHARTS.iter().filter_map(|kind| Some((title.clone(), kind.chart(&title, estimate)?))).collect()
}

/// Draws the templates, or the net.
#[must_use]
pub fn drawings(tree: &Tree, sources: &Sources) -> Vec<ReportedDrawing> {
    if let Some(net) = &tree.net {
        let svg = draw::net_svg(net, tree.signal);
        return vec![ReportedDrawing { name: "the net".to_owned(), template: None, svg }];
    }
    let names = tree.templates.iter().map(|template| tree.text(template.name.sym).to_owned());
    let drawing = |(template, name): (usize, String)| {
        let svg = draw::svg(tree, sources, std::slice::from_ref(&name)).ok()?;
        Some(ReportedDrawing { name, template: Some(template), svg })
    };
    names.enumerate().filter_map(drawing).collect()
}
