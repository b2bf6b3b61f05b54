//! Infima and suprema of clocks and integers.
//!
//! In a region a clock is an integer, or lies strictly between two integers and comes arbitrarily
//! close to both. Clocks are distinguished up to [`MAX_CLOCK_VALUE`]; greater values are unknown.

use model::{Formula, Quantity, System, system::ClockTerm};

use super::{
    ExplicitOptions, UnknownReason, clocks::Widen, explore, formula, graph::StateGraph, network::ExplicitNetwork,
    network::StepError,
};

/// The greatest clock value that is distinguished.
pub const MAX_CLOCK_VALUE: i32 = 30;

/// A bound on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtremeValue {
    /// A number, and whether the bound is strict.
    Number(i32, bool),
    /// More than [`MAX_CLOCK_VALUE`].
    Beyond,
}

/// The infimum and the supremum; `None`: no state satisfies the condition.
pub type ValueRange = Option<(ExtremeValue, ExtremeValue)>;

/// Finds the bounds on a quantity in the states that satisfy a formula.
///
/// # Errors
/// The reason why they are unknown.
pub fn values(
    system: &System,
    p: &Formula,
    quantity: Quantity,
    options: ExplicitOptions,
) -> Result<ValueRange, UnknownReason> {
    explore(system, options, formula::mentions_deadlock(p), |graph, network| find_bounds(graph, network, p, quantity))
}

fn find_bounds(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    p: &Formula,
    quantity: Quantity,
) -> Result<Result<ValueRange, UnknownReason>, Widen> {
    // Half units, so that a value between two integers is an integer.
    let mut found: Option<(i64, i64)> = None;
    for i in 0..graph.nodes.len() {
        match formula::truth(graph, network, p, i)? {
            Ok(true) => {}
            Ok(false) => continue,
            Err(reason) => return Ok(Err(reason)),
        }
        let state = &graph.nodes[i].state;
        network.enter(state);
        let value = match quantity {
            Quantity::Integer(pc) => network.value(pc).map(|n| 2 * i64::from(n)),
            Quantity::Clock(ClockTerm::Clock(x)) => {
                network.clocks.halves(&state.clocks, x.0 as usize, i64::from(MAX_CLOCK_VALUE)).map_err(StepError::from)
            }
            Quantity::Clock(_) => return Ok(Err(UnknownReason::Query)),
        };
        let value = match value {
            Ok(value) => value,
            Err(StepError::Fault(fault)) => return Ok(Err(UnknownReason::Fault(fault))),
            Err(StepError::Widen) => return Err(Widen),
            Err(StepError::Many) => return Ok(Err(UnknownReason::States)),
        };
        let (least, greatest) = found.unwrap_or((value, value));
        found = Some((least.min(value), greatest.max(value)));
    }
    if let Some(reason) = graph.missing() {
        return Ok(Err(reason));
    }
    let beyond = |v: i64| matches!(quantity, Quantity::Clock(_)) && v > 2 * i64::from(MAX_CLOCK_VALUE);
    let limit = |v: i64, up: i64| {
        if beyond(v) {
            ExtremeValue::Beyond
        } else {
            ExtremeValue::Number((v + v.rem_euclid(2) * up).div_euclid(2) as i32, v % 2 != 0)
        }
    };
    Ok(Ok(found.map(|(least, greatest)| (limit(least, -1), limit(greatest, 1)))))
}
