//! Table 3: deadlocks beyond any bound, by each method and by other tools; and a net of a level
//! crossing with its queries.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use merkhet::{Choices, EngineChoice, Limits, Method, Model, Options, Session, Source, Verdict};
use model::net::Net;

use super::{Subject, text};
use crate::{
    args::{CROSSING, NetsArgs, ReportFormat},
    interrupt,
    json::bench::nets::{self as json, MethodRun, NetAnswers, NetsReport, ToolRun},
    output::Streams,
    status::Status,
};
use ::bench::{
    cpu::Stopwatch,
    nets::{NET_TOOLS, NetTool},
};

/// The methods, in the order of their columns.
const METHODS: [Method; 3] = [Method::Invariant, Method::Interpolation, Method::Induction];

/// The query about the nets of families.
const DEADLOCK: &str = "E<> deadlock";

/// A net with intervals on transitions, which the other tools are not given.
const CROSSING_TEXT: &str = include_str!("../../../../../../models/nets/crossing.net");
const CROSSING_QUERIES: [&str; 4] =
    ["A[] inside == 1 imply closed == 1", "A[] safe()", "A[] not deadlock", "E<> announced == 1 && raising == 1"];

/// Runs the table.
pub fn run(
    args: &NetsArgs,
    subjects: &[Subject],
    report: &mut NetsReport,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let found: Vec<(&NetTool, Option<PathBuf>)> =
        NET_TOOLS.iter().filter(|_| args.tools).map(|tool| (tool, tool.find())).collect();
    let tools: Vec<(&NetTool, PathBuf)> =
        found.iter().filter_map(|(tool, path)| Some((*tool, path.clone()?))).collect();
    let missing = found.iter().filter(|(_, path)| path.is_none());
    let missing: Vec<String> = missing.map(|(tool, _)| format!("`{}` ({})", tool.program, tool.name)).collect();
    if !missing.is_empty() {
        report.notes.push(format!("not found on the PATH, and not run: {}", missing.join(", ")));
    }
    let prints = args.format == ReportFormat::Text;
    let methods: &[Method] = if args.method.is_empty() { &METHODS } else { &args.method };
    if prints {
        let names = methods.iter().map(|method| method.name()).chain(tools.iter().map(|(tool, _)| tool.program));
        text::write_answers_header(&names.collect::<Vec<&str>>(), streams.out)?;
    }
    let mut status = Status::Fine;
    let mut add = |row: NetAnswers, streams: &mut Streams<'_>| -> io::Result<()> {
        let open =
            row.runs.iter().all(|run| run.seconds.is_none()) || row.tools.iter().any(|run| run.seconds.is_none());
        if open {
            status = status.max(Status::Unknown);
        }
        if prints {
            text::write_answers(&row, streams.out)?;
            streams.out.flush()?;
        }
        report.answers.push(row);
        Ok(())
    };
    for subject in subjects {
        let mut row = answers(&subject.described, &subject.text, DEADLOCK, methods, args.time_limit);
        for (tool, program) in &tools {
            row.tools.push(by_tool(tool, program, &subject.net, args.time_limit));
        }
        add(row, streams)?;
    }
    if args.family.is_empty() || args.family.iter().any(|name| name == CROSSING) {
        let described = json::Net { family: CROSSING, size: 1, places: 9, transitions: 7, published: None };
        for query in CROSSING_QUERIES {
            add(answers(&described, CROSSING_TEXT, query, methods, args.time_limit), streams)?;
        }
    }
    if prints {
        writeln!(streams.out)?;
    }
    Ok(status)
}

/// Answers a query about a net by each method.
fn answers(net: &json::Net, text: &str, query: &'static str, methods: &[Method], limit: Duration) -> NetAnswers {
    let runs = methods.iter().map(|method| by_method(text, query, *method, limit)).collect();
    NetAnswers { net: net.clone(), query, runs, tools: Vec::new() }
}

fn by_method(text: &str, query: &str, method: Method, limit: Duration) -> MethodRun {
    let run = |seconds, answer: String, clauses| MethodRun { method: method.name(), seconds, answer, clauses };
    if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
        return run(None, "interrupted".to_owned(), None);
    }
    let opened = Model::open(Source::text("net.net", text));
    let Ok(mut model) = opened else { return run(None, "the net is wrong".to_owned(), None) };
    let Ok(query) = model.query(query) else { return run(None, "the query is wrong".to_owned(), None) };
    let options = Options { engine: EngineChoice::Smt, method: Some(method), ..Options::default() };
    let limits = Limits { time: Some(limit), ..Limits::default() };
    let watch = Stopwatch::start();
    let answer = Session::new(&mut model).ask(&query, &options, &limits, &mut ());
    let seconds = watch.elapsed().as_secs_f64();
    match answer {
        Err(why) => run(None, why.to_string(), None),
        Ok(answer) => {
            let clauses = answer.stats.formulas.as_ref().and_then(|formulas| formulas.clauses);
            let word = match answer.verdict {
                Verdict::Satisfied => "satisfied",
                Verdict::NotSatisfied => "not satisfied",
                Verdict::Unknown(why) => return run(None, why.to_string(), None),
            };
            run(Some(seconds), word.to_owned(), clauses)
        }
    }
}

fn by_tool(tool: &NetTool, program: &std::path::Path, net: &Arc<Net>, limit: Duration) -> ToolRun {
    match tool.ask(program, net, Some(limit), interrupt::flag()) {
        Ok(found) => ToolRun {
            tool: tool.program,
            seconds: Some(found.seconds),
            answer: if found.deadlock { "satisfied" } else { "not satisfied" }.to_owned(),
            states: found.states,
        },
        Err(why) => ToolRun { tool: tool.program, seconds: None, answer: why.to_string(), states: None },
    }
}
