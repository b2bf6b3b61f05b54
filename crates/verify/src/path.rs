//! Exact runs through a path of edges.
//!
//! The exact sets along the path are found, without abstraction, then the parts of them from which
//! the rest of the path is possible, and then a run through these parts. All sets are unions of
//! zones, so that urgency, priorities, receivers of broadcasts and formulas that must hold
//! meanwhile cost no run.

use explore::{
    graph::{RunError, ZoneGraph},
    parts::{parts, parts_without},
    time::Time,
};
use model::{
    Formula, Ratio, System,
    replay::{Execution, Visit},
    system::EdgeId,
};
use zone::{Bound, Federation};

use crate::trace::{Move, Place, Spacing, delay_into};

/// A step of a path: edges are taken, then time passes while a formula holds.
#[derive(Clone)]
pub struct Stage<'f> {
    /// None at the start, and where only the formula changes.
    pub edges: Vec<EdgeId>,
    /// The row after them.
    pub row: Vec<i32>,
    /// Holds after the edges.
    pub entry: Option<&'f Formula>,
    /// Holds while time passes.
    pub during: &'f Formula,
}

impl<'f> Stage<'f> {
    /// A step during which a formula holds.
    pub fn new((edges, row): Move, during: &'f Formula) -> Stage<'f> {
        Stage { edges, row, entry: None, during }
    }
}

/// How many zones a stage has at most; what is left out costs some runs, but makes none wrong.
const MAX_ZONES: usize = 24;

/// What is known at a stage: the valuations after its edges, and those after its delay.
struct StageValuations {
    entered: Federation<i64>,
    waited: Federation<i64>,
    time: Time<i64>,
    avoided: Federation<i64>,
}

/// A run along a path to a state of the goal, if there is one. `last` says which parts of the last
/// stage's zones will do.
pub(crate) fn run_through(
    system: &System,
    stages: &[&Stage<'_>],
    goal: Option<&Formula>,
    mut last: impl FnMut(&mut ZoneGraph<'_, i64>, &[i32], &[i64]) -> Result<Federation<i64>, RunError>,
) -> Result<Option<Vec<Visit>>, RunError> {
    let mut graph = ZoneGraph::<i64>::exact(system);
    let Some(mut reached) = forward(&mut graph, stages)? else { return Ok(None) };
    if let (Some(end), Some(stage)) = (reached.last_mut(), stages.last()) {
        let mut fitting = Federation::new(graph.dim());
        for zone in end.waited.zones() {
            fitting.append(&last(&mut graph, &stage.row, zone)?);
        }
        end.waited = fitting;
    }
    if !backward(&mut graph, stages, &mut reached)? {
        return Ok(None);
    }
    Ok(Spacing::ALL.iter().find_map(|spacing| choose(system, stages, &reached, goal, *spacing)))
}

fn shortened(mut zones: Federation<i64>) -> Federation<i64> {
    zones.shorten();
    let mut left = MAX_ZONES;
    zones.retain(|_| {
        left = left.saturating_sub(1);
        left > 0
    });
    zones
}

/// What is reached at each stage.
fn forward(graph: &mut ZoneGraph<'_, i64>, stages: &[&Stage<'_>]) -> Result<Option<Vec<StageValuations>>, RunError> {
    let dim = graph.dim();
    let mut all: Vec<StageValuations> = Vec::new();
    let mut batch = graph.batch();
    for (i, stage) in stages.iter().enumerate() {
        let mut entered = Federation::new(dim);
        match all.last() {
            None => {
                if let Some(zone) = graph.start()? {
                    entered.push(&zone);
                }
            }
            Some(before) if stage.edges.is_empty() => entered = before.waited.clone(),
            Some(before) => {
                for zone in before.waited.zones() {
                    batch.clear();
                    graph.transitions_by(&stages[i - 1].row, zone, &stage.edges, &mut batch)?;
                    let fits = |k: &usize| batch.edges(*k) == stage.edges && batch.row(*k) == stage.row;
                    (0..batch.len()).filter(fits).for_each(|k| entered.push(batch.zone(k)));
                }
            }
        }
        let Some(time) = Time::of(graph, &stage.row)? else { return Ok(None) };
        if let Some(entry) = stage.entry {
            let mut part = Federation::new(dim);
            for zone in entered.zones() {
                part.append(&parts(graph, &time, entry, &stage.row, zone)?);
            }
            entered = part;
        }
        let entered = shortened(entered);
        let avoided = parts_without(graph, &time, stage.during, &stage.row, &time.invariant)?;
        let mut waited = Federation::new(dim);
        for zone in entered.zones() {
            waited.append(&time.wait(zone, &avoided));
        }
        let waited = shortened(waited);
        if waited.is_empty() {
            return Ok(None);
        }
        all.push(StageValuations { entered, waited, time, avoided });
    }
    Ok(Some(all))
}

/// Leaves at each stage only what the rest of the path is possible from. Returns whether anything
/// is left.
fn backward(
    graph: &mut ZoneGraph<'_, i64>,
    stages: &[&Stage<'_>],
    all: &mut [StageValuations],
) -> Result<bool, RunError> {
    let dim = graph.dim();
    for i in (1..all.len()).rev() {
        let here = &all[i];
        let mut before = Federation::new(dim);
        for zone in here.waited.zones() {
            before.append(&here.time.before(zone, &here.avoided));
        }
        before.intersect(&here.entered);
        let before = shortened(before);
        if stages[i].edges.is_empty() {
            all[i - 1].waited = before;
            continue;
        }
        let mut leading = Federation::new(dim);
        for zone in all[i - 1].waited.zones() {
            for goal in before.zones() {
                for part in graph.leading_into(&stages[i - 1].row, zone, &stages[i].edges, goal)? {
                    leading.push(&part);
                }
            }
        }
        all[i - 1].waited = shortened(leading);
        if all[i - 1].waited.is_empty() {
            return Ok(false);
        }
    }
    Ok(all.iter().all(|r| !r.waited.is_empty()))
}

/// A run through what is left.
fn choose(
    system: &System,
    stages: &[&Stage<'_>],
    all: &[StageValuations],
    goal: Option<&Formula>,
    spacing: Spacing,
) -> Option<Vec<Visit>> {
    let mut run = Execution::new(system).ok()?;
    for (i, (stage, reached)) in stages.iter().zip(all).enumerate() {
        if !stage.edges.is_empty() {
            run.take(&stage.edges).ok()?;
        }
        // The earliest moment: whatever a later one stays out of, it stays out of too.
        let clocks = &run.state().clocks;
        let place = Place { spacing, before: i, all: all.len() };
        let into = |zone: &[i64]| delay_into(zone, clocks.len(), clocks, place).filter(|d| holds(zone, clocks, *d));
        let delay = reached.waited.zones().filter_map(into).min()?;
        run.wait(delay).ok()?;
    }
    run.end(goal).ok()
}

/// Whether a zone has a valuation after a delay.
pub fn holds(zone: &[i64], clocks: &[Ratio], delay: Ratio) -> bool {
    let at = |x: usize| if x == 0 { Some(Ratio::ZERO) } else { clocks[x].plus(delay) };
    let within = |i: usize, bound: i64| {
        if bound == i64::INFINITY {
            return true;
        }
        let difference = at(i / clocks.len()).zip(at(i % clocks.len())).and_then(|(x, y)| x.minus(y));
        let most = Ratio::from(zone::value(bound));
        difference.is_some_and(|d| if zone::is_strict(bound) { d < most } else { d <= most })
    };
    zone.iter().enumerate().all(|(i, bound)| within(i, *bound))
}
