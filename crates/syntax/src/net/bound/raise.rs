//! One sum over all places: weights of input places are raised until no firing adds to the sum.
//! They grow without end if a net is unbounded.

use super::super::{Arc, Net};

/// The greatest weight of a place.
const MAX_WEIGHT: u64 = 1 << 40;

/// How often all transitions are looked at. A chain of transitions in the order of the net takes as
/// many rounds as it is long only if it is written backwards.
const ROUNDS: usize = 200;

/// Returns positive weights of places of which no firing increases the sum.
pub(super) fn weights(net: &Net) -> Option<Vec<u64>> {
    let mut weights = vec![1u64; net.places.len()];
    let sum = |arcs: &[Arc], weights: &[u64]| {
        arcs.iter().map(|arc| u128::from(arc.weight) * u128::from(weights[arc.place as usize])).sum::<u128>()
    };
    for _ in 0..ROUNDS {
        let mut is_stable = true;
        // Consumers after producers is the usual order of a net, so backwards needs fewer rounds.
        for t in net.transitions.iter().rev() {
            let (before, after) = (sum(&t.takes, &weights), sum(&t.puts, &weights));
            if after <= before {
                continue;
            }
            is_stable = false;
            let tokens: u128 = t.takes.iter().map(|arc| u128::from(arc.weight)).sum();
            if tokens == 0 {
                return None;
            }
            let more = u64::try_from((after - before).div_ceil(tokens)).ok()?;
            for arc in &t.takes {
                let weight = &mut weights[arc.place as usize];
                *weight = weight.checked_add(more).filter(|w| *w <= MAX_WEIGHT)?;
            }
        }
        if is_stable {
            return Some(weights);
        }
    }
    None
}
