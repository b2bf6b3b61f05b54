//! Random factors, compared with their explicit product.

use std::collections::BTreeMap;

use super::{
    super::Budget,
    build::{FactorMerging, FactorSize},
    cascade::{Cascade, CascadeLookup},
    factor::{DEAD_END, Factor, gone, unreached},
    pool::{FactorLabel, Pool},
    product::product,
    shrink::blocks,
};
use crate::random::SplitMix;

fn factor(goals: &[u64], groups: &[&[(u32, u32)]]) -> Factor {
    let groups = groups.iter().map(|hops| hops.to_vec()).collect();
    let mut factor = Factor {
        goals: goals.to_vec(),
        committed: vec![false; goals.len()],
        starts: vec![0],
        groups,
        ..Factor::default()
    };
    factor.measure();
    factor
}

fn label(places: &[(u32, u32)]) -> FactorLabel {
    FactorLabel { is_committed: false, places: places.to_vec() }
}

fn pool(factors: Vec<Factor>, labels: Vec<FactorLabel>, goals: u64) -> Pool {
    Pool { live: (0..factors.len() as u32).collect(), factors, labels, goals }
}

/// Returns random factors and labels. If the seed is even, no states are committed.
fn random_pool(seed: u64) -> Pool {
    let mut random = SplitMix::new(seed);
    let goals = (1 << (1 + random.below(2))) - 1;
    let mut factors: Vec<Factor> = Vec::new();
    for _ in 0..2 + random.below(3) {
        let states = 1 + random.below(4);
        let is_about = random.below(2) == 0;
        let goal = |random: &mut SplitMix| if is_about { random.next() & random.next() & goals } else { goals };
        let own = (0..states).map(|_| goal(&mut random)).collect();
        let committed = (0..states).map(|_| seed % 2 == 1 && random.below(6) == 0).collect();
        let starts = vec![random.below(states) as u32];
        factors.push(Factor { goals: own, committed, starts, ..Factor::default() });
    }
    let mut labels = Vec::new();
    for _ in 0..3 + random.below(10) {
        let mut label = FactorLabel { is_committed: random.below(4) == 0, places: Vec::new() };
        for (number, factor) in factors.iter_mut().enumerate() {
            if random.below(2) == 0 {
                continue;
            }
            let states = factor.len();
            let mut hops: Vec<(u32, u32)> = (0..1 + random.below(5))
                .map(|_| (random.below(states) as u32, random.below(states) as u32))
                .filter(|hop| label.is_committed || !factor.committed[hop.0 as usize])
                .collect();
            hops.sort_unstable();
            hops.dedup();
            label.places.push((number as u32, factor.groups.len() as u32));
            factor.groups.push(hops);
        }
        labels.push(label);
    }
    pool(factors, labels, goals)
}

/// Returns all states of the product of all factors, with their distances to the goal.
fn distances(pool: &Pool) -> BTreeMap<Vec<u32>, u32> {
    let mut states: Vec<Vec<u32>> = vec![Vec::new()];
    for factor in &pool.factors {
        let with = |state: &Vec<u32>, own: u32| [state.as_slice(), &[own]].concat();
        states = states.iter().flat_map(|state| (0..factor.len() as u32).map(move |own| with(state, own))).collect();
    }
    let goals =
        |state: &Vec<u32>| state.iter().zip(&pool.factors).fold(pool.goals, |g, (s, f)| g & f.goals[*s as usize]);
    let mut found: BTreeMap<Vec<u32>, u32> =
        states.iter().map(|state| (state.clone(), if goals(state) == 0 { DEAD_END } else { 0 })).collect();
    for distance in 1.. {
        let nearer: Vec<&Vec<u32>> = states
            .iter()
            .filter(|state| found[*state] == DEAD_END)
            .filter(|state| successors(pool, state).iter().any(|next| found[next] == distance - 1))
            .collect();
        if nearer.is_empty() {
            break;
        }
        nearer.into_iter().for_each(|state| _ = found.insert(state.clone(), distance));
    }
    found
}

fn successors(pool: &Pool, state: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for label in &pool.labels {
        let mut next: Vec<Vec<u32>> = vec![Vec::new()];
        for (number, (factor, &at)) in pool.factors.iter().zip(state).enumerate() {
            let ends: Vec<u32> = match label.group(number as u32) {
                Some(group) => {
                    factor.groups[group as usize].iter().filter(|hop| hop.0 == at).map(|hop| hop.1).collect()
                }
                None if label.is_committed || !factor.committed[at as usize] => vec![at],
                None => Vec::new(),
            };
            next = next.iter().flat_map(|n| ends.iter().map(move |e| [n.as_slice(), &[*e]].concat())).collect();
        }
        all.append(&mut next);
    }
    all
}

fn reached(pool: &Pool) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![pool.factors.iter().map(|factor| factor.starts[0]).collect()];
    let mut at = 0;
    while at < all.len() {
        for next in successors(pool, &all[at]) {
            if !all.contains(&next) {
                all.push(next);
            }
        }
        at += 1;
    }
    all
}

/// Returns the estimated distance of a state after merging a pool.
fn merged(pool: &Pool, size: FactorSize, budget: &Budget<'_>) -> impl Fn(&[u32]) -> u32 {
    let mut cascade = Cascade::default();
    let mut pool = pool.clone();
    for (slot, factor) in pool.factors.iter_mut().enumerate() {
        factor.node = cascade.slot(slot, 0, factor.len());
    }
    let merging = FactorMerging::run(pool, cascade, size, budget);
    let left: Vec<Factor> = merging.pool.live.iter().map(|number| merging.pool.factor(*number).clone()).collect();
    let cascade = merging.cascade;
    move |state| {
        let row: Vec<i32> = state.iter().map(|own| *own as i32).collect();
        let mut states = Vec::new();
        match cascade.look_up(&row, &mut states) {
            CascadeLookup::Gone => DEAD_END,
            CascadeLookup::Unknown => 0,
            CascadeLookup::All => left.iter().map(|f| f.distances[states[f.node] as usize]).max().unwrap_or(0),
        }
    }
}

#[test]
fn with_enough_room_distances_are_exact() {
    let budget = Budget { states: 1 << 20, ..Budget::default() };
    let (mut far, mut less, mut all) = (0, 0, 0);
    for seed in 0..2000 {
        let pool = random_pool(seed);
        let exact = distances(&pool);
        let guess = merged(&pool, FactorSize::Before(1 << 20), &budget);
        for state in reached(&pool) {
            let (guess, exact) = (guess(&state), exact[&state]);
            // A committed state blocks all other factors, but its factor is not merged with those
            // with which it shares no label.
            let is_less = seed % 2 == 1 && guess < exact;
            assert!(is_less || guess == exact, "seed {seed}, state {state:?}: {guess} of {exact}");
            far += usize::from((2..DEAD_END).contains(&exact));
            less += usize::from(is_less);
            all += 1;
        }
    }
    assert!(far > 1000 && less * 100 < all, "{less} too small of {all}, {far} of them far off");
}

/// A search may evaluate any state, also one that is not reachable from the initial state.
#[test]
fn distances_are_not_greater_than_they_are_wherever_it_is_asked() {
    let (mut dead_ends, mut elsewhere) = (0, 0);
    for seed in 0..1000 {
        let pool = random_pool(seed);
        let exact = distances(&pool);
        let reached = reached(&pool);
        for (size, states) in [
            (FactorSize::After(2), 1000),
            (FactorSize::After(5), 1000),
            (FactorSize::Before(6), 1000),
            (FactorSize::Before(100), 40),
            (FactorSize::Before(1 << 20), 1 << 20),
        ] {
            let budget = Budget { states, ..Budget::default() };
            let guess = merged(&pool, size, &budget);
            for (state, exact) in &exact {
                assert!(guess(state) <= *exact, "seed {seed}, state {state:?}, {size:?}");
                dead_ends += usize::from(guess(state) == DEAD_END);
                elsewhere += usize::from(!reached.contains(state) && guess(state) > 0);
            }
        }
    }
    assert!(
        dead_ends > 1000 && elsewhere > 1000,
        "{dead_ends} dead ends, {elsewhere} states elsewhere with a distance"
    );
}

#[test]
fn label_reduction_is_exact() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..1000 {
        let mut pool = random_pool(seed);
        let exact = distances(&pool);
        before += pool.labels.len();
        for number in pool.live.clone() {
            pool.settle(number);
        }
        pool.reduce();
        after += pool.labels.len();
        assert_eq!(distances(&pool), exact, "seed {seed}");
    }
    assert!(after < before * 2 / 3, "{after} labels of {before}");
}

#[test]
fn products_have_what_both_can_do() {
    // Both advance together, the first can go back alone, and the second stays in its last state.
    let first = factor(&[0, 1], &[&[(0, 1)], &[(1, 0)]]);
    let second = factor(&[0, 0, 1], &[&[(0, 1), (1, 2)]]);
    let pool = pool(vec![first, second], vec![label(&[(0, 0), (1, 0)]), label(&[(0, 1)])], 1);
    let Ok(mut product) = product(&pool, (0, 1), 1, 100, &Budget::default()) else { panic!("it is small") };
    assert_eq!(product.table, [0, 2, 4, unreached(1), 1, 3]);
    assert_eq!(product.factor.goals, [0, 0, 0, 1, 0]);
    let [together, back] = [(Some(0), Some(0), false), (Some(1), None, false)].map(|kind| product.groups[&kind]);
    assert_eq!(product.factor.groups[together as usize], [(0, 1), (2, 3)]);
    assert_eq!(product.factor.groups[back as usize], [(1, 2), (3, 4)]);
    assert_eq!(product.factor.prune(2), Some(vec![0, 1, 2, 3, gone(2)]));
    assert_eq!(product.factor.distances, [3, 2, 1, 0, DEAD_END]);
}

#[test]
fn shrinking_is_exact_near_the_goal() {
    // A path of ten states, with a parallel one.
    let hops: Vec<(u32, u32)> = (1..10).flat_map(|s| [(s, s - 1), (s + 9, if s == 1 { 0 } else { s + 8 })]).collect();
    let goals: Vec<u64> = (0..19).map(|s| u64::from(s == 0)).collect();
    let long = factor(&goals, &[&hops]);
    let near = |max: usize| {
        let mut small = long.clone();
        let map = blocks(&small, max).unwrap_or_default();
        small.merge(&map);
        (small.len(), (0..19).map(|s| small.distances[map[s] as usize]).collect::<Vec<u32>>())
    };
    // With enough blocks for all distances, both paths are merged.
    assert_eq!(near(10), (10, long.distances.clone()));
    let few = near(4);
    assert_eq!(few.0, 4);
    assert_eq!(few.1, long.distances.iter().map(|d| (*d).min(3)).collect::<Vec<u32>>());
    // Labels distinguish the paths.
    let (one, other): (Vec<_>, Vec<_>) = hops.iter().partition(|hop| hop.0 < 10);
    assert_eq!(blocks(&factor(&goals, &[&one, &other]), 19), None);
}
