//! From a path through representatives to a path through states.
//!
//! Let `r` be a representative on the path, `a` the reached state and σ the renaming with σ(`a`) =
//! `r`. If the path continues with a successor `s` of `r`, then `a` has a transition to σ⁻¹(`s`),
//! and the path continues with that state and the representative of `s`.

use super::Reduction;
use crate::{
    graph::ZoneGraph,
    transitions::{SymbolicStep, SymbolicTrace},
};
use zone::Bound;

/// Follows a path through representatives. Returns the corresponding trace of states; `None`: it
/// can't be taken.
pub(super) fn follow<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    path: &[u32],
    reduction: &mut Reduction<B>,
) -> Option<SymbolicTrace<B>> {
    let mut trace: SymbolicTrace<B> = Vec::new();
    let mut batch = graph.batch();
    let mut renaming = reduction.symmetry.identity();
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    for &ordinal in path {
        batch.clear();
        if trace.is_empty() {
            graph.initial(&mut batch).ok()?;
        } else {
            graph.successors(&row, &zone, &mut batch).ok()?;
        }
        let i = ordinal as usize;
        if i >= batch.len() {
            return None;
        }
        row = batch.row(i).to_vec();
        zone = batch.zone(i).to_vec();
        let step = match trace.last() {
            None => (Vec::new(), row.clone(), zone.clone()),
            Some(from) => {
                reduction.rename(&reduction.symmetry.inverse(&renaming), &row, &zone);
                let (row, zone) = reduction.representative();
                transition(graph, from, row, zone)?
            }
        };
        trace.push(step);
        if reduction.represent(&row, &zone) {
            renaming = reduction.symmetry.composed(&renaming, &reduction.renaming);
            let (new_row, new_zone) = reduction.representative();
            new_row.clone_into(&mut row);
            new_zone.clone_into(&mut zone);
        }
    }
    Some(trace)
}

/// Returns a transition from a state to this row and zone.
fn transition<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    from: &SymbolicStep<B>,
    row: &[i32],
    zone: &[B],
) -> Option<SymbolicStep<B>> {
    let mut batch = graph.batch();
    graph.successors(&from.1, &from.2, &mut batch).ok()?;
    let mut found = (0..batch.len()).filter(|i| batch.row(*i) == row);
    let exact = found.clone().find(|i| batch.zone(*i) == zone);
    // Zones may have been split differently.
    let i = exact.or_else(|| found.next())?;
    Some((batch.edges(i).to_vec(), row.to_vec(), zone.to_vec()))
}
