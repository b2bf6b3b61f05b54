//! Label reduction: labels that do the same in all factors but one become one label, which does there what any of them does. That
//! loses nothing.
//!
//! Sievers, Wehrle and Helmert, "Generalized label reduction for merge-and-shrink heuristics", AAAI 2014.

use std::collections::{HashMap, HashSet};

use super::{
    factor::Hop,
    pool::{Label, Pool},
};

/// At most so many times all factors are gone through.
const MOST_ROUNDS: usize = 8;
/// With more factors times labels only the last factor is looked at.
const MOST_WORK: usize = 1 << 20;

impl Pool {
    /// Reduces the labels.
    pub fn reduce(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let before = self.labels.len();
            let mut known = HashSet::new();
            self.labels.retain(|label| known.insert(label.clone()));
            let few = self.live.len() * self.labels.len() <= MOST_WORK;
            let from = if few { 0 } else { self.live.len().saturating_sub(1) };
            for number in self.live[from..].to_vec() {
                self.reduce_for(number);
            }
            if self.labels.len() == before {
                break;
            }
        }
    }

    /// Makes one of labels that differ in one factor only.
    fn reduce_for(&mut self, number: u32) {
        let mut goes = vec![false; self.labels.len()];
        let mut changed = false;
        for (labels, is_alone) in self.alike(number) {
            let hops = self.joined(number, &labels, is_alone);
            let places = &mut self.labels[labels[0]].places;
            // The first has a place there: those that have none come behind.
            let Ok(at) = places.binary_search_by_key(&number, |place| place.0) else { continue };
            let factor = &mut self.factors[number as usize];
            if labels.len() == 1 && factor.groups[places[at].1 as usize] == hops {
                continue;
            }
            places[at].1 = factor.groups.len() as u32;
            factor.groups.push(hops);
            labels[1..].iter().for_each(|label| goes[*label] = true);
            changed = true;
        }
        if changed {
            let mut goes = goes.into_iter();
            self.labels.retain(|_| goes.next() == Some(false));
            self.settle(number);
        }
    }

    /// Labels that do the same elsewhere, and whether that is nothing.
    fn alike(&self, number: u32) -> Vec<(Vec<usize>, bool)> {
        let mut alike: HashMap<Label, Vec<usize>> = HashMap::new();
        for (i, label) in self.labels.iter().enumerate().filter(|(_, label)| label.group(number).is_some()) {
            let mut elsewhere = label.clone();
            elsewhere.places.retain(|place| place.0 != number);
            alike.entry(elsewhere).or_default().push(i);
        }
        for (i, label) in self.labels.iter().enumerate().filter(|(_, label)| label.group(number).is_none()) {
            if let Some(others) = alike.get_mut(label) {
                others.push(i);
            }
        }
        let sets = alike.into_iter().map(|(key, labels)| (labels, key.places.is_empty()));
        let mut sets: Vec<_> = sets.filter(|(labels, is_alone)| labels.len() > 1 || *is_alone).collect();
        sets.sort_unstable();
        sets
    }

    /// What any of some labels does in a factor. Labels that do nothing elsewhere need not stay where they are.
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
