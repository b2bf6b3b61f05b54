//! Traces for the trace player: of answers, of files and of simulators.

use merkhet::{Model, QueryError, pictures};
use serde::Serialize;
use serde_json::Value;
use show::{
    json::{
        VERSION,
        replay::{ReplayOutcome, TraceFile, TracedQuery},
        verify::JoinBlame,
    },
    replay,
};
use verify::{Ending, Trace};

use crate::{error::Refused, searches::KeptAnswer, simulator::Simulator};

/// The most traces of a file that are shown.
const MAX_TRACES: usize = 20;

/// A drawing of a template, or of the net.
#[derive(Serialize)]
pub struct DrawingView {
    /// The number of the template; null for the net.
    template: Option<usize>,
    svg: String,
}

/// A trace for a page.
#[derive(Serialize)]
pub struct TraceView {
    query: String,
    /// What the trace shows: `trace with 4 transitions`.
    heading: String,
    /// What is worth a sentence, such as why the trace is not a run.
    notes: Vec<String>,
    /// The number of its transitions, and of those that are shown.
    length: usize,
    shown: usize,
    /// Whether the model has no run along it.
    spurious: bool,
    /// The step after which the rest is repeated.
    cycle: Option<usize>,
    /// The join without which there is no such trace.
    blame: Option<BlameView>,
    /// What the player plays, as `player.js` describes it.
    played: Value,
    /// The style sheet of the pictures, for those that leave the page.
    style: &'static str,
    chart: String,
    timeline: String,
    drawings: Vec<DrawingView>,
    /// The trace alone as `merkhet replay` reads it; null if it is not a run.
    file: Option<TraceFile>,
}

/// A join that is to blame for a spurious trace.
#[derive(Serialize)]
struct BlameView {
    /// The step to the joined state; 0 for the start.
    step: usize,
    /// The locations, which the joined states share.
    locations: Vec<String>,
    /// What differs: name, stored, new, joined.
    differences: Vec<[String; 4]>,
    /// Whether the trace needs clock values of neither zone.
    zones: bool,
    /// The strategy that excludes the join.
    strategy: String,
}

impl BlameView {
    fn new(blame: &JoinBlame) -> BlameView {
        let location = |l: &show::json::verify::ProcessLocation| format!("{}.{}", l.process, l.location);
        BlameView {
            step: blame.step,
            locations: blame.joined.locations.iter().map(location).collect(),
            differences: blame.differences(),
            zones: blame.zones,
            strategy: blame.strategy.clone(),
        }
    }
}

/// Draws the templates that processes have, or the net.
pub fn drawings(model: &Model) -> Vec<DrawingView> {
    let (tree, sources) = (&model.loaded.tree, &model.sources);
    if let Some(net) = &tree.net {
        return vec![DrawingView { template: None, svg: draw::inline(&draw::net_svg(net, tree.signal)) }];
    }
    let is_used = |template: usize| model.loaded.system.processes.iter().any(|p| p.template as usize == template);
    let drawing = |template: usize| {
        let name = tree.text(tree.templates[template].name.sym).to_owned();
        let svg = draw::svg(tree, sources, &[name]).ok()?;
        Some(DrawingView { template: Some(template), svg: draw::inline(&svg) })
    };
    (0..tree.templates.len()).filter(|template| is_used(*template)).filter_map(drawing).collect()
}

/// A trace of a model, with what is said about it.
struct Shown<'a> {
    model: &'a Model,
    query: &'a str,
    trace: &'a Trace,
    blame: Option<&'a JoinBlame>,
    file: Option<TraceFile>,
    notes: Vec<String>,
}

impl Shown<'_> {
    fn view(self) -> TraceView {
        let Shown { model, query, trace, blame, file, notes } = self;
        let drawn = pictures::trace(&model.loaded, trace, pictures::MAX_STEPS);
        let length = trace.steps.len();
        let heading = if trace.is_replayed() { "trace" } else { "spurious trace" };
        // The player's data is JSON that was just made.
        let played = serde_json::from_str(&report::trace_data(&drawn)).unwrap_or_default();
        TraceView {
            query: query.split_whitespace().collect::<Vec<_>>().join(" "),
            heading: format!("{heading} with {}", show::render::count(length, "transition")),
            notes,
            length,
            shown: drawn.steps.len(),
            spurious: !trace.is_replayed(),
            cycle: match trace.ending {
                Some(Ending::Cycle(after)) => Some(after),
                _ => None,
            },
            blame: blame.map(BlameView::new),
            played,
            style: draw::style(),
            chart: draw::inline(&drawn.sequence_chart()),
            timeline: draw::inline(&drawn.timeline()),
            drawings: drawings(model),
            file,
        }
    }
}

fn file(model: &Model, traced: &TracedQuery) -> Option<TraceFile> {
    let traces = vec![traced.clone()];
    (!traced.trace.spurious).then(|| TraceFile { version: VERSION, model: model.name.clone(), traces })
}

/// Shows the trace of an answer.
///
/// # Errors
/// It has none.
pub fn of_answer(kept: &KeptAnswer) -> Result<TraceView, Refused> {
    let missing = || Refused::missing("this answer has no trace");
    let (trace, traced) = kept.trace.as_ref().zip(kept.traced.as_ref()).ok_or_else(missing)?;
    let model = &*kept.model;
    let (blame, file) = (kept.result.blame.as_ref(), file(model, traced));
    Ok(Shown { model, query: &traced.query, trace, blame, file, notes: Vec::new() }.view())
}

/// Shows the run of a simulator.
///
/// # Errors
/// It is not accepted as one.
pub fn of_simulator(simulator: &mut Simulator, limits: &merkhet::Limits) -> Result<TraceView, Refused> {
    let (trace, traced) = simulator.traced(limits)?;
    let model = simulator.model();
    let file = file(model, &traced);
    let query = "Run of the simulator";
    Ok(Shown { model, query, trace: &trace, blame: None, file, notes: Vec::new() }.view())
}

/// The timeline of a simulator.
#[derive(Serialize)]
pub struct TimelineView {
    svg: String,
    /// The number of moves after which each step is made.
    moves: Vec<usize>,
}

/// Draws the timeline of the run of a simulator.
///
/// # Errors
/// It is not accepted as a run.
pub fn timeline(simulator: &mut Simulator, limits: &merkhet::Limits) -> Result<TimelineView, Refused> {
    let (trace, all) = simulator.first_steps(pictures::MAX_STEPS, limits)?;
    let mut drawn = pictures::trace(&simulator.model().loaded, &trace, pictures::MAX_STEPS);
    drawn.omitted = all - drawn.steps.len();
    Ok(TimelineView { svg: draw::inline(&drawn.timeline()), moves: simulator.steps() })
}

/// Shows the traces of a file, each replayed.
///
/// # Errors
/// The file is not one of traces, or a trace names what the model does not have.
pub fn of_file(text: &str, model: &mut Model) -> Result<Vec<TraceView>, Refused> {
    let given = replay::parse(text).map_err(|malformed| {
        let place = malformed.line.map_or(String::new(), |line| format!("line {line}: "));
        Refused::wrong(format!("{place}{}", malformed.message))
    })?;
    let mut views = Vec::new();
    for (traced, number) in given.traces.iter().take(MAX_TRACES).zip(1..) {
        let wrong = |why: &dyn std::fmt::Display| Refused::wrong(format!("trace {number}: {why}"));
        let query =
            model.state_query(&traced.query, "<query>").map_err(|diagnostics| wrong(&QueryError { diagnostics }))?;
        let (system, property) = model.loaded.system.with(&query);
        let result = replay::replayed(&system, traced, &property);
        let at = |why: replay::TraceError| {
            let place = why.step.map_or(String::new(), |step| format!("step {step}: "));
            wrong(&format!("{place}{}", why.problem))
        };
        let mut notes = Vec::new();
        let trace = if result.outcome == ReplayOutcome::Spurious {
            let path = replay::path(&system, &traced.trace).map_err(at)?;
            notes.push("values are those after the same transitions without joins".to_owned());
            let steps = path.into_iter().skip(1).map(|(edges, row)| verify::Step { edges, row });
            Trace { start: system.initial.clone(), steps: steps.collect(), ending: None, times: None }
        } else {
            let (run, ending) = replay::checked(&system, &traced.trace).map_err(at)?;
            notes.extend(result.reason.filter(|_| !result.ok));
            Trace::of_run(run, ending)
        };
        let file = file(model, traced);
        views.push(Shown { model, query: &traced.query, trace: &trace, blame: None, file, notes }.view());
    }
    let left = given.traces.len().saturating_sub(MAX_TRACES);
    if let (1.., Some(first)) = (left, views.first_mut()) {
        first.notes.push(format!("{left} more traces of the file are not shown"));
    }
    Ok(views)
}
