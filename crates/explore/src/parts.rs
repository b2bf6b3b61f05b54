//! All parts of a zone where a formula holds.

use model::Formula;
use zone::{Bound, Federation};

use crate::{
    deadlock::deadlocks,
    graph::{RunError, ZoneGraph, constrain_one},
    split::pieces,
    time::Time,
};

/// Returns the truth of a formula, if the row alone decides it.
///
/// # Errors
/// A run-time error of the model.
pub fn decided<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    formula: &Formula,
    row: &[i32],
) -> Result<Option<bool>, RunError> {
    Ok(match formula {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::Condition(pc) => {
            let error = |fault| RunError { fault, edges: Vec::new() };
            Some(graph.source_machine(row).test(*pc).map_err(error)?)
        }
        Formula::Clock(_) | Formula::Deadlock { .. } => None,
        Formula::NetDeadlock { states, .. } => decided(graph, states, row)?,
        Formula::And(parts) | Formula::Or(parts) => {
            let settles = matches!(formula, Formula::Or(_));
            for part in parts {
                // After a part that depends on clocks, nothing is certain.
                match decided(graph, part, row)? {
                    Some(truth) if truth != settles => {}
                    other => return Ok(other),
                }
            }
            Some(!settles)
        }
    })
}

/// Returns the parts of a zone where a formula holds; they may overlap.
///
/// # Errors
/// A run-time error of the model.
pub fn parts<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    time: &Time<B>,
    formula: &Formula,
    row: &[i32],
    zone: &[B],
) -> Result<Federation<B>, RunError> {
    let dim = graph.dim();
    let error = |fault| RunError { fault, edges: Vec::new() };
    let nothing = || Ok(Federation::new(dim));
    match formula {
        Formula::True => Ok(pieces(zone, dim)),
        Formula::False => nothing(),
        Formula::Condition(pc) => {
            let holds = graph.source_machine(row).test(*pc).map_err(error)?;
            if holds { Ok(pieces(zone, dim)) } else { nothing() }
        }
        Formula::Clock(c) => {
            let mut part = zone.to_vec();
            let holds = constrain_one(c, graph.source_machine(row), &mut part, dim).map_err(error)?;
            if holds { Ok(pieces(&part, dim)) } else { nothing() }
        }
        Formula::And(all) => {
            let mut left = pieces(zone, dim);
            // In textual order: what follows a condition may fail where the condition does not
            // hold.
            for formula in all {
                let mut next = Federation::new(dim);
                for zone in left.zones() {
                    next.append(&parts(graph, time, formula, row, zone)?);
                }
                left = next;
                if left.is_empty() {
                    break;
                }
            }
            Ok(left)
        }
        Formula::Or(any) => {
            let mut found = Federation::new(dim);
            for formula in any {
                let more = parts(graph, time, formula, row, zone)?;
                // It holds everywhere.
                if more.zones().any(|part| part == zone) {
                    return Ok(more);
                }
                found.append(&more);
            }
            Ok(found)
        }
        Formula::Deadlock { negated } => deadlocks(graph, row, zone, &time.future(zone), *negated),
        Formula::NetDeadlock { states, .. } => parts(graph, time, states, row, zone),
    }
}

/// Returns the parts of a zone where a formula does not hold.
///
/// # Errors
/// A run-time error of the model.
pub fn parts_without<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    time: &Time<B>,
    formula: &Formula,
    row: &[i32],
    zone: &[B],
) -> Result<Federation<B>, RunError> {
    match decided(graph, formula, row)? {
        Some(true) => return Ok(Federation::new(graph.dim())),
        Some(false) => return Ok(pieces(zone, graph.dim())),
        None => {}
    }
    let mut rest = pieces(zone, graph.dim());
    rest.subtract(&parts(graph, time, formula, row, zone)?);
    Ok(rest)
}
