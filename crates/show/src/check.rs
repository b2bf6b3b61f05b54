//! What is wrong with a model, with its size.

mod laws;

use std::io::{self, Write};

use merkhet::{Content, Document, Stop, reading::QueryText};
use syntax::{
    Diagnostic, Severity, Sources, Span, Tree,
    ast::Query,
    net::{Net, Transition},
};

use crate::{
    json::{FileReport, NetSummary, Summary, lattices::Laws},
    render::{Renderer, count, one_line},
    shown::{self, Shown},
};

/// A model and its diagnostics.
pub struct CheckedModel {
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

/// What else is checked.
#[derive(Clone, Copy, Default)]
pub struct With<'a> {
    /// Queries, with the names of their texts.
    pub queries: &'a [QueryText],
    /// Queries that are not reported, but may use what the model declares.
    pub beside: &'a [QueryText],
    /// Whether the laws of lattices are checked.
    pub laws: bool,
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
            let is_statistical = matches!(query.kind, syntax::ast::QueryKind::Statistical(_));
            let problems = if is_statistical { model.statistical_query(query).err() } else { model.query(query).err() };
            problems.unwrap_or_default()
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

impl CheckedModel {
    /// Checks a model that was read.
    #[must_use]
    pub fn new(mut opened: Document, with: &With<'_>) -> CheckedModel {
        let stored = stored_queries(&mut opened.content);
        let mut summary = counts(&opened.content);
        let mut asked_lists = Vec::new();
        for asked in with.queries {
            let (number, mut found) = ask(asked, &mut opened.sources, &mut opened.content);
            summary.queries += number;
            shown::sort(&mut found, &opened.sources);
            asked_lists.push((asked.name.clone(), found));
        }
        // Warnings about unused names come after the queries, which may use them.
        for beside in with.beside {
            ask(beside, &mut opened.sources, &mut opened.content);
        }
        if let Content::Model(model) = &opened.content {
            opened.diagnostics.extend(model.warnings());
        }
        let laws = match &opened.content {
            Content::Model(model) if with.laws => {
                let mut laws = verify::check_laws(model);
                opened.diagnostics.append(&mut laws.diagnostics);
                let stop = model.system.code.signal.raised();
                if let Some(stop) = stop {
                    // What was not tested may be violated.
                    opened.diagnostics.push(Diagnostic::error(stop.code(), Span::NONE, stop.to_string()));
                }
                Some(laws.into()).filter(|_| stop.is_none())
            }
            _ => None,
        };
        let deniable = opened.diagnostics.iter().filter(|d| !d.is_error()).count();
        opened.diagnostics.extend(stored);
        shown::sort(&mut opened.diagnostics, &opened.sources);
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
        CheckedModel { name: opened.name, sources: opened.sources, summary, lists, deniable, laws }
    }

    /// Returns the limit that was reached, if there is no other error.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        let mut errors = self.lists.iter().flat_map(|(_, list)| list).filter(|d| d.is_error());
        errors.next().and_then(|d| Stop::of_code(d.code)).filter(|_| self.summary.errors == 1)
    }

    /// Returns whether there are errors, or warnings that are as bad.
    #[must_use]
    pub fn is_wrong(&self, deny_warnings: bool) -> bool {
        self.summary.errors > 0 || deny_warnings && self.deniable > 0
    }

    /// Writes all diagnostics and a summary as text.
    ///
    /// # Errors
    /// The output could not be written.
    pub fn write(&self, renderer: &Renderer, out: &mut dyn Write) -> io::Result<()> {
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

    /// Returns the report.
    #[must_use]
    pub fn json(&self) -> FileReport {
        FileReport {
            file: self.name.clone(),
            valid: self.summary.errors == 0,
            summary: self.summary,
            diagnostics: shown::entries(&self.shown()),
            laws: self.laws.clone(),
        }
    }
}
