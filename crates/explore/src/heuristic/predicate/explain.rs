//! Explains why an abstract path to the goal is spurious, by predicates that exclude it.
//!
//! A path is executed forwards on concrete values and zones. If a comparison of integers fails, its
//! weakest preconditions along the path, back to where they are contradicted, are the predicates.
//! If an equality is split into inequalities before, they are interpolants of linear inequalities,
//! as those of the paper. If clock constraints fail, a negative cycle among the bounds on the times
//! of the steps is the reason; the contribution of the steps after a moment bounds differences of
//! clocks at that moment (a sequence of interpolants). In both cases these predicates exclude the
//! path in the backward abstraction.

use model::{code::Cmp, symbolic::Atom};

use super::{
    super::abstraction::{
        cycle::{DifferenceEdge, negative_cycle},
        steps::{AbstractSteps, AbstractTarget, Reset},
        subnetwork::Difference,
    },
    predicates::{Precondition, Predicates, before},
};

/// The predicates that exclude a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons {
    /// Comparisons of integers.
    pub atoms: Vec<Atom>,
    /// Differences of clocks.
    pub clocks: Vec<Difference>,
    /// Processes whose locations matter.
    pub processes: Vec<u32>,
}

impl Reasons {
    /// Adds its predicates to others. Returns whether one is new.
    pub(super) fn add_to(self, predicates: &mut Predicates, steps: &mut AbstractSteps<'_>) -> bool {
        let mut is_new = false;
        for atom in self.atoms {
            is_new |= predicates.add_atom(steps, atom);
        }
        for difference in self.clocks {
            is_new |= predicates.add_difference(difference);
        }
        for process in self.processes {
            is_new |= predicates.locate(process);
        }
        is_new
    }

    fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.clocks.is_empty() && self.processes.is_empty()
    }
}

/// What counts as a failure along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explanation {
    /// A linear inequality, as in the paper: the one that fails, also of an equality. If none
    /// fails, the times of the steps are to blame.
    Inequality,
    /// The first condition on integers, as it is written, or the times of the steps up to it. That
    /// excludes more paths at once.
    Condition,
}

/// Returns reasons why a sequence of steps does not lead from the initial state to a target, any of
/// which excludes it; empty: it does. Of comparisons that fail, those count that regression from
/// the target finds contradicted first, as in the paper.
pub(super) fn explain(
    steps: &mut AbstractSteps<'_>,
    path: &[u32],
    target: &AbstractTarget,
    how: Explanation,
) -> Vec<Reasons> {
    let failing = failing(steps, path, target, how);
    let (mut chains, end) = match how {
        Explanation::Inequality => {
            let all = failing.into_iter().map(|(moment, atom)| chain(steps, &path[..moment], atom)).collect();
            (all, None)
        }
        Explanation::Condition => {
            let first = failing.first().copied();
            let chain = first.map(|(moment, atom)| chain(steps, &path[..moment], atom));
            (chain.into_iter().collect::<Vec<_>>(), first.map(|(moment, _)| moment))
        }
    };
    if chains.is_empty() || how == Explanation::Condition {
        let times = PathTiming::new(steps, path, target, end).reasons();
        if let Some(times) = times.filter(|reasons| !reasons.is_empty()) {
            return vec![times];
        }
    }
    let first = chains.iter().map(|chain| chain.start).max();
    chains.retain(|chain| Some(chain.start) == first);
    chains.into_iter().map(|FailureChain { atoms, .. }| Reasons { atoms, ..Reasons::default() }).collect()
}

/// A comparison that fails, with its preconditions along a path.
struct FailureChain {
    /// The moment of the earliest precondition.
    start: usize,
    atoms: Vec<Atom>,
}

/// Returns the comparisons that do not hold along a path, each with the moment before whose step it
/// should.
fn failing(steps: &AbstractSteps<'_>, path: &[u32], target: &AbstractTarget, how: Explanation) -> Vec<(usize, Atom)> {
    let mut walk = PathValues::new(steps);
    let mut all = Vec::new();
    for (i, number) in path.iter().enumerate() {
        all.extend(walk.failing(&steps.steps[*number as usize].conditions, steps, how).map(|atom| (i, atom)));
        walk.step(steps, *number);
    }
    all.extend(walk.failing(&target.conditions, steps, how).map(|atom| (path.len(), atom)));
    all
}

/// Returns the preconditions of a comparison along a sequence of steps.
fn chain(steps: &mut AbstractSteps<'_>, path: &[u32], atom: Atom) -> FailureChain {
    let processes = steps.system.processes.len() as u32;
    let mut atoms = vec![atom];
    let mut last = atom;
    for (moment, number) in path.iter().enumerate().rev() {
        match before(&mut steps.terms, &steps.steps[*number as usize], processes, last) {
            Precondition::Atom(earlier) => {
                last = earlier;
                if !atoms.contains(&earlier) {
                    atoms.push(earlier);
                }
            }
            Precondition::Known(_) | Precondition::Unknown => return FailureChain { start: moment + 1, atoms },
        }
    }
    FailureChain { start: 0, atoms }
}

/// The values of integers along a path; `None`: unknown.
struct PathValues {
    row: Vec<Option<i32>>,
}

impl PathValues {
    fn new(steps: &AbstractSteps<'_>) -> PathValues {
        let known = steps.system.initial.iter().zip(&steps.subnetwork.slots);
        PathValues { row: known.map(|(value, kept)| kept.then_some(*value)).collect() }
    }

    fn value(&self, steps: &AbstractSteps<'_>, term: model::symbolic::TermId) -> Option<i32> {
        let support = steps.terms.support(term)?;
        if support.iter().any(|var| self.row[*var as usize].is_none()) {
            return None;
        }
        steps.terms.value(term, &|var| self.row[var as usize].unwrap_or(0))
    }

    /// Returns the comparisons that do not hold.
    fn failing(&self, atoms: &[Atom], steps: &AbstractSteps<'_>, how: Explanation) -> impl Iterator<Item = Atom> {
        let fails = move |atom: &Atom| {
            let (left, right) = (self.value(steps, atom.left)?, self.value(steps, atom.right)?);
            let cmp = match (how, atom.cmp) {
                (Explanation::Inequality, Cmp::Eq) if left < right => Cmp::Ge,
                (Explanation::Inequality, Cmp::Eq) => Cmp::Le,
                (_, cmp) => cmp,
            };
            (!cmp.holds(left, right)).then_some(Atom { cmp, ..*atom })
        };
        atoms.iter().filter_map(fails)
    }

    fn step(&mut self, steps: &AbstractSteps<'_>, number: u32) {
        let step = &steps.steps[number as usize];
        let values: Vec<Option<i32>> =
            step.writes.iter().map(|(_, term)| term.and_then(|term| self.value(steps, term))).collect();
        for ((slot, _), value) in step.writes.iter().zip(values) {
            self.row[*slot as usize] = value;
        }
        for moved in &step.moves {
            self.row[moved.process as usize] = moved.locations.map(|(_, target)| target as i32);
        }
    }
}

/// The last reset of a clock: its time point and value. `None`: unknown.
type ClockSetting = Option<(u32, i32)>;

/// A bound on the difference of two time points.
struct TimeBound {
    from: u32,
    to: u32,
    bound: i32,
    /// It belongs to the steps after the moments with smaller numbers.
    position: usize,
    /// The clocks by which its ends are known, unless they are the present.
    clock_from: Option<u32>,
    clock_to: Option<u32>,
    /// The process because of whose location it holds.
    process: Option<u32>,
}

/// The times at which the steps of a path are taken. Point 0 is the start, point `i + 1` is the
/// time of step `i`, and the last point is the time at which the goal holds. Moment `i` is before
/// step `i`.
struct PathTiming {
    limits: Vec<TimeBound>,
    /// For each moment the last resets of clocks.
    sets: Vec<Vec<ClockSetting>>,
    points: usize,
}

impl PathTiming {
    /// Collects the bounds along a path, up to the step before which an integer comparison fails.
    fn new(steps: &AbstractSteps<'_>, path: &[u32], target: &AbstractTarget, end: Option<usize>) -> PathTiming {
        let count = end.unwrap_or(path.len());
        let initial = |clock: &u32| match Reset::at_start(steps.system, *clock) {
            Reset::To(value) => Some((0, value)),
            Reset::Any => None,
        };
        let mut sets: Vec<ClockSetting> = steps.subnetwork.clocks.iter().map(initial).collect();
        let mut times = PathTiming { limits: Vec::new(), sets: Vec::new(), points: count + 2 };
        let mut places: Vec<Option<u32>> = (0..steps.system.processes.len())
            .map(|p| steps.subnetwork.processes[p].then_some(steps.system.initial[p] as u32))
            .collect();
        for i in 0..=count {
            let (now, next) = (i as u32, i as u32 + 1);
            // Moment i is between point i, at which step i - 1 is taken, and point i + 1, at which
            // step i is taken.
            times.sets.push(sets.clone());
            times.order(now, next, i, None);
            for (process, place) in (0..).zip(&places).filter_map(|(p, place)| place.map(|place| (p, place))) {
                let place = steps.place(process, place);
                times.add_all(&place.invariant, &sets, now, i, Some(process));
                times.add_all(&place.invariant, &sets, next, i + 1, Some(process));
                if place.is_urgent {
                    times.order(next, now, i, Some(process));
                }
            }
            let Some(number) = path.get(i).filter(|_| i < count) else { break };
            let step = &steps.steps[*number as usize];
            times.add_all(&step.guard, &sets, next, i + 1, None);
            for (clock, reset) in &step.resets {
                sets[*clock as usize] = match reset {
                    Reset::To(value) => Some((next, *value)),
                    Reset::Any => None,
                };
            }
            for moved in &step.moves {
                places[moved.process as usize] = moved.locations.map(|(_, target)| target);
            }
        }
        if end.is_none() {
            let last = times.sets.last().cloned().unwrap_or_default();
            times.add_all(&target.clocks, &last, count as u32 + 1, count + 1, None);
        }
        times
    }

    /// Adds that one time point is not after another one.
    fn order(&mut self, first: u32, second: u32, position: usize, process: Option<u32>) {
        let (from, to, bound) = (second, first, zone::le(0));
        self.limits.push(TimeBound { from, to, bound, position, clock_from: None, clock_to: None, process });
    }

    /// Adds bounds on time points from differences of clocks at one of them.
    fn add_all(
        &mut self,
        differences: &[Difference],
        sets: &[ClockSetting],
        at: u32,
        position: usize,
        process: Option<u32>,
    ) {
        for d in differences {
            // A clock is the time since its reset plus the value of the reset.
            let seen = |clock: u32| match clock {
                0 => Some(None),
                clock => sets[clock as usize].map(|set| Some((clock, set))),
            };
            let (Some(left), Some(right)) = (seen(d.left), seen(d.right)) else { continue };
            let value = |seen: Option<(u32, (u32, i32))>| seen.map_or(0, |(_, (_, value))| value);
            let bound = zone::add(d.bound, zone::le(value(right) - value(left)));
            let ((from, clock_from), (to, clock_to)) = match (left, right) {
                (Some(left), Some(right)) => ((left.1.0, Some(left.0)), (right.1.0, Some(right.0))),
                (Some(left), None) => ((left.1.0, Some(left.0)), (at, None)),
                (None, Some(right)) => ((at, None), (right.1.0, Some(right.0))),
                (None, None) => continue,
            };
            self.limits.push(TimeBound { from, to, bound, position, clock_from, clock_to, process });
        }
    }

    /// Returns the predicates that exclude the path; `None`: it is feasible.
    fn reasons(&self) -> Option<Reasons> {
        let edge = |(tag, limit): (usize, &TimeBound)| DifferenceEdge {
            left: limit.to,
            right: limit.from,
            bound: limit.bound,
            tag,
        };
        let edges: Vec<DifferenceEdge> = self.limits.iter().enumerate().map(edge).collect();
        // The cycle is reported against the direction of time.
        let cycle: Vec<&TimeBound> =
            negative_cycle(self.points, &edges)?.into_iter().rev().map(|tag| &self.limits[tag]).collect();
        let mut found = Vec::new();
        for moment in 0..self.sets.len() {
            for difference in self.runs(&cycle, moment) {
                if !found.contains(&difference) {
                    found.push(difference);
                }
            }
        }
        let mut processes: Vec<u32> = cycle.iter().filter_map(|limit| limit.process).collect();
        processes.sort_unstable();
        processes.dedup();
        Some(Reasons { atoms: Vec::new(), clocks: found, processes })
    }

    /// Returns the bounds on clocks at a moment that follow from sequences of later bounds in a
    /// cycle.
    fn runs(&self, cycle: &[&TimeBound], moment: usize) -> Vec<Difference> {
        let is_after = |limit: &TimeBound| limit.position > moment;
        // After the moment it is not known that two clocks were set at the same time.
        let breaks = |a: &TimeBound, b: &TimeBound| {
            !is_after(a) || !is_after(b) || a.to as usize <= moment && a.clock_to != b.clock_from
        };
        let at = |i: usize| cycle[i % cycle.len()];
        let Some(start) = (0..cycle.len()).find(|i| breaks(at(*i), at(i + 1))) else { return Vec::new() };
        let mut found = Vec::new();
        let mut run: Option<(Option<u32>, i32)> = None;
        for i in start + 1..=start + cycle.len() {
            let limit = at(i);
            if is_after(limit) {
                let (from, sum) = run.unwrap_or((self.seen(limit.from, limit.clock_from, moment), zone::le(0)));
                run = Some((from, zone::add(sum, limit.bound)));
            }
            if breaks(limit, at(i + 1))
                && let Some((from, sum)) = run.take()
            {
                found.extend(self.difference(from, self.seen(limit.to, limit.clock_to, moment), sum, moment));
            }
        }
        found
    }

    /// Returns the clock by which a time point is known at a moment; 0: it is the present or later.
    fn seen(&self, point: u32, clock: Option<u32>, moment: usize) -> Option<u32> {
        if point as usize > moment { Some(0) } else { clock }
    }

    /// Converts `to - from <= sum` on time points to a difference of clocks.
    fn difference(&self, from: Option<u32>, to: Option<u32>, sum: i32, moment: usize) -> Option<Difference> {
        let (from, to) = (from?, to?);
        let value = |clock: u32| {
            if clock == 0 { Some(0) } else { self.sets[moment][clock as usize].map(|(_, value)| value) }
        };
        // The reset of a clock is at the present, minus its value, plus the value of the reset.
        let bound = zone::add(sum, zone::le(value(from)? - value(to)?));
        (from != to).then_some(Difference { left: from, right: to, bound })
    }
}
