//! Abstract states, with an index by their literals.
//!
//! An abstract state fixes the locations of some processes, and the truth of some predicates by a
//! set of *literals*. It contains all states in which all of its literals may be true. So a lookup,
//! given the set of literals that may be true in a state, finds the abstract states whose literals
//! are a subset. Abstract states that agree about processes form a group; testing a member takes a
//! few instructions, and the nearest come first.

use std::collections::HashMap;

/// The location of a process is unknown.
pub const ANYWHERE: u16 = u16::MAX;

/// A set of literals: predicate `i` holds (`2i`) or does not hold (`2i + 1`).
pub(crate) type Literals = Box<[u64]>;

/// Returns whether a set is a subset of another.
pub fn is_part(some: &[u64], all: &[u64]) -> bool {
    some.iter().zip(all).all(|(a, b)| a & !b == 0)
}

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbstractState {
    /// The location of each process of the subnetwork.
    pub places: Box<[u16]>,
    /// The literals.
    pub literals: Literals,
}

impl AbstractState {
    /// Returns whether it contains all states of another one.
    #[must_use]
    pub fn contains(&self, other: &AbstractState) -> bool {
        agrees(&self.places, &other.places) && is_part(&self.literals, &other.literals)
    }
}

/// Returns whether locations match a pattern.
fn agrees(pattern: &[u16], places: &[u16]) -> bool {
    pattern.iter().zip(places).all(|(pattern, place)| *pattern == ANYWHERE || pattern == place)
}

/// The next step on a shortest path to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbstractSuccessor {
    /// The step.
    pub step: u32,
    /// Its target.
    pub state: u32,
}

/// Abstract states with their distances to the goal.
#[derive(Default)]
pub struct AbstractStates {
    /// The abstract states.
    pub all: Vec<AbstractState>,
    /// The distance of each to the goal.
    pub distances: Vec<u32>,
    /// The successor of each; `None`: it is a goal state.
    pub next: Vec<Option<AbstractSuccessor>>,
    /// The abstract states by the locations of processes.
    groups: Vec<Vec<u32>>,
    patterns: Vec<Box<[u16]>>,
    by_pattern: HashMap<Box<[u16]>, u32>,
    /// The groups whose patterns match some locations, among the first groups up to a number.
    agreeing: HashMap<Box<[u16]>, (usize, Vec<u32>)>,
}

impl AbstractStates {
    /// Returns the groups whose patterns match some locations.
    fn groups_of(&mut self, places: &[u16]) -> &[u32] {
        if !self.agreeing.contains_key(places) {
            self.agreeing.insert(places.into(), (0, Vec::new()));
        }
        let count = self.patterns.len();
        // It was inserted above.
        let Some((seen, groups)) = self.agreeing.get_mut(places) else { return &[] };
        groups.extend((*seen..count).filter(|g| agrees(&self.patterns[*g], places)).map(|g| g as u32));
        *seen = count;
        groups
    }

    /// Adds an abstract state, unless one that is at least as near covers it. Adds the number of
    /// tests to `work`.
    pub fn insert(
        &mut self,
        state: AbstractState,
        distance: u32,
        next: Option<AbstractSuccessor>,
        work: &mut u64,
    ) -> Option<u32> {
        let holding: Vec<u32> = self.groups_of(&state.places).to_vec();
        for group in holding {
            let members = &self.groups[group as usize];
            *work += 1 + members.len() as u64;
            let covers = |i: &u32| {
                self.distances[*i as usize] <= distance && is_part(&self.all[*i as usize].literals, &state.literals)
            };
            if members.iter().any(covers) {
                return None;
            }
        }
        let number = self.all.len() as u32;
        let group = *self.by_pattern.entry(state.places.clone()).or_insert_with(|| {
            self.patterns.push(state.places.clone());
            self.groups.push(Vec::new());
            self.groups.len() as u32 - 1
        });
        self.groups[group as usize].push(number);
        self.all.push(state);
        self.distances.push(distance);
        self.next.push(next);
        Some(number)
    }

    /// Returns the nearest abstract state that contains a state, given by its locations and the
    /// literals that may be true.
    pub fn nearest(&mut self, places: &[u16], literals: &[u64]) -> Option<u32> {
        let mut best: Option<u32> = None;
        let groups = self.groups_of(places).to_vec();
        for group in groups {
            for &i in &self.groups[group as usize] {
                let closer = best.is_none_or(|best| self.distances[i as usize] < self.distances[best as usize]);
                if closer && is_part(&self.all[i as usize].literals, literals) {
                    best = Some(i);
                }
            }
        }
        best
    }
}
