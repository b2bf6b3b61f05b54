//! The least and greatest values of clocks and integers.
//!
//! A region says of a clock that it is a whole number, or strictly between two, and then it comes as near to both as one
//! likes. Clocks are told apart up to [`MOST`] here; above that nothing is known.

use model::{Formula, Quantity, System, system::ClockTerm};

use super::{Options, Reason, clocks::Widen, explore, formula, graph::Graph, network::Halt, network::Network};

/// Clocks are told apart up to this.
pub const MOST: i32 = 30;

/// A bound of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number, and whether it is no value itself.
    Number(i32, bool),
    /// More than [`MOST`].
    Beyond,
}

/// The least and the greatest value; `None`: no state satisfies the condition.
pub type Values = Option<(Limit, Limit)>;

/// Finds the values of a quantity in the states that satisfy a formula.
///
/// # Errors
/// Why they are not known.
pub fn values(system: &System, p: &Formula, quantity: Quantity, options: Options) -> Result<Values, Reason> {
    explore(system, options, formula::mentions_deadlock(p), |graph, network| look(graph, network, p, quantity))
}

fn look(
    graph: &Graph,
    network: &mut Network<'_>,
    p: &Formula,
    quantity: Quantity,
) -> Result<Result<Values, Reason>, Widen> {
    // Half units, so that what is between two numbers is a number.
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
                network.clocks.halves(&state.clocks, x.0 as usize, i64::from(MOST)).map_err(Halt::from)
            }
            Quantity::Clock(_) => return Ok(Err(Reason::Query)),
        };
        let value = match value {
            Ok(value) => value,
            Err(Halt::Fault(fault)) => return Ok(Err(Reason::Fault(fault))),
            Err(Halt::Widen) => return Err(Widen),
            Err(Halt::Many) => return Ok(Err(Reason::States)),
        };
        let (least, most) = found.unwrap_or((value, value));
        found = Some((least.min(value), most.max(value)));
    }
    if let Some(reason) = graph.missing() {
        return Ok(Err(reason));
    }
    let beyond = |v: i64| matches!(quantity, Quantity::Clock(_)) && v > 2 * i64::from(MOST);
    let limit = |v: i64, up: i64| {
        if beyond(v) {
            Limit::Beyond
        } else {
            Limit::Number((v + v.rem_euclid(2) * up).div_euclid(2) as i32, v % 2 != 0)
        }
    };
    Ok(Ok(found.map(|(least, most)| (limit(least, -1), limit(most, 1)))))
}
