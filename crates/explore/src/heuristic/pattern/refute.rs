//! The clocks that make an abstract path infeasible.

use std::collections::BTreeMap;

use zone::{Bound, add, le};

use super::{
    super::abstraction::{
        cycle::{DifferenceEdge, negative_cycle},
        steps::Reset,
        subnetwork::Difference,
    },
    rows::{PatternRows, RowTransition},
};

/// Returns groups of clocks. Each one, together with the kept clocks, makes a path infeasible. If
/// there are none, the path is feasible.
///
/// Sets of clocks with equal granularity form a group; the coarsest comes first, since it has the
/// fewest zones.
pub(crate) fn refuting_clocks(rows: &PatternRows<'_>, path: &[RowTransition], kept: &[u32]) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for set in sets(rows, path, kept) {
        groups.entry(grain(rows, &[&set, kept].concat())).or_default().extend(set);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    for group in &mut groups {
        group.sort_unstable();
        group.dedup();
    }
    groups
}

/// Returns the granularity of clocks: the greatest constant that they are compared with, divided by
/// the greatest common divisor of all constants.
fn grain(rows: &PatternRows<'_>, clocks: &[u32]) -> u32 {
    let part = &rows.steps.subnetwork;
    let is_one = |clock: u32| clock != 0 && clocks.contains(&part.clocks[clock as usize]);
    let guards = rows.steps.steps.iter().flat_map(|step| &step.guard);
    let invariants = rows.steps.places.iter().flat_map(|place| &place.invariant);
    let targets = rows.steps.targets.iter().flat_map(|target| &target.clocks);
    let own = guards.chain(invariants).chain(targets).filter(|d| is_one(d.left) || is_one(d.right));
    let (mut max, mut unit) = (0, 0);
    for constant in own.map(|d| zone::value(d.bound).unsigned_abs()) {
        max = max.max(constant);
        let mut rest = constant;
        while rest > 0 {
            (unit, rest) = (rest, unit % rest);
        }
    }
    max / unit.max(1)
}

/// Returns sets of one or two clocks that suffice; else one larger set.
fn sets(rows: &PatternRows<'_>, path: &[RowTransition], kept: &[u32]) -> Vec<Vec<u32>> {
    let times = PathTimes::new(rows, path);
    let Some(all) = times.cycle(|_| true) else { return Vec::new() };
    let clocks = &rows.steps.subnetwork.clocks;
    let is_kept = |clock: u32| kept.contains(&clocks[clock as usize]);
    let others: Vec<u32> = (1..clocks.len() as u32).filter(|clock| !is_kept(*clock)).collect();
    let is_enough = |set: &[u32]| times.cycle(|clock| is_kept(clock) || set.contains(&clock)).is_some();
    let (alone, rest): (Vec<u32>, Vec<u32>) = others.iter().partition(|clock| is_enough(&[**clock]));
    let mut sets: Vec<Vec<u32>> = alone.iter().map(|clock| vec![*clock]).collect();
    for (at, one) in rest.iter().enumerate() {
        let pairs = rest[at + 1..].iter().map(|other| vec![*one, *other]);
        sets.extend(pairs.filter(|pair| is_enough(pair)));
    }
    if sets.is_empty() {
        sets.push(all.into_iter().filter(|clock| !is_kept(*clock)).collect());
    }
    sets.iter_mut().flatten().for_each(|clock| *clock = clocks[*clock as usize]);
    sets
}

/// The constraints of a path on the time points of its steps.
struct PathTimes {
    /// The number of time points: the start, the steps, the end, and then points at which clocks
    /// with unknown values would have been 0.
    points: u32,
    edges: Vec<DifferenceEdge>,
    /// The last reset of each clock: its time point and value.
    since: Vec<(u32, i32)>,
}

/// The tag of constraints without a clock.
const TIME: usize = 0;

impl PathTimes {
    fn new(rows: &PatternRows<'_>, path: &[RowTransition]) -> PathTimes {
        let mut times = PathTimes {
            points: path.len() as u32 + 2,
            edges: Vec::new(),
            since: vec![(0, 0); rows.steps.subnetwork.clocks.len()],
        };
        for (number, clock) in (0..).zip(&rows.steps.subnetwork.clocks).skip(1) {
            times.set(number, Reset::at_start(rows.steps.system, *clock), 0);
        }
        // The initial row is the first.
        let mut row = 0;
        times.add_delay(rows, row, 0);
        for (at, arc) in (1..).zip(path) {
            let step = &rows.steps.steps[arc.step as usize];
            times.add_bounds(&step.guard, at);
            step.resets.iter().for_each(|(clock, reset)| times.set(*clock, *reset, at));
            row = arc.to;
            times.add_delay(rows, row, at);
        }
        // With several disjuncts of the goal, none is required.
        let targets: Vec<usize> = rows.targets(row).collect();
        if let [target] = targets[..] {
            times.add_bounds(&rows.steps.targets[target].clocks, path.len() as u32 + 1);
        }
        times
    }

    fn set(&mut self, clock: u32, reset: Reset, at: u32) {
        self.since[clock as usize] = match reset {
            Reset::To(value) => (at, value),
            Reset::Any => {
                self.points += 1;
                self.edges.push(DifferenceEdge { left: self.points - 1, right: at, bound: i32::LE_ZERO, tag: TIME });
                (self.points - 1, 0)
            }
        };
    }

    /// Adds the constraints of a delay in a row from a time point to the next.
    fn add_delay(&mut self, rows: &PatternRows<'_>, row: u32, at: u32) {
        self.edges.push(DifferenceEdge { left: at, right: at + 1, bound: i32::LE_ZERO, tag: TIME });
        for place in rows.places(row).map(|place| &rows.steps.places[place]) {
            if place.is_urgent {
                self.edges.push(DifferenceEdge { left: at + 1, right: at, bound: i32::LE_ZERO, tag: TIME });
            }
            self.add_bounds(&place.invariant, at);
            self.add_bounds(&place.invariant, at + 1);
        }
    }

    fn add_bounds(&mut self, all: &[Difference], at: u32) {
        for d in all {
            let (clock, is_upper) = match (d.left, d.right) {
                (clock, 0) => (clock, true),
                (0, clock) => (clock, false),
                // Layers ignore differences of clocks.
                _ => continue,
            };
            let (since, value) = self.since[clock as usize];
            let edge = |left: u32, right: u32, bound: i32| DifferenceEdge { left, right, bound, tag: clock as usize };
            self.edges.push(if is_upper {
                edge(at, since, add(d.bound, le(-value)))
            } else {
                edge(since, at, add(d.bound, le(value)))
            });
        }
    }

    /// Returns the clocks along a negative cycle, if only some clocks count.
    fn cycle(&self, counts: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
        let edges = self.edges.iter().copied().filter(|edge| edge.tag == TIME || counts(edge.tag as u32));
        let edges: Vec<DifferenceEdge> = edges.collect();
        let tags = negative_cycle(self.points as usize, &edges)?;
        Some(tags.into_iter().filter(|tag| *tag != TIME).map(|tag| tag as u32).collect())
    }
}
