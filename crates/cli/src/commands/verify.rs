//! `merkhet verify`

mod certified;
mod engine;
mod evidence;
mod formulas;
pub use formulas::solver;
pub(super) mod joining;
pub(super) mod text;

use std::io;

use explore::search::Stop;
use model::{Model, Property, Quantity};
use syntax::{
    Diagnostic, Sources,
    ast::{Query, QueryKind},
};
use verify::{Answer, Heuristic, Limit, Range, Reason};

use engine::{Engine, Outcome};
use evidence::Evidence;

use super::{Shown, count, deny_unsupported, fail, refuse, write_diagnostics};
use crate::{
    args::{ReportFormat, TraceKind, VerifyArgs},
    bench::peer::word,
    input::{self, Content, Opened},
    json::{
        Entry, VERSION,
        verify::{Bound, Prepared, QueryResult, Stats, Value, Verdict, VerifyReport},
    },
    labels,
    output::Streams,
    queries,
    render::{Renderer, one_line},
    status::Status,
    trace,
    voice::Voice,
};

/// Runs the command.
pub fn run(args: &VerifyArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.queries.iter().chain([&args.model]).filter(|p| input::is_dash(p)).count() > 1 {
        return fail("the standard input can be read only once", streams);
    }
    let mut opened = Opened::check(&args.model, streams.stdin);
    deny_unsupported(&mut opened);
    let mut report =
        VerifyReport { version: VERSION, model: opened.name.clone(), diagnostics: Vec::new(), results: Vec::new() };
    if opened.has_errors() {
        if args.format == ReportFormat::Text {
            return refuse(&mut opened, streams);
        }
        report.diagnostics = opened.errors();
        write_json(&report, streams)?;
        return Ok(Status::Wrong);
    }
    let Opened { name, mut sources, content: Content::Model(mut model), .. } = opened else {
        return Ok(Status::Wrong);
    };

    let (queries, problems) = gather(args, &name, &mut sources, &mut model, streams);
    let wrong = queries.is_empty() || problems.iter().any(|(_, d)| d.is_error());
    let mut status = if wrong { Status::Wrong } else { Status::Fine };
    match args.format {
        ReportFormat::Text => {
            let renderer = Renderer::new(streams.err_color);
            for (file, d) in &problems {
                streams.err.write_all(renderer.diagnostic(&sources, file, d).as_bytes())?;
            }
            if queries.is_empty() {
                if problems.iter().any(|(_, d)| d.is_error()) {
                    return Ok(Status::Wrong);
                }
                return fail("there is no query to answer; give one with -q, or a file of queries", streams);
            }
        }
        ReportFormat::Json => {
            report.diagnostics = problems.iter().map(|(file, d)| Entry::new(&sources, file, d)).collect();
        }
    }

    let mut evidence = match Evidence::open(args, &name) {
        Ok(evidence) => evidence,
        Err(why) => return fail(&why, streams),
    };
    let properties: Vec<_> = queries.iter().map(|(_, query)| model.query(query)).collect();
    let heuristics = match heuristics(args, &mut sources, &mut model) {
        Ok(heuristics) => heuristics,
        Err(why) => return fail(&why, streams),
    };
    let joining = match joining::joining(&args.wishes(), &mut sources, &mut model) {
        Ok(joining) => joining,
        Err(why) => return fail(&why, streams),
    };
    let formulas = match formulas::Setup::new(args, &model) {
        Ok(formulas) => formulas,
        Err(why) => return fail(&why, streams),
    };
    let with_proofs = evidence.wants_proofs();
    let mut engine = Engine::new(args, &model, &properties, heuristics, joining, formulas.as_ref(), with_proofs);
    let voice = model.tree.net.as_deref().map(Voice::new);
    for ((file, query), property) in queries.iter().zip(&properties) {
        let outcome = engine.answer(property.as_ref().ok(), streams);
        let refused = property.as_ref().err();
        let (mut result, diagnostics) =
            tell(args, (&sources, &model), (query, property), outcome.ok_or(refused), formulas.as_ref(), &mut evidence);
        status = status.max(status_of(&result));
        match args.format {
            ReportFormat::Text => {
                text::write_verdict(&result, args.stats, streams.out_color, streams.out)?;
                writeln!(streams.out)?;
                let shown = Shown { sources: &sources, file, diagnostics: &diagnostics };
                write_diagnostics(&[shown], &Renderer::new(streams.out_color), streams.out)?;
                text::write_trace(&result, voice.as_ref(), streams.out)?;
                // The trace may be long, and only the verdict is needed at the end.
                result.trace = None;
                streams.out.flush()?;
            }
            ReportFormat::Json => result.diagnostics = entries(&sources, file, &diagnostics),
        }
        report.results.push(result);
    }
    match args.format {
        ReportFormat::Text => text::write_summary(&report.results, streams.out)?,
        ReportFormat::Json => write_json(&report, streams)?,
    }
    if let Some(Err(why)) = formulas.map(|formulas| formulas.finish()) {
        return fail(&why, streams);
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

/// The heuristics that the command line names.
fn heuristics(args: &VerifyArgs, sources: &mut Sources, model: &mut Model) -> Result<Vec<Heuristic>, String> {
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
        for text in texts {
            match queries::property(&format!("sup: {text}"), "<heuristic>", sources, model) {
                Ok(Property::Bounds { quantities, .. }) => match quantities[..] {
                    [Quantity::Integer(code)] => return Ok(code),
                    _ => told = format!("the heuristic `{text}` is no integer expression"),
                },
                Ok(_) => {}
                Err(problems) => {
                    let all: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
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

fn write_json(report: &VerifyReport, streams: &mut Streams<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *streams.out, report)?;
    writeln!(streams.out)
}

fn entries(sources: &Sources, file: &str, diagnostics: &[Diagnostic]) -> Vec<Entry> {
    diagnostics.iter().map(|d| Entry::new(sources, file, d)).collect()
}

/// Something, and the file that it is about.
type In<T> = (String, T);

/// The queries to answer, and what is wrong with the files that should hold some.
fn gather(
    args: &VerifyArgs,
    name: &str,
    sources: &mut Sources,
    model: &mut Model,
    streams: &mut Streams<'_>,
) -> (Vec<In<Query>>, Vec<In<Diagnostic>>) {
    let (mut queries, mut problems) = (Vec::new(), Vec::new());
    if args.queries.is_empty() && args.query.is_empty() && args.labels.is_empty() {
        queries.extend(model.tree.queries.iter().map(|query| (name.to_owned(), query.clone())));
    }
    for asked in queries::asked(&args.queries, &args.query, streams.stdin) {
        match asked.read(sources, &mut model.tree) {
            Ok(found) => queries.extend(found.into_iter().map(|query| (asked.name.clone(), query))),
            Err(d) => problems.push((asked.name, *d)),
        }
    }
    for (list, number) in args.labels.iter().zip(1..) {
        let name = labels::name(number);
        match labels::read(list, &name, &model.system.labels, sources, &mut model.tree) {
            Ok(query) => queries.push((name, query)),
            Err(found) => problems.extend(found.into_iter().map(|d| (name.clone(), d))),
        }
    }
    // Editors leave such lines behind.
    queries.retain(|(_, query)| query.kind != QueryKind::Empty || !query.problems.is_empty());
    (queries, problems)
}

/// What is said about a query. The diagnostics say why it is refused, or where the model fails.
fn tell(
    args: &VerifyArgs,
    (sources, model): (&Sources, &Model),
    (query, property): (&Query, &Result<Property, Vec<Diagnostic>>),
    outcome: Result<Outcome, Option<&Vec<Diagnostic>>>,
    setup: Option<&formulas::Setup>,
    evidence: &mut Evidence,
) -> (QueryResult, Vec<Diagnostic>) {
    let mut result = QueryResult {
        query: query.text.clone(),
        answer: None,
        reason: None,
        note: None,
        stats: None,
        value: None,
        trace: None,
        certificate: None,
        diagnostics: Vec::new(),
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(problems) => {
            result.reason = Some("the query is refused".to_owned());
            return (result, problems.cloned().unwrap_or_default());
        }
    };
    let Outcome { mut answer, mut proof, seconds, seconds_before, peak_bytes, queries } = outcome;
    if let (Some(Ok(found)), Ok(property)) = (&proof, property) {
        let satisfied = answer.verdict == verify::Verdict::Satisfied;
        if let Err(why) = certified::check(&model.system, property, satisfied, found) {
            answer.verdict = verify::Verdict::Unknown(Reason::Formula(format!(
                "the certificate of the verdict does not hold, so there is none: {why}; please report this"
            )));
            proof = Some(Err("the certificate does not hold"));
        }
    }
    let note = answer.note(&model.system);
    let Answer { verdict, plan, counts, values, trace, prepared, lessons: refinements, asked, .. } = answer;
    let formulas = setup.zip(asked).map(|(setup, asked)| setup.told(&asked));
    let symmetry = plan.symmetry;
    let mut diagnostics = Vec::new();
    result.answer = Some(match verdict {
        verify::Verdict::Satisfied => Verdict::Satisfied,
        verify::Verdict::NotSatisfied => Verdict::NotSatisfied,
        verify::Verdict::Unknown(reason) => {
            result.reason = Some(explain(&reason));
            if let Reason::RunTime(message, pc) = reason {
                diagnostics.push(Diagnostic::error("run-time-error", model.system.site(pc), message));
            }
            Verdict::Unknown
        }
    });
    result.note = note;
    let (explored, generated, added, stored) = (counts.explored, counts.generated, counts.added, counts.stored);
    result.value = values.map(|ranges| told(sources, model, query, &ranges));
    let prepared = prepared.map(|prepared| Prepared::new(prepared, seconds_before));
    result.stats = Some(Stats {
        explored,
        generated,
        added,
        stored,
        seconds,
        peak_bytes,
        queries,
        symmetry,
        refinements,
        prepared,
        formulas,
    });
    if args.trace != TraceKind::None || evidence.wants_traces() {
        let told = trace.map(|trace| trace::told(&model.system, &trace));
        told.iter().for_each(|told| evidence.tell(&result, told));
        result.trace = told.filter(|_| args.trace != TraceKind::None);
    }
    if let Some(proof) = proof {
        let satisfied = result.answer == Some(Verdict::Satisfied);
        result.certificate = evidence.prove(&model.system, &query.text, satisfied, proof);
    }
    (result, diagnostics)
}

/// The bounds that were found, with the text of their expressions. None of them, if no state has any.
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
        Reason::Limit(Stop::Time) => "the time limit was reached".to_owned(),
        Reason::Limit(Stop::Memory) => "the memory limit was reached".to_owned(),
        Reason::Limit(Stop::States) => "the state limit was reached".to_owned(),
        Reason::Limit(Stop::Interrupted) => "interrupted".to_owned(),
        Reason::Imprecise(why) => format!("a state was found that may be unreachable, because of {why}"),
        Reason::Disorder(why) => why.clone(),
        Reason::RunTime(message, _) => format!("run-time error: {message}"),
        Reason::Bound(steps) => format!("no run with at most {} was found", count(*steps, "step")),
        Reason::Refused(what) => format!("formulas do not support {what}"),
        Reason::Formula(why) => why.clone(),
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
