//! `merkhet verify`

mod ask;
mod engine;
mod evidence;
mod formulas;
pub use formulas::solver;
pub(super) mod joining;
mod page;
pub mod text;

use std::{io, path::PathBuf, time::Instant};

use explore::heuristic::{ExpressionFailure, Purpose};
use model::{Model, Property, Quantity, Stop, System};
use syntax::{
    Diagnostic, Severity, Sources, Span,
    ast::{Query, QueryKind},
};
use verify::{Answer, Heuristic, Limit, Range, Reason};

use engine::{Engine, Outcome};
use evidence::Evidence;
use page::{Page, REFUSED};

use super::{count, deny_unsupported, fail, refuse};
use crate::{
    args::word,
    args::{AnswerFormat, TraceKind, VerifyArgs},
    input::{self, Content, Opened},
    json::{
        Entry, VERSION,
        verify::{Bound, PhaseStats, Prepared, QueryResult, Stats, Value, Verdict, VerifyReport},
    },
    judge::{Worth, judge},
    junit,
    output::Streams,
    outputs::Outputs,
    queries,
    render::{Renderer, one_line},
    sarif,
    status::Status,
    trace,
    voice::Voice,
    watch,
};

const NO_QUERY: &str = "there is no query to answer; give one with -q, or a file of queries";

/// Runs the command.
pub fn run(args: &VerifyArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.queries.iter().chain([&args.model]).filter(|p| input::is_dash(p)).count() > 1 {
        return fail("the standard input can be read only once", streams);
    }
    let start = Instant::now();
    let prints = args.format == AnswerFormat::Text;
    let mut opened = Opened::check(&args.model, streams.stdin);
    deny_unsupported(&mut opened);
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
        let status = opened.refused();
        report.diagnostics = opened.errors();
        write_report(args.format, &report, status, None, start, streams)?;
        return Ok(status);
    }
    let Opened { name, mut sources, mut content, diagnostics } = opened;

    let mut asked = ask::asked(args, &name, &mut sources, &mut content, streams);
    let about_the_model = match &content {
        Content::Model(model) => model.violated_at_start(),
        _ => stopped_at(diagnostics),
    };
    asked.problems.splice(0..0, about_the_model.into_iter().map(|d| (name.clone(), d)));
    let is_wrong = |problems: &[ask::In<Diagnostic>]| problems.iter().any(|(_, d)| d.is_error());
    if asked.queries.is_empty() && !is_wrong(&asked.problems) && !prints {
        asked.problems.push((name.clone(), Diagnostic::error("no-query", Span::NONE, NO_QUERY)));
    }
    let wrong = asked.queries.is_empty() || is_wrong(&asked.problems);
    let status = if wrong { Status::Wrong } else { Status::Fine };
    if prints {
        let renderer = Renderer::new(streams.err_color);
        for (file, d) in &asked.problems {
            streams.err.write_all(renderer.diagnostic(&sources, file, d).as_bytes())?;
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
    report.diagnostics = asked.problems.iter().map(|(file, d)| Entry::new(&sources, file, d)).collect();
    let queries = asked.queries;

    let reads = args.queries.iter().map(PathBuf::as_path).chain(asked.beside.as_deref());
    let mut outputs = Outputs::new(reads.chain([args.model.as_path()]));
    let mut evidence = match Evidence::open(args, &mut outputs, &name) {
        Ok(evidence) => evidence,
        Err(why) => return fail(&why, streams),
    };
    let Content::Model(mut model) = content else {
        let page = Page { args, sources: &sources, voice: None, queries: &queries };
        report.results = page.unloaded(stop.unwrap_or(Stop::Interrupted), &evidence, streams)?;
        return finish(args, report, status, None, start, evidence, streams);
    };
    let lowered: Vec<_> = queries.iter().map(|(_, query)| model.query(query)).collect();
    // The code of options comes first, so that it has one place for all queries.
    let mut system = model.system.clone();
    let wishes = heuristics(args, &mut sources, &mut model, &mut system).and_then(|heuristics| {
        Ok((heuristics, joining::joining(&args.wishes(), &mut sources, &mut model, &mut system)?))
    });
    let (heuristics, joining) = match wishes {
        Ok(wishes) => wishes,
        // What was not read to its end is not known to be wrong.
        Err(why) => match watch::stopped() {
            Some(stop) => {
                let page = Page { args, sources: &sources, voice: None, queries: &queries };
                report.results = page.unloaded(stop, &evidence, streams)?;
                return finish(args, report, status, None, start, evidence, streams);
            }
            None => return fail(&why, streams),
        },
    };
    let formulas = match formulas::Setup::new(args, &mut outputs, &model) {
        Ok(formulas) => formulas,
        Err(why) => return fail(&why, streams),
    };
    let with_proofs = evidence.wants_proofs();
    let engine = Engine::new(args, (&model, &system), &lowered, heuristics, joining, formulas.as_ref(), with_proofs);
    let voice = model.tree.net.as_deref().map(Voice::new);
    let page = Page { args, sources: &sources, voice: voice.as_ref(), queries: &queries };
    let mut results: Vec<Option<QueryResult>> = queries.iter().map(|_| None).collect();
    let mut known = |number: usize, outcome: Result<Outcome, &[Diagnostic]>, streams: &mut Streams<'_>| {
        let (system, property) = match &lowered[number] {
            Ok(query) => {
                let (system, property) = system.with(query);
                (system, Some(property))
            }
            Err(_) => (system.clone(), None),
        };
        let (result, diagnostics) = tell(
            &Told {
                page: &page,
                model: &model,
                system: &system,
                setup: formulas.as_ref(),
                property: property.as_ref(),
                number,
            },
            outcome,
            &mut evidence,
        );
        results[number] = Some(page.say(number, result, &diagnostics, streams)?);
        Ok(())
    };
    for (number, query) in lowered.iter().enumerate() {
        if let Err(problems) = query {
            known(number, Err(problems), streams)?;
        }
    }
    engine.run(streams, &mut |number, outcome, streams| known(number, Ok(outcome), streams))?;
    report.results = results.into_iter().flatten().collect();
    let status = finish(args, report, status, voice.as_ref(), start, evidence, streams)?;
    match formulas.map_or(Ok(None), formulas::Setup::finish) {
        Ok(None) => Ok(status),
        Ok(Some(note)) => writeln!(streams.err, "note: {}", one_line(&note)).map(|()| status),
        Err(why) => fail(&why, streams),
    }
}

/// Where loading stopped. That is no error, since there are answers.
fn stopped_at(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.retain(|d| Stop::of_code(d.code).is_some());
    for d in &mut diagnostics {
        d.severity = Severity::Warning;
    }
    diagnostics
}

/// Says what all answers come to, and puts the evidence into its place.
fn finish(
    args: &VerifyArgs,
    report: VerifyReport,
    status: Status,
    voice: Option<&Voice>,
    start: Instant,
    evidence: Evidence,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let status = report.results.iter().map(status_of).fold(status, Status::max);
    if args.format == AnswerFormat::Text {
        text::write_summary(&report.results, streams.out)?;
    } else {
        write_report(args.format, &report, status, voice, start, streams)?;
    }
    match evidence.finish() {
        Ok(notes) => {
            for note in notes {
                writeln!(streams.err, "note: {}", one_line(&note))?;
            }
        }
        Err(why) => return fail(&why, streams),
    }
    Ok(status)
}

/// Writes a report that is one document.
fn write_report(
    format: AnswerFormat,
    report: &VerifyReport,
    status: Status,
    voice: Option<&Voice>,
    start: Instant,
    streams: &mut Streams<'_>,
) -> io::Result<()> {
    match format {
        AnswerFormat::Text => Ok(()),
        AnswerFormat::Json => crate::json::write(report, streams.out),
        AnswerFormat::Junit => junit::write(report, voice, start.elapsed().as_secs_f64(), streams.out),
        AnswerFormat::Sarif => sarif::write_verify(report, status, streams.out),
    }
}

/// The heuristics that the command line names. The code of their expressions is added to `system`.
fn heuristics(
    args: &VerifyArgs,
    sources: &mut Sources,
    model: &mut Model,
    system: &mut System,
) -> Result<Vec<Heuristic>, String> {
    let Some(text) = &args.heuristic else { return Ok(Vec::new()) };
    if let Some(order) = args.order.filter(|order| !::verify::Order::from(*order).is_directed()) {
        return Err(format!(
            "the order `{}` has no use for a heuristic; take greedy, astar, local or auto",
            word(order)
        ));
    }
    verify::heuristics(text, &mut |expression| {
        let texts: &[&str] = match &expression {
            Some(text) => &[*text],
            // A variable or a function of that name.
            None => &["heuristic", "heuristic()"],
        };
        let mut told = String::new();
        if expression.is_some_and(|text| text.trim().is_empty()) {
            return Err("`user()` lacks an expression; write `user(EXPRESSION)`".to_owned());
        }
        for text in texts {
            match queries::values(text, "<heuristic>", sources, model).map(|query| system.with(&query)) {
                Ok((extended, Property::Bounds { quantities, .. })) => match quantities[..] {
                    [Quantity::Integer(code)] => {
                        *system = extended;
                        return Ok(code);
                    }
                    _ => told = format!("the heuristic `{text}` is not one integer expression"),
                },
                Ok(_) => {}
                Err(problems) if problems.iter().any(|d| d.code == "side-effect") => {
                    told = format!("the heuristic `{text}` changes something, and a heuristic may only read");
                }
                Err(problems) => {
                    let all = problems.iter().flat_map(|d| [&d.message].into_iter().chain(&d.help));
                    let all: Vec<&str> = all.map(String::as_str).collect();
                    told = format!("the heuristic `{text}` is wrong: {}", all.join("; "));
                }
            }
        }
        Err(if expression.is_some() {
            told
        } else {
            "the model declares no integer variable or function `heuristic`".to_owned()
        })
    })
    .and_then(|heuristics| heuristics.iter().try_for_each(|one| one.check(&model.system)).map(|()| heuristics))
    .map_err(|why| format!("--heuristic: {why}"))
}

/// What an answer is about.
struct Told<'a> {
    page: &'a Page<'a>,
    model: &'a Model,
    /// The system with the code of the query and of options.
    system: &'a System,
    setup: Option<&'a formulas::Setup>,
    property: Option<&'a Property>,
    number: usize,
}

/// What is said about a query. The diagnostics say why it is refused, or where the model fails.
fn tell(
    about: &Told<'_>,
    outcome: Result<Outcome, &[Diagnostic]>,
    evidence: &mut Evidence,
) -> (QueryResult, Vec<Diagnostic>) {
    let Told { page, model, system, setup, property, number } = *about;
    let (Page { args, sources, .. }, (_, query)) = (page, &page.queries[number]);
    let mut result = page.blank(number);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(problems) => {
            if let Some(stop) = Stop::of_errors(problems) {
                // Nothing is wrong with it.
                result.answer = Some(Verdict::Unknown);
                result.reason = Some(format!("{stop} while the query was loaded"));
                result.certificate = evidence.unproved("the query was not loaded");
                return (result, Vec::new());
            }
            result.reason = Some(REFUSED.to_owned());
            return (result, problems.to_vec());
        }
    };
    let Outcome { mut answer, mut proof, seconds, seconds_before, queries } = outcome;
    if let (Some(Ok(found)), Some(property)) = (&proof, property) {
        let satisfied = answer.verdict == verify::Verdict::Satisfied;
        if let Err(why) = verify::certified::check(system, property, satisfied, found) {
            let (reason, missing) = match watch::stopped() {
                Some(stop) => (Reason::Limit(stop), "a limit was reached while it was checked"),
                None if why.is_undecided() => {
                    (Reason::Formula(why.reason.clone()), "the certificate is too large to be checked")
                }
                None => (
                    Reason::Formula(format!(
                        "the certificate of the verdict does not hold, so there is none: {}; please report this",
                        why.reason
                    )),
                    "the certificate does not hold",
                ),
            };
            answer.verdict = verify::Verdict::Unknown(reason);
            proof = Some(Err(missing));
        }
    }
    let mut notes: Vec<String> = answer.note(system).into_iter().collect();
    let mut shown = None;
    if let Some(property) = property.filter(|_| args.trace != TraceKind::None || evidence.wants_traces()) {
        match judge(system, property, &mut answer) {
            Worth::Nothing => {}
            Worth::Shown(trace) => shown = Some(trace),
            Worth::Missing(why) => {
                notes.push(why);
                if let Some(Err(why)) = &mut proof {
                    *why = "there is none for runs, and no trace";
                }
            }
        }
    }
    let Answer { verdict, plan, counts, phases, decided, values, prepared, refinements, asked, failures, .. } = answer;
    let formulas = setup.zip(asked).map(|(setup, asked)| setup.told(&asked));
    let symmetry = plan.symmetry;
    let mut diagnostics: Vec<Diagnostic> = failures.iter().map(|failure| failed(system, failure)).collect();
    let is_known = !matches!(verdict, verify::Verdict::Unknown(_));
    result.answer = Some(match verdict {
        verify::Verdict::Satisfied => Verdict::Satisfied,
        verify::Verdict::NotSatisfied => Verdict::NotSatisfied,
        verify::Verdict::Unknown(reason) => {
            result.reason = Some(explain(&reason));
            if let Reason::RunTime(message, span) = reason {
                diagnostics.push(Diagnostic::error("run-time-error", span, message));
            }
            Verdict::Unknown
        }
    });
    result.note = (!notes.is_empty()).then(|| notes.join("; "));
    let (explored, generated, added, stored) = (counts.explored, counts.generated, counts.added, counts.stored);
    result.value = values.map(|ranges| told(sources, model, query, &ranges));
    let prepared = prepared.map(|prepared| Prepared::new(prepared, seconds_before));
    let of_heuristics = failures.iter().filter(|failure| failure.purpose == Purpose::Heuristic);
    let heuristic_failures = of_heuristics.map(|failure| failure.count).sum();
    result.stats = Some(Stats {
        explored,
        generated,
        added,
        stored,
        seconds,
        peak_bytes: counts.bytes,
        queries,
        phases: phases.iter().map(|(phase, explored)| PhaseStats { name: phase.name(), explored: *explored }).collect(),
        decided_by: (!phases.is_empty() && is_known).then(|| decided.name()),
        symmetry,
        refinements,
        heuristic_failures,
        prepared,
        formulas,
    });
    if let Some(trace) = shown {
        let told = trace::told(system, &trace);
        evidence.tell(number, &result, &told);
        result.trace = Some(told).filter(|_| args.trace != TraceKind::None);
    }
    if let Some(proof) = proof {
        let satisfied = result.answer == Some(Verdict::Satisfied);
        result.certificate = evidence.prove(system, &query.text, satisfied, proof);
    }
    (result, diagnostics)
}

/// An expression that was to guide the search has failed.
fn failed(system: &System, failure: &ExpressionFailure) -> Diagnostic {
    let ExpressionFailure { purpose, count: times, first, .. } = failure;
    let (what, code, help) = match purpose {
        Purpose::Heuristic => ("the heuristic", "heuristic-failed", "the largest value was used instead"),
        Purpose::Join => ("the condition of --join", "join-failed", "the states were not joined"),
    };
    let message = match times {
        1 => format!("{what} failed once: {}", first.kind),
        _ => format!("{what} failed {times} times; the first error is: {}", first.kind),
    };
    Diagnostic::warning(code, system.site(first.pc), message).help(format!("{help}; the verdict does not depend on it"))
}

/// The bounds that were found, with the text of their expressions. None of them, if no state has
/// any.
fn told(sources: &Sources, model: &Model, query: &Query, ranges: &[Range]) -> Vec<Value> {
    let (QueryKind::Sup(_, list) | QueryKind::Inf(_, list) | QueryKind::Bounds(_, list)) = query.kind else {
        return Vec::new();
    };
    let bound = |limit: Limit| match limit {
        Limit::Number { value, strict } => Bound { number: Some(value), strict },
        Limit::Infinite => Bound { number: None, strict: true },
    };
    let known = |(e, range): (_, &Range)| {
        let text = sources.text(model.tree.span(e)).split_whitespace().collect::<Vec<_>>().join(" ");
        (range.least.is_some() || range.greatest.is_some()).then(|| Value {
            expression: text,
            least: range.least.map(bound),
            greatest: range.greatest.map(bound),
        })
    };
    model.tree.list(list).iter().copied().zip(ranges).filter_map(known).collect()
}

/// Why an answer is unknown, in words.
pub fn explain(reason: &Reason) -> String {
    match reason {
        Reason::Limit(stop) => stop.to_string(),
        Reason::Imprecise(why) => format!("a state was found that may be unreachable, because of {why}"),
        Reason::Disorder(why) => why.clone(),
        Reason::RunTime(message, _) => format!("run-time error: {message}"),
        Reason::Bound(steps) => format!("no run with at most {} was found", count(*steps, "step")),
        Reason::Refused(what) => format!("formulas do not support {what}"),
        Reason::Formula(why) => why.clone(),
        Reason::Differences(count) => {
            format!(
                "differences of clocks are compared with variables that may have {count} values, which is too many for zones"
            )
        }
        Reason::Growth(number) => format!("a clock grows beyond {number}, and may or may not have a bound"),
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
