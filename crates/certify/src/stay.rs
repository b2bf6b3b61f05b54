//! Runs that stay where a formula holds: where they get by waiting, and where they may end.

use model::Formula;

use crate::{
    formula::fails,
    network::{FaultResult, NetworkSemantics},
    union::{Uncovered, absorb, outside},
    zone::{DifferenceConstraint, Zone},
};

/// How a run may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// Time passes for ever.
    Waits,
    /// No transition is possible, nor will be one after any delay that is allowed.
    Stops,
}

/// The valuations of a zone within the invariants, and those that delay leads to, while the formula
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

/// How a run may end from a state within the invariants while the formula holds at every moment,
/// and the part of the state from which it does; `Uncovered::Nothing` if none does.
pub(crate) fn ends(
    network: &mut NetworkSemantics<'_>,
    always: &Formula,
    row: &[i32],
    zone: &Zone,
) -> FaultResult<(RunEnd, Uncovered)> {
    let Some(future) = network.future(row, zone)? else { return Ok((RunEnd::Stops, Uncovered::Nothing)) };
    let avoided = fails(network, always, row, &future)?;
    let waits = rest(zone, &network.not_for_ever(row, zone, &avoided)?);
    if waits != Uncovered::Nothing {
        return Ok((RunEnd::Waits, waits));
    }
    // What is possible behind a moment at which the formula fails does not matter: that moment
    // comes first.
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
