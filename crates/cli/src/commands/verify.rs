//! `merkhet verify`

pub mod ask;
pub mod checkpoints;
mod evidence;
mod page;
mod plots;
mod report;
pub mod text;

use std::{cell::RefCell, ffi::OsString, io, path::PathBuf, time::Instant};

use merkhet::{
    Answer, Checkpoints, Cluster, Content, Document, Ending, Event, Model, Options, OptionsError, Query, Reason,
    Session, Stop, TraceChoice, check_cluster,
};
use show::answer::{self, NamedAnswer};
use syntax::{Diagnostic, Severity, Span, ast::QueryKind};

use evidence::Evidence;
use page::{Page, REFUSED};
use plots::Plots;
use report::ReportDraft;

use super::{
    cluster::{self, ClusterError, Launch, Texts},
    fail, refuse,
};
use crate::{
    args::{AnswerFormat, VerifyArgs},
    input, interrupt,
    json::{
        DiagnosticEntry, VERSION,
        verify::{QueryResult, Verdict, VerifyReport},
    },
    junit,
    output::Streams,
    outputs::Outputs,
    progress::Console,
    render::{Renderer, one_line},
    sarif,
    status::Status,
};

const NO_QUERY: &str = "there is no query to answer; give one with -q, or a file of queries";

/// Runs the command.
pub fn run(args: &VerifyArgs, words: &[OsString], streams: &mut Streams<'_>) -> io::Result<Status> {
    match args.cluster.process {
        Some(number) if number > 0 => cluster::follow(args, number, streams),
        _ => run_with(args, &Launch { words, remote: None }, streams),
    }
}

/// Runs the command, with the processes that it needs.
pub fn run_with(args: &VerifyArgs, launch: &Launch<'_>, streams: &mut Streams<'_>) -> io::Result<Status> {
    let Some(path) = &args.model else { return fail("process 0 reads the model; name it", streams) };
    if args.queries.iter().chain([path]).filter(|p| input::is_dash(p)).count() > 1 {
        return fail("the standard input can be read only once", streams);
    }
    let start = Instant::now();
    let prints = args.format == AnswerFormat::Text;
    let mut opened = input::check(path, &args.constants, streams.stdin);
    let mut files = Vec::new();
    let mut asked = None;
    if opened.lacks_support() {
        // Only random runs are possible. If none are asked for, the model is refused as a whole.
        let found = select(args, &mut opened, &mut files, streams);
        if found.queries.iter().any(|(_, query)| matches!(query.kind, QueryKind::Statistical(_))) {
            asked = Some(found);
        } else {
            opened = opened.deny_unsupported();
        }
    }
    let mut report = VerifyReport {
        version: VERSION,
        model: opened.name.clone(),
        queries_from: None,
        diagnostics: Vec::new(),
        results: Vec::new(),
    };
    let stop = opened.stopped();
    if opened.has_errors() && stop.is_none() {
        if prints {
            return refuse(&mut opened, streams);
        }
        let status = input::refused(&opened);
        report.diagnostics = input::errors(&mut opened);
        write_report(args.format, &report, status, start, streams)?;
        return Ok(status);
    }
    let mut asked = asked.unwrap_or_else(|| select(args, &mut opened, &mut files, streams));
    let about_the_model = match &opened.content {
        Content::Model(model) => model.violated_at_start(),
        _ => stopped_at(&opened.diagnostics),
    };
    asked.problems.splice(0..0, about_the_model.into_iter().map(|d| (opened.name.clone(), d)));
    let is_wrong = |problems: &[ask::InFile<Diagnostic>]| problems.iter().any(|(_, d)| d.is_error());
    if asked.queries.is_empty() && !is_wrong(&asked.problems) && !prints {
        asked.problems.push((opened.name.clone(), Diagnostic::error("no-query", Span::NONE, NO_QUERY)));
    }
    let wrong = asked.queries.is_empty() || is_wrong(&asked.problems);
    let status = if wrong { Status::Wrong } else { Status::Fine };
    if prints {
        let renderer = Renderer::new(streams.err_color);
        for (file, d) in &asked.problems {
            streams.err.write_all(renderer.diagnostic(&opened.sources, file, d).as_bytes())?;
        }
        if asked.queries.is_empty() {
            return if is_wrong(&asked.problems) { Ok(Status::Wrong) } else { fail(NO_QUERY, streams) };
        }
        if let Some(note) = &asked.note {
            writeln!(streams.err, "note: {}", one_line(note))?;
            streams.err.flush()?;
        }
    }
    report.queries_from = asked.beside.as_deref().map(input::name);
    report.diagnostics =
        asked.problems.iter().map(|(file, d)| DiagnosticEntry::new(&opened.sources, file, d)).collect();
    let queries = asked.queries;

    let reads = args.queries.iter().map(PathBuf::as_path).chain(asked.beside.as_deref());
    let mut outputs = Outputs::new(reads.chain([path.as_path()]));
    let (renderer, mut wrong) = (Renderer::new(streams.err_color), Vec::new());
    let setting = cluster::setting(args, launch, &renderer, &mut wrong);
    let mut note = |why: String| wrong.push(renderer.failure(&why));
    let evidence = Evidence::open(args, &mut outputs, &opened.name).map_err(|why| note(why.to_string()));
    let plots = Plots::open(args, &queries, &mut outputs).map_err(|why| note(why.to_string()));
    let kept = checkpoints::open(args).map_err(|why| note(why.to_string()));
    let draft = ReportDraft::open(args, &mut outputs).map_err(|why| note(why.to_string()));
    let loaded = opened.into_model();
    let mut checked = Vec::new();
    let loaded = loaded.map(|mut model| {
        checked = queries.iter().map(|(_, query)| model.check(query.clone())).collect();
        model
    });
    let known: Vec<&Query> = checked.iter().filter_map(|query| query.as_ref().ok()).collect();
    if let (true, Ok(model)) = (args.cluster.is_wanted(), &loaded) {
        check_cluster(&args.options(), model, &known).iter().for_each(|why| note(why.to_string()));
    }
    let has_folder = kept.is_ok();
    let (Ok(evidence), Ok(plots), Ok(draft), Ok(kept), true) = (evidence, plots, draft, kept, wrong.is_empty()) else {
        if has_folder {
            checkpoints::discard(args);
        }
        wrong.iter().try_for_each(|text| streams.err.write_all(text.as_bytes()))?;
        return Ok(Status::Wrong);
    };
    let mut evidence = Kept { evidence, plots };
    let page = Page { args, queries: &queries, report: draft.map(RefCell::new) };
    let mut model = match loaded {
        Ok(model) => model,
        Err(document) => {
            checkpoints::discard(args);
            let stop = stop.unwrap_or(Stop::Interrupted);
            report.results = page.unloaded(&document.sources, stop, &evidence.evidence, streams)?;
            let status = finish(args, report, status, start, evidence, streams)?;
            return page.write_report(&document.name, document.tree(), &document.sources, status, streams);
        }
    };
    let texts = Texts { model: &model, files, beside: asked.beside };
    let leader = match cluster::lead(args, launch, setting, texts, streams) {
        Ok(leader) => leader,
        Err(ClusterError::Options(OptionsError::Stopped(stop))) => {
            checkpoints::discard(args);
            report.results = page.unloaded(&model.sources, stop, &evidence.evidence, streams)?;
            let status = finish(args, report, status, start, evidence, streams)?;
            return page.write_report(&model.name, Some(&model.loaded.tree), &model.sources, status, streams);
        }
        Err(why) => {
            checkpoints::discard(args);
            if why.is_wrong_usage() {
                return fail(why, streams);
            }
            let proof = evidence.evidence.unproved("no search began");
            report.results = page.unanswered(&model.sources, &why.to_string(), proof.as_ref(), streams)?;
            return finish(args, report, status, start, evidence, streams);
        }
    };
    let mut is_resumable = false;
    let kept = (kept, &mut is_resumable);
    let answered = answer(&page, &mut model, &checked, leader.cluster(), &mut evidence, kept, streams)?;
    match answered {
        Ok(results) => report.results = results,
        Err(OptionsError::Stopped(stop)) => {
            report.results = page.unloaded(&model.sources, stop, &evidence.evidence, streams)?;
        }
        Err(why) => {
            drop(leader);
            checkpoints::discard(args);
            return fail(why, streams);
        }
    }
    let status = finish(args, report, status, start, evidence, streams)?;
    let status = page.write_report(&model.name, Some(&model.loaded.tree), &model.sources, status, streams)?;
    let is_done = checkpoints::is_done(args, is_resumable, status);
    // Without the part of process 0, there is no checkpoint.
    let how_to_go_on = checkpoints::finish(args, is_resumable, status);
    let loss = leader.finish(if is_done { Ending::Done } else { Ending::Unfinished });
    if is_done {
        checkpoints::tidy(args);
    }
    for note in loss.iter().chain(&how_to_go_on) {
        writeln!(streams.err, "note: {}", one_line(note))?;
    }
    Ok(status)
}

/// Finds the queries to answer, and keeps the text of their files.
fn select(
    args: &VerifyArgs,
    opened: &mut Document,
    files: &mut Vec<(PathBuf, String)>,
    streams: &mut Streams<'_>,
) -> ask::SelectedQueries {
    ask::select_queries(args, opened, &mut |path| {
        let text = input::read_text(path, streams.stdin);
        files.extend(text.iter().map(|text| (path.to_owned(), text.clone())));
        text
    })
}

/// Answers all valid queries.
///
/// # Errors
/// The output could not be written. The inner error is that of the options.
fn answer(
    page: &Page<'_>,
    model: &mut Model,
    checked: &[Result<Query, Vec<Diagnostic>>],
    cluster: Option<Cluster>,
    files: &mut Kept,
    (kept, is_resumable): (Option<Checkpoints>, &mut bool),
    streams: &mut Streams<'_>,
) -> io::Result<Result<Vec<QueryResult>, OptionsError>> {
    let args = page.args;
    let limits = args.settings.limits;
    let known: Vec<usize> = (0..checked.len()).filter(|number| checked[*number].is_ok()).collect();
    let asked: Vec<&Query> = checked.iter().filter_map(|query| query.as_ref().ok()).collect();
    let mut results: Vec<Option<QueryResult>> = checked.iter().map(|_| None).collect();
    let mut written = Ok(());
    let mut is_stopped = false;
    interrupt::flag();
    let console = Console::new(args.progress, streams);
    let mut show = |number: usize, (result, diagnostics): (QueryResult, Vec<Diagnostic>), model: &Model| {
        let shown = console.print(|streams| page.show(&model.sources, number, result, &diagnostics, streams));
        match shown {
            Ok(result) => results[number] = Some(result),
            Err(e) if written.is_ok() => written = Err(e),
            Err(_) => {}
        }
    };
    let (mut session, mut warned) = (Session::new(model), false);
    if let Some(kept) = kept {
        session = session.with_checkpoints(kept);
    }
    let options = Options { cluster, ..args.options() };
    let outcome = session.ask_all(&asked, &options, &limits, &mut |event: Event<'_>| match event {
        Event::Start { model } => {
            for (number, query) in checked.iter().enumerate() {
                if let Err(problems) = query {
                    show(number, refused(page.blank(&model.sources, number), problems, &files.evidence), model);
                }
            }
        }
        Event::Progress { phase, counts, waiting, workers, time } => {
            console.progress(phase, &counts, waiting, workers, time);
        }
        Event::Formula { stats, time } => console.formula(stats, time),
        Event::Unsaved { why } => {
            // The disk may stay full for long.
            if !std::mem::replace(&mut warned, true) {
                let _ = console.print(|streams| checkpoints::warn(args, why, streams));
            }
        }
        Event::Answer { number, answer, model } => {
            let number = known[number];
            // A limit may also be met after the searches, where evidence is checked.
            is_stopped |= matches!(answer.verdict, merkhet::Verdict::Unknown(Reason::Limit(_)));
            show(number, describe(page, model, number, *answer, files), model);
        }
    });
    console.finish();
    files.evidence.script(session.script());
    *is_resumable = session.is_resumable() || is_stopped;
    written?;
    Ok(outcome.map(|()| results.into_iter().flatten().collect()))
}

/// The files that are made of answers, besides the report.
struct Kept {
    evidence: Evidence,
    plots: Plots,
}

/// Describes a query that is refused, or that was not loaded because of a limit.
fn refused(mut result: QueryResult, problems: &[Diagnostic], evidence: &Evidence) -> (QueryResult, Vec<Diagnostic>) {
    if let Some(stop) = Stop::of_errors(problems) {
        // The query itself has no error.
        result.answer = Some(Verdict::Unknown);
        result.reason = Some(format!("{stop} while the query was loaded"));
        result.certificate = evidence.unproved("the query was not loaded");
        return (result, Vec::new());
    }
    result.reason = Some(REFUSED.to_owned());
    (result, problems.to_vec())
}

/// Describes the answer to a query, and keeps its evidence.
fn describe(
    page: &Page<'_>,
    model: &Model,
    number: usize,
    answer: Answer,
    files: &mut Kept,
) -> (QueryResult, Vec<Diagnostic>) {
    let (Page { args, .. }, (file, query)) = (page, &page.queries[number]);
    let reason = match &answer.verdict {
        merkhet::Verdict::Unknown(reason) => Some(checkpoints::reason(args, reason)),
        _ => None,
    };
    if let (Some(report), Some(trace)) = (&page.report, &answer.evidence.trace) {
        report.borrow_mut().keep_trace(number, &model.loaded, trace);
    }
    let certain = answer.certain.clone();
    let NamedAnswer { mut result, proof, diagnostics } =
        answer::named(model, (file, query), &args.settings.options, answer);
    result.reason = reason;
    if let Some(trace) = &result.trace {
        files.evidence.keep(number, &result, trace);
    }
    files.plots.keep(number, &result);
    // A run is also shown if it shows what random runs have missed.
    let shows = args.settings.options.trace != TraceChoice::None || args.settings.options.certain;
    if !shows && result.blame.is_none() {
        result.trace = None;
    }
    if let Some(proof) = proof {
        // A probability is certain because of the answer to another query.
        let claim = certain.and_then(|certain| Some((certain.proves?, certain.probability == 1.0)));
        let (text, satisfied) =
            claim.unwrap_or_else(|| (query.text.clone(), result.answer == Some(Verdict::Satisfied)));
        result.certificate = files.evidence.prove(&model.loaded.system, &text, satisfied, proof);
    }
    (result, diagnostics)
}

/// The limit that stopped loading, as a warning, since all queries are answered.
fn stopped_at(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let stops = diagnostics.iter().filter(|d| Stop::of_code(d.code).is_some());
    stops.map(|d| Diagnostic { severity: Severity::Warning, ..d.clone() }).collect()
}

/// Writes the summary and the evidence. Returns the exit status.
fn finish(
    args: &VerifyArgs,
    report: VerifyReport,
    status: Status,
    start: Instant,
    files: Kept,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let status = report.results.iter().map(status_of).fold(status, Status::max);
    if args.format == AnswerFormat::Text {
        text::write_summary(&report.results, streams.out)?;
    } else {
        write_report(args.format, &report, status, start, streams)?;
    }
    let Kept { evidence, plots } = files;
    match evidence.finish().and_then(|notes| Ok([notes, plots.finish(args)?].concat())) {
        Ok(notes) => {
            for note in notes {
                writeln!(streams.err, "note: {}", one_line(&note))?;
            }
        }
        Err(why) => return fail(why, streams),
    }
    Ok(status)
}

/// Writes a report that is one document.
fn write_report(
    format: AnswerFormat,
    report: &VerifyReport,
    status: Status,
    start: Instant,
    streams: &mut Streams<'_>,
) -> io::Result<()> {
    match format {
        AnswerFormat::Text => Ok(()),
        AnswerFormat::Json => crate::json::write(report, streams.out),
        AnswerFormat::Junit => junit::write(report, start.elapsed().as_secs_f64(), streams.out),
        AnswerFormat::Sarif => sarif::write_verify(report, status, streams.out),
    }
}

fn status_of(result: &QueryResult) -> Status {
    match result.answer {
        None => Status::Wrong,
        Some(Verdict::Satisfied) => Status::Fine,
        Some(Verdict::NotSatisfied) => Status::Unsatisfied,
        Some(Verdict::Unknown) => Status::Unknown,
    }
}
