//! The results of queries, printed or collected for a report.

use std::{cell::RefCell, io};

use merkhet::{Reason, Stop};
use syntax::{Diagnostic, Sources, ast::Query};

use super::{ask::InFile, checkpoints, evidence::Evidence, report::ReportDraft, text};
use crate::{
    args::{AnswerFormat, VerifyArgs},
    input,
    json::verify::{Certificate, QueryResult, Verdict},
    output::Streams,
    render::Renderer,
    shown::{self, Shown},
    watch,
};

/// Where answers are shown.
pub struct Page<'a> {
    pub args: &'a VerifyArgs,
    pub queries: &'a [InFile<Query>],
    /// The report, if one is to be written.
    pub report: Option<RefCell<ReportDraft>>,
}

impl Page<'_> {
    /// An empty result.
    pub fn blank(&self, sources: &Sources, number: usize) -> QueryResult {
        let (file, query) = &self.queries[number];
        show::answer::blank(sources, file, query)
    }

    /// Prints the result of a query, unless the format is one document. Returns the result for the
    /// report.
    ///
    /// # Errors
    /// The output could not be written.
    pub fn show(
        &self,
        sources: &Sources,
        number: usize,
        mut result: QueryResult,
        diagnostics: &[Diagnostic],
        streams: &mut Streams<'_>,
    ) -> io::Result<QueryResult> {
        let (file, query) = &self.queries[number];
        if let Some(report) = &self.report {
            let shown = Shown { sources, file, diagnostics };
            report.borrow_mut().keep(number, &result, query, &shown)?;
        }
        if self.args.format == AnswerFormat::Text {
            let number = (self.queries.len() > 1).then_some(number + 1);
            text::write_verdict(&result, number, self.args.stats, streams.out_color, streams.out)?;
            writeln!(streams.out)?;
            let shown = Shown { sources, file, diagnostics };
            shown::write(&[shown], &Renderer::new(streams.out_color), streams.out)?;
            text::write_trace(&result, streams.out)?;
            // The trace may be long, and only the verdict is needed at the end.
            (result.trace, result.value) = (None, None);
            streams.out.flush()?;
        } else {
            result.diagnostics = shown::entries(&[Shown { sources, file, diagnostics }]);
        }
        Ok(result)
    }

    /// Reports for every query that a limit was reached while the model was loaded. Queries with
    /// errors are refused.
    ///
    /// # Errors
    /// The output could not be written.
    pub fn unloaded(
        &self,
        sources: &Sources,
        stop: Stop,
        evidence: &Evidence,
        streams: &mut Streams<'_>,
    ) -> io::Result<Vec<QueryResult>> {
        let (why, proof) = match stop {
            // It was lost while processes prepared to go on.
            Stop::Lost(_) => (checkpoints::reason(self.args, &Reason::Limit(stop)), "a process was lost"),
            stop => (input::unloaded(stop), "the model was not loaded"),
        };
        self.unanswered(sources, &why, evidence.unproved(proof).as_ref(), streams)
    }

    /// The results of queries that could not be asked, all for the same reason. `certificate` says
    /// what becomes of those.
    ///
    /// # Errors
    /// The output could not be written.
    pub fn unanswered(
        &self,
        sources: &Sources,
        why: &str,
        certificate: Option<&Certificate>,
        streams: &mut Streams<'_>,
    ) -> io::Result<Vec<QueryResult>> {
        // The limit does not apply to its own message.
        watch::end();
        let mut results = Vec::new();
        for (number, (_, query)) in self.queries.iter().enumerate() {
            let mut result = self.blank(sources, number);
            if query.problems.is_empty() {
                result.answer = Some(Verdict::Unknown);
                result.reason = Some(why.to_owned());
                result.certificate = certificate.cloned();
            } else {
                result.reason = Some(REFUSED.to_owned());
            }
            results.push(self.show(sources, number, result, &query.problems, streams)?);
        }
        Ok(results)
    }
}

/// The reason of a query with errors.
pub const REFUSED: &str = "the query is refused";
