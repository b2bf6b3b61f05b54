//! The transitions of a path through local zones in the order of a run.
//!
//! The unknowns are the times of the transitions and of the end of the run. All that constrains
//! them are differences: guards and invariants compare the time of a transition with the time at
//! which a clock was set. A solution is found as the lengths of shortest paths. Strict bounds are
//! kept apart by a small number, whose multiple is the second part of a length.

use model::{machine::ClockChange, system::ProcessId};
use zone::Bound;

use super::{Event, agents::Agents};
use crate::graph::{DifferenceBound, ZoneGraph};

/// A time, or an upper bound on a difference of two: a number, and a multiple of something small.
type Length = (i64, i64);

/// `left - right` is at most `length`, where both are numbers of transitions.
#[derive(Clone, Copy)]
struct TimeDifference {
    left: usize,
    right: usize,
    length: Length,
}

/// What is known about the times of a path's transitions. Number 0 is the start, and the last is
/// the end of the run.
pub(super) struct Events {
    end: usize,
    /// For each clock, the transition that has set it, and its value then.
    set: Vec<(usize, i64)>,
    differences: Vec<TimeDifference>,
}

/// The time since which a process is at its location, and what holds there.
struct Stay<B> {
    since: usize,
    stands: bool,
    invariant: Vec<DifferenceBound<B>>,
}

impl Events {
    /// Finds the constraints of a path. `None`: a transition of it can't be taken.
    pub(super) fn new<B: Bound>(graph: &mut ZoneGraph<'_, B>, agents: &Agents, path: &[Event<B>]) -> Option<Events> {
        let system = graph.system();
        let set = system.clocks.iter().map(|clock| (0, clock.initial.into())).collect();
        let mut found = Events { end: path.len(), set, differences: Vec::new() };
        let stay = || Stay { since: 0, stands: false, invariant: Vec::new() };
        let mut stays: Vec<Stay<B>> = (0..agents.count).map(|_| stay()).collect();
        let mut taking: Vec<u32> = (0..agents.count as u32).collect();
        for (at, event) in path.iter().enumerate() {
            let effect = match at.checked_sub(1) {
                None => graph.initial_effect(),
                Some(before) => graph.effect_of(&path[before].row, &event.edges),
            };
            let parts = graph.parts(effect.ok()??);
            if at > 0 {
                agents.of(&event.edges, &mut taking);
            }
            for &agent in &taking {
                found.leave(&stays[agent as usize], at);
            }
            parts.guards.iter().for_each(|guard| found.bound(*guard, at));
            for change in parts.changes {
                if let ClockChange::Set { clock, value } = *change {
                    found.set[clock as usize] = (at, value.into());
                }
            }
            for &agent in &taking {
                let is_process = agent < agents.processes;
                let own = |limit: &&DifferenceBound<B>| agents.owner(limit.left.max(limit.right)) == agent as usize;
                let invariant: Vec<_> = parts.limits.iter().filter(|_| is_process).filter(own).copied().collect();
                invariant.iter().for_each(|limit| found.bound(*limit, at));
                let stands = is_process && graph.stands(&event.row, ProcessId(agent));
                stays[agent as usize] = Stay { since: at, stands, invariant };
            }
        }
        stays.iter().for_each(|stay| found.leave(stay, path.len()));
        Some(found)
    }

    /// A process leaves its location.
    fn leave<B: Bound>(&mut self, stay: &Stay<B>, at: usize) {
        self.differences.push(TimeDifference { left: stay.since, right: at, length: (0, 0) });
        if stay.stands {
            self.differences.push(TimeDifference { left: at, right: stay.since, length: (0, 0) });
        }
        stay.invariant.iter().for_each(|limit| self.bound(*limit, at));
    }

    /// A clock, or the difference of two, is within a bound at the time of a transition.
    fn bound<B: Bound>(&mut self, limit: DifferenceBound<B>, at: usize) {
        if limit.bound >= B::INFINITY {
            return;
        }
        // The value of a clock is the time less that at which it was 0.
        let zero = |clock: u32| if clock == 0 { (at, 0) } else { self.set[clock as usize] };
        let ((left, above), (right, below)) = (zero(limit.left), zero(limit.right));
        let value: i64 = zone::value(limit.bound).into();
        let length = (value - above + below, -i64::from(zone::is_strict(limit.bound)));
        self.differences.push(TimeDifference { left: right, right: left, length });
    }

    /// Returns the numbers of the transitions in the order of a run that ends in a zone.
    pub(super) fn order<B: Bound>(mut self, end: &[B], signal: impl Fn() -> bool) -> Option<Vec<usize>> {
        let dim = self.set.len();
        for (i, bound) in end.iter().enumerate().filter(|(i, _)| i % (dim + 1) != 0) {
            let limit = DifferenceBound { left: (i / dim) as u32, right: (i % dim) as u32, bound: *bound };
            self.bound(limit, self.end);
        }
        let times = self.solve(signal)?;
        let mut order: Vec<usize> = (1..self.end).collect();
        // Transitions of one agent keep their order, since the sort is stable.
        order.sort_by_key(|i| times[*i]);
        Some(order)
    }

    /// Returns times that satisfy all constraints. Paths are mostly in the order of time, so that
    /// passes forwards and backwards settle most of them at once.
    fn solve(&mut self, signal: impl Fn() -> bool) -> Option<Vec<Length>> {
        let mut times = vec![(0, 0); self.end + 1];
        self.differences.sort_by_key(|d| d.left);
        for pass in 0..=self.end + 1 {
            if signal() {
                return None;
            }
            let mut changes = false;
            let mut relax = |d: &TimeDifference| {
                let (number, small): Length = times[d.right];
                let limit = (number.saturating_add(d.length.0), small + d.length.1);
                if limit < times[d.left] {
                    times[d.left] = limit;
                    changes = true;
                }
            };
            if pass % 2 == 0 {
                self.differences.iter().rev().for_each(&mut relax);
            } else {
                self.differences.iter().for_each(&mut relax);
            }
            if !changes {
                return Some(times);
            }
        }
        None
    }
}
