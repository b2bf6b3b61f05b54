//! What a page is told about a simulator.

use draw::{TraceEvent, TraceProcess};
use merkhet::{
    Limits,
    pictures::Subjects,
    simulation::{earliest, holds},
};
use model::{
    System,
    simulate::Simulator as Steps,
    system::{EdgeId, LocationId, ProcessId},
};
use serde::Serialize;
use show::{
    json::{simulate::Situation, verify::TraceStep},
    simulation,
};

use super::{Done, Simulator, symbolic::SymbolicView};
use crate::traces::{DrawingView, drawings};

/// The moves before the current state, and those ahead, that a page is told.
const SHOWN: [usize; 2] = [300, 50];

/// What does not change while a simulator lives.
#[derive(Serialize)]
pub struct About {
    id: u32,
    revision: u64,
    processes: Vec<ProcessView>,
    places: Vec<String>,
    drawings: Vec<DrawingView>,
    /// The largest constant that clocks are compared with, where unbounded sliders end.
    horizon: i64,
}

/// A process.
#[derive(Serialize)]
pub struct ProcessView {
    name: String,
    template: usize,
    locations: Vec<String>,
}

impl ProcessView {
    /// Describes processes.
    pub fn list(processes: Vec<TraceProcess>) -> Vec<ProcessView> {
        let view = |TraceProcess { name, template, locations }| ProcessView { name, template, locations };
        processes.into_iter().map(view).collect()
    }
}

/// A simulator with its current state.
#[derive(Serialize)]
pub struct SimulatorView {
    /// What is worth a sentence.
    message: Option<String>,
    now: Situation,
    /// What is active in the drawings.
    active: ActiveView,
    /// Each transition of `now` for the drawings.
    choices: Vec<ChoiceView>,
    /// The last move.
    last: Option<LastView>,
    /// The number of the first move of `history`, from 1.
    first: usize,
    history: Vec<MoveView>,
    breakpoints: Vec<BreakpointView>,
    seed: u64,
    symbolic: Option<SymbolicView>,
}

#[derive(Serialize)]
struct ActiveView {
    locations: Vec<usize>,
    tokens: Vec<i64>,
}

/// A transition for the drawings.
#[derive(Serialize)]
pub struct ChoiceView {
    /// What happens, in words.
    what: String,
    /// Processes, and the edges of their templates.
    edges: Vec<(usize, Vec<usize>)>,
    /// The transition of a net that fires.
    transition: Option<usize>,
    /// The least delay, or a simple one near it.
    earliest: Option<String>,
}

#[derive(Serialize)]
struct LastView {
    #[serde(flatten)]
    choice: ChoiceView,
    step: TraceStep,
    /// The names of the clocks that the transition has changed.
    set: Vec<String>,
}

#[derive(Serialize)]
struct MoveView {
    number: usize,
    /// What happens; null if only time passes.
    what: Option<String>,
    delay: String,
    time: String,
}

#[derive(Serialize)]
struct BreakpointView {
    number: usize,
    expression: String,
    /// Whether it holds here; null if that is unknown.
    holds: Option<bool>,
}

impl ChoiceView {
    /// Describes a transition.
    pub fn new(
        system: &System,
        subjects: &Subjects<'_>,
        (processes, places): &(Vec<TraceProcess>, Vec<String>),
        edges: &[EdgeId],
    ) -> ChoiceView {
        let step = subjects.step(edges);
        let transition = if let TraceEvent::Fires { number, .. } = step.event { Some(number) } else { None };
        let select: Vec<String> =
            edges.iter().flat_map(|e| system.edges[e.0 as usize].select.iter()).map(ToString::to_string).collect();
        let location = |l: LocationId| &system.locations[l.0 as usize].name;
        let what = match (&step.event, edges) {
            (TraceEvent::Internal, [e]) if system.net.is_none() => {
                let edge = &system.edges[e.0 as usize];
                let process = &system.processes[edge.process.0 as usize].name;
                format!("{process}: {} \u{2192} {}", location(edge.source), location(edge.target))
            }
            _ => step.describe(processes, places),
        };
        ChoiceView {
            what: if select.is_empty() { what } else { format!("{what}, select {}", select.join(", ")) },
            edges: step.edges.iter().map(|e| (e.process, [e.edge].into_iter().chain(e.branch).collect())).collect(),
            transition,
            earliest: None,
        }
    }
}

/// Returns the locations that differ: `P: a → b`.
pub fn locations(system: &System, before: &[i32], after: &[i32]) -> Vec<String> {
    if system.net.is_some() {
        return Vec::new();
    }
    let name =
        |row: &[i32], p: usize| system.locations[system.location(row, ProcessId(p as u32)).0 as usize].name.to_string();
    let moved = (0..system.processes.len()).filter(|&p| before[p] != after[p]);
    moved.map(|p| format!("{}: {} \u{2192} {}", system.processes[p].name, name(before, p), name(after, p))).collect()
}

impl Simulator {
    /// Describes what does not change.
    pub fn about(&self, id: u32) -> About {
        let subjects = Subjects::new(&self.system);
        About {
            id,
            revision: self.revision,
            processes: ProcessView::list(subjects.processes()),
            places: subjects.places(),
            drawings: drawings(&self.model),
            horizon: Steps::new(&self.system).horizon(),
        }
    }

    /// Describes the current state.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn view(&mut self, message: Option<String>, symbolic: bool, limits: &Limits) -> Done<SimulatorView> {
        self.limited(limits, |simulator| Ok(simulator.described(message, symbolic)))
    }

    fn described(&mut self, message: Option<String>, symbolic: bool) -> SimulatorView {
        let symbolic = symbolic.then(|| self.symbolic_view());
        let (system, run) = (&self.system, &self.run);
        let subjects = Subjects::new(system);
        let about = (subjects.processes(), subjects.places());
        let choice = |edges: &[EdgeId]| ChoiceView::new(system, &subjects, &about, edges);
        let situation = run.situation(system);
        let choices = situation.as_ref().map_or(&[][..], |situation| &situation.choices);
        let choices = choices.iter().map(|found| ChoiceView {
            earliest: earliest(&found.delays, run.time()).map(|delay| delay.to_string()),
            ..choice(&found.edges)
        });
        let row = &run.state().row;
        let first = run.at.saturating_sub(SHOWN[0]);
        let shown = first..run.history.len().min(run.at + SHOWN[1]);
        let moves = run.history[shown].iter().zip(first + 1..).map(|(made, number)| MoveView {
            number,
            what: (!made.edges.is_empty()).then(|| choice(&made.edges).what),
            delay: made.delay.to_string(),
            time: made.time.to_string(),
        });
        let last = run.at.checked_sub(1).map(|i| {
            let (before, made) = (run.state_at(i), &run.history[i]);
            let waited = Steps::new(system).wait(before, made.delay).unwrap_or_else(|_| before.clone());
            let differs = |x: &usize| waited.clocks[*x] != made.state.clocks[*x];
            let set = (1..system.clocks.len()).filter(differs).map(|x| system.clocks[x].name.clone());
            LastView { choice: choice(&made.edges), step: simulation::step(system, before, made), set: set.collect() }
        });
        let breakpoints = self.breakpoints.iter().map(|b| BreakpointView {
            number: b.number,
            expression: b.expression.clone(),
            holds: holds(system, &b.formula, run.state()).ok(),
        });
        SimulatorView {
            message,
            active: ActiveView { locations: subjects.locations(row), tokens: subjects.tokens(row) },
            choices: choices.collect(),
            last,
            first: first + 1,
            history: moves.collect(),
            breakpoints: breakpoints.collect(),
            seed: self.seed,
            symbolic,
            now: simulation::situation(system, &self.model.sources, run),
        }
    }
}
