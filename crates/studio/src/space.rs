//! State spaces: drawn up to a limit, counted by depth above it.

use std::sync::Arc;

use draw::{ArcKind, StateGraph, StateStyle};
use merkhet::{Limits, Model, Options, Order, Session, Update, Verdict};
use serde::{Deserialize, Serialize};
use show::states::{SymbolicState, graph, named_state};
use verify::{Mark, StateSpace};

use crate::{
    error::Refused,
    options::{self, ChosenOption},
    simulator::refused,
};

/// The most states that are drawn, and the most that are explored.
const MAX_DRAWN: usize = 5000;
const MAX_EXPLORED: usize = 100_000;
/// The longest text of a state, in characters.
const MAX_TEXT: usize = 2000;

/// What a page wants to see.
#[derive(Deserialize)]
pub struct WantedStates {
    /// The most states that are drawn.
    #[serde(default = "some")]
    draw: usize,
    /// The most states that are explored.
    #[serde(default = "many")]
    explore: usize,
    /// Marks the states in which this holds.
    condition: Option<String>,
    /// Whether states are joined.
    #[serde(default)]
    join: bool,
    /// Options of searches that concern states.
    #[serde(default)]
    options: Vec<ChosenOption>,
}

fn some() -> usize {
    2000
}

fn many() -> usize {
    50_000
}

/// A state space that a session keeps.
pub struct KeptSpace {
    /// The revision of the document whose states these are.
    pub revision: u64,
    /// The model.
    pub model: Arc<Model>,
    /// The states.
    pub space: StateSpace,
}

/// A state space for a page.
#[derive(Serialize)]
pub struct SpaceView {
    id: u32,
    revision: u64,
    /// The number of states that were found.
    count: usize,
    /// Whether these are all.
    complete: bool,
    /// The number of states of each depth, and of those with a mark.
    depths: Vec<usize>,
    marked: Option<Vec<usize>>,
    /// Where the condition holds: in how many states nowhere, somewhere, everywhere, unknown.
    marks: Option<[usize; 4]>,
    /// The drawing; null if there are too many states.
    drawn: Option<DrawnSpace>,
}

/// The drawing of a state space: columns, since there may be thousands of states.
#[derive(Serialize)]
struct DrawnSpace {
    x: Vec<f64>,
    y: Vec<usize>,
    text: Vec<String>,
    /// 0 plain, 1 joined, 2 replaced.
    style: Vec<u8>,
    /// Where the condition holds: 0 nowhere, 1 somewhere, 2 everywhere, 3 unknown.
    mark: Option<Vec<u8>>,
    initial: Vec<usize>,
    /// Source, target, kind (0 step, 1 join, 2 covered, 3 replaced) and the number of the label.
    arcs: Vec<[usize; 4]>,
    labels: Vec<String>,
}

/// Explores the states of a model, for a page that has the id for them.
///
/// # Errors
/// An option or the condition is refused, a limit was reached, or the model fails.
pub fn explore(
    wanted: &WantedStates,
    (model, revision): (Arc<Model>, u64),
    limits: &Limits,
    id: u32,
) -> Result<(KeptSpace, SpaceView), Refused> {
    let settings = options::read(&wanted.options, limits)?;
    let explored = wanted.explore.clamp(1, MAX_EXPLORED);
    let options = Options {
        order: Some(Order::Bfs),
        update: if wanted.join { Some(Update::Join) } else { settings.options.update },
        refine: false,
        abstraction: settings.options.abstraction,
        join: settings.options.join.clone(),
        widen: settings.options.widen,
        monotone: settings.options.monotone,
        ..Options::default()
    };
    let mut own = model.fork();
    let text = wanted.condition.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let condition = text.map(|text| own.state_condition(text, "<condition>")).transpose();
    let condition = condition.map_err(refused)?;
    let limits = Limits { states: Some(explored), ..*limits };
    let answer = Session::new(&mut own).states(condition.as_ref(), &options, &limits, &mut ());
    let answer = answer.map_err(|why| Refused::wrong(why.to_string()))?;
    let (space, complete) = match (answer.verdict, answer.evidence.states) {
        (verdict, Some(space)) => (space, !matches!(verdict, Verdict::Unknown(_))),
        (Verdict::Unknown(reason), None) => return Err(Refused::wrong(reason.to_string())),
        (_, None) => return Err(Refused::wrong("the states are not known")),
    };
    let laid_out = own.stopper().within(&limits, || view(&own, &space, wanted.draw.min(MAX_DRAWN)));
    let mut view = laid_out.map_err(|stop| Refused::wrong(format!("the drawing takes too long: {stop}")))?;
    (view.id, view.revision, view.complete) = (id, revision, complete);
    Ok((KeptSpace { revision, model, space }, view))
}

fn view(model: &Model, space: &StateSpace, most: usize) -> SpaceView {
    let all = space.depths();
    let mut depths = vec![0; all.iter().max().map_or(0, |deepest| deepest + 1)];
    all.iter().for_each(|depth| depths[*depth] += 1);
    let has_marks = space.states.iter().any(|state| state.mark.is_some());
    let mut marked = vec![0; depths.len()];
    let mut marks = [0; 4];
    for (state, depth) in space.states.iter().zip(&all) {
        let Some(mark) = state.mark else { continue };
        marks[usize::from(number_of(mark))] += 1;
        marked[*depth] += usize::from(matches!(mark, Mark::Somewhere | Mark::Everywhere));
    }
    let drawn = (space.states.len() <= most).then(|| {
        let graph = graph(&model.loaded.system, space);
        drawn(&graph, space, &all, has_marks)
    });
    SpaceView {
        id: 0,
        revision: 0,
        count: space.states.len(),
        complete: true,
        depths,
        marked: has_marks.then_some(marked),
        marks: has_marks.then_some(marks),
        drawn,
    }
}

fn number_of(mark: Mark) -> u8 {
    match mark {
        Mark::Nowhere => 0,
        Mark::Somewhere => 1,
        Mark::Everywhere => 2,
        Mark::Unknown => 3,
    }
}

fn drawn(graph: &StateGraph, space: &StateSpace, depths: &[usize], has_marks: bool) -> DrawnSpace {
    let layers = graph.layers(depths);
    let mut labels: Vec<String> = Vec::new();
    let mut numbers = std::collections::HashMap::new();
    let mut arcs = Vec::with_capacity(graph.arcs.len());
    for arc in &graph.arcs {
        let label = *numbers.entry(arc.label.as_str()).or_insert_with(|| {
            labels.push(arc.label.clone());
            labels.len() - 1
        });
        let kind = match arc.kind {
            ArcKind::Step => 0,
            ArcKind::Join => 1,
            ArcKind::Covered => 2,
            ArcKind::Replaced => 3,
        };
        arcs.push([arc.from, arc.to, kind, label]);
    }
    let style = |style| match style {
        StateStyle::Plain => 0,
        StateStyle::Joined => 1,
        StateStyle::Removed => 2,
    };
    let initial = graph.nodes.iter().enumerate().filter(|(_, node)| node.is_initial).map(|(state, _)| state);
    DrawnSpace {
        // Hundredths are finer than any screen.
        x: layers.x.iter().map(|x| (x * 100.0).round() / 100.0).collect(),
        y: layers.y,
        text: graph.nodes.iter().map(|node| node.text.chars().take(MAX_TEXT).collect()).collect(),
        style: graph.nodes.iter().map(|node| style(node.style)).collect(),
        mark: has_marks.then(|| space.states.iter().map(|state| state.mark.map_or(3, number_of)).collect()),
        initial: initial.collect(),
        arcs,
        labels,
    }
}

impl KeptSpace {
    /// Describes a state completely.
    ///
    /// # Errors
    /// There is none with this number.
    pub fn state(&self, number: usize) -> Result<SymbolicState, Refused> {
        let state = self.space.states.get(number).ok_or_else(|| Refused::missing("there is no such state"))?;
        Ok(named_state(&self.model.loaded.system, state))
    }
}
