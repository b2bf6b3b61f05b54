//! Heuristics: how far it is from a state to the goal, at a guess.
//!
//! A heuristic is *safe* if it says "no way" only where there is none, and *admissible* if it never
//! says more than there is: A* then finds a shortest way. All but [`coverage`] and [`user`] are
//! made from the system and the goal alone.

pub mod abstraction;
mod cases;
pub mod combine;
pub mod coverage;
pub mod distance;
mod failures;
pub mod hadd;
pub mod hamming;
pub mod hff;
pub mod hl;
pub mod hu;
pub mod merge;
pub mod pattern;
pub mod predicate;
pub mod relaxed;
mod targets;
pub mod user;

use std::sync::atomic::Ordering;

pub use failures::{ExpressionFailure, Failures, Purpose};

use model::system::EdgeId;

use crate::search::Limits;

/// A state that is looked at.
#[derive(Clone, Copy)]
pub struct EvaluatedState<'a> {
    /// Its discrete part.
    pub row: &'a [i32],
    /// Its zone.
    pub zone: &'a [i32],
    /// The edges of the transition that has led to it.
    pub edges: &'a [EdgeId],
}

/// What a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depends {
    /// The discrete part of a state: it is the same for all states with that part.
    Row,
    /// The zone as well.
    Zone,
    /// How and when the state was reached.
    Way,
}

/// A guess of how far it is to the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Estimate {
    /// So many transitions.
    pub value: u32,
    /// Of states with the same value, the one with less of this seems nearer.
    pub tie: u32,
}

impl From<u32> for Estimate {
    fn from(value: u32) -> Estimate {
        Estimate { value, tie: 0 }
    }
}

/// How much may be done before a search, to be able to guess.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// So many abstract states at most.
    pub states: usize,
    /// When all is to end.
    pub limits: Limits<'a>,
}

/// So many abstract states are built before a search, at most, if nobody says otherwise.
pub const ABSTRACT_STATES: usize = 100_000;

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { states: ABSTRACT_STATES, limits: Limits::default() }
    }
}

impl Budget<'_> {
    /// Whether the time of the whole search is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.limits.expired.is_some_and(|expired| expired())
    }
}

/// What was done before a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Abstract states that were built, with those of abstractions that were given up.
    pub states: usize,
    /// Predicates that the abstractions tell apart.
    pub predicates: usize,
    /// How often they were refined.
    pub rounds: u32,
    /// The lengths of the shortest abstract ways from the initial state to the goal, one for each
    /// part; `None`: there is none.
    pub lengths: Vec<Option<u32>>,
    /// Why it ended before it was complete.
    pub stopped: Option<&'static str>,
}

impl Prepared {
    /// Takes the work of another one along.
    pub fn add(&mut self, other: Prepared) {
        self.states += other.states;
        self.predicates += other.predicates;
        self.rounds = self.rounds.max(other.rounds);
        self.lengths.extend(other.lengths);
        self.stopped = self.stopped.or(other.stopped);
    }
}

/// How far it is to the goal, at a guess.
pub trait Evaluator {
    /// The guess for a state; `None`: no way leads to the goal.
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate>;

    /// Whether there is no way to the goal wherever it says so.
    fn is_safe(&self) -> bool;

    /// Whether no way to the goal is shorter than it says.
    fn is_admissible(&self) -> bool;

    /// What values depend on.
    fn depends(&self) -> Depends {
        Depends::Row
    }

    /// The edges that seem to be good to begin with; none: it can't say.
    fn helpful(&mut self, _state: EvaluatedState<'_>, out: &mut Vec<EdgeId>) {
        out.clear();
    }

    /// Whether of states that seem as near the last one is taken first, as depth-first search does;
    /// else those behind the state that was expanded last, in their order.
    fn takes_last(&self) -> bool {
        false
    }

    /// What was done before the search; `None`: nothing to speak of.
    fn prepared(&self) -> Option<Prepared> {
        None
    }

    /// Expressions that could not be evaluated, so that something else was taken for their values.
    fn failures(&self) -> Failures {
        Failures::default()
    }

    /// The value of a state if an edge were not there; `None`: it can't say.
    fn without(&mut self, _state: EvaluatedState<'_>, _edge: EdgeId) -> Option<Option<u32>> {
        None
    }
}
