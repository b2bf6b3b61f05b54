//! Sets of markings, and what firings lead into them.

use model::net::{Arc, Net, Transition};

use super::super::is_instant;

/// A literal: a place has a token, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceLiteral {
    /// The place.
    pub place: u32,
    /// Whether it has a token.
    pub marked: bool,
}

impl PlaceLiteral {
    /// Returns the negation.
    #[must_use]
    pub fn negated(self) -> PlaceLiteral {
        PlaceLiteral { marked: !self.marked, ..self }
    }
}

/// The markings in which all literals hold, sorted.
pub(super) type MarkingCube = Vec<PlaceLiteral>;

/// Returns the term "a place has a token" as a literal.
pub(super) fn literal(place: u32, marked: bool) -> PlaceLiteral {
    PlaceLiteral { place, marked }
}

/// Returns whether every marking of `cube` is in `other`.
pub(super) fn is_subsumed(cube: &[PlaceLiteral], other: &[PlaceLiteral]) -> bool {
    other.iter().all(|literal| cube.binary_search(literal).is_ok())
}

/// Sorts literals. Returns `None` if they are contradictory.
pub(super) fn normal(mut literals: Vec<PlaceLiteral>) -> Option<MarkingCube> {
    literals.sort_unstable();
    literals.dedup();
    (!literals.windows(2).any(|pair| pair[0].place == pair[1].place)).then_some(literals)
}

/// The effect of firings, whatever the time is.
pub(super) struct Firings<'n> {
    pub net: &'n Net,
    /// The transitions after which a literal may hold that did not hold before, by place: those
    /// that put a token, and those that take one.
    puts: Vec<Vec<u32>>,
    takes: Vec<Vec<u32>>,
}

impl<'n> Firings<'n> {
    pub(super) fn new(net: &'n Net) -> Firings<'n> {
        let (mut puts, mut takes) = (vec![Vec::new(); net.places.len()], vec![Vec::new(); net.places.len()]);
        for (number, t) in (0..).zip(&net.transitions) {
            lacking(&t.puts, &t.takes).for_each(|place| puts[place as usize].push(number));
            lacking(&t.takes, &t.puts).for_each(|place| takes[place as usize].push(number));
        }
        Firings { net, puts, takes }
    }

    /// Returns the literals that hold where a transition fires. A token that is not available yet
    /// does not inhibit.
    pub(super) fn enabled(&self, t: &Transition) -> Vec<PlaceLiteral> {
        let needs = t.takes.iter().chain(&t.tests).map(|arc| literal(arc.place, true));
        let hinders = t.inhibitors.iter().filter(|arc| is_instant(self.net, arc.place as usize));
        needs.chain(hinders.map(|arc| literal(arc.place, false))).collect()
    }

    /// Returns the transitions that lead into a cube from outside of it, if from anywhere.
    pub(super) fn leading_into(&self, cube: &[PlaceLiteral]) -> Vec<u32> {
        let by = |l: &PlaceLiteral| if l.marked { &self.puts[l.place as usize] } else { &self.takes[l.place as usize] };
        let mut all: Vec<u32> = cube.iter().flat_map(by).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the markings from which a transition leads into a cube. No token is put on a marked
    /// place.
    pub(super) fn before(&self, t: u32, cube: &[PlaceLiteral]) -> Option<MarkingCube> {
        let t = &self.net.transitions[t as usize];
        let mut all = self.enabled(t);
        all.extend(lacking(&t.puts, &t.takes).map(|place| literal(place, false)));
        for l in cube {
            match after(t, l.place) {
                Some(marked) if marked != l.marked => return None,
                Some(_) => {}
                None => all.push(*l),
            }
        }
        normal(all)
    }

    /// Returns the literals that would keep a transition from leading into a cube.
    pub(super) fn hinders(&self, t: u32, l: PlaceLiteral) -> bool {
        let t = &self.net.transitions[t as usize];
        match after(t, l.place) {
            Some(marked) => marked != l.marked,
            None => self.enabled(t).contains(&l.negated()),
        }
    }
}

/// Returns whether a place has a token after a firing; `None` if that does not change.
fn after(t: &Transition, place: u32) -> Option<bool> {
    let has = |arcs: &[Arc]| arcs.binary_search_by_key(&place, |arc| arc.place).is_ok();
    if has(&t.puts) {
        Some(true)
    } else if has(&t.takes) {
        Some(false)
    } else {
        None
    }
}

/// Returns the places of a list of arcs that another list lacks.
pub(super) fn lacking<'a>(arcs: &'a [Arc], other: &'a [Arc]) -> impl Iterator<Item = u32> + 'a {
    let has = |arc: &&Arc| other.binary_search_by_key(&arc.place, |arc| arc.place).is_err();
    arcs.iter().filter(has).map(|arc| arc.place)
}
