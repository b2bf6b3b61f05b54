//! The answer to one formula, and its trace.

use std::{
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use explore::search::{Limits, Stop};
use model::{LoweredQuery, Model, Property};
use syntax::{
    Diagnostic as Remark, Sources,
    ast::{ExprId, Query, QueryKind},
};
use verify::{Answer, Limit, Range, Reason, Trace};

use super::{
    edges::expression,
    messages::{self, Verdict},
    options::{Diagnostic, Settings},
    progress::{self, Progress},
    text, xml, xtr,
};
use crate::{
    commands::verify::explain,
    interrupt,
    judge::{Worth, judge},
    memory,
    output::{Streams, write_file},
    outputs::unwritable,
    render::one_line,
    status::Status,
    watch,
};

/// A query that was checked, or is refused.
pub struct Formula {
    /// Which of the queries it is, from 1.
    pub number: usize,
    /// What messages call the file that it stands in.
    pub file: String,
    /// Where it stands.
    pub place: String,
    pub query: Query,
    /// What it asks, or why it is refused, with the files that are to blame.
    pub lowered: Result<LoweredQuery, Vec<(String, Remark)>>,
    pub settings: Settings,
}

/// Answers a formula.
pub fn answer(
    formula: &Formula,
    query: &LoweredQuery,
    sources: &Sources,
    model: &Model,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let settings = &formula.settings;
    let (system, property) = &model.system.with(query);
    let (start, spent) = (Instant::now(), progress::user_time());
    let (bytes, interrupt) = (settings.limits.memory_limit, Some(interrupt::flag()));
    let limits = Limits { bytes, interrupt, ..Limits::default() };
    watch::begin(settings.limits.time_limit);
    let shown: Option<&mut dyn io::Write> = if settings.silent { None } else { Some(&mut *streams.out) };
    let mut progress = Progress::new(shown);
    let answers = verify::answer_group(system, &[property], &options(settings), &limits, &mut progress);
    watch::end();
    if !settings.silent {
        streams.out.write_all(messages::ERASE.as_bytes())?;
    }
    let Some(mut answer) = answers.into_iter().next() else { return Ok(Status::Fine) };
    let note = answer.note(system);
    let mut trace = Worth::Nothing;
    if settings.diagnostic != Diagnostic::None {
        trace = judge(system, property, &mut answer);
    }
    let Answer { verdict, counts, values, .. } = answer;

    // What was found decides the query one way only.
    let example = matches!(property, Property::Possibly(_) | Property::PotentiallyAlways(_));
    let verdict = match verdict {
        verify::Verdict::Satisfied => Verdict::Satisfied,
        verify::Verdict::NotSatisfied => Verdict::NotSatisfied,
        verify::Verdict::Unknown(Reason::Imprecise(_)) if example => Verdict::MaybeSatisfied,
        verify::Verdict::Unknown(Reason::Imprecise(_)) => match property {
            Property::Bounds { .. } => Verdict::MaybeSatisfied,
            _ => Verdict::MaybeNotSatisfied,
        },
        verify::Verdict::Unknown(
            reason @ (Reason::Growth(_)
            | Reason::Differences(_)
            | Reason::Bound(_)
            | Reason::Refused(_)
            | Reason::Formula(_)),
        ) => {
            return fail(formula, sources, &Remark::error("no-bound", formula.query.span, explain(&reason)), streams);
        }
        verify::Verdict::Unknown(Reason::Disorder(why)) => {
            return fail(formula, sources, &Remark::error("lattice-law", formula.query.span, why), streams);
        }
        verify::Verdict::Unknown(Reason::RunTime(message, span)) => {
            let problem = Remark::error("run-time-error", span, format!("run-time error: {message}"));
            return fail(formula, sources, &problem, streams);
        }
        verify::Verdict::Unknown(Reason::Limit(Stop::Interrupted)) => {
            writeln!(streams.err, "The verification was interrupted.")?;
            return Ok(Status::Unknown);
        }
        verify::Verdict::Unknown(Reason::Limit(stop)) => {
            streams.err.write_all(messages::given_up(&stop.to_string()).as_bytes())?;
            return Ok(Status::Unknown);
        }
    };
    streams.out.write_all(messages::verdict(verdict).as_bytes())?;
    if let Some(note) = note {
        writeln!(streams.err, "The verdict is {note}.")?;
    }
    if let Some(ranges) = values {
        streams.out.write_all(bounds(model, &formula.query, &ranges).as_bytes())?;
    }
    if settings.summary {
        let time =
            progress::user_time().zip(spent).map_or_else(|| start.elapsed(), |(now, then)| now.saturating_sub(then));
        let kib = (counts.bytes >> 10) as u64;
        let (size, resident) = memory::read().map_or((kib, kib), |memory| (memory.reserved, memory.resident));
        let text = messages::statistics(counts.stored, counts.explored, time, size, resident);
        streams.out.write_all(text.as_bytes())?;
    }
    match trace {
        Worth::Shown(trace) => show(formula.number, example, settings, model, &trace, streams),
        Worth::Missing(why) => {
            streams.out.flush()?;
            writeln!(streams.err, "The verdict is {why}.")?;
            Ok(Status::Fine)
        }
        Worth::Nothing => Ok(Status::Fine),
    }
}

/// Says why there is no answer.
fn fail(formula: &Formula, sources: &Sources, problem: &Remark, streams: &mut Streams<'_>) -> io::Result<Status> {
    streams.out.flush()?;
    streams.err.write_all(messages::remark(sources, &formula.file, problem).as_bytes())?;
    Ok(Status::Wrong)
}

fn options(settings: &Settings) -> verify::Options {
    verify::Options {
        order: match settings.order {
            1 => verify::Order::Dfs,
            2 | 4 => verify::Order::RandomDfs,
            _ => verify::Order::Adaptive,
        },
        abstraction: match settings.extrapolation {
            1 => Some(verify::Abstraction::None),
            2 | 3 => Some(verify::Abstraction::ExtraM),
            4 => Some(verify::Abstraction::ExtraLuPlus),
            _ => None,
        },
        update: settings.hull.then_some(verify::Update::Join),
        // As verifyta has it, what is found through joins may be out of reach.
        joining: verify::Joining::default(),
        seed: settings.seed,
        passing: (settings.space >= 2).then_some(verify::Skipping::Acyclic),
        wanted: match settings.diagnostic {
            Diagnostic::None | Diagnostic::Some => verify::Wanted::Some,
            Diagnostic::Shortest => verify::Wanted::Shortest,
            Diagnostic::Fastest | Diagnostic::Best => verify::Wanted::Fastest,
        },
        symmetry: if settings.symmetry { verify::Symmetry::On } else { verify::Symmetry::Off },
        guidance: verify::Guidance::default(),
        wide: false,
    }
}

/// The bounds that a query asked for: a line with the condition, then one for each bound. There are
/// none where no state satisfies the condition.
fn bounds(model: &Model, query: &Query, ranges: &[Range]) -> String {
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

/// Shows a trace, or writes it to the files that were asked for.
fn show(
    number: usize,
    example: bool,
    settings: &Settings,
    model: &Model,
    trace: &Trace,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    // Whoever joins both streams sees the verdict first.
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

/// Writes a file; says why if that fails.
fn write(file: &Path, text: &str, streams: &mut Streams<'_>) -> io::Result<Result<(), Status>> {
    match write_file(file, text.as_bytes()) {
        Ok(_) => Ok(Ok(())),
        Err(e) => {
            writeln!(streams.err, "{}", one_line(&unwritable(file, &e)))?;
            Ok(Err(Status::Wrong))
        }
    }
}
