//! The elements on which laws are checked.

use std::collections::BTreeSet;

use super::RandomSource;
use crate::Lattice;

/// The number of elements that are checked pairwise.
const PAIRS: usize = 64;

/// The number of elements that are checked in triples.
pub(super) const TRIPLES: usize = 24;

/// Weighs an element. Elements of small integers have small weights.
pub(super) fn weight(element: &[i32]) -> u64 {
    element.iter().map(|slot| u64::from(slot.unsigned_abs())).sum()
}

/// Samples elements of a lattice until `stop` returns `true`.
pub(super) fn samples(lattice: &dyn Lattice, random: RandomSource<'_>, stop: &dyn Fn() -> bool) -> Vec<Vec<i32>> {
    let mut element = vec![0; lattice.width()];
    lattice.initial(&mut element);
    let mut all = vec![element.clone()];
    for _ in 0..4 * PAIRS {
        if stop() {
            break;
        }
        lattice.sample(random, &mut element);
        all.push(element.clone());
    }
    all
}

/// Returns some of the elements, small ones first, and joins of them, so that some pairs are
/// comparable.
pub(super) fn with_joins(elements: &[Vec<i32>], join: &mut dyn FnMut(&mut [i32], &[i32]) -> bool) -> Vec<Vec<i32>> {
    let mut all: BTreeSet<(u64, Vec<i32>)> = BTreeSet::new();
    let mut add = |element: Vec<i32>| all.insert((weight(&element), element));
    for two in elements.windows(2) {
        let mut joined = two[0].clone();
        join(&mut joined, &two[1]);
        add(joined);
    }
    elements.iter().for_each(|element| {
        add(element.clone());
    });
    let all: Vec<Vec<i32>> = all.into_iter().map(|(_, element)| element).collect();
    if all.len() <= PAIRS {
        return all;
    }
    // Small elements make small counterexamples. The others are spread over the list.
    let (small, large) = all.split_at(PAIRS / 2);
    let spread = large.iter().step_by(large.len().div_ceil(PAIRS / 2));
    small.iter().chain(spread).cloned().collect()
}

/// Selects a few elements, small ones and others.
pub(super) fn few(elements: &[Vec<i32>]) -> Vec<&[i32]> {
    let half = TRIPLES / 2;
    let large = elements.get(half..).unwrap_or(&[]);
    let spread = large.iter().step_by(large.len().div_ceil(half).max(1));
    elements.iter().take(half).chain(spread).map(Vec::as_slice).collect()
}
