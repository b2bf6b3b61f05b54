//! `merkhet replay`

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style};
use merkhet::{Flaw, Shown, Stop, check_run, check_transitions};
use model::{
    Property, Ratio, System,
    replay::{self, Ending, Visit},
    system::EdgeId,
};

use super::{count, fail, refuse};
use crate::{
    args::{ReplayArgs, ReportFormat},
    input,
    json::{
        Entry, VERSION,
        certify::Malformed,
        replay::{ReplayOutcome, ReplayReport, ReplayResult, TraceFile, TracedQuery},
        verify::{self as json, Edge, Trace, Verdict},
    },
    output::Streams,
    render::{Renderer, harmless, one_line},
    shown,
    status::Status,
    trace, watch,
};

/// Runs the command.
pub fn run(args: &ReplayArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if input::is_dash(&args.model) && input::is_dash(&args.traces) {
        return fail("the standard input can be read only once", streams);
    }
    let json = args.format == ReportFormat::Json;
    let mut opened = input::check(&args.model, streams.stdin).deny_unsupported();
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
                let place = malformed.line.zip(malformed.column);
                let place = place.map_or(String::new(), |(l, c)| format!("{}:{l}:{c}: ", report.traces));
                streams.fail(&format!("{place}{}", malformed.message))?;
            }
            return Ok(Status::Wrong);
        }
    };
    let mut status = Status::Fine;
    for (told, number) in file.traces.iter().zip(1..) {
        let name = format!("{}, query of trace {number}", report.traces);
        let query = match model.named_query(&told.query, &name) {
            Ok(query) => query,
            Err(problems) if Stop::of_errors(&problems).is_some() => {
                status = status.max(stopped(&mut report, json, streams)?);
                break;
            }
            Err(problems) => {
                status = status.max(Status::Wrong);
                report.diagnostics.extend(problems.iter().map(|d| Entry::new(&model.sources, &name, d)));
                if !json {
                    let shown = shown::Shown { sources: &model.sources, file: &name, diagnostics: &problems };
                    shown::write(&[shown], &Renderer::new(streams.err_color), streams.err)?;
                }
                continue;
            }
        };
        let (system, property) = model.loaded.system.with(&query.lowered);
        let result = replayed(&system, told, &property);
        if watch::stopped().is_some() {
            // What was not checked to its end is neither right nor wrong.
            status = status.max(stopped(&mut report, json, streams)?);
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
    report.ok = status == Status::Fine;
    if json {
        crate::json::write(&report, streams.out)?;
    }
    Ok(status)
}

/// Says that a limit was reached before everything was checked.
fn stopped(report: &mut ReplayReport, json: bool, streams: &mut Streams<'_>) -> io::Result<Status> {
    let why = watch::stopped().unwrap_or(Stop::Interrupted).to_string();
    if !json {
        streams.out.flush()?;
        streams.fail(&why)?;
    }
    report.stopped = Some(why);
    Ok(Status::Unknown)
}

/// Reads a file of traces. Nothing in it may be without a meaning.
///
/// # Errors
/// What is wrong with its form.
pub fn parse(text: &str) -> Result<TraceFile, Malformed> {
    let at = |e: &serde_json::Error| Malformed {
        line: Some(e.line()),
        column: Some(e.column()),
        message: e.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
    };
    let whole = |message: String| Malformed { line: None, column: None, message };
    if text.starts_with("merkhet certificate") {
        return Err(whole("this is a certificate, not a file of traces; `merkhet certify` checks it".to_owned()));
    }
    if !matches!(text.trim_start().chars().next(), None | Some('{')) {
        let message = "this is not a file of traces, which `verify --trace-file` writes".to_owned();
        return Err(Malformed { line: Some(1), column: Some(1), message });
    }
    let file: TraceFile = serde_json::from_str(text).map_err(|e| at(&e))?;
    if file.version != VERSION {
        return Err(whole(format!("version {VERSION} is the only one that is known here, not {}", file.version)));
    }
    if file.traces.is_empty() {
        return Err(whole("there is no trace in this file".to_owned()));
    }
    let given: serde_json::Value = serde_json::from_str(text).map_err(|e| at(&e))?;
    let understood = serde_json::to_value(&file).map_err(|e| at(&e))?;
    match difference(&given, &understood) {
        None => Ok(file),
        Some(path) => Err(whole(format!("`{}` means nothing here, or stands twice", path.trim_start_matches('.')))),
    }
}

/// The way to the first part of a value that is not in another one.
fn difference(given: &serde_json::Value, understood: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match (given, understood) {
        (Value::Object(a), Value::Object(b)) => a.iter().find_map(|(key, value)| match b.get(key) {
            None => Some(format!(".{key}")),
            Some(other) => difference(value, other).map(|rest| format!(".{key}{rest}")),
        }),
        (Value::Array(a), Value::Array(b)) => {
            let inner = |(i, (a, b))| difference(a, b).map(|rest| format!("[{i}]{rest}"));
            a.iter().zip(b).enumerate().find_map(inner)
        }
        (a, b) => (a != b).then(String::new),
    }
}

/// Why a trace is not accepted, and at which step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The step, counted from 1; `None`: the trace as a whole.
    pub step: Option<usize>,
    /// Why.
    pub why: String,
    /// Whether this is not known to be wrong, only not known to be right.
    pub unclear: bool,
}

impl From<Flaw> for Wrong {
    fn from(flaw: Flaw) -> Wrong {
        Wrong { step: flaw.step, why: flaw.to_string(), unclear: flaw.is_undecided() }
    }
}

impl From<(Option<usize>, String)> for Wrong {
    fn from((step, why): (Option<usize>, String)) -> Wrong {
        Wrong { step, why, unclear: false }
    }
}

/// What becomes of a trace.
fn replayed(system: &System, told: &TracedQuery, property: &Property) -> ReplayResult {
    let mut result = ReplayResult {
        query: told.query.clone(),
        answer: told.answer,
        ok: false,
        outcome: ReplayOutcome::Spurious,
        length: told.trace.length,
        step: None,
        reason: Some("not a run of the model".to_owned()),
    };
    if told.trace.spurious {
        return result;
    }
    match follow(system, told, property) {
        Ok(()) => (result.ok, result.outcome, result.reason) = (true, ReplayOutcome::Ok, None),
        Err(Wrong { step, why, unclear }) => {
            result.outcome = if unclear { ReplayOutcome::Unknown } else { ReplayOutcome::Wrong };
            (result.step, result.reason) = (step, Some(why));
        }
    }
    result
}

/// Runs a trace: every step is possible, all that it says about states is true, and its end decides
/// the query.
///
/// # Errors
/// Why not.
pub fn follow(system: &System, told: &TracedQuery, property: &Property) -> Result<(), Wrong> {
    let (run, ending) = checked(system, &told.trace)?;
    let shown = match told.answer {
        Verdict::Satisfied => Shown::Satisfied,
        Verdict::NotSatisfied => Shown::NotSatisfied,
        Verdict::Unknown => Shown::RunTimeError,
    };
    Ok(check_run(system, (&run, ending), shown, property)?)
}

/// A run in numbers, and how it goes on.
pub type Run = (Vec<Visit>, Option<Ending>);

/// The run that a trace tells of: every step is possible, and all that is said about states is
/// true.
///
/// # Errors
/// Why there is no such run.
pub fn checked(system: &System, given: &Trace) -> Result<Run, Wrong> {
    if given.length != given.steps.len() {
        let why = format!("there are {} here, not {}", count(given.steps.len(), "step"), given.length);
        return Err((None, why).into());
    }
    let run = rebuild(system, given)?;
    let ending = ending(given)?;
    let run = replay::replay(system, &run, None).map_err(Flaw::from)?;
    check_transitions(system, &run)?;
    agree(given, &trace::told(system, &verify::Trace::of_run(run.clone(), ending)))?;
    Ok((run, ending))
}

/// How a trace says that it goes on.
fn ending(given: &Trace) -> Result<Option<Ending>, Wrong> {
    let wrong = |why: &str| Err((Some(given.length + 1), why.to_owned()).into());
    match (given.ending, given.cycle) {
        (Some(json::Ending::Cycle), Some(step)) if (1..=given.length).contains(&step) => {
            Ok(Some(Ending::Cycle(step - 1)))
        }
        (Some(json::Ending::Cycle), _) => wrong("the cycle starts at no step of the run"),
        (_, Some(_)) => wrong("a run that does not end in a cycle has no step at which one starts"),
        (Some(json::Ending::Waits), None) => Ok(Some(Ending::Waits)),
        (Some(json::Ending::Stops), None) => Ok(Some(Ending::Stops)),
        (None, None) => Ok(None),
    }
}

/// The run that a trace tells of, in numbers.
fn rebuild(system: &System, given: &Trace) -> Result<replay::Trace, Wrong> {
    let mut run = replay::Trace::default();
    for (step, number) in given.steps.iter().zip(1..) {
        let at = |why: String| Wrong::from((Some(number), why));
        let delay = time(step.delay.as_deref()).map_err(at)?;
        let edges: Result<Vec<EdgeId>, String> = step.edges.iter().map(|edge| find(system, edge)).collect();
        run.steps.push(replay::TimedStep { delay, edges: edges.map_err(at)? });
    }
    let last_delay = time(given.last_delay.as_deref()).map_err(|why| (Some(given.length + 1), why))?;
    run.last_delay = Some(last_delay);
    Ok(run)
}

/// `3`, `7/2`
fn time(text: Option<&str>) -> Result<Ratio, String> {
    let Some(text) = text else { return Err("the delay is not known".to_owned()) };
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let number = numerator.parse().ok().zip(denominator.parse().ok());
    // Each time has one form.
    let time = number.and_then(|(n, d)| Ratio::new(n, d)).filter(|time| time.to_string() == text);
    time.ok_or_else(|| format!("`{text}` is no time; expected a whole number, or a fraction such as `7/2`"))
}

/// The edge that is told of.
fn find(system: &System, told: &Edge) -> Result<EdgeId, String> {
    let same = |e: &EdgeId| trace::edge(system, *e) == *told;
    let mut found = (0..system.edges.len() as u32).map(EdgeId).filter(same);
    if let Some(edge) = found.next() {
        return match found.next() {
            None => Ok(edge),
            Some(_) => Err(format!("process `{}` has several edges of this description", told.process)),
        };
    }
    let Edge { process, source, target, edge, .. } = told;
    if !system.processes.iter().any(|p| p.name == *process) {
        return Err(format!("there is no process `{process}`"));
    }
    let sync = told.sync.as_ref().map_or(String::new(), |sync| format!(" with `{sync}`"));
    Err(format!("process `{process}` has no edge {edge} from `{source}` to `{target}`{sync} of this description"))
}

/// Whether a trace says about states what is true.
fn agree(given: &Trace, truth: &Trace) -> Result<(), Wrong> {
    if given.start != truth.start {
        return Err((Some(0), "the model starts in another state".to_owned()).into());
    }
    for ((a, b), number) in given.steps.iter().zip(&truth.steps).zip(1..) {
        let wrong = |what: &str| Err((Some(number), format!("{what} after the transition are others")).into());
        if a.changes != b.changes || a.element_changes != b.element_changes {
            return wrong("the variables");
        }
        if a.clocks != b.clocks {
            return wrong("the clocks");
        }
    }
    if given.end != truth.end {
        return Err((Some(given.length + 1), "the run ends in another state".to_owned()).into());
    }
    Ok(())
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
