//! Which classes of states each worker owns.
//!
//! There are not many more classes than workers need, and some have many more states than others.
//! A hash would give one worker half as much again as another. So classes are dealt, the largest
//! first, each to the worker that has the fewest states so far. A sample shows how large they are.

use super::{features::Feature, of_class, sample::Sample};

/// The greatest number of features whose classes are dealt. With more, classes are small.
const MAX_FEATURES: usize = 12;

/// Returns the number of classes that are dealt.
pub(super) fn classes(features: &[Feature]) -> usize {
    if features.is_empty() || features.len() > MAX_FEATURES { 0 } else { 1 << features.len() }
}

/// Returns the owner of each class.
pub(super) fn deal(sample: &Sample, features: &[Feature], workers: usize) -> Vec<u16> {
    let mut sizes = vec![0_u32; classes(features)];
    if sizes.is_empty() {
        return Vec::new();
    }
    let places: Vec<usize> =
        features.iter().filter_map(|feature| sample.slots.iter().position(|slot| *slot == feature.slot())).collect();
    for state in 0..sample.states() {
        let holds = |(feature, place): (&Feature, &usize)| feature.holds_for(sample.values(*place, state).0.into());
        let class = features.iter().zip(&places).fold(0, |class, both| class << 1 | usize::from(holds(both)));
        sizes[class] += 1;
    }
    // Classes that are not in the sample come later, and nothing is known of them.
    let mut owners: Vec<u16> = (0..sizes.len()).map(|class| of_class(class as u64, workers) as u16).collect();
    let mut known: Vec<usize> = (0..sizes.len()).filter(|class| sizes[*class] > 0).collect();
    known.sort_by_key(|class| std::cmp::Reverse(sizes[*class]));
    let mut loads = vec![0; workers];
    for class in known {
        let least = (0..workers).min_by_key(|worker| loads[*worker]).unwrap_or(0);
        loads[least] += sizes[class];
        owners[class] = least as u16;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::{super::tables::Tables, *};
    use crate::random::SplitMix;

    #[test]
    fn shares_of_a_sample_differ_by_at_most_a_class() {
        let mut random = SplitMix::new(3);
        for workers in 2..6 {
            let features: Vec<Feature> = (0..8).map(|_| Feature::any(&mut random, 3)).collect();
            let values = (0..4000 * 6).map(|_| random.below(2000) as i32 - 1000).collect();
            let sample = Sample::of(vec![0, 1, 2], values);
            let owners = deal(&sample, &features, workers);
            assert_eq!(owners.len(), 256);
            let tables = Tables::new(&features);
            let (mut loads, mut sizes) = (vec![0; workers], vec![0; owners.len()]);
            for state in 0..sample.states() {
                let class = tables.class(&[0, 1, 2].map(|place| sample.values(place, state).0)) as usize;
                loads[usize::from(owners[class])] += 1;
                sizes[class] += 1;
            }
            let [largest, least] = [loads.iter().max(), loads.iter().min()].map(|load| load.copied().unwrap_or(0));
            assert!(sizes.iter().any(|size| *size >= largest - least), "{loads:?}");
            assert_eq!(loads.iter().sum::<usize>(), sample.states());
        }
    }
}
