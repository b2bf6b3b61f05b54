//! Traces that take as little time as there can be.
//!
//! A clock that the model does not have shows the time since the start. Of its values only the
//! least ones are kept for each valuation of the others, and states are explored in the order of
//! these.

use explore::{
    goal::GoalPart,
    graph::{RunError, ZoneGraph},
    parts::parts,
    time::Time,
    transitions::SymbolicTrace,
};
use model::{
    Formula, System,
    replay::{self, Visit, replay},
    system::Clock,
};
use zone::{Bound, Federation};

use crate::{
    path::{Stage, run_through},
    trace::moves,
};

/// A system with a clock that shows the time since the start, after all others.
pub fn timed(system: &System) -> System {
    let mut timed = system.clone();
    timed.clocks.push(Clock { name: "time".to_owned(), initial: 0 });
    timed
}

/// The part of a zone of a timed system that is in the goal first.
pub fn earliest<B: Bound>(graph: &mut ZoneGraph<'_, B>, goal: &Formula, row: &[i32], zone: &[B]) -> GoalPart<B> {
    let clock = graph.dim() - 1;
    let found = goal_parts(graph, goal, row, zone)?;
    // Bounds of `0 - time`: the larger, the earlier.
    Ok(found.zones().max_by_key(|part| part[clock]).map(<[B]>::to_vec))
}

fn goal_parts<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    goal: &Formula,
    row: &[i32],
    zone: &[B],
) -> Result<Federation<B>, RunError> {
    match Time::of(graph, row)? {
        Some(time) => parts(graph, &time, goal, row, zone),
        None => Ok(Federation::new(graph.dim())),
    }
}

/// A run of a system along a path of its timed form, to the part of the last state that is in the
/// goal first. Where that moment is one that is never reached, only come near to, the run is at
/// most one unit of time later.
pub fn run<B: Bound>(
    system: &System,
    graph: &mut ZoneGraph<'_, B>,
    path: &SymbolicTrace<B>,
    goal: &Formula,
) -> Option<Vec<Visit>> {
    let (dim, clock) = (graph.dim(), graph.dim() - 1);
    let (_, row, zone) = path.last()?;
    let first = earliest(graph, goal, row, zone).ok()??[clock].widest();
    let most = -zone::value(first);
    let limit = if zone::is_strict(first) { zone::lt(most + 1) } else { zone::le(most) };
    let stages: Vec<Stage<'_>> = moves(path.clone()).into_iter().map(|step| Stage::new(step, &Formula::True)).collect();
    let stages: Vec<&Stage<'_>> = stages.iter().collect();
    let found = run_through(graph.system(), &stages, Some(goal), |graph, row, zone| {
        let mut fitting = goal_parts(graph, goal, row, zone)?;
        fitting.retain(|part| zone::constrain(part, dim, clock, 0, limit));
        Ok(fitting)
    });
    replay(system, &replay::Trace::of(&found.ok()??), Some(goal)).ok()
}
