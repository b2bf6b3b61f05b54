//! Symbolic traces made concrete, with exact delays.
//!
//! The path is run again without abstraction. Then the set of valuations from which the rest of the
//! path is possible is carried back from its end to its start, and a run through these sets is
//! chosen, with delays as simple as they get. Without abstraction numbers grow with the path, so
//! that all zones here have bounds of 64 bits.

use explore::{
    goal::witness,
    graph::{RunError, ZoneGraph},
    parts::parts,
    time::Time,
    transitions::SymbolicTrace,
};
use model::{
    Formula, Ratio, System,
    replay::{self, Ending, Execution, Visit},
    system::EdgeId,
};
use smt::Term;
use zone::{Bound, Federation};

use crate::{
    linear,
    path::{self, Stage},
};

/// A step: a transition is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The edges: the sender first, then the receivers.
    pub edges: Vec<EdgeId>,
    /// The row after it.
    pub row: Vec<i32>,
}

/// How long a run stays in a state, and what the clocks are meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The clocks when the state is entered, the reference included.
    pub entered: Vec<Ratio>,
    /// The delay.
    pub delay: Ratio,
    /// The clocks after the delay.
    pub left: Vec<Ratio>,
}

/// What a trace is made of, whatever the zones along it: the edges taken, and the row after them.
/// The first has no edges.
pub type Move = (Vec<EdgeId>, Vec<i32>);

/// The moves of a symbolic trace.
pub fn moves<B>(trace: SymbolicTrace<B>) -> Vec<Move> {
    trace.into_iter().map(|(edges, row, _)| (edges, row)).collect()
}

/// A run of a system, or a path that may have no run along it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The row at the start.
    pub start: Vec<i32>,
    /// The steps.
    pub steps: Vec<Step>,
    /// How it goes on, if it is maximal.
    pub ending: Option<Ending>,
    /// Delays and clocks, for the start and for each step, as the replayer has found them. `None`:
    /// no run along the path is known.
    pub times: Option<Vec<Stay>>,
}

impl Trace {
    /// A run along a symbolic trace to a state of the goal, which the replayer has followed.
    #[must_use]
    pub fn concrete(system: &System, steps: &[Move], goal: &Formula) -> Option<Trace> {
        Trace::along(steps, run_to(system, steps, Aim::Goal(goal)))
    }

    /// A run along a symbolic trace to a state in which the model fails, if one is found in which
    /// the guards of the transition hold that does so; else one to the last state, which fails
    /// whatever its clocks are.
    pub(crate) fn to_failure(system: &System, steps: &[Move], error: &RunError) -> Option<Trace> {
        let run = run_to(system, steps, Aim::Guards(&error.edges));
        Trace::along(steps, run.or_else(|| run_to(system, steps, Aim::Anywhere)))
    }

    /// A run along a symbolic trace, if there is one; else its edges and rows.
    pub(crate) fn along(steps: &[Move], found: Option<Vec<Visit>>) -> Option<Trace> {
        if steps.is_empty() {
            return None;
        }
        Some(found.map_or_else(|| Trace::symbolic(steps.to_vec(), None), |run| Trace::of_run(run, None)))
    }

    /// A path without delays. It has at least one state.
    pub(crate) fn symbolic(path: Vec<Move>, ending: Option<Ending>) -> Trace {
        let mut path = path.into_iter();
        let (_, start) = path.next().unwrap_or_default();
        Trace { start, steps: path.map(|(edges, row)| Step { edges, row }).collect(), ending, times: None }
    }

    /// A run that the replayer has followed.
    #[must_use]
    pub fn of_run(run: Vec<Visit>, ending: Option<Ending>) -> Trace {
        let (mut path, mut times) = (Vec::new(), Vec::new());
        for Visit { edges, state, delay, left } in run {
            path.push((edges, state.row));
            times.push(Stay { entered: state.clocks, delay, left });
        }
        Trace { times: Some(times), ..Trace::symbolic(path, ending) }
    }

    /// Whether the replayer has followed it.
    #[must_use]
    pub fn is_replayed(&self) -> bool {
        self.times.is_some()
    }

    /// The rows: at the start and after each step.
    pub fn rows(&self) -> impl Iterator<Item = &[i32]> {
        [&self.start].into_iter().chain(self.steps.iter().map(|step| &step.row)).map(Vec::as_slice)
    }

    /// Its delays and transitions, if the delays are known: what the replayer follows.
    #[must_use]
    pub fn run(&self) -> Option<replay::Trace> {
        let times = self.times.as_ref()?;
        let steps = self.steps.iter().zip(times);
        let step = |(step, stay): (&Step, &Stay)| replay::TimedStep { delay: stay.delay, edges: step.edges.clone() };
        Some(replay::Trace { steps: steps.map(step).collect(), last_delay: times.last().map(|stay| stay.delay) })
    }

    /// How much time it takes. `None`: the delays are not known, or have no sum that fits.
    #[must_use]
    pub fn duration(&self) -> Option<Ratio> {
        self.times.as_ref()?.iter().try_fold(Ratio::ZERO, |sum, stay| sum.plus(stay.delay))
    }
}

/// Where in the last state of a path a run should end.
#[derive(Clone, Copy)]
pub(crate) enum Aim<'a> {
    /// Wherever it likes.
    Anywhere,
    /// Where a formula holds.
    Goal(&'a Formula),
    /// Where the clock constraints of some edges' guards hold, or can't be evaluated.
    Guards(&'a [EdgeId]),
}

impl<'a> Aim<'a> {
    fn goal(self) -> Option<&'a Formula> {
        match self {
            Aim::Goal(goal) => Some(goal),
            Aim::Anywhere | Aim::Guards(_) => None,
        }
    }
}

/// How delays are chosen where each must leave room for those that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// In the middle: the simplest numbers, but with one more digit each time.
    Middle,
    /// As early as a grid allows that is fine enough for all delays.
    Grid,
    /// Evenly, by the number of delays that follow.
    Even,
}

/// A delay that is one of many.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub spacing: Spacing,
    /// How many delays come before it.
    pub before: usize,
    /// How many there are.
    pub all: usize,
}

impl Spacing {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Spacing; 3] = [Spacing::Middle, Spacing::Grid, Spacing::Even];
}

impl Place {
    /// A number strictly between two others.
    fn between(self, low: Ratio, high: Ratio) -> Option<Ratio> {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX >> 2);
        match self.spacing {
            Spacing::Middle => low.middle(high),
            Spacing::Grid => {
                let lines = 2 * small(self.all + 1).next_power_of_two();
                let next = low.plus(Ratio::new(1, i64::from(lines))?).filter(|next| *next < high);
                next.or_else(|| low.middle(high))
            }
            Spacing::Even => low.towards(high, small(self.all - self.before).saturating_add(1)),
        }
    }
}

/// A run along a path to where it should end, which the replayer has followed.
pub(crate) fn run_to(system: &System, path: &[Move], aim: Aim<'_>) -> Option<Vec<Visit>> {
    // One zone for each state is enough most of the time, and far faster.
    concretise(system, path, aim).or_else(|| {
        let stages: Vec<Stage<'_>> = path.iter().map(|step| Stage::new(step.clone(), &Formula::True)).collect();
        let stages: Vec<&Stage<'_>> = stages.iter().collect();
        let found = path::run_through(system, &stages, aim.goal(), |graph, row, zone| {
            if let Aim::Guards(edges) = aim {
                let mut fitting = Federation::new(graph.dim());
                guarded(graph, row, edges, zone).iter().for_each(|part| fitting.push(part));
                return Ok(fitting);
            }
            let Some(time) = Time::of(graph, row)? else { return Ok(Federation::new(graph.dim())) };
            parts(graph, &time, aim.goal().unwrap_or(&Formula::True), row, zone)
        });
        found.ok().flatten().or_else(|| {
            linear::run_through(system, &stages, aim.goal(), |end| match aim {
                Aim::Anywhere => Some(Term::TRUE),
                Aim::Goal(goal) => end.holds(goal),
                Aim::Guards(edges) => Some(end.allows(edges).unwrap_or(Term::TRUE)),
            })
        })
    })
}

/// The part of a zone where guards hold, or all of it where they can't be evaluated.
fn guarded(graph: &mut ZoneGraph<'_, i64>, row: &[i32], edges: &[EdgeId], zone: &[i64]) -> Option<Vec<i64>> {
    graph.guarded(row, edges, zone).unwrap_or_else(|_| Some(zone.to_vec()))
}

/// Delays for a path.
fn concretise(system: &System, path: &[Move], aim: Aim<'_>) -> Option<Vec<Visit>> {
    let mut graph = ZoneGraph::<i64>::exact(system);
    let zones = exact(&mut graph, path, aim)?;
    let parts = carry_back(&mut graph, path, zones)?;
    Spacing::ALL.iter().find_map(|spacing| choose(system, path, &parts, aim.goal(), *spacing))
}

/// The exact zones along a path, the last one cut to the goal. Where a state falls into several
/// zones all are tried.
fn exact(graph: &mut ZoneGraph<'_, i64>, path: &[Move], aim: Aim<'_>) -> Option<Vec<Vec<i64>>> {
    let mut batch = graph.batch();
    graph.initial(&mut batch).ok()?;
    // Each level: the zones that fit, still to be tried.
    let mut levels: Vec<Vec<Vec<i64>>> = vec![fitting(&batch, path.first()?)];
    let mut chosen: Vec<Vec<i64>> = Vec::new();
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
            let last = match aim {
                Aim::Anywhere => Some(zone),
                Aim::Goal(goal) => witness(graph, goal, row, &zone).ok()?,
                Aim::Guards(edges) => guarded(graph, row, edges, &zone),
            };
            if let Some(last) = last {
                chosen.push(last);
                return Some(chosen);
            }
            continue;
        }
        batch.clear();
        graph.successors_by(row, &zone, &path[level + 1].0, &mut batch).ok()?;
        chosen.push(zone);
        levels.push(fitting(&batch, &path[level + 1]));
    }
}

/// The zones of a batch that belong to a step of a path.
fn fitting(batch: &explore::batch::Batch<i64>, step: &Move) -> Vec<Vec<i64>> {
    let fits = |i: &usize| batch.edges(*i) == step.0 && batch.row(*i) == step.1;
    (0..batch.len()).rev().filter(fits).map(|i| batch.zone(i).to_vec()).collect()
}

/// The parts of the zones from which the rest of the path is possible, delays included.
pub(crate) fn carry_back(
    graph: &mut ZoneGraph<'_, i64>,
    path: &[Move],
    mut zones: Vec<Vec<i64>>,
) -> Option<Vec<Vec<i64>>> {
    let dim = graph.dim();
    for i in (1..zones.len()).rev() {
        let mut after = zones[i].clone();
        if graph.delays(&path[i].1).ok()? {
            zone::past(&mut after, dim);
        }
        zones[i - 1] = graph.before(&path[i - 1].1, &path[i].0, &zones[i - 1], &after).ok()??;
    }
    Some(zones)
}

/// A run through the parts.
fn choose(
    system: &System,
    path: &[Move],
    parts: &[Vec<i64>],
    goal: Option<&Formula>,
    spacing: Spacing,
) -> Option<Vec<Visit>> {
    let dim = system.clocks.len();
    let mut run = Execution::new(system).ok()?;
    for (i, part) in parts.iter().enumerate() {
        let place = Place { spacing, before: i, all: parts.len() };
        run.wait(delay_into(part, dim, &run.state().clocks, place)?).ok()?;
        let Some((edges, _)) = path.get(i + 1) else { break };
        run.take(edges).ok()?;
    }
    run.end(goal).ok()
}

/// The simplest delay that leads from a valuation into a zone, if one does; differences of clocks
/// must fit already. Where no whole number will do, its place among the delays says how simple it
/// may be.
pub(crate) fn delay_into(zone: &[i64], dim: usize, clocks: &[Ratio], place: Place) -> Option<Ratio> {
    let (mut low, mut low_open) = (Ratio::ZERO, false);
    let mut high: Option<(Ratio, bool)> = None;
    for x in 1..dim {
        let bound = zone[x];
        if bound != i64::INFINITY {
            let least = Ratio::from(-zone::value(bound)).minus(clocks[x])?;
            if least > low || least == low && zone::is_strict(bound) {
                (low, low_open) = (least, zone::is_strict(bound));
            }
        }
        let bound = zone[x * dim];
        if bound != i64::INFINITY {
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
        Some((h, open)) if whole > h || whole == h && open => place.between(low, h),
        _ => Some(whole),
    }
}
