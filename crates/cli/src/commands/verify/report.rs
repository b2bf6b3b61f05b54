//! The report of `merkhet report`: collected while queries are answered, and written at the end.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use merkhet::Trace;
use model::Model;
use report::{Report, ReportedQuery, ReportedTrace};
use show::reported;
use syntax::{Sources, Tree, ast::Query};

use super::page::Page;
use crate::{
    args::VerifyArgs,
    commands::fail,
    json::verify::QueryResult,
    output::Streams,
    outputs::{OutputError, Outputs, Target},
    render::one_line,
    shown::Shown,
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
        self.traces.insert(number, reported::trace(model, trace));
    }

    /// Keeps the result of a query.
    ///
    /// # Errors
    /// Its text could not be written.
    pub fn keep(&mut self, number: usize, result: &QueryResult, query: &Query, shown: &Shown<'_>) -> io::Result<()> {
        let shown = Shown { sources: shown.sources, file: shown.file, diagnostics: shown.diagnostics };
        let query = reported::query(result, &query.comment, shown, self.traces.remove(&number))?;
        self.queries.insert(number, query);
        Ok(())
    }

    /// Makes the page.
    fn page(&mut self, model: &str, tree: Option<&Tree>, sources: &Sources) -> String {
        let mut report = Report {
            model: model.to_owned(),
            generator: format!("merkhet {}", env!("CARGO_PKG_VERSION")),
            notes: Vec::new(),
            drawings: tree.map_or_else(Vec::new, |tree| reported::drawings(tree, sources)),
            queries: std::mem::take(&mut self.queries).into_values().collect(),
        };
        let html = report.html();
        let Some(stop) = watch::stopped() else { return html };
        // Pictures that a limit cut short would mislead.
        watch::end();
        report.notes.push(format!("The pictures are left out: {stop} while they were drawn."));
        report.drawings.clear();
        for query in &mut report.queries {
            query.trace = None;
            query.charts.clear();
        }
        report.html()
    }
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
