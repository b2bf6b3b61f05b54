//! Randomised local search with restarts.
//!
//! The closing idea of Kupferschmid, Hoffmann, Dierks and Behrmann, SPIN 2006: go downhill as the
//! heuristic says, with a random step now and then, and start anew where that leads nowhere.
//! Nothing is forgotten: a restart goes on from one of the states that still wait, so that the
//! search is complete.

use crate::{
    guided::{CachePolicy, CachedEvaluator},
    heuristic::{EvaluatedState, Evaluator, Failures, Prepared},
    open::{Arrival, OpenList},
    random::SplitMix,
    store::NodeId,
};
use zone::Bound;

/// One step of so many is random.
const RANDOM: usize = 16;
/// So many steps without coming nearer, and it starts anew.
const PATIENCE: u32 = 64;
/// The best of so many states that wait is where it starts anew.
const SAMPLE: usize = 8;

/// Local search.
pub struct Local<'s> {
    known: Vec<CachedEvaluator<'s>>,
    random: SplitMix,
    /// The successors of the state that was expanded last, with their values.
    fresh: Vec<(u32, NodeId)>,
    /// All others.
    waiting: Vec<(u32, NodeId)>,
    /// The least value on this way.
    best: u32,
    /// How many steps ago that was.
    since: u32,
    /// Room for zones as heuristics know them.
    weakened: Vec<i32>,
}

impl<'s> Local<'s> {
    /// By the sum of these heuristics.
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

    /// The number of the next one among the fresh: mostly one of the best.
    fn step(&mut self) -> usize {
        let count = self.fresh.len();
        if self.random.below(RANDOM) == 0 {
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
        let look = EvaluatedState { row: state.row, zone, edges: state.edges };
        let mut all = 0_u32;
        for known in &mut self.known {
            match known.value(look, state.discrete) {
                None if known.prunes() => return,
                guess => all = all.saturating_add(guess.map_or(u32::MAX, |guess| guess.value)),
            }
        }
        self.fresh.push((all, state.node));
    }

    fn pop(&mut self) -> Option<NodeId> {
        let goes_on = !self.fresh.is_empty() && self.since < PATIENCE;
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
            let sample: Vec<usize> = (0..SAMPLE).map(|_| self.random.below(count)).collect();
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
