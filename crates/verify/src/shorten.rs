//! Short traces without the price of a shortest one.
//!
//! A directed search finds some way to the goal. Two small searches then look for a shorter one:
//! breadth-first among the discrete states that the first search has seen, and weighted A* with a
//! limit.

use std::collections::HashSet;

use explore::{
    open::{Arrival, Fifo, OpenList},
    search::{Counts, Limits, Observer},
    store::NodeId,
    tally::Phase,
};
use model::{Formula, System};
use zone::Bound;

use crate::{
    Answer, Guidance, Heuristic, Order, Plan, Verdict, Wanted,
    reach::{Reached, reach, reach_by},
};

/// So many states are stored at most by a search for a shorter way.
const STATES: usize = 1 << 16;
/// How much the heuristic counts in it.
const WEIGHT: u32 = 5;

/// Searches for a state of the goal, whose finding means `found`, by a short way.
pub fn reach_short<B: Bound>(
    system: &System,
    goal: &Formula,
    found: &Verdict,
    plan: &Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Reached<B>) {
    let order = if plan.order.is_directed() { plan.order } else { Order::Auto };
    let first = Plan { wanted: Wanted::Some, order, ..plan.clone() };
    let (mut best, reached) = reach(system, goal, found.clone(), &first, limits, observer);
    if best.verdict != *found || best.trace.is_none() {
        return (best, reached);
    }
    let length = |answer: &Answer| answer.trace.as_ref().map_or(usize::MAX, |trace| trace.steps.len());
    let few = Limits { states: Some(limits.states.map_or(STATES, |most| most.min(STATES))), ..*limits };
    let mut stored = best.counts.stored;
    let mut try_one = |answer: Answer| {
        stored = stored.max(answer.counts.stored);
        if answer.verdict == *found && length(&answer) < length(&best) {
            best = answer;
        }
    };
    let seen: HashSet<Vec<i32>> = rows(&reached);
    observer.enter(Phase::Shorten);
    let shortest = Plan { wanted: Wanted::Shortest, passing: None, ..first.clone() };
    let mut near = Within { inner: Fifo::default(), seen };
    try_one(reach_by::<B>(system, goal, found.clone(), &shortest, &mut near, &few, observer).0);
    let heuristics = Heuristic::named("hff").into_iter().collect();
    let guidance = Guidance { heuristics, weight: WEIGHT, ..Guidance::default() };
    let weighted = Plan { order: Order::Astar, passing: None, guidance, ..first };
    try_one(reach::<B>(system, goal, found.clone(), &weighted, &few, observer).0);
    let counts = Counts { stored, ..best.counts };
    (Answer { counts, plan: plan.clone(), ..best }, reached)
}

/// The discrete states that a search has seen.
fn rows<B: Bound>(reached: &Reached<B>) -> HashSet<Vec<i32>> {
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    let mut rows = HashSet::new();
    for node in reached.store.nodes() {
        reached.store.get(node, &mut row, &mut zone);
        rows.insert(row.clone());
    }
    rows
}

/// Only states whose discrete part was seen before.
struct Within {
    inner: Fifo,
    seen: HashSet<Vec<i32>>,
}

impl<B: Bound> OpenList<B> for Within {
    fn push(&mut self, state: &Arrival<'_, B>) {
        if self.seen.contains(state.row) {
            self.inner.push(state);
        }
    }
    fn pop(&mut self) -> Option<NodeId> {
        OpenList::<B>::pop(&mut self.inner)
    }
    fn len(&self) -> usize {
        OpenList::<B>::len(&self.inner)
    }
    fn bytes(&self) -> usize {
        OpenList::<B>::bytes(&self.inner)
    }
}
