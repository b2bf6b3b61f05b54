//! Label reduction: labels with equal hops in all factors but one are combined to one label, which
//! has the hops of all of them there. This is exact.
//!
//! Sievers, Wehrle and Helmert, "Generalized label reduction for merge-and-shrink heuristics", AAAI
//! 2014.

use rustc_hash::FxHashMap;

use super::{
    factor::Hop,
    pool::{FactorLabel, Pool},
};

/// The greatest number of rounds through all factors.
const MAX_ROUNDS: usize = 8;

impl Pool {
    /// Reduces the labels.
    pub(crate) fn reduce(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut round = ReductionRound::new(self);
            let changed: Vec<u32> =
                self.live.clone().into_iter().filter(|number| round.reduce_for(self, *number)).collect();
            let mut is_gone = round.is_gone.into_iter();
            self.labels.retain(|_| is_gone.next() == Some(false));
            if changed.is_empty() {
                break;
            }
            changed.into_iter().for_each(|number| _ = self.settle(number));
        }
    }

    /// Returns the union of the hops of labels in a factor. Labels without other factors need no
    /// self-loops.
    fn joined(&self, number: u32, labels: &[usize], is_alone: bool) -> Vec<Hop> {
        let factor = self.factor(number);
        let mut hops: Vec<Hop> = Vec::new();
        for label in labels.iter().map(|label| &self.labels[*label]) {
            match label.group(number) {
                Some(group) => hops.extend_from_slice(&factor.groups[group as usize]),
                None => hops.extend(factor.stays(label.is_committed)),
            }
        }
        if is_alone {
            hops.retain(|hop| hop.0 != hop.1);
        }
        hops.sort_unstable();
        hops.dedup();
        hops
    }
}

/// Returns the hash of a factor and a group. That of a label is the sum over its factors, so that
/// one of them can be subtracted.
fn hash(place: (u32, u32)) -> u64 {
    let mixed = (u64::from(place.0) << 32 | u64::from(place.1)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Returns whether two labels have equal groups in all factors but one.
fn is_alike(a: &FactorLabel, b: &FactorLabel, number: u32) -> bool {
    let elsewhere = |label: &FactorLabel| label.places.iter().copied().filter(move |place| place.0 != number).collect();
    let (left, right): (Vec<_>, Vec<_>) = (elsewhere(a), elsewhere(b));
    a.is_committed == b.is_committed && left == right
}

/// A round through all factors.
struct ReductionRound {
    hashes: Vec<u64>,
    /// The first label with each hash.
    first: FxHashMap<u64, usize>,
    /// The labels with a group in each factor.
    of_factor: Vec<Vec<usize>>,
    /// The labels that were combined with others.
    is_gone: Vec<bool>,
}

impl ReductionRound {
    fn new(pool: &Pool) -> ReductionRound {
        let mut round = ReductionRound {
            hashes: Vec::new(),
            first: FxHashMap::default(),
            of_factor: vec![Vec::new(); pool.factors.len()],
            is_gone: vec![false; pool.labels.len()],
        };
        for (i, label) in pool.labels.iter().enumerate() {
            let sum = label.places.iter().fold(u64::from(label.is_committed), |sum, p| sum.wrapping_add(hash(*p)));
            round.hashes.push(sum);
            let first = *round.first.entry(sum).or_insert(i);
            if first < i && pool.labels[first] == *label {
                round.is_gone[i] = true;
                continue;
            }
            label.places.iter().for_each(|place| round.of_factor[place.0 as usize].push(i));
        }
        round
    }

    /// Combines labels that differ in this factor only. Returns whether there were any.
    fn reduce_for(&mut self, pool: &mut Pool, number: u32) -> bool {
        let mut changed = false;
        for labels in self.alike(pool, number) {
            let is_alone = pool.labels[labels[0]].places.len() == 1;
            if labels.len() == 1 && !is_alone {
                continue;
            }
            let hops = pool.joined(number, &labels, is_alone);
            // The first label has a group there: the one without comes last.
            let places = &mut pool.labels[labels[0]].places;
            let Ok(at) = places.binary_search_by_key(&number, |place| place.0) else { continue };
            let factor = &mut pool.factors[number as usize];
            if labels.len() == 1 && factor.groups[places[at].1 as usize] == hops {
                continue;
            }
            let sum = self.hashes[labels[0]].wrapping_sub(hash(places[at]));
            places[at].1 = factor.groups.len() as u32;
            self.hashes[labels[0]] = sum.wrapping_add(hash(places[at]));
            factor.groups.push(hops);
            labels[1..].iter().for_each(|label| self.is_gone[*label] = true);
            changed = true;
        }
        changed
    }

    /// Returns sets of labels that have equal groups in all other factors.
    fn alike(&self, pool: &Pool, number: u32) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut known: FxHashMap<u64, usize> = FxHashMap::default();
        for &i in self.of_factor[number as usize].iter().filter(|i| !self.is_gone[**i]) {
            let label = &pool.labels[i];
            let Some(group) = label.group(number) else { continue };
            let elsewhere = self.hashes[i].wrapping_sub(hash((number, group)));
            let set = *known.entry(elsewhere).or_insert(sets.len());
            match sets.get_mut(set) {
                Some(set) if is_alike(&pool.labels[set[0]], label, number) => set.push(i),
                Some(_) => {}
                None => sets.push(vec![i]),
            }
        }
        for (elsewhere, set) in known {
            // A label without a group in the factor, if it was not changed.
            let still = self.first.get(&elsewhere).filter(|i| !self.is_gone[**i] && self.hashes[**i] == elsewhere);
            let still = still.filter(|i| is_alike(&pool.labels[sets[set][0]], &pool.labels[**i], number));
            sets[set].extend(still.filter(|i| pool.labels[**i].group(number).is_none()));
        }
        sets
    }
}
