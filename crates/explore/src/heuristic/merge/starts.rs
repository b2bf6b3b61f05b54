//! The initial rows of a network, under all renamings of scalars.
//!
//! A search with symmetry reduction evaluates representatives. They are reachable from a renamed
//! initial state, but not always from the initial state itself.

use std::collections::BTreeSet;

use model::System;

/// The greatest number of initial rows. States that are reachable only from others are unknown to
/// the abstraction, which is safe.
const MAX_STARTS: usize = 64;

/// Returns the initial rows, that of the system first.
pub(super) fn starts(system: &System) -> Vec<Vec<i32>> {
    let symmetry = &system.symmetry;
    let exchanges: Vec<_> = (0..symmetry.sets.len() as u32).flat_map(|set| symmetry.exchanges(set)).collect();
    let mut starts = vec![system.initial.clone()];
    let mut seen = BTreeSet::from([system.initial.clone()]);
    let mut at = 0;
    while at < starts.len() && starts.len() < MAX_STARTS {
        for exchange in &exchanges {
            let mut row = Vec::new();
            symmetry.rename_row(exchange, &starts[at], &mut row);
            if starts.len() < MAX_STARTS && seen.insert(row.clone()) {
                starts.push(row);
            }
        }
        at += 1;
    }
    starts
}
