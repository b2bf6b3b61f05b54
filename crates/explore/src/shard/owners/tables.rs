//! The class of a state by features, from tables.
//!
//! Every successor has to be assigned to a worker. Features of one slot share a table, which has
//! what all of them say about a value.

use super::features::Feature;

/// The greatest number of values in a table of several features.
const MAX_VALUES: i64 = 1 << 10;

/// The tables of a list of features.
#[derive(Clone, Default)]
pub(super) struct Tables {
    slots: Vec<SlotTable>,
}

/// What features say about the values of a slot.
#[derive(Clone)]
struct SlotTable {
    slot: u32,
    /// The value of the first entry. Lesser values have the same, and values after the last entry
    /// have what that one has.
    low: i64,
    /// For each value the bits of the features that hold.
    bits: Vec<u64>,
}

impl Tables {
    pub(super) fn new(features: &[Feature]) -> Tables {
        let mut tables = Tables::default();
        // The first feature has the highest bit.
        let with_bits: Vec<(Feature, u64)> =
            features.iter().rev().enumerate().map(|(bit, feature)| (*feature, 1 << bit)).collect();
        let mut slots: Vec<u32> = features.iter().map(|feature| feature.slot()).collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let own: Vec<(Feature, u64)> =
                with_bits.iter().copied().filter(|(feature, _)| feature.slot() == slot).collect();
            match SlotTable::new(slot, &own) {
                Some(table) => tables.slots.push(table),
                // Each alone has a small table.
                None => tables.slots.extend(own.chunks(1).filter_map(|one| SlotTable::new(slot, one))),
            }
        }
        tables
    }

    /// Returns the class of a state: a bit for each feature.
    #[inline]
    pub(super) fn class(&self, row: &[i32]) -> u64 {
        self.slots.iter().fold(0, |class, table| class | table.of(row))
    }
}

impl SlotTable {
    /// Returns the table of features of one slot with their bits, unless it is too large.
    fn new(slot: u32, features: &[(Feature, u64)]) -> Option<SlotTable> {
        let low = features.iter().map(|(feature, _)| feature.ends().0).min()?;
        let high = features.iter().map(|(feature, _)| feature.ends().1).max()?;
        let holding = |value| features.iter().filter(move |(feature, _)| feature.holds_for(value));
        let bits = |value| holding(value).fold(0, |bits, (_, bit)| bits | bit);
        (high - low < MAX_VALUES).then(|| SlotTable { slot, low, bits: (low..=high).map(bits).collect() })
    }

    #[inline]
    fn of(&self, row: &[i32]) -> u64 {
        let at = (i64::from(row[self.slot as usize]) - self.low).clamp(0, self.bits.len() as i64 - 1);
        self.bits[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn tables_say_what_features_say() {
        let mut random = SplitMix::new(7);
        for _ in 0..200 {
            let count = 1 + random.below(6);
            let features: Vec<Feature> = (0..count).map(|_| Feature::any(&mut random, 2)).collect();
            let tables = Tables::new(&features);
            let near = features.iter().flat_map(|feature| [feature.ends().0, feature.ends().1]);
            let values: Vec<i32> = near
                .flat_map(|value| [value - 1, value, value + 1])
                .chain([i64::from(i32::MIN), 0, i64::from(i32::MAX)])
                .filter_map(|value| i32::try_from(value).ok())
                .collect();
            for &a in &values {
                for &b in &values {
                    let row = [a, b];
                    let holds = |feature: &Feature| feature.holds_for(row[feature.slot() as usize].into());
                    let class = features.iter().fold(0, |class, feature| class << 1 | u64::from(holds(feature)));
                    assert_eq!(tables.class(&row), class, "{features:?} {row:?}");
                }
            }
        }
    }
}
