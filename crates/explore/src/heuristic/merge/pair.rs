//! The merge strategy: which two factors are merged next.
//!
//! The pair whose product prunes most comes first: the smallest share of all pairs of states is on
//! paths from the start to the goal (Fan, Müller and Holte, "Non-linear merging strategies for
//! merge-and-shrink based on variable interactions", SOCS 2014). To find it, small products are
//! built and discarded. Ties are broken in favour of pairs with a label that brings one of them
//! nearer to the goal and that the other one does not allow everywhere, the nearer the better (as
//! Dräger, Finkbeiner and Podelski do, "Directed model checking with distance-preserving
//! abstractions", SPIN 2006).

use std::collections::BTreeMap;

use super::{
    super::Budget,
    factor::{Factor, is_state},
    pool::Pool,
    product::product,
};

/// The greatest number of states of a product that is tried.
const MAX_PAIRS: usize = 5000;
/// The greatest number of hops of a product that is tried.
const MAX_HOPS: usize = 50_000;
/// The greatest work for all products that are tried, in labels and hops.
const MAX_WORK: usize = 5_000_000;

/// A pair of factors.
pub(crate) type FactorPair = (u32, u32);

/// Chooses pairs.
#[derive(Default)]
pub(crate) struct Chooser {
    /// The share of states that remain after pruning of tried products, in thousandths.
    shares: BTreeMap<FactorPair, u32>,
    /// The number of states of tried products.
    pub states: usize,
    work: usize,
}

impl Chooser {
    /// Returns the two factors to merge next; `None`: further merging is useless. At most
    /// `max_states` states are built to try products.
    pub(crate) fn next(&mut self, pool: &Pool, max_states: usize, budget: &Budget<'_>) -> Option<FactorPair> {
        let is_about: Vec<bool> = pool.factors.iter().map(|factor| factor.is_about_goal(pool.goals)).collect();
        let weights = weights(pool, &is_about);
        let mut best = None;
        for (pair, weight) in weights {
            let share = self.share(pool, pair, max_states, budget);
            let score = (share, weight, pool.factor(pair.0).len() * pool.factor(pair.1).len(), pair);
            best = Some(best.map_or(score, |best: (u32, u32, usize, FactorPair)| best.min(score)));
        }
        best.map(|best| best.3).or_else(|| {
            // Factors that share only the goal.
            let mut left: Vec<u32> = pool.live.iter().copied().filter(|number| is_about[*number as usize]).collect();
            left.sort_by_key(|number| (pool.factor(*number).len(), *number));
            let [a, b, ..] = left[..] else { return None };
            Some((a.min(b), a.max(b)))
        })
    }

    /// Returns the share of the states of a product that are on paths from the start to the goal,
    /// in thousandths.
    fn share(&mut self, pool: &Pool, pair: FactorPair, max_states: usize, budget: &Budget<'_>) -> u32 {
        const UNKNOWN: u32 = u32::MAX;
        if let Some(share) = self.shares.get(&pair) {
            return *share;
        }
        let all = pool.factor(pair.0).len() * pool.factor(pair.1).len();
        if all > MAX_PAIRS || self.states + all > max_states || self.work > MAX_WORK {
            return UNKNOWN;
        }
        self.work += pool.labels.len();
        let share = match product(pool, pair, 0, MAX_HOPS, budget) {
            Ok(mut product) => {
                self.states += product.factor.len();
                self.work += product.factor.hops();
                let left = match product.factor.prune(0) {
                    Some(map) => map.iter().filter(|to| is_state(**to)).count(),
                    None => product.factor.len(),
                };
                (left * 1000 / all.max(1)) as u32
            }
            Err(_) => {
                self.work += MAX_HOPS;
                UNKNOWN
            }
        };
        self.shares.insert(pair, share);
        share
    }
}

/// Properties of a group of labels.
#[derive(Clone, Copy)]
struct LabelGroup {
    /// The least distance that it reaches from a greater one.
    leads_to: u32,
    /// Whether it is disabled in some states.
    is_bound: bool,
}

/// Returns the pairs of factors with a common label, at least one of which is relevant to the goal.
/// Each has the least distance that a label reaches in one of them while the other may disable it.
fn weights(pool: &Pool, is_about: &[bool]) -> BTreeMap<FactorPair, u32> {
    let groups: Vec<Vec<LabelGroup>> = pool.factors.iter().map(groups).collect();
    let mut weights: BTreeMap<FactorPair, u32> = BTreeMap::new();
    for label in &pool.labels {
        for (i, &(left, in_left)) in label.places.iter().enumerate() {
            for &(right, in_right) in &label.places[i + 1..] {
                let (is_left, is_right) = (is_about[left as usize], is_about[right as usize]);
                if !is_left && !is_right {
                    continue;
                }
                let (on_left, on_right) =
                    (groups[left as usize][in_left as usize], groups[right as usize][in_right as usize]);
                let weight = weights.entry((left, right)).or_insert(u32::MAX);
                if is_left && on_right.is_bound {
                    *weight = on_left.leads_to.min(*weight);
                }
                if is_right && on_left.is_bound {
                    *weight = on_right.leads_to.min(*weight);
                }
            }
        }
    }
    weights
}

fn groups(factor: &Factor) -> Vec<LabelGroup> {
    let distance = |state: u32| factor.distances[state as usize];
    let of = |hops: &Vec<(u32, u32)>| {
        let nearer = hops.iter().filter(|hop| distance(hop.1) < distance(hop.0));
        let sources = hops.chunk_by(|a, b| a.0 == b.0).count();
        LabelGroup {
            leads_to: nearer.map(|hop| distance(hop.1)).min().unwrap_or(u32::MAX),
            is_bound: sources < factor.len(),
        }
    };
    factor.groups.iter().map(of).collect()
}
