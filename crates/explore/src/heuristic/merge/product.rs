//! Products of two factors, as far as they are reached from the start.

use std::collections::BTreeMap;

use super::{
    super::Budget,
    factor::{Factor, GONE},
    pool::{Label, Pool},
};

/// A product, and how labels and states become its own.
pub struct Product {
    /// The product.
    pub factor: Factor,
    /// For each pair of states that of the product, by rows of the second factor's size.
    pub table: Vec<u32>,
    /// The group of each kind of labels.
    pub groups: BTreeMap<Kind, u32>,
}

/// What a label is for two factors: its groups there, and whether it is committed.
pub type Kind = (Option<u32>, Option<u32>, bool);

/// The kind of a label for two factors.
pub fn kind(label: &Label, (left, right): (u32, u32)) -> Kind {
    (label.group(left), label.group(right), label.is_committed)
}

/// Why there is no product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// It has too many hops.
    TooLarge,
    /// The time is over.
    Over,
}

/// The product of two factors with at most so many hops.
///
/// # Errors
/// If that is not enough, or the time is over.
pub fn product(pool: &Pool, pair: (u32, u32), most_hops: usize, budget: &Budget<'_>) -> Result<Product, Failed> {
    let mut groups: BTreeMap<Kind, u32> = BTreeMap::new();
    for label in &pool.labels {
        let kind = kind(label, pair);
        if kind.0.is_some() || kind.1.is_some() {
            let next = groups.len() as u32;
            groups.entry(kind).or_insert(next);
        }
    }
    let (left, right) = (pool.factor(pair.0), pool.factor(pair.1));
    let width = right.len();
    let mut walk = Walk { left, right, table: vec![GONE; left.len() * width], states: Vec::new() };
    let mut factor = Factor { groups: vec![Vec::new(); groups.len()], ..Factor::default() };
    if left.initial != GONE && right.initial != GONE {
        walk.number(left.initial, right.initial);
    } else {
        factor.initial = GONE;
    }
    // The kinds of each group: on the left with their groups on the right, on the right those that are of no group on the left.
    let mut with_left: Vec<Vec<(Option<u32>, bool, u32)>> = vec![Vec::new(); left.groups.len()];
    let mut right_alone: Vec<Vec<(bool, u32)>> = vec![Vec::new(); right.groups.len()];
    for (&(on_left, on_right, is_committed), &group) in &groups {
        match (on_left, on_right) {
            (Some(on_left), _) => with_left[on_left as usize].push((on_right, is_committed, group)),
            (None, Some(on_right)) => right_alone[on_right as usize].push((is_committed, group)),
            (None, None) => {}
        }
    }
    let (from_left, from_right) = (left.leaving(), right.leaving());
    let mut hops = 0;
    let mut at = 0;
    while let Some(&(l, r)) = walk.states.get(at) {
        if at % 1024 == 0 && budget.is_over() {
            return Err(Failed::Over);
        }
        let (busy_left, busy_right) = (left.committed[l as usize], right.committed[r as usize]);
        let mut add = |group: u32, to: u32| {
            factor.groups[group as usize].push((at as u32, to));
            hops += 1;
        };
        for &(on_left, to_left) in from_left.of(l) {
            for &(on_right, is_committed, group) in &with_left[on_left as usize] {
                match on_right {
                    None if is_committed || !busy_right => add(group, walk.number(to_left, r)),
                    None => {}
                    Some(on_right) => {
                        let all = from_right.of(r);
                        let from = all.partition_point(|hop| hop.0 < on_right);
                        for &(_, to_right) in all[from..].iter().take_while(|hop| hop.0 == on_right) {
                            add(group, walk.number(to_left, to_right));
                        }
                    }
                }
            }
        }
        for &(on_right, to_right) in from_right.of(r) {
            for &(is_committed, group) in &right_alone[on_right as usize] {
                if is_committed || !busy_left {
                    add(group, walk.number(l, to_right));
                }
            }
        }
        if hops > most_hops {
            return Err(Failed::TooLarge);
        }
        at += 1;
    }
    for &(l, r) in &walk.states {
        factor.goals.push(left.goals[l as usize] & right.goals[r as usize]);
        factor.committed.push(left.committed[l as usize] || right.committed[r as usize]);
    }
    factor.groups.iter_mut().for_each(|hops| {
        hops.sort_unstable();
        hops.dedup();
    });
    Ok(Product { factor, table: walk.table, groups })
}

struct Walk<'f> {
    left: &'f Factor,
    right: &'f Factor,
    table: Vec<u32>,
    states: Vec<(u32, u32)>,
}

impl Walk<'_> {
    /// The number of a pair of states, which is new if it is met for the first time.
    fn number(&mut self, left: u32, right: u32) -> u32 {
        let at = left as usize * self.right.len() + right as usize;
        debug_assert!((left as usize) < self.left.len());
        if self.table[at] == GONE {
            self.table[at] = self.states.len() as u32;
            self.states.push((left, right));
        }
        self.table[at]
    }
}
