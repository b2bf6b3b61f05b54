//! `merkhet replay`

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style};
use merkhet::{Model, PathClaim, QueryCode, Stop, path_claim};
use model::LoweredQuery;
use show::replay::{parse, replayed, replayed_claim};
use syntax::{Diagnostic, Span};

use super::{count, fail, refuse};
use crate::{
    args::{ReplayArgs, ReportFormat},
    input,
    json::{
        DiagnosticEntry, VERSION,
        certify::Malformed,
        replay::{ReplayOutcome, ReplayReport, ReplayResult, TraceFile},
        verify::Verdict,
    },
    output::Streams,
    render::{Renderer, harmless, one_line},
    shown,
    status::Status,
    watch,
};

/// Runs the command.
pub fn run(args: &ReplayArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if input::is_dash(&args.model) && input::is_dash(&args.traces) {
        return fail("the standard input can be read only once", streams);
    }
    let json = args.format == ReportFormat::Json;
    let mut opened = input::check(&args.model, &args.constants, streams.stdin).deny_unsupported();
    let mut report = ReplayReport {
        version: VERSION,
        model: opened.name.clone(),
        traces: input::name(&args.traces),
        ok: false,
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
    let text = match input::read_text(&args.traces, streams.stdin) {
        Ok(text) => parse(&text),
        Err(d) => Err(Malformed { line: None, column: None, message: d.message }),
    };
    let file = match text {
        Ok(file) => file,
        Err(malformed) => {
            if json {
                report.malformed = Some(malformed);
                crate::json::write(&report, streams.out)?;
            } else {
                streams.fail(&malformed.within(&report.traces))?;
            }
            return Ok(Status::Wrong);
        }
    };
    let status = replay_all(&file, &mut model, &mut report, json, streams)?;
    report.ok = status == Status::Fine;
    if json {
        crate::json::write(&report, streams.out)?;
    }
    Ok(status)
}

/// Replays the traces of a file, and reports each.
fn replay_all(
    file: &TraceFile,
    model: &mut Model,
    report: &mut ReplayReport,
    json: bool,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let mut status = Status::Fine;
    for (traced, number) in file.traces.iter().zip(1..) {
        let name = format!("{}, query of trace {number}", report.traces);
        let (query, claim) = match claimed(model, &traced.query, &name) {
            Ok(query) => query,
            Err(problems) if Stop::of_errors(&problems).is_some() => {
                status = status.max(stopped(report, json, streams)?);
                break;
            }
            Err(problems) => {
                status = status.max(Status::Wrong);
                report.diagnostics.extend(problems.iter().map(|d| DiagnosticEntry::new(&model.sources, &name, d)));
                if !json {
                    let shown = shown::Shown { sources: &model.sources, file: &name, diagnostics: &problems };
                    shown::write(&[shown], &Renderer::new(streams.err_color), streams.err)?;
                }
                continue;
            }
        };
        let (system, property) = model.loaded.system.with(&query);
        let result = match &claim {
            Some(claim) => replayed_claim(&system, traced, &property, claim),
            None => replayed(&system, traced, &property),
        };
        if watch::stopped().is_some() {
            // A trace that was not checked completely is undecided.
            status = status.max(stopped(report, json, streams)?);
            break;
        }
        status = status.max(match result.outcome {
            ReplayOutcome::Ok => Status::Fine,
            ReplayOutcome::Wrong => Status::Unsatisfied,
            ReplayOutcome::Unknown | ReplayOutcome::Spurious => Status::Unknown,
        });
        if !json {
            write_result(&result, streams.out_color, streams.out)?;
        }
        report.results.push(result);
    }
    Ok(status)
}

/// Reads the query of a trace. A query about a probability claims something about states.
fn claimed(model: &mut Model, text: &str, name: &str) -> Result<(LoweredQuery, Option<PathClaim>), Vec<Diagnostic>> {
    let query = model.named_query(text, name)?;
    match query.lowered {
        QueryCode::States(lowered) => Ok((lowered, None)),
        QueryCode::Runs(_) => match path_claim(model, &query.written) {
            Ok(claim) => Ok((claim.reaches.clone(), Some(claim))),
            Err(why) => Err(vec![Diagnostic::error("statistical", Span::NONE, format!("no run shows this: {why}"))]),
        },
    }
}

/// Reports that a limit was reached before all traces were checked.
fn stopped(report: &mut ReplayReport, json: bool, streams: &mut Streams<'_>) -> io::Result<Status> {
    let why = watch::stopped().unwrap_or(Stop::Interrupted).to_string();
    if !json {
        streams.out.flush()?;
        streams.fail(&why)?;
    }
    report.stopped = Some(why);
    Ok(Status::Unknown)
}

fn write_result(result: &ReplayResult, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let query = result.query.split_whitespace().collect::<Vec<_>>().join(" ");
    writeln!(out, "{}", harmless(&query))?;
    let (word, hue) = match result.outcome {
        ReplayOutcome::Ok => ("ok", AnsiColor::Green),
        ReplayOutcome::Wrong => ("WRONG", AnsiColor::Red),
        ReplayOutcome::Unknown => ("unknown", AnsiColor::Yellow),
        ReplayOutcome::Spurious => ("spurious trace", AnsiColor::Yellow),
    };
    let style = if color { Style::new().bold().fg_color(Some(hue.into())) } else { Style::new() };
    let length = count(result.length, "transition");
    let Some(reason) = &result.reason else {
        let shows = match result.answer {
            Verdict::Satisfied => "satisfied",
            Verdict::NotSatisfied => "not satisfied",
            Verdict::Unknown => "a run-time error follows",
        };
        return writeln!(out, "  {style}{word}{style:#}: {shows}, by a run with {length}\n");
    };
    let place = match result.step {
        None => String::new(),
        Some(0) => "start: ".to_owned(),
        Some(step) if step > result.length => "end: ".to_owned(),
        Some(step) => format!("step {step}: "),
    };
    writeln!(out, "  {style}{word}{style:#}: {place}{}\n", one_line(reason))
}
