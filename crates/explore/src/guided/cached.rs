//! A cache of a heuristic's values.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::{
    heuristic::{Depends, Estimate, EvaluatedState, Evaluator, Failures, Prepared},
    store::Discrete,
};

/// How values are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePolicy {
    /// Exactly, by what a value depends on.
    Each {
        /// Whether states are dropped from which no path leads to the goal. Run-time errors after
        /// them are then not found.
        drops: bool,
    },
    /// In a table of this size, by a hash of what a value depends on: states with equal hashes have
    /// the value of the first (the papers' "bitstate hashing"). A state may then wrongly be
    /// estimated as a dead end.
    Table(usize),
}

/// The value is not cached.
const UNKNOWN: Estimate = Estimate { value: u32::MAX, tie: 0 };
/// No path leads to the goal.
const DEAD_END: Estimate = Estimate { value: u32::MAX, tie: 1 };

/// A heuristic and its cached values.
pub(crate) struct CachedEvaluator<'s> {
    pub evaluator: Box<dyn Evaluator + 's>,
    memory: CachePolicy,
    depends: Depends,
    values: Vec<Estimate>,
}

impl<'s> CachedEvaluator<'s> {
    pub(crate) fn new(evaluator: Box<dyn Evaluator + 's>, memory: CachePolicy) -> CachedEvaluator<'s> {
        let values = match memory {
            CachePolicy::Each { .. } => Vec::new(),
            CachePolicy::Table(count) => vec![UNKNOWN; count.max(1)],
        };
        CachedEvaluator { depends: evaluator.depends(), evaluator, memory, values }
    }

    /// Returns whether states that it estimates as dead ends are dropped.
    pub(crate) fn prunes(&self) -> bool {
        self.memory == CachePolicy::Each { drops: true } && self.evaluator.is_safe()
    }

    /// Returns the work before the search of several heuristics.
    pub(crate) fn prepared(all: &[CachedEvaluator<'_>]) -> Option<Prepared> {
        let mut sum: Option<Prepared> = None;
        for own in all.iter().filter_map(|known| known.evaluator.prepared()) {
            sum.get_or_insert_with(Prepared::default).add(own);
        }
        sum
    }

    /// Returns the failed expressions of several heuristics.
    pub(crate) fn failures(all: &[CachedEvaluator<'_>]) -> Failures {
        let mut sum = Failures::default();
        all.iter().for_each(|known| sum.join(&known.evaluator.failures()));
        sum
    }

    /// Returns the estimate for a state.
    pub(crate) fn value(&mut self, state: EvaluatedState<'_>, discrete: Discrete) -> Option<Estimate> {
        let at = match self.memory {
            CachePolicy::Each { .. } if self.depends == Depends::Row => {
                let at = discrete.0 as usize;
                if self.values.len() <= at {
                    self.values.resize((at + 1).max(self.values.len() * 2), UNKNOWN);
                }
                at
            }
            CachePolicy::Table(_) if self.depends < Depends::Path => {
                let mut hasher = FxHasher::default();
                state.row.hash(&mut hasher);
                // States that the heuristic does not distinguish share an entry.
                if self.depends == Depends::Zone {
                    state.zone.hash(&mut hasher);
                }
                (hasher.finish().rotate_left(20) % self.values.len() as u64) as usize
            }
            _ => return self.evaluator.evaluate(state),
        };
        if self.values[at] == UNKNOWN {
            let bounded = |guess: Estimate| Estimate { value: guess.value.min(u32::MAX - 1), ..guess };
            self.values[at] = self.evaluator.evaluate(state).map_or(DEAD_END, bounded);
        }
        Some(self.values[at]).filter(|guess| *guess != DEAD_END)
    }
}
