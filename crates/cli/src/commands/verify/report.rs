//! The report of `merkhet report`: collected while queries are answered, and written at the end.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use merkhet::{Trace, pictures};
use model::Model;
use report::{Report, ReportedDrawing, ReportedQuery, ReportedTrace, ReportedVerdict};
use syntax::{Sources, Tree, ast::Query};

use super::{page::Page, text};
use crate::{
    args::VerifyArgs,
    commands::{count, fail},
    json::verify::{QueryResult, Verdict},
    output::Streams,
    outputs::{OutputError, Outputs, Target},
    render::{Renderer, one_line},
    shown::{self, Shown},
    status::Status,
    watch,
};

/// A report that is being made.
pub struct ReportDraft {
    target: Target,
    queries: BTreeMap<usize, ReportedQuery>,
    traces: BTreeMap<usize, ReportedTrace>,
}

impl ReportDraft {
    /// Starts the report that the command line names, before any work is done.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn open(args: &VerifyArgs, outputs: &mut Outputs) -> Result<Option<ReportDraft>, OutputError> {
        let Some(path) = &args.report else { return Ok(None) };
        let target = outputs.start(path)?;
        Ok(Some(ReportDraft { target, queries: BTreeMap::new(), traces: BTreeMap::new() }))
    }

    /// Keeps a trace.
    pub fn keep_trace(&mut self, number: usize, model: &Model, trace: &Trace) {
        let length = count(trace.steps.len(), "step");
        let heading = match trace.is_replayed() {
            true => format!("Trace with {length}, replayed with exact arithmetic"),
            false => format!("Spurious trace with {length}: not a run of the model"),
        };
        let trace = pictures::trace(model, trace, pictures::MAX_STEPS);
        self.traces.insert(number, ReportedTrace { heading, trace });
    }

    /// Keeps the result of a query.
    ///
    /// # Errors
    /// Its text could not be written.
    pub fn keep(&mut self, number: usize, result: &QueryResult, query: &Query, shown: &Shown<'_>) -> io::Result<()> {
        let (mut details, mut diagnostics) = (Vec::new(), Vec::new());
        text::write_details(result, true, &mut details)?;
        result.blame.as_ref().map_or(Ok(()), |blame| text::write_blame(blame, &mut details))?;
        let shown = Shown { sources: shown.sources, file: shown.file, diagnostics: shown.diagnostics };
        shown::write(&[shown], &Renderer::new(false), &mut diagnostics)?;
        let facts = String::from_utf8_lossy(&details).lines().map(|line| line.trim().to_owned()).collect();
        let reported = ReportedQuery {
            text: result.query.clone(),
            name: result.name.clone(),
            comment: query.comment.clone(),
            verdict: match result.answer {
                Some(Verdict::Satisfied) => ReportedVerdict::Satisfied,
                Some(Verdict::NotSatisfied) => ReportedVerdict::NotSatisfied,
                Some(Verdict::Unknown) => ReportedVerdict::Unknown,
                None => ReportedVerdict::Refused,
            },
            reason: result.reason.clone(),
            facts,
            diagnostics: String::from_utf8_lossy(&diagnostics).into_owned(),
            trace: self.traces.remove(&number),
        };
        self.queries.insert(number, reported);
        Ok(())
    }

    /// Makes the page.
    fn page(&mut self, model: &str, tree: Option<&Tree>, sources: &Sources) -> String {
        let mut report = Report {
            model: model.to_owned(),
            generator: format!("merkhet {}", env!("CARGO_PKG_VERSION")),
            notes: Vec::new(),
            drawings: tree.map_or_else(Vec::new, |tree| drawings(tree, sources)),
            queries: std::mem::take(&mut self.queries).into_values().collect(),
        };
        let html = report.html();
        let Some(stop) = watch::stopped() else { return html };
        // Pictures that a limit cut short would mislead.
        watch::end();
        report.notes.push(format!("The pictures are left out: {stop} while they were drawn."));
        report.drawings.clear();
        report.queries.iter_mut().for_each(|query| query.trace = None);
        report.html()
    }
}

/// Draws the templates, or the net.
fn drawings(tree: &Tree, sources: &Sources) -> Vec<ReportedDrawing> {
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

impl Page<'_> {
    /// Writes the report, if one is wanted. Returns the exit status.
    ///
    /// # Errors
    /// Something could not be printed.
    pub fn write_report(
        self,
        model: &str,
        tree: Option<&Tree>,
        sources: &Sources,
        status: Status,
        streams: &mut Streams<'_>,
    ) -> io::Result<Status> {
        let Some(mut draft) = self.report.map(std::cell::RefCell::into_inner) else { return Ok(status) };
        // Drawing is a piece of work with a limit of its own.
        watch::begin(self.args.settings.limits.time);
        let html = draft.page(model, tree, sources);
        watch::end();
        let ReportDraft { mut target, .. } = draft;
        let written = target.write_all(html.as_bytes()).map_err(|e| target.error(e));
        match written.and_then(|()| target.finish("the report")) {
            Ok(note) => writeln!(streams.err, "note: {}", one_line(&note))?,
            Err(why) => return fail(why, streams),
        }
        Ok(status)
    }
}
