//! The order of slots in diagrams.
//!
//! Slots that steps test or change together should be near each other. FORCE moves each slot to the
//! mean of the centres of its steps, until that does not make the steps shorter any more.
//!
//! Aloul, Markov and Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic",
//! GLSVLSI 2003.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::abstraction::steps::{AbstractStep, AbstractSteps};

/// The greatest number of rounds.
const MAX_ROUNDS: usize = 100;

/// Returns the kept slots in the order in which diagrams test them.
pub(super) fn order(steps: &AbstractSteps<'_>) -> Vec<u32> {
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
    groups.retain(|slots, _| slots.len() > 1);
    force((0..).zip(kept).filter(|(_, kept)| **kept).map(|(slot, _)| slot).collect(), &groups)
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
        for (slots, weight) in groups {
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
    use super::force;

    #[test]
    fn what_belongs_together_is_near() {
        let groups = [(vec![0, 5], 3), (vec![1, 4], 3), (vec![2, 3], 3)].into_iter().collect();
        let order = force(vec![0, 1, 2, 3, 4, 5], &groups);
        let place = |slot: u32| order.iter().position(|own| *own == slot).unwrap();
        for (a, b) in [(0, 5), (1, 4), (2, 3)] {
            assert!(place(a).abs_diff(place(b)) <= 2, "{order:?}");
        }
        assert_eq!(force(vec![3, 7], &[].into_iter().collect()), [3, 7]);
        assert_eq!(force(Vec::new(), &[].into_iter().collect()), []);
    }
}
