//! Lookup of states in the abstract state space of a subnetwork.

use std::collections::HashMap;

use model::{
    code::Cmp,
    symbolic::{Atom, Term},
};
use zone::Bound;

use super::{
    super::{
        Budget,
        abstraction::steps::{AbstractSteps, AbstractTarget, Reset},
    },
    Lookup, PredicateSettings,
    abstract_states::{ANYWHERE, AbstractState, AbstractSuccessor, Literals},
    predicates::Predicates,
    regress::{Regress, Space, has, processes, set},
    ubtree::UbTree,
};

/// A path of abstract states to the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AbstractErrorPath {
    /// Its steps.
    pub steps: Vec<u32>,
    /// The abstract state after each.
    pub states: Vec<u32>,
    /// The disjunct of the goal at its end.
    pub target: AbstractTarget,
}

/// The greatest number of arcs that are tried to find several paths.
const MAX_PATH_WORK: usize = 1 << 22;

/// A table of distances.
pub(crate) struct DistanceTable<'s> {
    /// The steps of the subnetwork.
    pub steps: AbstractSteps<'s>,
    /// The predicates.
    pub predicates: Predicates,
    /// The abstract states.
    pub space: Space,
    processes: Vec<u32>,
    /// Whether it has all processes.
    is_whole: bool,
    /// The abstract states as sets, if they are looked up so.
    tree: Option<UbTree>,
    /// Cached distances.
    known: HashMap<(Box<[u16]>, Literals), Option<u32>>,
    places: Vec<u16>,
    literals: Vec<u64>,
}

impl<'s> DistanceTable<'s> {
    /// Creates the table of some predicates.
    pub(crate) fn new(
        mut steps: AbstractSteps<'s>,
        predicates: Predicates,
        settings: &PredicateSettings,
        budget: &Budget<'_>,
    ) -> DistanceTable<'s> {
        let space = Regress::new(&mut steps, &predicates, settings).run(budget);
        let words = (2 * predicates.len()).div_ceil(64).max(1);
        let tree = (settings.lookup == Lookup::Tree).then(|| as_tree(&space, predicates.len()));
        DistanceTable {
            tree,
            processes: processes(&steps),
            is_whole: steps.subnetwork.processes.iter().all(|kept| *kept),
            places: Vec::new(),
            literals: vec![0; words],
            known: HashMap::new(),
            steps,
            predicates,
            space,
        }
    }

    /// Computes the locations of a state, and the literals that may be true.
    fn abstract_state(&mut self, row: &[i32], zone: &[i32]) {
        self.places.clear();
        self.places.extend(self.processes.iter().map(|process| row[*process as usize] as u16));
        self.literals.fill(0);
        let terms = &self.steps.terms;
        let of = |var: u32| row[var as usize];
        for (i, atom) in self.predicates.integers.iter().enumerate() {
            let Atom { cmp, left, right } = *atom;
            match (terms.value(left, &of), terms.value(right, &of)) {
                (Some(left), Some(right)) => set(&mut self.literals, 2 * i + usize::from(!cmp.holds(left, right))),
                _ => {
                    set(&mut self.literals, 2 * i);
                    set(&mut self.literals, 2 * i + 1);
                }
            }
        }
        let (all, clocks) = (self.steps.system.clocks.len(), &self.steps.subnetwork.clocks);
        let first = self.predicates.integers.len();
        // If other processes forbid delays, they may stop doing so.
        let own = |process: &u32| self.steps.place(*process, row[*process as usize] as u32);
        let waits = !self.is_whole && !self.processes.iter().any(|process| own(process).is_urgent);
        for (i, d) in self.predicates.clocks.iter().enumerate() {
            let (left, right) = (clocks[d.left as usize] as usize, clocks[d.right as usize] as usize);
            if zone::add(zone[right * all + left], d.bound) >= i32::LE_ZERO {
                set(&mut self.literals, 2 * (first + i));
            }
            if zone[left * all + right] > d.bound || waits && right == 0 {
                set(&mut self.literals, 2 * (first + i) + 1);
            }
        }
    }

    /// Returns the distance of a state; `None`: it is a dead end.
    pub(crate) fn distance(&mut self, row: &[i32], zone: &[i32]) -> Option<u32> {
        self.abstract_state(row, zone);
        if let Some(tree) = &self.tree {
            let literals = 2 * self.predicates.len() as u32;
            let has = |element: u32| match element.checked_sub(literals) {
                None => has(&self.literals, element as usize),
                Some(place) => self.places[(place / PLACES) as usize] == (place % PLACES) as u16,
            };
            return at_most(tree.nearest(has), self.space.floor);
        }
        let key = (self.places.clone().into_boxed_slice(), self.literals.clone().into_boxed_slice());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let state = self.space.states.nearest(&self.places, &self.literals);
        let found = state.map(|state| self.space.states.distances[state as usize]);
        let value = at_most(found, self.space.floor);
        self.known.insert(key, value);
        value
    }

    /// Returns the distance of the initial state.
    pub(crate) fn length(&mut self) -> Option<u32> {
        let (row, zone) = self.start();
        self.distance(&row, &zone)
    }

    /// Returns a shortest abstract path from the initial state.
    pub(crate) fn path(&mut self) -> Option<AbstractErrorPath> {
        let (row, zone) = self.start();
        self.abstract_state(&row, &zone);
        let mut state = self.space.states.nearest(&self.places, &self.literals)?;
        let mut successors = Vec::new();
        while let Some(next) = self.space.states.next[state as usize] {
            successors.push(next);
            state = next.state;
        }
        self.complete(&successors, state)
    }

    /// Returns up to `most` shortest abstract paths from the initial state, if the space has arcs.
    pub(crate) fn paths(&mut self, most: usize) -> Vec<AbstractErrorPath> {
        let mut found = Vec::new();
        let Some(first) = self.path() else { return found };
        // The distance is that of the first path, which has no steps that cost nothing but those
        // that the arcs have as well.
        let Some(length) = self.length() else { return found };
        let (row, zone) = self.start();
        self.abstract_state(&row, &zone);
        let start = AbstractState { places: self.places.clone().into(), literals: self.literals.clone().into() };
        let mut work = MAX_PATH_WORK;
        self.extend(&start, u32::MAX, length, &mut Vec::new(), &mut work, most, &mut found);
        if !found.contains(&first) {
            found.truncate(most - 1);
            found.insert(0, first);
        }
        found
    }

    /// Adds the shortest paths that begin with some steps, and continue from an abstract state.
    #[expect(clippy::too_many_arguments)]
    fn extend(
        &self,
        state: &AbstractState,
        number: u32,
        distance: u32,
        taken: &mut Vec<AbstractSuccessor>,
        work: &mut usize,
        most: usize,
        found: &mut Vec<AbstractErrorPath>,
    ) {
        if (number as usize) < self.space.targets.len() {
            found.extend(self.complete(taken, number));
            return;
        }
        for arc in self.space.arcs.get(distance as usize).into_iter().flatten() {
            *work = work.saturating_sub(1);
            if found.len() >= most || *work == 0 {
                return;
            }
            // Arcs lead to abstract states with smaller numbers, so that no path has a cycle.
            let next = arc.successor;
            if next.state < number && arc.source.contains(state) {
                taken.push(next);
                let distance = self.space.states.distances[next.state as usize];
                let state = &self.space.states.all[next.state as usize];
                self.extend(state, next.state, distance, taken, work, most, found);
                taken.pop();
            }
        }
    }

    /// Returns the path with some successors, the last of which is a goal state.
    fn complete(&self, successors: &[AbstractSuccessor], last: u32) -> Option<AbstractErrorPath> {
        let target = self.steps.targets[*self.space.targets.get(last as usize)?].clone();
        let steps = successors.iter().map(|next| next.step).collect();
        Some(AbstractErrorPath { steps, states: successors.iter().map(|next| next.state).collect(), target })
    }

    /// Returns what is known of the states of an abstract state, as a target.
    pub(crate) fn as_target(&mut self, state: u32) -> AbstractTarget {
        let AbstractState { places, literals } = self.space.states.all[state as usize].clone();
        let mut target = AbstractTarget::default();
        for (process, place) in self.processes.iter().zip(&places).filter(|(_, place)| **place != ANYWHERE) {
            let terms = &mut self.steps.terms;
            let left = terms.intern(Term::Var(*process));
            target.conditions.push(Atom { cmp: Cmp::Eq, left, right: terms.constant(i32::from(*place)) });
        }
        for (i, atom) in self.predicates.integers.iter().enumerate() {
            if has(&literals, 2 * i) {
                target.conditions.push(*atom);
            } else if has(&literals, 2 * i + 1) {
                target.conditions.push(Atom { cmp: atom.cmp.negate(), ..*atom });
            }
        }
        for (i, difference) in (self.predicates.integers.len()..).zip(&self.predicates.clocks) {
            if has(&literals, 2 * i) {
                target.clocks.push(*difference);
            } else if has(&literals, 2 * i + 1) {
                target.clocks.push(difference.negate());
            }
        }
        target
    }

    /// Returns the initial state after any delay, ignoring invariants.
    fn start(&self) -> (Vec<i32>, Vec<i32>) {
        let system = self.steps.system;
        let dim = system.clocks.len();
        let mut zone = vec![0; dim * dim];
        zone::zero(&mut zone, dim);
        for clock in 1..dim {
            match Reset::at_start(system, clock as u32) {
                Reset::To(value) => zone::reset(&mut zone, dim, clock, value),
                Reset::Any => zone::free(&mut zone, dim, clock),
            }
        }
        zone::delay(&mut zone, dim);
        (system.initial.clone(), zone)
    }
}

/// The number of elements of a process in a set: one for each location.
const PLACES: u32 = 1 << 16;

/// Returns abstract states as sets: of literals, and after these of locations.
fn as_tree(space: &Space, predicates: usize) -> UbTree {
    let mut tree = UbTree::default();
    for (state, distance) in space.states.all.iter().zip(&space.states.distances) {
        let literals = (0..2 * predicates).filter(|literal| has(&state.literals, *literal)).map(|i| i as u32);
        let places = state.places.iter().enumerate().filter(|(_, place)| **place != ANYWHERE);
        let places = places.map(|(i, place)| (2 * predicates) as u32 + i as u32 * PLACES + u32::from(*place));
        tree.insert(literals.chain(places), *distance);
    }
    tree
}

/// Returns a distance, but at most that of all states that were not found.
fn at_most(found: Option<u32>, floor: Option<u32>) -> Option<u32> {
    match (found, floor) {
        (Some(found), Some(floor)) => Some(found.min(floor)),
        (found, floor) => found.or(floor),
    }
}
