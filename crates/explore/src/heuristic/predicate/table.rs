//! Lookup of states in the abstract state space of a subnetwork.

use std::collections::HashMap;

use model::symbolic::Atom;
use zone::Bound;

use super::{
    super::{
        Budget,
        abstraction::steps::{AbstractSteps, AbstractTarget, Reset},
    },
    abstract_states::Literals,
    predicates::Predicates,
    regress::{Regress, Space, processes, set},
};

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
    /// Cached distances.
    known: HashMap<(Box<[u16]>, Literals), Option<u32>>,
    places: Vec<u16>,
    literals: Vec<u64>,
}

impl<'s> DistanceTable<'s> {
    /// Creates the table of some predicates. With `once`, steps that other processes initiate cost
    /// nothing.
    pub(crate) fn new(
        mut steps: AbstractSteps<'s>,
        predicates: Predicates,
        once: bool,
        budget: &Budget<'_>,
    ) -> DistanceTable<'s> {
        let space = Regress::new(&mut steps, &predicates, once).run(budget);
        let words = (2 * predicates.len()).div_ceil(64).max(1);
        DistanceTable {
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
        let key = (self.places.clone().into_boxed_slice(), self.literals.clone().into_boxed_slice());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let state = self.space.states.nearest(&self.places, &self.literals);
        let found = state.map(|state| self.space.states.distances[state as usize]);
        let value = match (found, self.space.floor) {
            (Some(found), Some(floor)) => Some(found.min(floor)),
            (found, floor) => found.or(floor),
        };
        self.known.insert(key, value);
        value
    }

    /// Returns the distance of the initial state.
    pub(crate) fn length(&mut self) -> Option<u32> {
        let (row, zone) = self.start();
        self.distance(&row, &zone)
    }

    /// Returns a shortest abstract path from the initial state, and the disjunct of the goal at its
    /// end.
    pub(crate) fn path(&mut self) -> Option<(Vec<u32>, AbstractTarget)> {
        let (row, zone) = self.start();
        self.abstract_state(&row, &zone);
        let mut state = self.space.states.nearest(&self.places, &self.literals)?;
        let mut path = Vec::new();
        while let Some(next) = self.space.states.next[state as usize] {
            path.push(next.step);
            state = next.state;
        }
        let target = self.space.targets.get(state as usize)?;
        Some((path, self.steps.targets[*target].clone()))
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
