//! Symbolic traces made concrete, with exact delays.
//!
//! The path is run again without abstraction. Then the set of valuations from which the rest of the path is possible is
//! carried back from its end to its start, and a run through these sets is chosen, with delays as simple as they get.

use explore::{
    bounds::ClockBounds,
    goal::{asks_deadlock, certain_witness, witness},
    graph::{Abstraction, ZoneGraph},
    search::{SymbolicStep, SymbolicTrace},
};
use model::{
    Formula, Ratio, System,
    machine::{ClockChange, Machine},
    replay::{self, State},
    system::EdgeId,
};

/// A step: time passes, then a transition is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The delay before the transition, as numerator and denominator.
    pub delay: (i64, i64),
    /// The edges: the sender first, then the receivers.
    pub edges: Vec<EdgeId>,
    /// The row behind it.
    pub row: Vec<i32>,
}

/// A run of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The row at the start.
    pub start: Vec<i32>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The delay behind the last transition.
    pub last_delay: (i64, i64),
    /// Whether the replayer has followed it; without that only the edges are known, not the delays.
    pub replayed: bool,
}

impl Trace {
    /// A run along a symbolic trace to a state of the goal, which the replayer has followed.
    #[must_use]
    pub fn concrete(system: &System, steps: &SymbolicTrace, goal: Option<&Formula>) -> Option<Trace> {
        let found = concretise(system, steps, goal).filter(|run| is_run(system, run, goal));
        let (first, rest) = steps.split_first()?;
        let zero = replay::Trace::default();
        let run = found.as_ref().unwrap_or(&zero);
        let pair = |r: Ratio| (r.numerator(), r.denominator());
        let step = |(i, (edges, row, _)): (usize, &SymbolicStep)| Step {
            delay: pair(run.steps.get(i).map_or(Ratio::ZERO, |s| s.delay)),
            edges: edges.clone(),
            row: row.clone(),
        };
        Some(Trace {
            start: first.1.clone(),
            steps: rest.iter().enumerate().map(step).collect(),
            last_delay: pair(run.last_delay.unwrap_or(Ratio::ZERO)),
            replayed: found.is_some(),
        })
    }
}

/// Whether the replayer follows a run to a state of the goal, and the goal's deadlocks are some.
fn is_run(system: &System, run: &replay::Trace, goal: Option<&Formula>) -> bool {
    let Ok(states) = replay::replay(system, run, goal) else { return false };
    let Some(goal) = goal.filter(|goal| asks_deadlock(goal)) else { return true };
    let end = || replay::after(system, states.last()?, run.last_delay.unwrap_or(Ratio::ZERO)).ok();
    let Some((end, zone)) = end().and_then(|end| around(&end.clocks).map(|zone| (end, zone))) else { return false };
    let mut graph = without_abstraction(system);
    matches!(certain_witness(&mut graph, goal, &end.row, &zone), Ok(Some(_)))
}

/// The valuations that whole numbers can't tell from this one: all agree on every formula.
fn around(clocks: &[Ratio]) -> Option<Vec<i32>> {
    let dim = clocks.len();
    let mut zone = vec![0; dim * dim];
    zone::universe(&mut zone, dim);
    for (x, a) in clocks.iter().enumerate() {
        for (y, b) in clocks.iter().enumerate().filter(|(y, _)| *y != x) {
            let difference = a.minus(*b)?;
            let low = i32::try_from(difference.floor()).ok()?;
            let bound = if difference.denominator() == 1 { zone::le(low) } else { zone::lt(low.checked_add(1)?) };
            if !zone::constrain(&mut zone, dim, x, y, bound) {
                return None;
            }
        }
    }
    Some(zone)
}

/// The zone graph with its zones as they are; it needs no bounds.
fn without_abstraction(system: &System) -> ZoneGraph<'_> {
    let nothing = model::Property::Possibly(Formula::True);
    ZoneGraph::new(system, ClockBounds::new(system, &nothing), Abstraction::None)
}

/// Delays for a path.
fn concretise(system: &System, path: &SymbolicTrace, goal: Option<&Formula>) -> Option<replay::Trace> {
    let mut graph = without_abstraction(system);
    let zones = exact(&mut graph, path, goal)?;
    let parts = carry_back(&mut graph, path, zones)?;
    choose(system, &mut graph, path, &parts)
}

/// The exact zones along a path, the last one cut to the goal. Where a state falls into several zones all are tried.
fn exact(graph: &mut ZoneGraph<'_>, path: &SymbolicTrace, goal: Option<&Formula>) -> Option<Vec<Vec<i32>>> {
    let mut batch = graph.batch();
    graph.initial(&mut batch).ok()?;
    // Each level: the zones that fit, still to be tried.
    let mut levels: Vec<Vec<Vec<i32>>> = vec![fitting(&batch, &path[0])];
    let mut chosen: Vec<Vec<i32>> = Vec::new();
    let mut tries = 0;
    loop {
        let level = levels.len() - 1;
        chosen.truncate(level);
        let Some(zone) = levels[level].pop() else {
            levels.pop();
            if levels.is_empty() {
                return None;
            }
            continue;
        };
        tries += 1;
        if tries > path.len() + 1000 {
            return None;
        }
        let row = &path[level].1;
        if level + 1 == path.len() {
            let last = match goal {
                None => Some(zone),
                Some(goal) => witness(graph, goal, row, &zone).ok()?,
            };
            if let Some(last) = last {
                chosen.push(last);
                return Some(chosen);
            }
            continue;
        }
        batch.clear();
        graph.successors(row, &zone, &mut batch).ok()?;
        chosen.push(zone);
        levels.push(fitting(&batch, &path[level + 1]));
    }
}

/// The zones of a batch that belong to a step of a path.
fn fitting(batch: &explore::batch::Batch, step: &SymbolicStep) -> Vec<Vec<i32>> {
    let fits = |i: &usize| batch.edges(*i) == step.0 && batch.row(*i) == step.1;
    (0..batch.len()).rev().filter(fits).map(|i| batch.zone(i).to_vec()).collect()
}

/// The parts of the zones from which the rest of the path is possible, delays included.
fn carry_back(graph: &mut ZoneGraph<'_>, path: &SymbolicTrace, mut zones: Vec<Vec<i32>>) -> Option<Vec<Vec<i32>>> {
    let dim = graph.dim();
    for i in (1..zones.len()).rev() {
        let mut behind = zones[i].clone();
        if graph.delays(&path[i].1).ok()? {
            zone::past(&mut behind, dim);
        }
        zones[i - 1] = graph.before(&path[i - 1].1, &path[i].0, &zones[i - 1], &behind).ok()??;
    }
    Some(zones)
}

/// A run through the parts.
fn choose(
    system: &System,
    graph: &mut ZoneGraph<'_>,
    path: &SymbolicTrace,
    parts: &[Vec<i32>],
) -> Option<replay::Trace> {
    let dim = graph.dim();
    let mut machine = Machine::new(&system.code, system.initial.len());
    let clocks = system.clocks.iter().map(|c| Ratio::from(c.initial)).collect();
    let mut state = State { row: path[0].1.clone(), clocks };
    let mut trace = replay::Trace::default();
    for (i, part) in parts.iter().enumerate() {
        let delay = delay_into(part, dim, &state.clocks)?;
        for clock in &mut state.clocks[1..] {
            *clock = clock.plus(delay)?;
        }
        let Some((edges, row, _)) = path.get(i + 1) else {
            trace.last_delay = Some(delay);
            break;
        };
        machine.load(&state.row);
        machine.changes.clear();
        let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            machine.execute(pc).ok()?;
        }
        for change in &machine.changes {
            match *change {
                ClockChange::Set { clock, value } => state.clocks[clock as usize] = Ratio::from(value),
                ClockChange::Copy { clock, from, plus } => {
                    state.clocks[clock as usize] = state.clocks[from as usize].plus(Ratio::from(plus))?;
                }
            }
        }
        state.row.clone_from(row);
        trace.steps.push(replay::Step { delay, edges: edges.clone() });
    }
    Some(trace)
}

/// The simplest delay that leads from a valuation into a zone.
fn delay_into(zone: &[i32], dim: usize, clocks: &[Ratio]) -> Option<Ratio> {
    let (mut low, mut low_open) = (Ratio::ZERO, false);
    let mut high: Option<(Ratio, bool)> = None;
    for x in 1..dim {
        let bound = zone[x];
        if bound != zone::INFINITY {
            let least = Ratio::from(-zone::value(bound)).minus(clocks[x])?;
            if least > low || least == low && zone::is_strict(bound) {
                (low, low_open) = (least, zone::is_strict(bound));
            }
        }
        let bound = zone[x * dim];
        if bound != zone::INFINITY {
            let most = Ratio::from(zone::value(bound)).minus(clocks[x])?;
            let open = zone::is_strict(bound);
            if high.is_none_or(|(h, h_open)| most < h || most == h && open && !h_open) {
                high = Some((most, open));
            }
        }
    }
    if !low_open {
        return Some(low);
    }
    let whole = Ratio::new(low.floor() + 1, 1)?;
    match high {
        Some((h, open)) if whole > h || whole == h && open => low.middle(h),
        _ => Some(whole),
    }
}
