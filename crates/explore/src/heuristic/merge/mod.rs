//! Merge-and-shrink: the distance to the goal in an abstraction of the product of all automata and
//! variables, without clocks.
//!
//! The network is split into small factors: one for each process, and one for each slot with few
//! values. Repeatedly, two of them are replaced by their product, and similar states of products
//! are merged, so that they stay small. Safe and admissible.
//!
//! Dräger, Finkbeiner and Podelski, "Directed model checking with distance-preserving
//! abstractions", SPIN 2006, shrink products. Helmert, Haslum, Hoffmann and Nissim,
//! "Merge-and-shrink abstraction", JACM 61, 2014, shrink factors before they are merged.

mod build;
mod cascade;
mod factor;
mod ground;
mod network;
mod pair;
mod pool;
mod product;
mod reduce;
mod shrink;
mod starts;
#[cfg(test)]
mod tests;
mod tie_breaker;

use model::{Formula, System};

use super::{Budget, Depends, Estimate, EvaluatedState, Evaluator, Prepared};
use build::FactorMerging;
pub use build::FactorSize;
use cascade::{Cascade, CascadeLookup};
use tie_breaker::TieBreaker;

/// The distance to the goal in an abstraction of the product of all factors.
pub struct Merge {
    cascade: Cascade,
    /// The remaining factors: their tables in the cascade, and the distances of their states.
    factors: Vec<(usize, Vec<u32>)>,
    tie_breaker: TieBreaker,
    states: Vec<u32>,
    prepared: Prepared,
}

impl Merge {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, size: FactorSize, budget: &Budget<'_>) -> Merge {
        let Some((pool, cascade)) = network::factors(system, goal) else {
            let prepared = Prepared { stopped: Some("the network has too many steps"), ..Prepared::default() };
            return Merge {
                cascade: Cascade::default(),
                factors: Vec::new(),
                tie_breaker: TieBreaker::default(),
                states: Vec::new(),
                prepared,
            };
        };
        let merging = FactorMerging::run(pool, cascade, size, budget);
        let pool = &merging.pool;
        let left: Vec<_> = pool.live.iter().map(|number| pool.factor(*number)).collect();
        let factors = left.iter().map(|factor| (factor.node, factor.distances.clone())).collect();
        let prepared = Prepared { states: merging.states(), stopped: merging.stopped, ..Prepared::default() };
        let mut merge =
            Merge { cascade: merging.cascade, factors, tie_breaker: merging.tie_breaker, states: Vec::new(), prepared };
        let initial = merge.distance(&system.initial);
        merge.prepared.lengths.push(initial);
        merge
    }

    fn distance(&mut self, row: &[i32]) -> Option<u32> {
        match self.cascade.look_up(row, &mut self.states) {
            CascadeLookup::All => {}
            CascadeLookup::Gone => return None,
            CascadeLookup::Unknown => return Some(0),
        }
        let far = |(node, distances): &(usize, Vec<u32>)| distances[self.states[*node] as usize];
        Some(self.factors.iter().map(far).max().unwrap_or(0))
    }
}

impl Evaluator for Merge {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let value = self.distance(state.row)?;
        Some(Estimate { value, tie: self.tie_breaker.sum(state.row) })
    }
    fn is_admissible(&self) -> bool {
        true
    }
    fn prepared(&self) -> Option<Prepared> {
        Some(self.prepared.clone())
    }
    fn depends(&self) -> Depends {
        Depends::Row
    }
}
