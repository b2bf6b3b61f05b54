//! The sizes of the formulas of the paper, counted as in its tables.

use model::net::Net;
use rustc_hash::FxHashSet;
use smt::{Term, TermNode, Terms};

/// A counter of constraints: literals and equalities of Boolean variables, and constraints on
/// reals, with repetitions.
#[derive(Default)]
pub(super) struct Leaves {
    /// The number of constraints.
    pub(super) total: u64,
    /// Conjunctions that count as one constraint.
    ones: FxHashSet<Term>,
}

impl Leaves {
    pub(super) fn count_as_one(&mut self, t: Term) {
        self.ones.insert(t.positive());
    }

    pub(super) fn add(&mut self, terms: &Terms, t: Term) {
        self.total += self.count(terms, t);
    }

    /// Counts the constraints of a formula. Recursion is shallow: the formula of a step does not
    /// contain those of other steps.
    pub(super) fn count(&self, terms: &Terms, t: Term) -> u64 {
        match terms.node(t) {
            TermNode::And(range) if !self.ones.contains(&t.positive()) => {
                terms.parts(range).iter().map(|part| self.count(terms, *part)).sum()
            }
            TermNode::True => 0,
            _ => 1,
        }
    }
}

/// The numbers of variables and constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaSize {
    /// The number of Boolean and real variables.
    pub variables: u64,
    /// The number of constraints.
    pub constraints: u64,
}

/// The figures of a net that determine the sizes of its formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The number of places.
    pub places: u64,
    /// The number of transitions.
    pub transitions: u64,
    /// The sum over all transitions: the places that it changes, and again those that it puts
    /// tokens on.
    pub changes: u64,
    /// The sum over all transitions whose inputs all have a finite upper bound: twice the number of
    /// inputs and inhibitors.
    pub due: u64,
    /// The sum over all transitions: twice the number of inputs, and of inhibitors with an upper
    /// bound.
    pub possible: u64,
    /// The number of places with an upper bound.
    pub bounded: u64,
}

impl Figures {
    /// Returns the figures of a net.
    #[must_use]
    pub fn of(net: &Net) -> Figures {
        let is_bounded = |place: u32| net.places[place as usize].delay.high.is_some();
        let mut figures = Figures {
            places: net.places.len() as u64,
            transitions: net.transitions.len() as u64,
            changes: 0,
            due: 0,
            possible: 0,
            bounded: net.places.iter().filter(|p| p.delay.high.is_some()).count() as u64,
        };
        for t in &net.transitions {
            let only_taken = t.takes.iter().filter(|arc| !t.puts.iter().any(|put| put.place == arc.place)).count();
            figures.changes += (only_taken + 2 * t.puts.len()) as u64;
            let inputs = || t.takes.iter().chain(&t.tests);
            if inputs().all(|arc| is_bounded(arc.place)) {
                figures.due += 2 * (inputs().count() + t.inhibitors.len()) as u64;
            }
            let bounded = t.inhibitors.iter().filter(|arc| is_bounded(arc.place)).count();
            figures.possible += 2 * (inputs().count() + bounded) as u64;
        }
        figures
    }

    /// Returns the size of the formula without replacing, with the query for a deadlock: a closed
    /// form, since these formulas are too large to be made.
    #[must_use]
    pub fn unreplaced(&self, linear: bool, steps: u64) -> FormulaSize {
        let (p, t, k) = (self.places, self.transitions, steps);
        let (state, delays) = if linear { (2 * p, k) } else { (2 * p + 1, 0) };
        let variables = (k * (t + 1) + 1) * state + delays;
        // Ages grow or stay: two equations each.
        let elapse = 2 + self.due + if linear { 3 * p } else { 2 * p };
        let firings = t * state + self.possible + self.changes;
        let deadlock = self.due + p + self.bounded;
        FormulaSize { variables, constraints: 2 * p + k * (elapse + firings) + deadlock }
    }

    /// Returns the size if only unchanged variables are replaced, as in the paper: a closed form.
    #[must_use]
    pub fn replaced(&self, linear: bool, steps: u64) -> FormulaSize {
        let (p, k) = (self.places, steps);
        let each = if linear { 1 + p + self.changes } else { 1 + self.changes };
        let variables = 2 * p + u64::from(!linear) + k * each;
        // Each replaced variable removes one equality.
        let before = self.unreplaced(linear, steps);
        FormulaSize { variables, constraints: before.constraints - (before.variables - variables) }
    }
}
