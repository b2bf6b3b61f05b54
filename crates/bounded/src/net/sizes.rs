//! How large the paper's formulas are, counted as its tables do.

use model::net::Net;
use rustc_hash::FxHashSet;
use smt::{Term, TermNode, Terms};

/// Counts constraints: literals and equalities of Boolean variables, and constraints on reals, each
/// as often as it is written.
#[derive(Default)]
pub(super) struct Leaves {
    /// How many there are.
    pub(super) total: u64,
    /// What is written as one constraint, although it consists of several.
    ones: FxHashSet<Term>,
}

impl Leaves {
    pub(super) fn is_one(&mut self, t: Term) {
        self.ones.insert(t.positive());
    }

    pub(super) fn add(&mut self, terms: &Terms, t: Term) {
        self.total += self.count(terms, t);
    }

    /// The constraints of a formula. It is a handful of levels deep: the formula of a step does not
    /// refer to other steps.
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

/// Variables and constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaSize {
    /// Boolean and real variables.
    pub variables: u64,
    /// Constraints.
    pub constraints: u64,
}

/// The sums that sizes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// How many places there are.
    pub places: u64,
    /// How many transitions there are.
    pub transitions: u64,
    /// For all transitions: places that it changes, and once more those that it puts tokens on.
    pub changes: u64,
    /// For all transitions: twice the number of inputs and inhibitors with a finite upper bound
    /// where all inputs have one.
    pub due: u64,
    /// For all transitions: twice the number of inputs and inhibitors, those without an upper bound
    /// aside.
    pub possible: u64,
    /// How many places have an upper bound.
    pub bounded: u64,
}

impl Figures {
    /// Of a net.
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

    /// The size of the formula that is written out, with the question for a deadlock, without
    /// making it.
    #[must_use]
    pub fn raw(&self, linear: bool, steps: u64) -> FormulaSize {
        let (p, t, k) = (self.places, self.transitions, steps);
        let (state, delays) = if linear { (2 * p, k) } else { (2 * p + 1, 0) };
        let variables = (k * (t + 1) + 1) * state + delays;
        let elapse = 2 + self.due + 2 * p;
        let firings = t * state + self.possible + self.changes;
        let deadlock = self.due + p + self.bounded;
        FormulaSize { variables, constraints: 2 * p + k * (elapse + firings) + deadlock }
    }

    /// The size where variables that do not change are replaced, and nothing else is done, as the
    /// paper has it.
    #[must_use]
    pub fn replaced(&self, linear: bool, steps: u64) -> FormulaSize {
        let (p, k) = (self.places, steps);
        let each = if linear { 1 + p + self.changes } else { 1 + self.changes };
        let variables = 2 * p + u64::from(!linear) + k * each;
        // Every variable that goes takes one equality with it.
        let raw = self.raw(linear, steps);
        FormulaSize { variables, constraints: raw.constraints - (raw.variables - variables) }
    }
}
