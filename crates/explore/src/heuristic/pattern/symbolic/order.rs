//! Orders of slots in diagrams.
//!
//! Slots that steps test or change together should be near each other. FORCE moves each slot to the
//! mean of the centres of its steps, until that does not make the steps shorter any more.
//!
//! *Hubs*, variables that steps test or change together with most of the others, may come first:
//! they are near all others nowhere, and what their values decide is known below them. In Fischer's
//! protocol that is the variable in which the turn is.
//!
//! Aloul, Markov and Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic",
//! GLSVLSI 2003.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::super::super::abstraction::steps::{AbstractStep, AbstractSteps};

/// The greatest number of rounds.
const MAX_ROUNDS: usize = 100;

/// Returns orders in which diagrams may test the kept slots: with hubs first if there are any, and
/// without.
pub(super) fn orders(steps: &AbstractSteps<'_>) -> Vec<Vec<u32>> {
    let kept = &steps.subnetwork.slots;
    let mut groups: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let concern = steps.steps.iter().map(|step| of_step(steps, step));
    let goals = steps.targets.iter().map(|target| {
        target.conditions.iter().flat_map(|atom| steps.terms.atom_support(*atom).unwrap_or_default()).collect()
    });
    for slots in concern.chain(goals) {
        let slots: Vec<u32> = slots.into_iter().filter(|slot| kept[*slot as usize]).collect();
        *groups.entry(slots).or_default() += 1;
    }
    let slots: Vec<u32> = (0..).zip(kept).filter(|(_, kept)| **kept).map(|(slot, _)| slot).collect();
    let hubs = hubs(&slots, &groups, steps.system.processes.len() as u32);
    let with_hubs = (!hubs.is_empty()).then(|| {
        let is_other = |slot: &u32| !hubs.contains(slot);
        // Without hubs, groups may become equal.
        let mut others: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for (slots, weight) in &groups {
            *others.entry(slots.iter().copied().filter(is_other).collect()).or_default() += weight;
        }
        [hubs.clone(), force(slots.iter().copied().filter(is_other).collect(), &others)].concat()
    });
    with_hubs.into_iter().chain([force(slots, &groups)]).collect()
}

/// The greatest number of hubs.
const MAX_HUBS: usize = 3;
/// The least number of slots that a hub has in its groups.
const MIN_NEIGHBOURS: usize = 4;
/// The greatest number of slots of a group that says something about hubs.
const MAX_GROUP: usize = 64;

/// Returns the variables that are in groups with at least half of the others, those with the most
/// first. Variables have greater numbers than locations.
fn hubs(slots: &[u32], groups: &BTreeMap<Vec<u32>, u32>, first_variable: u32) -> Vec<u32> {
    let mut neighbours: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for group in groups.keys().filter(|group| group.len() <= MAX_GROUP) {
        for slot in group.iter().filter(|slot| **slot >= first_variable) {
            neighbours.entry(*slot).or_default().extend(group);
        }
    }
    // A slot is among its own neighbours.
    let is_hub = |all: &BTreeSet<u32>| all.len() > MIN_NEIGHBOURS && 2 * (all.len() - 1) >= slots.len() - 1;
    let mut hubs: Vec<(usize, u32)> =
        neighbours.iter().filter(|(_, all)| is_hub(all)).map(|(slot, all)| (all.len(), *slot)).collect();
    hubs.sort_by_key(|(count, slot)| (Reverse(*count), *slot));
    // Where most are hubs, none is.
    if hubs.len() > MAX_HUBS { Vec::new() } else { hubs.into_iter().map(|(_, slot)| slot).collect() }
}

/// Returns the slots that a step tests or changes.
fn of_step(steps: &AbstractSteps<'_>, step: &AbstractStep) -> BTreeSet<u32> {
    let mut slots: BTreeSet<u32> = step.moves.iter().map(|own| own.process).collect();
    slots.extend(step.conditions.iter().flat_map(|atom| steps.terms.atom_support(*atom).unwrap_or_default()));
    for (slot, term) in &step.writes {
        slots.insert(*slot);
        slots.extend(term.and_then(|term| steps.terms.support(term)).unwrap_or_default());
    }
    slots
}

/// Improves an order; groups of slots have weights.
fn force(mut order: Vec<u32>, groups: &BTreeMap<Vec<u32>, u32>) -> Vec<u32> {
    let size = order.iter().max().map_or(0, |slot| *slot as usize + 1);
    let (mut best, mut best_span) = (order.clone(), u64::MAX);
    for _ in 0..MAX_ROUNDS {
        let mut places = vec![0_u32; size];
        (0..).zip(&order).for_each(|(place, slot)| places[*slot as usize] = place);
        let mut span = 0;
        let (mut sums, mut weights) = (vec![0.0; size], vec![0.0; size]);
        for (slots, weight) in groups.iter().filter(|(slots, _)| slots.len() > 1) {
            let own = slots.iter().map(|slot| places[*slot as usize]);
            let (first, last) = (own.clone().min().unwrap_or(0), own.clone().max().unwrap_or(0));
            span += u64::from(last - first) * u64::from(*weight);
            let centre = own.map(f64::from).sum::<f64>() / slots.len() as f64;
            for slot in slots {
                sums[*slot as usize] += centre * f64::from(*weight);
                weights[*slot as usize] += f64::from(*weight);
            }
        }
        if span >= best_span {
            break;
        }
        (best_span, best) = (span, order.clone());
        let aim = |slot: u32| {
            let (sum, weight): (f64, f64) = (sums[slot as usize], weights[slot as usize]);
            if weight > 0.0 { sum / weight } else { f64::from(places[slot as usize]) }
        };
        order.sort_by(|a, b| aim(*a).total_cmp(&aim(*b)));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{force, hubs};

    #[test]
    fn what_concerns_most_others_is_a_hub() {
        let star: Vec<(Vec<u32>, u32)> = (0..6).map(|slot| (vec![slot, 9], 1)).collect();
        let slots = [0, 1, 2, 3, 4, 5, 9];
        assert_eq!(hubs(&slots, &star.into_iter().collect(), 6), [9]);
        let all = [(slots.to_vec(), 1)].into_iter().collect();
        assert_eq!((hubs(&slots, &all, 6), hubs(&slots, &all, 0)), (vec![9], vec![]));
    }

    #[test]
    fn what_belongs_together_is_near() {
        let chain = [(vec![0, 3], 1), (vec![1, 3], 1), (vec![1, 4], 1), (vec![2, 4], 1), (vec![2, 5], 1)];
        assert_eq!(force(vec![0, 1, 2, 3, 4, 5], &chain.into_iter().collect()), [0, 3, 1, 4, 2, 5]);
        assert_eq!(force(vec![3, 7], &[].into_iter().collect()), [3, 7]);
        assert_eq!(force(Vec::new(), &[].into_iter().collect()), []);
    }
}
