//! `merkhet certify`

use std::{
    fs::File,
    io::{self, BufReader, Write},
};

use certify::ReadError;
use clap::builder::styling::{AnsiColor, Style};
use show::certificates::{Problem, judge};
use syntax::{Diagnostic, Sources};

use super::{count, fail, refuse};
use crate::{
    args::{CertifyArgs, ReportFormat},
    input,
    json::{
        DiagnosticEntry, VERSION,
        certify::{CertifyReport, ClaimResult, Malformed},
        verify::Verdict,
    },
    output::{Streams, reason},
    render::{Renderer, harmless, one_line},
    shown::{self, Shown},
    status::Status,
};

/// Runs the command.
pub fn run(args: &CertifyArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if input::is_dash(&args.model) && input::is_dash(&args.certificate) {
        return fail("the standard input can be read only once", streams);
    }
    let json = args.format == ReportFormat::Json;
    let mut opened = input::check(&args.model, &args.constants, streams.stdin).deny_unsupported();
    let mut report = CertifyReport {
        version: VERSION,
        model: opened.name.clone(),
        certificate: input::name(&args.certificate),
        proved: false,
        stopped: None,
        diagnostics: Vec::new(),
        malformed: None,
        results: Vec::new(),
    };
    if opened.has_errors() && !json {
        return refuse(&mut opened, streams);
    }
    if opened.has_errors() {
        let status = input::refused(&opened);
        report.stopped = opened.stopped().map(input::unloaded);
        report.diagnostics = input::errors(&mut opened);
        crate::json::write(&report, streams.out)?;
        return Ok(status);
    }
    let Ok(mut model) = opened.into_model() else { return Ok(Status::Wrong) };

    let Streams { stdin, out, out_color, .. } = streams;
    let name = report.certificate.clone();
    let mut each = |sources: &Sources, result: ClaimResult, site: Option<Diagnostic>| {
        if !json {
            write_result(&result, *out_color, *out)?;
            let shown = Shown { sources, file: &report.model, diagnostics: site.as_slice() };
            shown::write(&[shown], &Renderer::new(*out_color), *out)?;
            out.flush()?;
        }
        report.diagnostics.extend(site.iter().map(|d| DiagnosticEntry::new(sources, &report.model, d)));
        report.results.push(result);
        Ok(())
    };
    let outcome = if input::is_dash(&args.certificate) {
        judge(BufReader::new(stdin), &name, &mut model, &mut each)
    } else {
        match File::open(&args.certificate) {
            Ok(file) => judge(BufReader::new(file), &name, &mut model, &mut each),
            Err(e) => Err(ReadError::Io(e).into()),
        }
    };
    let status = match outcome {
        Ok(()) if report.results.iter().all(|r| r.proved) => Status::Fine,
        Ok(()) => Status::Unsatisfied,
        Err(problem) => explain(problem, args, &model.sources, &mut report, streams)?,
    };
    report.proved = status == Status::Fine;
    if json {
        crate::json::write(&report, streams.out)?;
    } else if report.results.len() > 1 {
        let proved = report.results.iter().filter(|r| r.proved).count();
        let refused = report.results.len() - proved;
        writeln!(streams.out, "{}: {proved} proved, {refused} refused", count(report.results.len(), "query"))?;
    }
    Ok(status)
}

/// Reports why a certificate was not read to its end.
fn explain(
    problem: Problem,
    args: &CertifyArgs,
    sources: &Sources,
    report: &mut CertifyReport,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let json = args.format == ReportFormat::Json;
    Ok(match problem {
        Problem::Output(e) => return Err(e),
        Problem::Stopped(stop) => {
            if !json {
                streams.out.flush()?;
                streams.fail(&stop.to_string())?;
            }
            report.stopped = Some(stop.to_string());
            Status::Unknown
        }
        Problem::Certificate(e) => {
            let mut malformed = describe_error(&report.certificate, e);
            if malformed.line == Some(1)
                && input::read_text(&args.certificate, &mut io::empty()).is_ok_and(|text| is_trace(&text))
            {
                let message = "this is a file of traces, not a certificate; `merkhet replay` runs them".to_owned();
                malformed = Malformed { line: None, column: None, message };
            }
            if !json {
                streams.fail(&malformed.within(&report.certificate))?;
            }
            report.malformed = Some(malformed);
            Status::Wrong
        }
        Problem::Query(name, problems) => {
            if !json {
                let shown = Shown { sources, file: &name, diagnostics: &problems };
                shown::write(&[shown], &Renderer::new(streams.err_color), streams.err)?;
            }
            report.diagnostics.extend(problems.iter().map(|d| DiagnosticEntry::new(sources, &name, d)));
            Status::Wrong
        }
    })
}

/// Whether a text is what `verify --trace-file` writes.
fn is_trace(text: &str) -> bool {
    text.trim_start().starts_with('{') && show::replay::parse(text).is_ok()
}

fn describe_error(file: &str, e: ReadError) -> Malformed {
    match e {
        ReadError::Io(e) => {
            Malformed { line: None, column: None, message: format!("can't read `{file}`: {}", reason(&e)) }
        }
        ReadError::Malformed(m) => Malformed { line: Some(m.line), column: Some(m.column), message: m.message },
    }
}

fn write_result(result: &ClaimResult, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let query = result.query.split_whitespace().collect::<Vec<_>>().join(" ");
    writeln!(out, "{}", harmless(&query))?;
    let (word, hue) = if result.proved { ("proved", AnsiColor::Green) } else { ("NOT proved", AnsiColor::Red) };
    let style = if color { Style::new().bold().fg_color(Some(hue.into())) } else { Style::new() };
    if let Some(refusal) = &result.refusal {
        writeln!(out, "  {style}{word}{style:#}: {}", one_line(&refusal.reason))?;
        let transition = (!refusal.transition.is_empty()).then(|| refusal.transition.join(", "));
        for (word, text) in [("state", &refusal.state), ("transition", &transition), ("leads to", &refusal.missing)] {
            if let Some(text) = text {
                writeln!(out, "    {word:<10}  {}", one_line(text))?;
            }
        }
    } else if let Some(clauses) = result.clauses {
        let answer = if result.answer == Verdict::Satisfied { "satisfied" } else { "not satisfied" };
        let clauses = count(clauses, "clause");
        writeln!(out, "  {style}{word}{style:#}: {answer}, by {clauses} about the marking")?;
    } else {
        let answer = if result.answer == Verdict::Satisfied { "satisfied" } else { "not satisfied" };
        let [rows, states, transitions] =
            [result.rows, result.states, result.transitions].map(Option::unwrap_or_default);
        let (rows, states) = (count(rows, "row"), count(states, "state"));
        writeln!(
            out,
            "  {style}{word}{style:#}: {answer}, by {states} in {rows}, {}",
            count(transitions, "transition")
        )?;
    }
    writeln!(out)
}
