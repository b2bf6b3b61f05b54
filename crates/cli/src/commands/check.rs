//! `merkhet check`

mod laws;

use std::{
    io::{self, Read, Write},
    path::Path,
};

use merkhet::{Content, Stop, reading::QueryText};
use syntax::{
    Diagnostic, Severity, Sources, Span, Tree,
    ast::Query,
    net::{Net, Transition},
};

use super::{count, fail};
use crate::{
    args::{CheckArgs, CheckFormat},
    input,
    json::{CheckReport, FileReport, NetSummary, Summary, VERSION, lattices::Laws},
    output::Streams,
    queries,
    render::{Renderer, one_line},
    sarif,
    shown::{self, Shown},
    status::Status,
    watch,
};

/// Runs the command.
pub fn run(args: &CheckArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.models.iter().chain(&args.queries).filter(|p| input::is_dash(p)).count() > 1 {
        return fail("the standard input can be read only once", streams);
    }
    let queries = queries::texts(&args.queries, &args.query, &mut |path| input::read_text(path, streams.stdin));
    let renderer = Renderer::new(streams.out_color);
    let mut report = CheckReport { version: VERSION, files: Vec::new() };
    let mut status = Status::Fine;
    for path in &args.models {
        let checked = check(path, args, &queries, streams.stdin);
        status = status.max(checked.status(args.deny_warnings));
        match args.format {
            CheckFormat::Text => {
                checked.write(&renderer, streams.out)?;
                streams.out.flush()?;
            }
            CheckFormat::Json | CheckFormat::Sarif => report.files.push(checked.json()),
        }
    }
    match args.format {
        CheckFormat::Text => {}
        CheckFormat::Json => crate::json::write(&report, streams.out)?,
        CheckFormat::Sarif => sarif::write_check(&report, status, streams.out)?,
    }
    Ok(status)
}

/// A model and its diagnostics.
struct Checked {
    name: String,
    sources: Sources,
    summary: Summary,
    /// The file that each list is about, the model first.
    lists: Vec<(String, Vec<Diagnostic>)>,
    /// The number of warnings that `--deny-warnings` denies.
    deniable: usize,
    /// The laws of lattices, if requested.
    laws: Option<Laws>,
}

fn check(path: &Path, args: &CheckArgs, queries: &[QueryText], stdin: &mut dyn Read) -> Checked {
    let mut opened = input::check(path, &args.constants, stdin).deny_unsupported();
    let stored = stored_queries(&mut opened.content);
    let mut summary = counts(&opened.content);
    let mut asked_lists = Vec::new();
    for asked in queries {
        let (number, mut found) = ask(asked, &mut opened.sources, &mut opened.content);
        summary.queries += number;
        input::sort(&mut found, &opened.sources);
        asked_lists.push((asked.name.clone(), found));
    }
    // Warnings about unused names come after the queries, which may use them. That includes those
    // beside the model, which are not reported.
    let mut read = |path: &Path| input::read_text(path, &mut io::empty());
    for beside in queries::texts(queries::beside(path).as_slice(), &[], &mut read) {
        ask(&beside, &mut opened.sources, &mut opened.content);
    }
    if let Content::Model(model) = &opened.content {
        opened.diagnostics.extend(model.warnings());
    }
    let laws = match &opened.content {
        Content::Model(model) if args.laws => {
            let mut laws = verify::check_laws(model);
            opened.diagnostics.append(&mut laws.diagnostics);
            if let Some(stop) = watch::stopped() {
                // What was not tested may be violated.
                opened.diagnostics.push(Diagnostic::error(stop.code(), Span::NONE, stop.to_string()));
            }
            Some(laws.into()).filter(|_| watch::stopped().is_none())
        }
        _ => None,
    };
    let deniable = opened.diagnostics.iter().filter(|d| !d.is_error()).count();
    opened.diagnostics.extend(stored);
    input::sort(&mut opened.diagnostics, &opened.sources);
    let mut lists = vec![(opened.name.clone(), opened.diagnostics)];
    lists.extend(asked_lists);
    // A limit is reported once.
    let mut said = false;
    for (_, list) in &mut lists {
        list.retain(|d| Stop::of_code(d.code).is_none() || !std::mem::replace(&mut said, true));
    }
    let all = || lists.iter().flat_map(|(_, list)| list);
    summary.errors = all().filter(|d| d.is_error()).count();
    summary.warnings = all().count() - summary.errors;
    Checked { name: opened.name, sources: opened.sources, summary, lists, deniable, laws }
}

/// The errors of queries inside a model, as warnings.
fn stored_queries(content: &mut Content) -> Vec<Diagnostic> {
    let queries = match content {
        Content::Nothing => Vec::new(),
        Content::Tree(tree) => tree.queries.clone(),
        Content::Model(model) => model.tree.queries.clone(),
    };
    let mut found = queries.iter().flat_map(|query| problems(query, content)).collect::<Vec<_>>();
    for d in &mut found {
        if d.is_error() && Stop::of_code(d.code).is_none() {
            d.severity = Severity::Warning;
            d.help.push("the model is correct; `verify` would refuse this query".to_owned());
        }
    }
    found
}

/// Checks queries of the command line. Returns their number and their errors.
fn ask(asked: &QueryText, sources: &mut Sources, content: &mut Content) -> (usize, Vec<Diagnostic>) {
    // The syntax can be checked without a model.
    let mut nothing = Tree::default();
    let tree = match content {
        Content::Nothing => &mut nothing,
        Content::Tree(tree) => tree,
        Content::Model(model) => &mut model.tree,
    };
    match asked.read(sources, tree) {
        Ok(queries) => (queries.len(), queries.iter().flat_map(|query| problems(query, content)).collect()),
        Err(d) => (0, vec![*d]),
    }
}

fn problems(query: &Query, content: &mut Content) -> Vec<Diagnostic> {
    match content {
        Content::Model(model) if query.kind != syntax::ast::QueryKind::Empty => {
            model.query(query).err().unwrap_or_default()
        }
        _ => query.problems.clone(),
    }
}

fn counts(content: &Content) -> Summary {
    let (tree, system) = match content {
        Content::Nothing => return Summary::default(),
        Content::Tree(tree) => (&**tree, None),
        Content::Model(model) => (&model.tree, Some(&model.system)),
    };
    Summary {
        templates: tree.templates.len(),
        locations: tree.templates.iter().map(|t| t.locations.len()).sum(),
        edges: tree.templates.iter().map(|t| t.edges.len()).sum(),
        processes: system.map_or(0, |s| s.processes.len()),
        // The first clock is the reference.
        clocks: system.map_or(0, |s| s.clocks.len().saturating_sub(1)),
        net: tree.net.as_deref().map(net_size),
        queries: tree.queries.len(),
        errors: 0,
        warnings: 0,
    }
}

fn net_size(net: &Net) -> NetSummary {
    let arcs = |t: &Transition| t.takes.len() + t.puts.len() + t.tests.len() + t.inhibitors.len();
    NetSummary {
        places: net.places.len(),
        transitions: net.transitions.len(),
        arcs: net.transitions.iter().map(arcs).sum(),
        time: net.timing.name(),
    }
}

impl Checked {
    /// The limit that was reached, if there is no other error.
    fn stopped(&self) -> Option<Stop> {
        let mut errors = self.lists.iter().flat_map(|(_, list)| list).filter(|d| d.is_error());
        errors.next().and_then(|d| Stop::of_code(d.code)).filter(|_| self.summary.errors == 1)
    }

    fn status(&self, deny_warnings: bool) -> Status {
        let wrong = self.summary.errors > 0 || deny_warnings && self.deniable > 0;
        if self.stopped().is_some() {
            Status::Unknown
        } else if wrong {
            Status::Wrong
        } else {
            Status::Fine
        }
    }

    fn write(&self, renderer: &Renderer, out: &mut dyn Write) -> io::Result<()> {
        shown::write(&self.shown(), renderer, out)?;
        if let Some(laws) = &self.laws {
            laws::write(&self.name, laws, out)?;
        }
        writeln!(out, "{}: {}", one_line(&self.name), self.verdict())
    }

    fn shown(&self) -> Vec<Shown<'_>> {
        self.lists.iter().map(|(file, diagnostics)| Shown { sources: &self.sources, file, diagnostics }).collect()
    }

    /// The summary line of a model.
    fn verdict(&self) -> String {
        let s = &self.summary;
        let warnings = if s.warnings > 0 { format!(", {}", count(s.warnings, "warning")) } else { String::new() };
        if let Some(stop) = self.stopped() {
            return format!("unknown: {stop}{warnings}");
        }
        if s.errors > 0 {
            return format!("{}{warnings}", count(s.errors, "error"));
        }
        if let Some(NetSummary { places, transitions, arcs, time }) = s.net {
            let (places, transitions) = (count(places, "place"), count(transitions, "transition"));
            let (arcs, queries) = (count(arcs, "arc"), count(s.queries, "query"));
            return format!("ok{warnings}: {places}, {transitions}, {arcs}, {time}, {queries}");
        }
        format!(
            "ok{warnings}: {}, {}, {}, {}",
            count(s.templates, "template"),
            count(s.processes, "process"),
            count(s.clocks, "clock"),
            count(s.queries, "query"),
        )
    }

    fn json(&self) -> FileReport {
        FileReport {
            file: self.name.clone(),
            valid: self.summary.errors == 0,
            summary: self.summary,
            diagnostics: shown::entries(&self.shown()),
            laws: self.laws.clone(),
        }
    }
}
