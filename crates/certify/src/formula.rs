//! State formulas on zones.

use model::Formula;

use crate::{
    network::{FaultResult, LocatedFault, NetworkSemantics},
    union::absorb,
    zone::Zone,
};

/// Returns the parts of a zone that satisfy a formula; an overapproximation if clocks are stopped.
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
        Formula::Clock(c) => network.restrict(c, row, zone)?.into_iter().collect(),
        Formula::And(parts) => {
            let mut left = vec![zone.clone()];
            // From left to right, as long as something is left. Deadlocks take longest, so they
            // come last.
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
        Formula::NetDeadlock { states, .. } => holds(network, states, row, zone)?,
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

/// Returns the parts of a zone that violate a formula; an underapproximation if clocks are stopped.
pub(crate) fn fails(
    network: &mut NetworkSemantics<'_>,
    formula: &Formula,
    row: &[i32],
    zone: &Zone,
) -> FaultResult<Vec<Zone>> {
    let held = absorb(holds(network, formula, row, zone)?);
    network.without(vec![zone.clone()], &held)
}

/// Splits a zone into parts, each with the valuations from which a transition is possible, now or
/// after an allowed delay. If clocks are stopped, these are an overapproximation if `over` is set,
/// else an underapproximation.
fn alive(
    network: &mut NetworkSemantics<'_>,
    row: &[i32],
    zone: &Zone,
    over: bool,
) -> FaultResult<Vec<(Zone, Vec<Zone>)>> {
    let mut parts = Vec::new();
    for passage in network.passages(row, zone, &[])? {
        let able = network.enabled_in(row, &passage.later)?;
        let alive = passage.leading_to(able, over);
        parts.push((passage.start, alive));
    }
    Ok(parts)
}
