//! Where formulas hold.

use model::Formula;

use crate::{
    network::{FaultResult, LocatedFault, NetworkSemantics},
    union::absorb,
    zone::Zone,
};

/// The parts of a zone where a formula holds, and perhaps more where clocks stand still.
pub(crate) fn holds(
    network: &mut NetworkSemantics<'_>,
    formula: &Formula,
    row: &[i32],
    zone: &Zone,
) -> FaultResult<Vec<Zone>> {
    Ok(match formula {
        Formula::True => vec![zone.clone()],
        Formula::False => Vec::new(),
        Formula::Condition(pc) => {
            network.machine.load(row);
            let truth = network.machine.test(*pc).map_err(|fault| LocatedFault { fault, edges: Vec::new() })?;
            if truth { vec![zone.clone()] } else { Vec::new() }
        }
        Formula::Clock(c) => network.part(c, row, zone)?.into_iter().collect(),
        Formula::And(parts) => {
            let mut left = vec![zone.clone()];
            // From left to right, as far as it matters; deadlocks take the longest, so they come
            // last.
            let is_deadlock = |f: &&Formula| matches!(f, Formula::Deadlock { .. });
            for part in parts.iter().filter(|f| !is_deadlock(f)).chain(parts.iter().filter(is_deadlock)) {
                let mut both = Vec::new();
                for zone in &left {
                    both.extend(holds(network, part, row, zone)?);
                }
                left = both;
                if left.is_empty() {
                    break;
                }
            }
            left
        }
        Formula::Or(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.extend(holds(network, part, row, zone)?);
            }
            found
        }
        Formula::Deadlock { negated: false } => {
            let mut found = Vec::new();
            for (start, alive) in alive(network, row, zone, false)? {
                found.extend(network.without(vec![start], &alive)?);
            }
            found
        }
        Formula::Deadlock { negated: true } => {
            alive(network, row, zone, true)?.into_iter().flat_map(|(_, alive)| alive).collect()
        }
    })
}

/// The parts of a zone where a formula does not hold, and perhaps less where clocks stand still.
pub(crate) fn fails(
    network: &mut NetworkSemantics<'_>,
    formula: &Formula,
    row: &[i32],
    zone: &Zone,
) -> FaultResult<Vec<Zone>> {
    let held = absorb(holds(network, formula, row, zone)?);
    network.without(vec![zone.clone()], &held)
}

/// A zone in parts, and with each the valuations of it from which a transition is possible, now or
/// after an allowed delay. Where clocks stand still these may be no union of zones: it is then
/// larger or smaller, as `more` says.
fn alive(
    network: &mut NetworkSemantics<'_>,
    row: &[i32],
    zone: &Zone,
    more: bool,
) -> FaultResult<Vec<(Zone, Vec<Zone>)>> {
    let mut parts = Vec::new();
    for passage in network.passages(row, zone, &[])? {
        let able = network.enabled_in(row, &passage.later)?;
        let alive = passage.leading_to(able, more);
        parts.push((passage.start, alive));
    }
    Ok(parts)
}
