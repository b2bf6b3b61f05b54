//! Where formulas hold.

use model::Formula;

use crate::{
    network::{Failure, Network, Result},
    union::{intersect, subtract},
    zone::Zone,
};

/// The parts of a zone where a formula holds, and perhaps more where clocks stand still.
pub(crate) fn holds(network: &mut Network<'_>, formula: &Formula, row: &[i32], zone: &Zone) -> Result<Vec<Zone>> {
    Ok(match formula {
        Formula::True => vec![zone.clone()],
        Formula::False => Vec::new(),
        Formula::Condition(pc) => {
            network.machine.load(row);
            let truth = network.machine.test(*pc).map_err(|fault| Failure { fault, edges: Vec::new() })?;
            if truth { vec![zone.clone()] } else { Vec::new() }
        }
        Formula::Clock(c) => network.part(c, row, zone)?.into_iter().collect(),
        Formula::And(parts) => {
            let mut left = vec![zone.clone()];
            // From left to right, as far as it matters; deadlocks take the longest, so they come last.
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
            alive(network, row, zone, false)?.iter().fold(vec![zone.clone()], subtract)
        }
        Formula::Deadlock { negated: true } => intersect(std::slice::from_ref(zone), &alive(network, row, zone, true)?),
    })
}

/// The parts of a zone where a formula does not hold, and perhaps less where clocks stand still.
pub(crate) fn fails(network: &mut Network<'_>, formula: &Formula, row: &[i32], zone: &Zone) -> Result<Vec<Zone>> {
    Ok(holds(network, formula, row, zone)?.iter().fold(vec![zone.clone()], subtract))
}

/// The valuations from which a transition is possible, now or after an allowed delay. Where clocks stand still this
/// may be no union of zones: it is then larger or smaller, as `more` says.
fn alive(network: &mut Network<'_>, row: &[i32], zone: &Zone, more: bool) -> Result<Vec<Zone>> {
    let mut able = Vec::new();
    for later in network.delays(row, zone)? {
        for transition in network.possible(row, &later)? {
            able.extend(network.enabled(row, &transition)?);
        }
    }
    network.leading_to(row, zone, able, more)
}
