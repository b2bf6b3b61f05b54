//! Heuristics: estimates of the distance from a state to the goal.
//!
//! A heuristic is *safe* if every state that it declares a dead end is one, and *admissible* if it
//! never overestimates: then A* finds a shortest path. All but [`coverage`], [`interleaving`]
//! and [`user`] depend on the system and the goal alone.

pub mod abstraction;
pub mod blocked;
mod cases;
pub mod combine;
pub mod coverage;
pub mod distance;
mod failures;
pub mod function;
pub mod hadd;
pub mod hamming;
pub mod hff;
pub mod hl;
pub mod hu;
pub mod interleaving;
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

/// A state to evaluate.
#[derive(Clone, Copy)]
pub struct EvaluatedState<'a> {
    /// Its discrete part.
    pub row: &'a [i32],
    /// Its zone.
    pub zone: &'a [i32],
    /// The edges of the transition to it.
    pub edges: &'a [EdgeId],
    /// Its place in the search.
    pub path: PathPosition,
}

/// The place of a state in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathPosition {
    /// The number of the state; `None`: it has none.
    pub node: Option<u32>,
    /// The number of the state before it.
    pub parent: Option<u32>,
}

/// What an estimate depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depends {
    /// The discrete part of a state.
    Row,
    /// The zone as well.
    Zone,
    /// The path to the state, or the time of the evaluation.
    Path,
}

/// An estimate of the distance to the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Estimate {
    /// The number of transitions.
    pub value: u32,
    /// A tie breaker: of states with equal values, one with a smaller tie breaker seems nearer.
    pub(crate) tie: u32,
}

impl From<u32> for Estimate {
    fn from(value: u32) -> Estimate {
        Estimate { value, tie: 0 }
    }
}

/// A limit on the work of a heuristic before the search.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// The greatest number of abstract states.
    pub states: usize,
    /// The limits of the whole search.
    pub limits: Limits<'a>,
}

/// The default of [`Budget::states`].
pub const ABSTRACT_STATES: usize = 100_000;

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { states: ABSTRACT_STATES, limits: Limits::default() }
    }
}

impl Budget<'_> {
    /// Returns whether the time limit of the whole search is exceeded.
    #[must_use]
    pub(crate) fn is_over(&self) -> bool {
        self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.limits.expired.is_some_and(|expired| expired())
    }
}

/// The work of heuristics before a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The number of abstract states, including those of discarded abstractions.
    pub states: usize,
    /// The greatest number of nodes of decision diagrams at once.
    pub nodes: usize,
    /// The number of predicates of the abstractions.
    pub predicates: usize,
    /// The number of refinement rounds.
    pub rounds: u32,
    /// The lengths of the shortest abstract paths from the initial state to the goal, one for each
    /// abstraction; `None`: there is no path.
    pub lengths: Vec<Option<u32>>,
    /// Why an abstraction is incomplete.
    pub stopped: Option<&'static str>,
}

impl Prepared {
    /// Adds the work of another heuristic.
    pub(crate) fn add(&mut self, other: Prepared) {
        self.states += other.states;
        self.nodes += other.nodes;
        self.predicates += other.predicates;
        self.rounds = self.rounds.max(other.rounds);
        self.lengths.extend(other.lengths);
        self.stopped = self.stopped.or(other.stopped);
    }
}

/// A heuristic. What a heuristic does not say about itself is what holds for one that declares no
/// dead ends: it is safe, it may overestimate, and its values are not cached.
pub trait Evaluator: Send {
    /// Returns the estimate for a state; `None`: it is a dead end.
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate>;

    /// Returns whether every state that it declares a dead end is one.
    fn is_safe(&self) -> bool {
        true
    }

    /// Returns whether it never overestimates.
    fn is_admissible(&self) -> bool {
        false
    }

    /// Returns what estimates depend on.
    fn depends(&self) -> Depends {
        Depends::Path
    }

    /// Writes the helpful edges of a state; none: it does not know them.
    fn helpful(&mut self, _state: EvaluatedState<'_>, out: &mut Vec<EdgeId>) {
        out.clear();
    }

    /// Returns whether ties are broken in favour of the last state, as in depth-first search; else
    /// the successors of the state that was expanded last come first, in order.
    fn takes_last(&self) -> bool {
        false
    }

    /// Returns the work before the search; `None`: it is negligible.
    fn prepared(&self) -> Option<Prepared> {
        None
    }

    /// Returns the expressions that have failed, for which a default value was used.
    fn failures(&self) -> Failures {
        Failures::default()
    }

    /// Returns the estimate for a state without an edge; `None`: it is not supported.
    fn without(&mut self, _state: EvaluatedState<'_>, _edge: EdgeId) -> Option<Option<u32>> {
        None
    }
}
