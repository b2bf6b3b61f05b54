//! Features of states that decide who owns them: each says of one slot whether its value is in a
//! set.
//!
//! A transition whose target has the features of its source stays with one worker. So good features
//! are those that few transitions change and that divide the states into classes of similar size:
//! one half of a process's locations, rather than each of them. They are chosen greedily, by the
//! transitions that they cost for each bit of information.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::sample::Sample;
use crate::snapshot::{PartReader, PartWriter, SnapshotError};

/// The number of classes of equal size that each worker has to have, as far as a sample shows them.
/// With fewer classes, some workers would have too much to do. The sample is of an early time, when
/// states are more alike than later.
const CLASSES: f64 = 16.0;
/// The greatest number of features.
const MAX_FEATURES: usize = 40;
/// Of a slot with at most so many values all sets of values are tried, and of others as many
/// intervals.
const MAX_VALUES: usize = 6;
const INTERVALS: usize = 16;
/// The number of features that are compared in each step.
const CANDIDATES: usize = 48;
/// The approximate number of states by which they are compared.
const COMPARED: usize = 1 << 10;
/// What a feature has to add, in bits.
const LEAST: f64 = 0.15;

/// Whether the value of a slot is in a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    slot: u32,
    set: Values,
}

/// A set of values.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// Those whose distance from the first is in a mask.
    Listed { first: i32, mask: u64 },
    /// All from a value on.
    From(i32),
}

impl Values {
    #[inline]
    fn contains(self, value: i64) -> bool {
        match self {
            Values::Listed { first, mask } => {
                let distance = value - i64::from(first);
                (0..64).contains(&distance) && mask >> distance & 1 == 1
            }
            Values::From(first) => value >= i64::from(first),
        }
    }
}

impl Feature {
    /// The slot.
    pub(super) fn slot(self) -> u32 {
        self.slot
    }

    /// Returns whether the value of the slot is in the set.
    pub(super) fn holds_for(self, value: i64) -> bool {
        self.set.contains(value)
    }

    /// Returns values up to which, and from which on, it does not change.
    pub(super) fn ends(self) -> (i64, i64) {
        match self.set {
            Values::Listed { first, mask } => {
                let first = i64::from(first);
                (first - 1, first + i64::from(u64::BITS - mask.leading_zeros()))
            }
            Values::From(first) => (i64::from(first) - 1, i64::from(first)),
        }
    }

    pub(super) fn save(self, out: &mut PartWriter<'_>) {
        out.number(self.slot.into());
        let (first, mask) = match self.set {
            Values::Listed { first, mask } => (first, Some(mask)),
            Values::From(first) => (first, None),
        };
        out.integer(first.into());
        out.flag(mask.is_some());
        mask.into_iter().for_each(|mask| out.number(mask));
    }

    /// Reads a feature of one of the slots that may decide.
    pub(super) fn load(slots: &[u32], from: &mut PartReader<'_>) -> Result<Feature, SnapshotError> {
        let (slot, first) = (from.natural()?, from.small()?);
        if !slots.contains(&slot) {
            return Err(SnapshotError::Impossible("a variable does not decide who owns a state"));
        }
        let set = if from.flag()? { Values::Listed { first, mask: from.number()? } } else { Values::From(first) };
        Ok(Feature { slot, set })
    }
}

/// A feature that may be chosen.
struct Candidate {
    /// The place of its slot.
    place: usize,
    set: Values,
    /// The share of the transitions that change it.
    cost: f64,
    /// Its information alone, in bits.
    bits: f64,
}

/// Chooses features for so many workers. Returns none if they would not distribute states evenly.
pub(super) fn choose(sample: &Sample, workers: usize) -> Vec<Feature> {
    let needed = (CLASSES * workers as f64).log2();
    let mut candidates: Vec<Candidate> =
        (0..sample.slots.len()).flat_map(|place| candidates_of_slot(sample, place)).collect();
    let price = |candidate: &Candidate| candidate.cost / candidate.bits;
    candidates.sort_by(|a, b| price(a).total_cmp(&price(b)));
    let mut classes = Classes::one(sample);
    // More are never compared.
    candidates.truncate(CANDIDATES + MAX_FEATURES);
    let mut candidates: Vec<(Candidate, Vec<u8>)> = candidates
        .into_iter()
        .map(|candidate| {
            let members = classes.members(sample, &candidate);
            (candidate, members)
        })
        .collect();
    let (mut chosen, mut known) = (Vec::new(), 0.0);
    while known < needed && chosen.len() < MAX_FEATURES {
        let mut best: Option<(f64, usize, f64)> = None;
        for (number, (candidate, members)) in candidates.iter().enumerate().take(CANDIDATES) {
            let bits = classes.bits_with(members);
            let added = bits - known;
            if added >= LEAST && best.is_none_or(|(least, ..)| candidate.cost / added < least) {
                best = Some((candidate.cost / added, number, bits));
            }
        }
        let Some((_, number, bits)) = best else { return Vec::new() };
        let (candidate, members) = candidates.remove(number);
        classes.divide(&members);
        known = bits;
        chosen.push(Feature { slot: sample.slots[candidate.place], set: candidate.set });
    }
    if known < needed { Vec::new() } else { chosen }
}

/// Returns the features of a slot that have information and do not cost more than another with the
/// same.
fn candidates_of_slot(sample: &Sample, place: usize) -> Vec<Candidate> {
    let states = sample.states();
    // How often the slot has a value and had a value before.
    let mut counts: HashMap<(i32, i32), u32, FxBuildHasher> = HashMap::default();
    (0..states).for_each(|state| *counts.entry(sample.values(place, state)).or_default() += 1);
    let mut values: Vec<i32> = counts.keys().map(|(now, _)| *now).collect();
    values.sort_unstable();
    values.dedup();
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return Vec::new() };
    let sets: Vec<Values> = if values.len() <= MAX_VALUES && i64::from(last) - i64::from(first) < 64 {
        let mask = |set: u64| {
            let chosen = values.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            chosen.fold(0, |mask, (_, value)| mask | 1 << (value - first))
        };
        // Of a set and its complement, one is enough.
        (1..1 << (values.len() - 1)).map(|set| Values::Listed { first, mask: mask(set) }).collect()
    } else {
        let step = (values.len() / INTERVALS).max(1);
        values.iter().skip(1).step_by(step).map(|value| Values::From(*value)).collect()
    };
    let candidates = sets.into_iter().filter_map(|set| {
        let (mut inside, mut changes) = (0, 0);
        for ((now, before), count) in &counts {
            let (now, before) = (set.contains((*now).into()), set.contains((*before).into()));
            inside += if now { *count } else { 0 };
            changes += if now == before { 0 } else { *count };
        }
        let share = f64::from(inside) / states as f64;
        let bits = -(share * share + (1.0 - share) * (1.0 - share)).log2();
        (bits >= LEAST).then(|| Candidate { place, set, cost: f64::from(changes) / states as f64, bits })
    });
    candidates.collect()
}

/// The classes of states of a sample that features distinguish.
struct Classes {
    /// The class of each state that is compared: one in `step`.
    of: Vec<u32>,
    step: usize,
    count: usize,
}

impl Classes {
    /// Puts all states into one class.
    fn one(sample: &Sample) -> Classes {
        let step = (sample.states() / COMPARED).max(1);
        Classes { of: vec![0; sample.states() / step], step, count: 1 }
    }

    /// Returns for each state that is compared whether a feature holds in it.
    fn members(&self, sample: &Sample, candidate: &Candidate) -> Vec<u8> {
        let value = |state: usize| sample.values(candidate.place, state * self.step).0;
        (0..self.of.len()).map(|state| u8::from(candidate.set.contains(value(state).into()))).collect()
    }

    /// Returns how many bits the classes have with one feature more, which holds in `members`: the
    /// logarithm of the number of classes of equal size that would make it as unlikely that two
    /// states are in the same one.
    fn bits_with(&self, members: &[u8]) -> f64 {
        let mut sizes = vec![0; 2 * self.count];
        for (class, member) in self.of.iter().zip(members) {
            sizes[2 * *class as usize + usize::from(*member)] += 1;
        }
        let pairs = |size: usize| (size * size.saturating_sub(1)) as f64;
        (pairs(self.of.len()) / sizes.into_iter().map(pairs).sum::<f64>().max(1.0)).log2()
    }

    /// Divides the classes by a feature.
    fn divide(&mut self, members: &[u8]) {
        let mut numbers = vec![None; 2 * self.count];
        self.count = 0;
        for (class, member) in self.of.iter_mut().zip(members) {
            let number = numbers[2 * *class as usize + usize::from(*member)].get_or_insert_with(|| {
                self.count += 1;
                self.count as u32 - 1
            });
            *class = *number;
        }
    }
}

#[cfg(test)]
impl Feature {
    /// Returns a random feature of one of so many slots.
    pub(super) fn any(random: &mut crate::random::SplitMix, slots: usize) -> Feature {
        let first = match random.below(4) {
            0 => i32::MIN,
            1 => i32::MAX,
            _ => random.below(2000) as i32 - 1000,
        };
        let set = match random.below(2) {
            0 => Values::From(first),
            _ => Values::Listed { first, mask: 1 + random.below(63) as u64 },
        };
        Feature { slot: random.below(slots) as u32, set }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    /// Random walks of processes with four locations, of which two are each other's neighbours.
    fn walks(processes: usize, states: usize) -> Sample {
        let mut random = SplitMix::new(1);
        let mut before = vec![0; processes];
        let mut values = Vec::new();
        for _ in 0..states {
            let mut now = before.clone();
            let process = random.below(processes);
            // It mostly goes to and fro between 0 and 1, or 2 and 3.
            now[process] ^= if random.below(8) == 0 { 2 } else { 1 };
            values.extend(now.iter().chain(&before));
            before = now;
        }
        Sample::of((0..processes as u32).collect(), values)
    }

    #[test]
    fn features_are_chosen_that_few_transitions_change() {
        let sample = walks(12, 4000);
        let features = choose(&sample, 4);
        let changed = |state: usize| {
            features.iter().any(|feature| {
                let (now, before) = sample.values(feature.slot() as usize, state);
                feature.holds_for(now.into()) != feature.holds_for(before.into())
            })
        };
        let changed = (0..4000).filter(|state| changed(*state)).count();
        assert!(features.len() >= 6 && changed < 600, "{features:?} {changed}");
    }

    #[test]
    fn without_enough_classes_there_are_none() {
        assert!(choose(&walks(1, 4000), 4).is_empty());
        assert!(choose(&Sample::of(vec![0], Vec::new()), 2).is_empty());
    }
}
