//! The answer to one formula, and its trace.

use std::{
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use merkhet::{
    Abstraction, Answer, EngineChoice, Limits, Model, Options, Order, Reason, Session, Skipping, Stop, Symmetry,
    TraceChoice, Update,
};
use model::Property;
use syntax::{
    Diagnostic as Remark, Sources, Span,
    ast::{ExprId, Query, QueryKind},
};
use verify::{Limit, Range, Trace};

use super::{
    edges::expression,
    messages::{self, FormulaVerdict},
    options::{Diagnostic, Settings},
    progress::{self, Progress},
    statistics, text, xml, xtr,
};
use crate::{
    estimate, interrupt,
    output::{Streams, write_file},
    outputs::OutputError,
    render::one_line,
    status::Status,
};

/// A query that was checked, or is refused.
pub struct Formula {
    /// Its number, from 1.
    pub number: usize,
    /// The name of its file in messages.
    pub file: String,
    /// Its position.
    pub place: String,
    pub query: Query,
    /// The checked query, or its errors with their files.
    pub checked: Result<merkhet::Query, Vec<(String, Remark)>>,
    pub settings: Settings,
}

/// Answers a formula.
pub fn answer(
    formula: &Formula,
    query: &merkhet::Query,
    model: &mut Model,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let settings = &formula.settings;
    let property = query.about_states().map(|lowered| model.loaded.system.with(lowered).1);
    let (start, spent) = (Instant::now(), progress::user_time());
    let limits = Limits { time: settings.limits.time_limit, memory: settings.limits.memory_limit, states: None };
    interrupt::flag();
    let shown: Option<&mut dyn io::Write> = if settings.silent { None } else { Some(&mut *streams.out) };
    let mut progress = Progress::new(shown);
    let answer = Session::new(model).ask(query, &options(settings), &limits, &mut progress);
    if !settings.silent {
        streams.out.write_all(messages::ERASE.as_bytes())?;
    }
    let sources = &model.sources;
    let Answer { verdict, values, measured, evidence, notes, stats, .. } = match answer {
        Ok(answer) => answer,
        Err(why) => {
            let problem = Remark::error("options", formula.query.span, why.to_string());
            return fail(formula, sources, &problem, streams);
        }
    };

    // A goal that was found decides the query in one direction only.
    let example = match property {
        Some(Property::State { exists, .. } | Property::Run { exists, .. }) => exists,
        Some(Property::Bounds { .. }) | None => true,
    };
    let verdict = match verdict {
        merkhet::Verdict::Satisfied => FormulaVerdict::Satisfied,
        merkhet::Verdict::NotSatisfied => FormulaVerdict::NotSatisfied,
        merkhet::Verdict::Unknown(Reason::Imprecise(_)) if example => FormulaVerdict::MaybeSatisfied,
        merkhet::Verdict::Unknown(Reason::Imprecise(_)) => FormulaVerdict::MaybeNotSatisfied,
        merkhet::Verdict::Unknown(
            reason @ (Reason::Growth(_)
            | Reason::Differences(_)
            | Reason::Bound(_)
            | Reason::Refused(_)
            | Reason::Formula(_)
            | Reason::CalledFeasible
            | Reason::Run(_)
            | Reason::Uncertified(_)),
        ) => {
            return fail(formula, sources, &Remark::error("no-bound", formula.query.span, reason.to_string()), streams);
        }
        merkhet::Verdict::Unknown(Reason::Disorder(why)) => {
            return fail(formula, sources, &Remark::error("lattice-law", formula.query.span, why), streams);
        }
        merkhet::Verdict::Unknown(Reason::RunTime(message, span)) => {
            let problem = Remark::error("run-time-error", span, format!("run-time error: {message}"));
            return fail(formula, sources, &problem, streams);
        }
        merkhet::Verdict::Unknown(Reason::User(failure, span)) => {
            return fail(
                formula,
                sources,
                &Remark::error("user-function", span.unwrap_or(Span::NONE), failure.to_string()),
                streams,
            );
        }
        merkhet::Verdict::Unknown(Reason::Limit(Stop::Interrupted)) => {
            writeln!(streams.err, "The verification was interrupted.")?;
            return Ok(Status::Unknown);
        }
        merkhet::Verdict::Unknown(Reason::Limit(stop)) => {
            streams.err.write_all(messages::given_up(&stop.to_string()).as_bytes())?;
            return Ok(Status::Unknown);
        }
    };
    streams.out.write_all(messages::verdict(verdict).as_bytes())?;
    // Notes on random runs are no errors, and clients expect silence.
    for note in notes.iter().filter(|_| measured.is_none()) {
        writeln!(streams.err, "The verdict is {note}.")?;
    }
    // UPPAAL has no traces of random runs.
    let formula_is_about_states = measured.is_none();
    if let Some(report) = measured {
        let alpha = options(settings).alpha.number();
        let named = estimate::named(model, &formula.query, alpha, report);
        statistics::write(&model.loaded.tree, &formula.query, &named, streams.out)?;
    }
    if let Some(ranges) = values {
        streams.out.write_all(bounds(&model.loaded, &formula.query, &ranges).as_bytes())?;
    }
    if settings.summary {
        let time =
            progress::user_time().zip(spent).map_or_else(|| start.elapsed(), |(now, then)| now.saturating_sub(then));
        let kib = (stats.counts.bytes >> 10) as u64;
        let (size, resident) = merkhet::memory::read().map_or((kib, kib), |memory| (memory.reserved, memory.resident));
        let text = messages::statistics(stats.counts.stored, stats.counts.explored, time, size, resident);
        streams.out.write_all(text.as_bytes())?;
    }
    // A spurious trace is there even if none is wanted.
    let is_shown = formula_is_about_states && !matches!(settings.diagnostic, Diagnostic::None);
    match evidence.trace.filter(|_| is_shown) {
        Some(trace) => show(formula.number, example, settings, &model.loaded, &trace, streams),
        None => Ok(Status::Fine),
    }
}

/// Prints why there is no answer.
fn fail(formula: &Formula, sources: &Sources, problem: &Remark, streams: &mut Streams<'_>) -> io::Result<Status> {
    streams.out.flush()?;
    streams.err.write_all(messages::remark(sources, &formula.file, problem).as_bytes())?;
    Ok(Status::Wrong)
}

fn options(settings: &Settings) -> Options {
    Options {
        order: Some(match settings.order {
            1 => Order::Dfs,
            2 | 4 => Order::RandomDfs,
            _ => Order::Adaptive,
        }),
        abstraction: match settings.extrapolation {
            1 => Some(Abstraction::None),
            2 | 3 => Some(Abstraction::ExtraM),
            4 => Some(Abstraction::ExtraLuPlus),
            _ => None,
        },
        update: settings.hull.then_some(Update::Join),
        // As in verifyta, a goal that is found through joins may be unreachable.
        refine: false,
        seed: settings.seed,
        alpha: settings.alpha,
        beta: settings.beta,
        epsilon: settings.epsilon,
        discretization: settings.discretization,
        state_space_reduction: (settings.space >= 2).then_some(Skipping::Acyclic),
        trace: match settings.diagnostic {
            Diagnostic::None => TraceChoice::None,
            Diagnostic::Some => TraceChoice::Some,
            Diagnostic::Shortest => TraceChoice::Shortest,
            Diagnostic::Fastest | Diagnostic::Best => TraceChoice::Fastest,
        },
        symmetry: if settings.symmetry { Symmetry::On } else { Symmetry::Off },
        engine: EngineChoice::Zones,
        ..Options::default()
    }
}

/// The bounds of a query: a line with the condition, then one for each bound. There are none if no
/// state satisfies the condition.
fn bounds(model: &model::Model, query: &Query, ranges: &[Range]) -> String {
    let (word, condition, list) = match query.kind {
        QueryKind::Sup(condition, list) => ("sup", condition, list),
        QueryKind::Inf(condition, list) => ("inf", condition, list),
        QueryKind::Bounds(condition, list) => ("bounds", condition, list),
        _ => return String::new(),
    };
    let tree = &model.tree;
    let condition = condition.map_or(String::new(), |e| format!("{{{}}}", expression(tree, e)));
    let mut text = format!("{word}{condition}:\n");
    let mut line = |e: ExprId, sign: &str, limit: Option<Limit>| {
        let (sign, value) = match limit {
            None => return,
            Some(Limit::Number { value, strict: true }) => (sign.to_owned(), value.to_string()),
            Some(Limit::Number { value, strict: false }) => (format!("{sign}="), value.to_string()),
            Some(Limit::Infinite) => (sign.to_owned(), "inf".to_owned()),
        };
        text.push_str(&format!("{} {sign} {value}\n", expression(tree, e)));
    };
    for (&e, range) in tree.list(list).iter().zip(ranges) {
        line(e, ">", range.least);
        line(e, "<", range.greatest);
    }
    text
}

/// Shows a trace, or writes it to files.
fn show(
    number: usize,
    example: bool,
    settings: &Settings,
    model: &model::Model,
    trace: &Trace,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    // The verdict comes first if both streams are merged.
    streams.out.flush()?;
    let files = settings.trace_file.is_some() || settings.xml_trace.is_some();
    let concrete = if files || settings.symbolic { None } else { text::concrete(model, trace) };
    let zones = if concrete.is_none() { trace.zones(&model.system, settings.stable) } else { Some(Vec::new()) };
    let Some(zones) = zones else {
        streams.err.write_all(messages::no_trace(trace.is_replayed()).as_bytes())?;
        return Ok(Status::Fine);
    };
    if let Some(prefix) = &settings.trace_file {
        let file = with_suffix(prefix, &format!("-{number}.xtr"));
        if let Err(status) = write(&file, &xtr::write(model, trace, &zones), streams)? {
            return Ok(status);
        }
        streams.err.write_all(messages::writing(example, &file.display().to_string()).as_bytes())?;
    }
    if let Some(prefix) = &settings.xml_trace {
        let file = with_suffix(prefix, &format!("{number}.xml"));
        if let Err(status) = write(&file, &xml::write(model, trace, &zones), streams)? {
            return Ok(status);
        }
        streams.out.write_all(messages::xml_written(&file.display().to_string()).as_bytes())?;
    }
    if !files {
        streams.out.write_all(messages::showing(example).as_bytes())?;
        streams.out.flush()?;
        let text = concrete.unwrap_or_else(|| text::symbolic(model, trace, &zones));
        streams.err.write_all(text.as_bytes())?;
    }
    Ok(Status::Fine)
}

/// The files that a trace may be written to.
pub fn trace_files(formula: &Formula) -> impl Iterator<Item = PathBuf> {
    let Formula { number, settings, .. } = formula;
    let xtr = settings.trace_file.as_ref().map(|prefix| with_suffix(prefix, &format!("-{number}.xtr")));
    let xml = settings.xml_trace.as_ref().map(|prefix| with_suffix(prefix, &format!("{number}.xml")));
    xtr.into_iter().chain(xml)
}

fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Writes a file, or prints why it failed.
fn write(file: &Path, text: &str, streams: &mut Streams<'_>) -> io::Result<Result<(), Status>> {
    match write_file(file, text.as_bytes()) {
        Ok(_) => Ok(Ok(())),
        Err(e) => {
            writeln!(streams.err, "{}", one_line(&OutputError::write(file, e).to_string()))?;
            Ok(Err(Status::Wrong))
        }
    }
}
