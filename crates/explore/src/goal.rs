//! Where a formula holds in a symbolic state.

use model::Formula;

use crate::{
    graph::{RunError, ZoneGraph, constrain_one},
    parts::parts,
    split::pieces,
    time::Time,
};

/// Whether a formula speaks of deadlocks.
#[must_use]
pub fn asks_deadlock(formula: &Formula) -> bool {
    match formula {
        Formula::Deadlock { .. } => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(asks_deadlock),
        _ => false,
    }
}

/// A part of a state's zone where a formula holds, if there is one.
///
/// # Errors
/// A run-time error of the model.
pub fn witness(
    graph: &mut ZoneGraph<'_>,
    formula: &Formula,
    row: &[i32],
    zone: &[i32],
) -> Result<Option<Vec<i32>>, RunError> {
    search(graph, &mut vec![formula], row, zone.to_vec(), zone)
}

/// A part of `part` where all of `open` hold. `whole` is the zone of the state.
fn search(
    graph: &mut ZoneGraph<'_>,
    open: &mut Vec<&Formula>,
    row: &[i32],
    mut part: Vec<i32>,
    whole: &[i32],
) -> Result<Option<Vec<i32>>, RunError> {
    let Some(formula) = open.pop() else { return Ok(Some(part)) };
    let dim = graph.dim();
    let error = |fault| RunError { fault, edges: Vec::new() };
    let result = match formula {
        Formula::True => search(graph, open, row, part, whole),
        Formula::False => Ok(None),
        Formula::Condition(pc) => {
            let pc = *pc;
            if graph.source_machine(row).test(pc).map_err(error)? {
                search(graph, open, row, part, whole)
            } else {
                Ok(None)
            }
        }
        Formula::Clock(c) => {
            if constrain_one(c, graph.source_machine(row), &mut part, dim).map_err(error)? {
                search(graph, open, row, part, whole)
            } else {
                Ok(None)
            }
        }
        Formula::And(parts) => {
            let before = open.len();
            // Conditions on the row first: they are cheap and decide most often.
            let cheap = |f: &&Formula| matches!(f, Formula::Condition(_) | Formula::False);
            open.extend(parts.iter().rev().filter(|f| !cheap(f)));
            open.extend(parts.iter().rev().filter(cheap));
            let result = search(graph, open, row, part, whole);
            open.truncate(before);
            result
        }
        Formula::Or(parts) => {
            let rest = open.clone();
            let mut found = Ok(None);
            for choice in parts {
                let mut open = rest.clone();
                open.push(choice);
                found = search(graph, &mut open, row, part.clone(), whole);
                if !matches!(found, Ok(None)) {
                    break;
                }
            }
            found
        }
        Formula::Deadlock { negated } => {
            let mut found = Ok(None);
            for piece in deadlocks(graph, row, &part, whole, *negated)? {
                found = search(graph, &mut open.clone(), row, piece, whole);
                if !matches!(found, Ok(None)) {
                    break;
                }
            }
            found
        }
    };
    open.push(formula);
    result
}

/// The pieces of `part` without a transition now or after a delay; or with one, where `negated`.
fn deadlocks(
    graph: &mut ZoneGraph<'_>,
    row: &[i32],
    part: &[i32],
    whole: &[i32],
    negated: bool,
) -> Result<Vec<Vec<i32>>, RunError> {
    let dim = graph.dim();
    let urgency = graph.urgency(row)?;
    // Where clocks decide when time stops, what lies behind that moment does not count.
    if urgency.as_ref().is_some_and(|zones| !zones.is_empty())
        && let Some(time) = Time::of(graph, row)?
    {
        let found = parts(graph, &time, &Formula::Deadlock { negated }, row, part)?;
        return Ok(found.zones().map(<[i32]>::to_vec).collect());
    }
    let delays = urgency.is_some();
    let mut alive = graph.enabled_parts(row, whole)?;
    if delays {
        for zone in &mut alive {
            zone::past(zone, dim);
        }
    }
    if negated {
        return Ok(alive
            .into_iter()
            .filter_map(|mut zone| zone::intersect(&mut zone, dim, part).then_some(zone))
            .collect());
    }
    let mut dead = pieces(part, dim);
    for zone in &alive {
        dead.subtract_zone(zone);
    }
    Ok(dead.zones().map(<[i32]>::to_vec).collect())
}
