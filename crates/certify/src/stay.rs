//! Runs that stay where a formula holds: their delays and their ends.

use model::Formula;

use crate::{
    formula::fails,
    network::{FaultResult, NetworkSemantics},
    union::{Uncovered, absorb, outside},
    zone::{DifferenceConstraint, Zone},
};

/// The end of a maximal run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// Time diverges.
    Diverges,
    /// No transition is possible, now or after any allowed delay.
    Stops,
}

/// Returns the valuations that delays reach from a zone within the invariants while the formula
/// holds at every moment.
pub(crate) fn staying(
    network: &mut NetworkSemantics<'_>,
    always: &Formula,
    row: &[i32],
    zone: &Zone,
) -> FaultResult<Vec<Zone>> {
    let Some(future) = network.future(row, zone)? else { return Ok(Vec::new()) };
    let avoided = fails(network, always, row, &future)?;
    network.delays_outside(row, zone, &avoided)
}

/// Returns how a run may end from a state within the invariants while the formula holds at every
/// moment, and the part of the state from which it does; `Uncovered::Nothing` if no run ends.
pub(crate) fn ends(
    network: &mut NetworkSemantics<'_>,
    always: &Formula,
    row: &[i32],
    zone: &Zone,
) -> FaultResult<(RunEnd, Uncovered)> {
    let Some(future) = network.future(row, zone)? else { return Ok((RunEnd::Stops, Uncovered::Nothing)) };
    let avoided = fails(network, always, row, &future)?;
    let diverging = rest(zone, &network.not_diverging(row, zone, &avoided)?);
    if diverging != Uncovered::Nothing {
        return Ok((RunEnd::Diverges, diverging));
    }
    // Transitions after a moment at which the formula fails do not matter: that moment comes first.
    let mut found = Vec::new();
    for passage in network.passages(row, zone, &avoided)? {
        let able = network.enabled_in(row, &passage.later)?;
        found.extend(passage.leading_to(able, false));
    }
    for passage in network.passages(row, zone, &[])? {
        let failing = passage.later.iter().flat_map(|later| avoided.iter().filter_map(|a| later.and(a)));
        found.extend(passage.leading_to(failing, false));
    }
    Ok((RunEnd::Stops, rest(zone, &absorb(found))))
}

fn rest(zone: &Zone, others: &[Zone]) -> Uncovered {
    let others: Vec<Vec<DifferenceConstraint>> = others.iter().map(Zone::constraints).collect();
    outside(zone, others.iter().map(Vec::as_slice))
}
