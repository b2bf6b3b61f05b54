//! Cascading tables from a row to abstract states: one for each relevant slot of the row, and one
//! for each product.

use super::factor::{is_gone, is_state};

/// A table.
enum CascadeTable {
    /// Indexed by a slot of the row, from its least value on.
    Slot { slot: usize, low: i32, table: Vec<u32> },
    /// Indexed by the states of two earlier tables.
    Pair { left: usize, right: usize, width: usize, table: Vec<u32> },
}

/// All tables, those of products after those of their factors.
#[derive(Default)]
pub(crate) struct Cascade {
    nodes: Vec<CascadeTable>,
}

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CascadeLookup {
    /// A state of each factor.
    All,
    /// A pruned state: no path leads from there to the goal.
    Gone,
    /// Unknown: no path from the start leads there, or a slot is out of its range.
    Unknown,
}

impl Cascade {
    /// Adds a table for a slot with this number of values, each of which is a state.
    pub(crate) fn slot(&mut self, slot: usize, low: i32, values: usize) -> usize {
        self.nodes.push(CascadeTable::Slot { slot, low, table: (0..values as u32).collect() });
        self.nodes.len() - 1
    }

    /// Adds a table for the product of two factors, the second of which has `width` states.
    pub(crate) fn pair(&mut self, left: usize, right: usize, width: usize, table: Vec<u32>) -> usize {
        self.nodes.push(CascadeTable::Pair { left, right, width, table });
        self.nodes.len() - 1
    }

    /// Returns the slot of a table, its least value, and the states; `None` for tables of products.
    pub(crate) fn values(&self, node: usize) -> Option<(usize, i32, &[u32])> {
        match &self.nodes[node] {
            CascadeTable::Slot { slot, low, table } => Some((*slot, *low, table)),
            CascadeTable::Pair { .. } => None,
        }
    }

    /// Maps the states of a table.
    pub(crate) fn map(&mut self, node: usize, map: &[u32]) {
        let (CascadeTable::Slot { table, .. } | CascadeTable::Pair { table, .. }) = &mut self.nodes[node];
        table.iter_mut().filter(|to| is_state(**to)).for_each(|to| *to = map[*to as usize]);
    }

    /// Looks up the state of a row in each table.
    ///
    /// Each round prunes states of the remaining abstraction, which is correct for all rows that
    /// were not pruned before. So the first round that prunes a state of the row decides: either no
    /// path from the row leads to the goal, or no path from the start leads to the row, and the row
    /// is unknown. Reachable rows are never unknown: if one is pruned, so are all its successors,
    /// in the same round.
    pub(crate) fn look_up(&self, row: &[i32], out: &mut Vec<u32>) -> CascadeLookup {
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
