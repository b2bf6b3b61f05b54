//! Randomised local search with restarts.
//!
//! The closing idea of Kupferschmid, Hoffmann, Dierks and Behrmann, SPIN 2006: descend along the
//! heuristic with occasional random steps, and restart if that makes no progress. A restart
//! continues from an open state, so the search is complete.

use crate::{
    guided::{CachePolicy, CachedEvaluator},
    heuristic::{EvaluatedState, Evaluator, Failures, PathPosition, Prepared},
    open::{Arrival, OpenList},
    random::SplitMix,
    store::NodeId,
};
use zone::Bound;

/// One in this number of steps is random.
const RANDOM_STEP_INTERVAL: usize = 16;
/// The search restarts after this number of steps without progress.
const MAX_STALLED_STEPS: u32 = 64;
/// A restart chooses the best of this number of open states.
const RESTART_SAMPLE: usize = 8;

/// An open list for local search.
pub struct Local<'s> {
    known: Vec<CachedEvaluator<'s>>,
    random: SplitMix,
    /// The successors of the state that was expanded last, with their estimates.
    fresh: Vec<(u32, NodeId)>,
    /// All other open states.
    waiting: Vec<(u32, NodeId)>,
    /// The least estimate since the last restart.
    best: u32,
    /// The number of steps since then.
    since: u32,
    /// A buffer for zones with bounds of 32 bits, as heuristics take them.
    weakened: Vec<i32>,
}

impl<'s> Local<'s> {
    /// Creates a list that is guided by the sum of these heuristics.
    #[must_use]
    pub fn new(heuristics: Vec<Box<dyn Evaluator + 's>>, memory: CachePolicy, seed: u64) -> Local<'s> {
        Local {
            known: heuristics.into_iter().map(|heuristic| CachedEvaluator::new(heuristic, memory)).collect(),
            random: SplitMix::new(seed),
            fresh: Vec::new(),
            waiting: Vec::new(),
            best: u32::MAX,
            since: 0,
            weakened: Vec::new(),
        }
    }

    /// Chooses among the fresh states, mostly one of the best.
    fn step(&mut self) -> usize {
        let count = self.fresh.len();
        if self.random.below(RANDOM_STEP_INTERVAL) == 0 {
            return self.random.below(count);
        }
        let least = self.fresh.iter().map(|(value, _)| *value).min().unwrap_or(0);
        let best: Vec<usize> = (0..count).filter(|i| self.fresh[*i].0 == least).collect();
        best[self.random.below(best.len())]
    }
}

impl<B: Bound> OpenList<B> for Local<'_> {
    fn prepared(&self) -> Option<Prepared> {
        CachedEvaluator::prepared(&self.known)
    }

    fn failures(&self) -> Failures {
        CachedEvaluator::failures(&self.known)
    }

    fn push(&mut self, state: &Arrival<'_, B>) {
        let zone = B::weakened_zone(state.zone, &mut self.weakened);
        let evaluated = EvaluatedState { row: state.row, zone, edges: state.edges, path: PathPosition::default() };
        let mut all = 0_u32;
        for known in &mut self.known {
            match known.value(evaluated, state.discrete) {
                None if known.prunes() => return,
                guess => all = all.saturating_add(guess.map_or(u32::MAX, |guess| guess.value)),
            }
        }
        self.fresh.push((all, state.node));
    }

    fn pop(&mut self) -> Option<NodeId> {
        let goes_on = !self.fresh.is_empty() && self.since < MAX_STALLED_STEPS;
        let (value, node) = if goes_on {
            let next = self.step();
            let chosen = self.fresh.swap_remove(next);
            self.waiting.append(&mut self.fresh);
            chosen
        } else {
            self.waiting.append(&mut self.fresh);
            let count = self.waiting.len();
            if count == 0 {
                return None;
            }
            let sample: Vec<usize> = (0..RESTART_SAMPLE).map(|_| self.random.below(count)).collect();
            let next = sample.into_iter().min_by_key(|i| self.waiting[*i].0).unwrap_or(0);
            (self.best, self.since) = (u32::MAX, 0);
            self.waiting.swap_remove(next)
        };
        self.since = if value < self.best { 0 } else { self.since + 1 };
        self.best = self.best.min(value);
        Some(node)
    }

    fn len(&self) -> usize {
        self.fresh.len() + self.waiting.len()
    }

    fn bytes(&self) -> usize {
        (self.fresh.capacity() + self.waiting.capacity()) * size_of::<(u32, NodeId)>()
    }
}
