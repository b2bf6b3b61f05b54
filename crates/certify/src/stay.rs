//! Runs that stay where a formula holds: where they get by waiting, and where they may end.

use model::Formula;

use crate::{
    formula::fails,
    network::{Network, Result},
    union::{Rest, absorb, outside},
    zone::{Constraint, Zone},
};

/// How a run may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Time passes for ever.
    Waits,
    /// No transition is possible, nor will be one after any delay that is allowed.
    Stops,
}

/// The valuations of a zone within the invariants, and those that delay leads to, while the formula
/// holds at every moment.
pub(crate) fn staying(network: &mut Network<'_>, always: &Formula, row: &[i32], zone: &Zone) -> Result<Vec<Zone>> {
    let Some(future) = network.future(row, zone)? else { return Ok(Vec::new()) };
    let avoided = fails(network, always, row, &future)?;
    network.delays_outside(row, zone, &avoided)
}

/// How a run may end from a state within the invariants while the formula holds at every moment,
/// and the part of the state from which it does; `Rest::Nothing` if none does.
pub(crate) fn ends(network: &mut Network<'_>, always: &Formula, row: &[i32], zone: &Zone) -> Result<(End, Rest)> {
    let Some(future) = network.future(row, zone)? else { return Ok((End::Stops, Rest::Nothing)) };
    let avoided = fails(network, always, row, &future)?;
    let waits = rest(zone, &network.not_for_ever(row, zone, &avoided)?);
    if waits != Rest::Nothing {
        return Ok((End::Waits, waits));
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
    Ok((End::Stops, rest(zone, &absorb(found))))
}

fn rest(zone: &Zone, others: &[Zone]) -> Rest {
    let others: Vec<Vec<Constraint>> = others.iter().map(Zone::constraints).collect();
    outside(zone, others.iter().map(Vec::as_slice))
}
