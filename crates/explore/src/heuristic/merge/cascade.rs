//! The way from a row to an abstract state: a table for each number of the row that counts, and one
//! for each product.

use super::factor::{is_gone, is_state};

/// A table.
enum CascadeTable {
    /// By a number of the row, from its least value on.
    Slot { slot: usize, low: i32, table: Vec<u32> },
    /// By the states of two others, which come before it.
    Pair { left: usize, right: usize, width: usize, table: Vec<u32> },
}

/// All tables, those of products behind those of what they are made of.
#[derive(Default)]
pub struct Cascade {
    nodes: Vec<CascadeTable>,
}

/// Where a row leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CascadeLookup {
    /// A state of each factor.
    All,
    /// One that is left out: no path leads from there to the goal.
    Gone,
    /// Nothing is known: no path from the start leads there, or a number is out of its range.
    Unknown,
}

impl Cascade {
    /// A table for a number of the row with so many values, each a state of its own.
    pub fn slot(&mut self, slot: usize, low: i32, values: usize) -> usize {
        self.nodes.push(CascadeTable::Slot { slot, low, table: (0..values as u32).collect() });
        self.nodes.len() - 1
    }

    /// A table for two others, the second of which has `width` states.
    pub fn pair(&mut self, left: usize, right: usize, width: usize, table: Vec<u32>) -> usize {
        self.nodes.push(CascadeTable::Pair { left, right, width, table });
        self.nodes.len() - 1
    }

    /// The number of the row that a table is by, its least value, and the states; none for tables
    /// of products.
    pub fn values(&self, node: usize) -> Option<(usize, i32, &[u32])> {
        match &self.nodes[node] {
            CascadeTable::Slot { slot, low, table } => Some((*slot, *low, table)),
            CascadeTable::Pair { .. } => None,
        }
    }

    /// The states of a table have become others.
    pub fn map(&mut self, node: usize, map: &[u32]) {
        let (CascadeTable::Slot { table, .. } | CascadeTable::Pair { table, .. }) = &mut self.nodes[node];
        table.iter_mut().filter(|to| is_state(**to)).for_each(|to| *to = map[*to as usize]);
    }

    /// The state of each table for a row.
    ///
    /// In each round states are left out by what is left of the network, and what is left is right
    /// for all rows of which nothing was left out before. So the first round that leaves something
    /// of the row out decides: either no path from the row leads to the goal, or no path from the
    /// start leads to the row, and nothing is known about it. Rows that can be reached are never
    /// unknown: where one is left out, so are all that lie behind it, in the same round.
    pub fn look_up(&self, row: &[i32], out: &mut Vec<u32>) -> CascadeLookup {
        out.clear();
        let mut first = u32::MAX;
        for node in &self.nodes {
            let to = match node {
                CascadeTable::Slot { slot, low, table } => {
                    let value = usize::try_from(i64::from(row[*slot]) - i64::from(*low)).ok();
                    let Some(to) = value.and_then(|value| table.get(value)) else { return CascadeLookup::Unknown };
                    *to
                }
                CascadeTable::Pair { left, right, width, table } => match (out[*left], out[*right]) {
                    (left, right) if is_state(left) && is_state(right) => table[left as usize * width + right as usize],
                    (left, right) => left.max(right),
                },
            };
            if !is_state(to) {
                first = first.min(to);
            }
            out.push(to);
        }
        match first {
            u32::MAX => CascadeLookup::All,
            first if is_gone(first) => CascadeLookup::Gone,
            _ => CascadeLookup::Unknown,
        }
    }
}
