//! The reachable product of two factors.

use std::collections::BTreeMap;

use super::{
    super::Budget,
    factor::{Factor, StateLists, is_state, unreached},
    pool::{FactorLabel, Pool},
};

/// A product, with the maps of labels and states.
pub(super) struct Product {
    /// The product.
    pub factor: Factor,
    /// The state of the product for each pair of states, with consecutive states of the second
    /// factor.
    pub table: Vec<u32>,
    /// The group of each kind of label.
    pub groups: BTreeMap<LabelKind, u32>,
}

/// The groups of a label in two factors, and whether it leaves a committed location.
pub(super) type LabelKind = (Option<u32>, Option<u32>, bool);

/// Returns the kind of a label for two factors.
pub(super) fn kind(label: &FactorLabel, (left, right): (u32, u32)) -> LabelKind {
    (label.group(left), label.group(right), label.is_committed)
}

/// Why a product can't be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProductError {
    /// It has too many hops.
    TooLarge,
    /// The time limit is exceeded.
    Over,
}

/// Builds the product of two factors with at most `max_hops` hops. Unreached pairs are pruned in
/// this round.
pub(super) fn product(
    pool: &Pool,
    pair: (u32, u32),
    round: u32,
    max_hops: usize,
    budget: &Budget<'_>,
) -> Result<Product, ProductError> {
    let mut groups: BTreeMap<LabelKind, u32> = BTreeMap::new();
    for label in &pool.labels {
        let kind = kind(label, pair);
        if kind.0.is_some() || kind.1.is_some() {
            let next = groups.len() as u32;
            groups.entry(kind).or_insert(next);
        }
    }
    let mut builder = ProductBuilder::new(pool.factor(pair.0), pool.factor(pair.1), round, &groups);
    let mut at = 0;
    while at < builder.states.len() {
        if at % 1024 == 0 && budget.is_over() {
            return Err(ProductError::Over);
        }
        builder.expand(at as u32);
        if builder.count > max_hops {
            return Err(ProductError::TooLarge);
        }
        at += 1;
    }
    let (factor, table) = builder.finish();
    Ok(Product { factor, table, groups })
}

/// The other group of a label, whether it leaves a committed location, and its group in the
/// product.
type LabelPartner = (Option<u32>, bool, u32);

struct ProductBuilder<'f> {
    left: &'f Factor,
    right: &'f Factor,
    from_left: StateLists<(u32, u32)>,
    from_right: StateLists<(u32, u32)>,
    /// The kinds of labels of each left group.
    of_left: Vec<Vec<LabelPartner>>,
    /// The kinds of labels of each right group that have no left group.
    of_right: Vec<Vec<LabelPartner>>,
    /// The states of pairs.
    table: Vec<u32>,
    /// The reached pairs.
    states: Vec<(u32, u32)>,
    starts: Vec<u32>,
    hops: Vec<Vec<(u32, u32)>>,
    count: usize,
}

impl<'f> ProductBuilder<'f> {
    fn new(left: &'f Factor, right: &'f Factor, round: u32, groups: &BTreeMap<LabelKind, u32>) -> ProductBuilder<'f> {
        let mut builder = ProductBuilder {
            left,
            right,
            from_left: left.leaving(),
            from_right: right.leaving(),
            of_left: vec![Vec::new(); left.groups.len()],
            of_right: vec![Vec::new(); right.groups.len()],
            table: vec![unreached(round); left.len() * right.len()],
            states: Vec::new(),
            starts: Vec::new(),
            hops: vec![Vec::new(); groups.len()],
            count: 0,
        };
        for (&(on_left, on_right, is_committed), &group) in groups {
            match (on_left, on_right) {
                (Some(on_left), _) => builder.of_left[on_left as usize].push((on_right, is_committed, group)),
                (None, Some(on_right)) => builder.of_right[on_right as usize].push((None, is_committed, group)),
                (None, None) => {}
            }
        }
        for (&left, &right) in left.starts.iter().zip(&right.starts) {
            let start = if is_state(left) && is_state(right) { builder.number(left, right) } else { left.max(right) };
            builder.starts.push(start);
        }
        builder
    }

    /// Returns the state of a pair, which may be new.
    fn number(&mut self, left: u32, right: u32) -> u32 {
        let at = left as usize * self.right.len() + right as usize;
        if !is_state(self.table[at]) {
            self.table[at] = self.states.len() as u32;
            self.states.push((left, right));
        }
        self.table[at]
    }

    fn add(&mut self, from: u32, group: u32, left: u32, right: u32) {
        let to = self.number(left, right);
        self.hops[group as usize].push((from, to));
        self.count += 1;
    }

    /// Adds the hops of a state.
    fn expand(&mut self, state: u32) {
        let (left, right) = self.states[state as usize];
        for i in 0..self.from_left.of(left).len() {
            let (on_left, to_left) = self.from_left.of(left)[i];
            for j in 0..self.of_left[on_left as usize].len() {
                match self.of_left[on_left as usize][j] {
                    (Some(on_right), _, group) => {
                        let all = self.from_right.of(right);
                        let first = all.partition_point(|hop| hop.0 < on_right);
                        let end = all.partition_point(|hop| hop.0 <= on_right);
                        for k in first..end {
                            self.add(state, group, to_left, self.from_right.of(right)[k].1);
                        }
                    }
                    (None, is_committed, group) => {
                        if is_committed || !self.right.committed[right as usize] {
                            self.add(state, group, to_left, right);
                        }
                    }
                }
            }
        }
        for i in 0..self.from_right.of(right).len() {
            let (on_right, to_right) = self.from_right.of(right)[i];
            for j in 0..self.of_right[on_right as usize].len() {
                let (_, is_committed, group) = self.of_right[on_right as usize][j];
                if is_committed || !self.left.committed[left as usize] {
                    self.add(state, group, left, to_right);
                }
            }
        }
    }

    fn finish(mut self) -> (Factor, Vec<u32>) {
        self.hops.iter_mut().for_each(|hops| {
            hops.sort_unstable();
            hops.dedup();
        });
        let goals = |(left, right): &(u32, u32)| self.left.goals[*left as usize] & self.right.goals[*right as usize];
        let committed =
            |(left, right): &(u32, u32)| self.left.committed[*left as usize] || self.right.committed[*right as usize];
        let factor = Factor {
            goals: self.states.iter().map(goals).collect(),
            committed: self.states.iter().map(committed).collect(),
            starts: self.starts,
            groups: self.hops,
            ..Factor::default()
        };
        (factor, self.table)
    }
}
