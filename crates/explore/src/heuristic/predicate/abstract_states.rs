//! Abstract states, and which of them a state is in.
//!
//! An abstract state says where some processes are, and which predicates hold or don't: a set of
//! *literals*. It holds all states in which all of its literals may be true, and so it is looked up
//! by the set of those that may be: it must be a part of that. Abstract states that agree about
//! processes are kept together; within these groups it takes a few instructions to look at one, and
//! the nearest come first.

use std::collections::HashMap;

/// A process may be anywhere.
pub const ANYWHERE: u16 = u16::MAX;

/// A set of literals about predicates: predicate `i` holds (`2i`), or does not (`2i + 1`).
pub type Literals = Box<[u64]>;

/// Whether all of a set are in another one.
pub fn is_part(some: &[u64], all: &[u64]) -> bool {
    some.iter().zip(all).all(|(a, b)| a & !b == 0)
}

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbstractState {
    /// Where each process of the part is.
    pub places: Box<[u16]>,
    /// What holds, and what does not.
    pub literals: Literals,
}

/// Whether processes are where a pattern wants them.
fn agrees(pattern: &[u16], places: &[u16]) -> bool {
    pattern.iter().zip(places).all(|(pattern, place)| *pattern == ANYWHERE || pattern == place)
}

/// The way on from a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbstractSuccessor {
    /// By this step.
    pub step: u32,
    /// To this cell.
    pub cell: u32,
}

/// Cells with their distances from the goal.
#[derive(Default)]
pub struct AbstractStates {
    /// The cells.
    pub all: Vec<AbstractState>,
    /// How far it is from each to the goal.
    pub distances: Vec<u32>,
    /// How each goes on; none: it is one of the goal.
    pub next: Vec<Option<AbstractSuccessor>>,
    /// The cells that agree about processes.
    groups: Vec<Vec<u32>>,
    patterns: Vec<Box<[u16]>>,
    by_pattern: HashMap<Box<[u16]>, u32>,
    /// The groups whose pattern some places agree with, as of a number of groups.
    agreeing: HashMap<Box<[u16]>, (usize, Vec<u32>)>,
}

impl AbstractStates {
    /// The groups that hold some places.
    fn groups_of(&mut self, places: &[u16]) -> &[u32] {
        if !self.agreeing.contains_key(places) {
            self.agreeing.insert(places.into(), (0, Vec::new()));
        }
        let count = self.patterns.len();
        // It was made a moment ago, if it was not there.
        let Some((seen, groups)) = self.agreeing.get_mut(places) else { return &[] };
        groups.extend((*seen..count).filter(|g| agrees(&self.patterns[*g], places)).map(|g| g as u32));
        *seen = count;
        groups
    }

    /// Adds a cell, unless one that is as near covers it. Adds to `work` how many were looked at.
    pub fn insert(
        &mut self,
        cell: AbstractState,
        distance: u32,
        next: Option<AbstractSuccessor>,
        work: &mut u64,
    ) -> Option<u32> {
        let holding: Vec<u32> = self.groups_of(&cell.places).to_vec();
        for group in holding {
            let members = &self.groups[group as usize];
            *work += 1 + members.len() as u64;
            let covers = |i: &u32| {
                self.distances[*i as usize] <= distance && is_part(&self.all[*i as usize].literals, &cell.literals)
            };
            if members.iter().any(covers) {
                return None;
            }
        }
        let number = self.all.len() as u32;
        let group = *self.by_pattern.entry(cell.places.clone()).or_insert_with(|| {
            self.patterns.push(cell.places.clone());
            self.groups.push(Vec::new());
            self.groups.len() as u32 - 1
        });
        self.groups[group as usize].push(number);
        self.all.push(cell);
        self.distances.push(distance);
        self.next.push(next);
        Some(number)
    }

    /// The nearest cell that holds a state: where its processes are, and which literals may be
    /// true.
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
