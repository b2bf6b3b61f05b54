//! State formulas in single states.

use model::Formula;

use super::{
    Reason,
    clocks::Widen,
    graph::Graph,
    network::{Halt, Network},
};

/// The truth value of a formula in a state, or the reason why it is unknown.
type Truth = Result<bool, Reason>;

/// Returns the truth value of `p` at a node.
pub(super) fn truth(graph: &Graph, network: &mut Network<'_>, p: &Formula, node: usize) -> Result<Truth, Widen> {
    network.enter(&graph.nodes[node].state);
    evaluate(graph, network, p, node)
}

fn evaluate(graph: &Graph, network: &mut Network<'_>, p: &Formula, node: usize) -> Result<Truth, Widen> {
    syntax::grow(|| {
        let found = match p {
            Formula::True => return Ok(Ok(true)),
            Formula::False => return Ok(Ok(false)),
            Formula::Deadlock { negated } => return Ok(graph.nodes[node].deadlock.map(|found| found != *negated)),
            Formula::And(parts) => return junction(graph, network, parts, node, false),
            Formula::Or(parts) => return junction(graph, network, parts, node, true),
            Formula::Condition(pc) => network.test(*pc),
            Formula::Clock(c) => network.constraint(c, &graph.nodes[node].state.clocks),
        };
        match found {
            Ok(truth) => Ok(Ok(truth)),
            Err(Halt::Fault(fault)) => Ok(Err(Reason::Fault(fault))),
            Err(Halt::Widen) => Err(Widen),
            Err(Halt::Many) => Ok(Err(Reason::States)),
        }
    })
}

/// Evaluates a disjunction if `settled` is true, a conjunction if it is false. A run-time error
/// settles the result, as in a program; after an unknown deadlock the other operands are still
/// evaluated.
fn junction(
    graph: &Graph,
    network: &mut Network<'_>,
    parts: &[Formula],
    node: usize,
    settled: bool,
) -> Result<Truth, Widen> {
    let mut unknown = None;
    for part in parts {
        match evaluate(graph, network, part, node)? {
            Ok(truth) if truth == settled => return Ok(Ok(settled)),
            Ok(_) => {}
            Err(reason @ Reason::Fault(_)) => return Ok(Err(reason)),
            Err(reason) => unknown = Some(reason),
        }
    }
    Ok(unknown.map_or(Ok(!settled), Err))
}

/// Returns whether a formula has `deadlock`.
pub(super) fn mentions_deadlock(p: &Formula) -> bool {
    syntax::grow(|| match p {
        Formula::Deadlock { .. } => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(mentions_deadlock),
        _ => false,
    })
}
