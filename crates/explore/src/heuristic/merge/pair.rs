//! Which two factors are merged next: those that have a label in common which is near the goal in both.
//!
//! Dräger, Finkbeiner and Podelski, "Directed model checking with distance-preserving abstractions", SPIN 2006; the ranks are
//! those of Sievers, Wehrle and Helmert, "Generalized label reduction for merge-and-shrink heuristics", AAAI 2014.

use std::collections::BTreeMap;

use super::pool::Pool;

/// The two factors to be merged next; `None`: to merge more tells nothing about the goal.
pub fn next(pool: &Pool) -> Option<(u32, u32)> {
    let mut about = vec![false; pool.factors.len()];
    pool.live.iter().for_each(|&number| about[number as usize] = pool.factor(number).is_about_goal(pool.goals));
    let ranks: Vec<Vec<u32>> = (0..pool.factors.len() as u32).map(|number| ranks(pool, number)).collect();
    let mut weights: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for label in &pool.labels {
        for (i, &(left, at_left)) in label.places.iter().enumerate() {
            for &(right, at_right) in &label.places[i + 1..] {
                if about[left as usize] || about[right as usize] {
                    let rank = ranks[left as usize][at_left as usize].max(ranks[right as usize][at_right as usize]);
                    let weight = weights.entry((left, right)).or_insert(u32::MAX);
                    *weight = rank.min(*weight);
                }
            }
        }
    }
    let size = |pair: (u32, u32)| pool.factor(pair.0).len() * pool.factor(pair.1).len();
    let best = weights.into_iter().min_by_key(|(pair, weight)| (*weight, size(*pair), *pair));
    best.map(|(pair, _)| pair).or_else(|| {
        // What has nothing in common but the goal.
        let mut left: Vec<u32> = pool.live.iter().copied().filter(|number| about[*number as usize]).collect();
        left.sort_by_key(|number| (pool.factor(*number).len(), *number));
        let [a, b, ..] = left[..] else { return None };
        Some((a.min(b), a.max(b)))
    })
}

/// How near to the goal each group of labels leads.
fn ranks(pool: &Pool, number: u32) -> Vec<u32> {
    let factor = pool.factor(number);
    let nearest = |hops: &Vec<(u32, u32)>| hops.iter().map(|hop| factor.distances[hop.1 as usize]).min();
    factor.groups.iter().map(|hops| nearest(hops).unwrap_or(u32::MAX)).collect()
}
