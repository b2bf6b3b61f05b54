//! `merkhet verifyta`, and the binary under the name `verifyta`: for programs that call UPPAAL's
//! checker.
//!
//! Such programs parse text, so messages, streams and names of files are those of UPPAAL 4.1; only
//! the exit status of failures is Merkhet's. Nothing but traces and failures goes to the standard
//! error, where clients expect silence.

mod answer;
mod edges;
mod intermediate;
mod messages;
mod options;
mod progress;
mod statistics;
mod text;
#[cfg(test)]
mod written;
mod xml;
mod xtr;
mod zones;

use std::{env, ffi::OsString, io, path::Path};

use merkhet::{Model, Stop, is_query};
use syntax::{
    Diagnostic, Sources, Span,
    ast::{Query, QueryKind},
};

use crate::{
    args::ConstantArgs,
    input,
    output::Streams,
    outputs::{OutputError, Outputs},
    queries,
    render::one_line,
    status::Status,
    watch,
};
use answer::Formula;
use messages::UsageError;
use options::{CommandLine, Job, Settings};

pub use messages::REST as HELP_REST;
pub use options::list as option_list;

/// Whether a program of this name is `verifyta`.
pub fn is_name(program: &OsString) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == "verifyta")
}

/// Whether a variable of the environment has a value.
fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Runs a command line without the name of the program.
///
/// # Errors
/// The output could not be written.
pub fn run(words: impl IntoIterator<Item = OsString>, streams: &mut Streams<'_>) -> io::Result<Status> {
    let job = match options::parse(words) {
        Ok(CommandLine::Help) => {
            streams.out.write_all(messages::help().as_bytes())?;
            return Ok(Status::Fine);
        }
        Ok(CommandLine::Version) => {
            streams.out.write_all(messages::version().as_bytes())?;
            return Ok(Status::Fine);
        }
        Ok(CommandLine::Check(mut job)) => {
            job.settings.symmetry = !is_set("UPPAAL_DISABLE_SYMMETRY");
            job
        }
        Err(why) => {
            write!(streams.err, "{}\n{}", one_line(&why.to_string()), messages::HINT)?;
            return Ok(Status::Wrong);
        }
    };
    watch::start(&job.settings.limits);
    let compiles = is_set("UPPAAL_COMPILE_ONLY");
    let mut opened = input::check(&job.model, &ConstantArgs::default(), streams.stdin);
    if compiles {
        opened = opened.deny_unsupported();
    }
    crate::shown::sort(&mut opened.diagnostics, &opened.sources);
    if let Some(stop) = opened.stopped() {
        return given_up(&input::unloaded(stop), streams);
    }
    let mut model = match opened.into_model() {
        Ok(model) => model,
        Err(document) => {
            let errors = document.diagnostics.iter().filter(|d| d.is_error());
            let errors: Vec<_> = errors.map(|d| (document.name.clone(), d.clone())).collect();
            return refuse(&document.sources, &errors, streams);
        }
    };
    if compiles {
        streams.out.write_all(intermediate::write(&model.loaded).as_bytes())?;
        return Ok(Status::Fine);
    }
    // As in UPPAAL, a model without an initial state is an error.
    let mut violated = model.loaded.violated_at_start();
    for d in &mut violated {
        d.severity = syntax::Severity::Error;
        // The help is about answers, which there are none of here.
        d.help.clear();
    }
    if !violated.is_empty() {
        let violated: Vec<(String, Diagnostic)> = violated.into_iter().map(|d| (model.name.clone(), d)).collect();
        return refuse(&model.sources, &violated, streams);
    }
    let formulas = match formulas(&job, &mut model, streams) {
        Ok(formulas) => formulas,
        Err(problems) => match problems.iter().find_map(|(_, d)| Stop::of_code(d.code)) {
            Some(stop) => return given_up(&format!("{stop} while the queries were loaded"), streams),
            None => return refuse(&model.sources, &problems, streams),
        },
    };
    if let Err(why) = writable(&job, &formulas) {
        writeln!(streams.err, "{}", one_line(&why.to_string()))?;
        return Ok(Status::Wrong);
    }
    answer_all(&job.settings, &formulas, &mut model, streams)
}

/// Answers the queries in their order.
fn answer_all(
    settings: &Settings,
    formulas: &[Formula],
    model: &mut Model,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    if settings.reuse && !matches!(settings.diagnostic, options::Diagnostic::None | options::Diagnostic::Some) {
        streams.out.write_all(messages::NO_REUSE.as_bytes())?;
    }
    if settings.extrapolation == 1 {
        // On the standard error, since programs parse the standard output.
        streams.err.write_all(messages::NO_EXTRAPOLATION.as_bytes())?;
    }
    if !settings.quiet {
        streams.out.write_all(messages::summary(settings).as_bytes())?;
    }
    let mut worst = Status::Fine;
    for formula in formulas {
        if !formula.settings.silent {
            streams.out.write_all(messages::ERASE.as_bytes())?;
        }
        streams.out.write_all(messages::verifying(formula.number, &formula.place).as_bytes())?;
        streams.out.write_all(messages::name(&formula.query.name).as_bytes())?;
        streams.out.flush()?;
        match &formula.checked {
            Ok(query) => {
                let status = answer::answer(formula, query, model, streams)?;
                streams.out.flush()?;
                // After a failure of the model later queries would fail, too. What fails in a
                // random run concerns its query.
                let ends = status == Status::Unknown || query.about_states().is_some();
                if status != Status::Fine && ends {
                    return Ok(status.max(worst));
                }
                worst = worst.max(status);
            }
            Err(problems) => worst = worst.max(refuse(&model.sources, problems, streams)?),
        }
    }
    Ok(worst)
}

/// Checks that all files of traces can be written.
///
/// # Errors
/// One of them can't or must not be written.
fn writable(job: &Job, formulas: &[Formula]) -> Result<(), OutputError> {
    let mut outputs = Outputs::new(job.queries.as_deref().into_iter().chain([job.model.as_path()]));
    formulas.iter().flat_map(answer::trace_files).try_for_each(|file| outputs.start(&file).map(drop))
}

/// Prints that a limit was reached.
fn given_up(why: &str, streams: &mut Streams<'_>) -> io::Result<Status> {
    watch::end();
    streams.out.flush()?;
    streams.err.write_all(messages::given_up(why).as_bytes())?;
    Ok(Status::Unknown)
}

/// Prints errors, one on a line.
fn refuse(sources: &Sources, problems: &[(String, Diagnostic)], streams: &mut Streams<'_>) -> io::Result<Status> {
    for (file, problem) in problems {
        streams.err.write_all(messages::remark(sources, file, problem).as_bytes())?;
    }
    Ok(Status::Wrong)
}

/// The formulas to answer. All are checked before the first is answered, so that errors are
/// reported at once. Queries for other engines of UPPAAL are refused in their turn.
fn formulas(
    job: &Job,
    model: &mut Model,
    streams: &mut Streams<'_>,
) -> Result<Vec<Formula>, Vec<(String, Diagnostic)>> {
    let (name, queries) = match &job.queries {
        None => (model.name.clone(), model.loaded.tree.queries.clone()),
        Some(file) => {
            let mut read = |path: &Path| input::read_text(path, streams.stdin);
            let mut asked = queries::texts(std::slice::from_ref(file), &[], &mut read);
            let Some(asked) = asked.pop() else { return Ok(Vec::new()) };
            match asked.read(&mut model.sources, &mut model.loaded.tree) {
                Ok(queries) => (asked.name, queries),
                Err(d) if d.is_error() => return Err(vec![(asked.name, *d)]),
                Err(_) => (asked.name, Vec::new()),
            }
        }
    };
    let mut formulas = Vec::new();
    let mut problems: Vec<(String, Diagnostic)> = Vec::new();
    let queries: Vec<Query> = queries.into_iter().filter(is_query).collect();
    let lacking = model.unsupported();
    let is_statistical = |query: &Query| matches!(query.kind, QueryKind::Statistical(_));
    if !lacking.is_empty() && !queries.iter().any(is_statistical) {
        return Err(lacking.into_iter().map(|d| (model.name.clone(), d)).collect());
    }
    let wanted = job.settings.query_index;
    if let Some(index) = wanted.filter(|&index| index >= queries.len()) {
        let why = messages::no_query(index, queries.len());
        return Err(vec![(name, Diagnostic::error("query-index", Span::NONE, why))]);
    }
    for (i, query) in queries.into_iter().enumerate().filter(|(i, _)| wanted.is_none_or(|index| index == *i)) {
        let named = |found: Vec<Diagnostic>| found.into_iter().filter(Diagnostic::is_error).map(|d| (name.clone(), d));
        let checked = match model.check(query.clone()) {
            Ok(query) => Ok(query),
            Err(found) if matches!(query.kind, QueryKind::Unsupported(_) | QueryKind::Statistical(_)) => {
                Err(named(found).collect())
            }
            Err(found) if !lacking.is_empty() => Err(named(found).collect()),
            Err(found) => {
                problems.extend(named(found));
                continue;
            }
        };
        match settings(&job.settings, &query) {
            Err(why) => problems.push((name.clone(), Diagnostic::error("query-option", query.span, why.to_string()))),
            Ok(settings) => {
                let place = place(&model.sources, &name, &query);
                formulas.push(Formula { number: i + 1, file: name.clone(), place, query, checked, settings });
            }
        }
    }
    if problems.is_empty() { Ok(formulas) } else { Err(problems) }
}

/// The options of a query: its own override those of the command line.
///
/// # Errors
/// An option has a wrong value.
fn settings(given: &Settings, query: &Query) -> Result<Settings, UsageError> {
    let mut settings = given.clone();
    for (key, value) in &query.options {
        settings.set(key, value)?;
    }
    Ok(settings)
}

/// The position of a query: its path in an XML document, or file and line.
fn place(sources: &Sources, name: &str, query: &Query) -> String {
    match sources.locate(Span { end: query.span.start, ..query.span }) {
        Some(at) if !at.place.path.is_empty() => at.place.path.clone(),
        Some(at) => format!("{}:{}", at.file, at.in_file.line),
        None => name.to_owned(),
    }
}
