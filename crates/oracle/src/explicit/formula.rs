//! State formulas in single states.

use model::Formula;

use super::{
    UnknownReason,
    clocks::Widen,
    graph::StateGraph,
    network::{ExplicitNetwork, StepError},
};

/// The truth value of a formula in a state, or the reason why it is unknown.
type Truth = Result<bool, UnknownReason>;

/// Returns the truth value of `p` at a node.
pub(super) fn truth(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    p: &Formula,
    node: usize,
) -> Result<Truth, Widen> {
    network.enter(&graph.nodes[node].state);
    evaluate(graph, network, p, node)
}

fn evaluate(graph: &StateGraph, network: &mut ExplicitNetwork<'_>, p: &Formula, node: usize) -> Result<Truth, Widen> {
    syntax::grow(|| {
        let found = match p {
            Formula::True => return Ok(Ok(true)),
            Formula::False => return Ok(Ok(false)),
            Formula::Deadlock { negated } => return Ok(graph.nodes[node].deadlock.map(|found| found != *negated)),
            Formula::NetDeadlock { states, .. } => return evaluate(graph, network, states, node),
            Formula::And(parts) => return junction(graph, network, parts, node, false),
            Formula::Or(parts) => return junction(graph, network, parts, node, true),
            Formula::Condition(pc) => network.test(*pc),
            Formula::Clock(c) => network.constraint(c, &graph.nodes[node].state.clocks),
        };
        match found {
            Ok(truth) => Ok(Ok(truth)),
            Err(StepError::Fault(fault)) => Ok(Err(UnknownReason::Fault(fault))),
            Err(StepError::Widen) => Err(Widen),
            Err(StepError::Many) => Ok(Err(UnknownReason::States)),
        }
    })
}

/// Evaluates a disjunction if `settled` is true, a conjunction if it is false. A run-time error
/// settles the result, as in a program; after an unknown deadlock the other operands are still
/// evaluated.
fn junction(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    parts: &[Formula],
    node: usize,
    settled: bool,
) -> Result<Truth, Widen> {
    let mut unknown = None;
    for part in parts {
        match evaluate(graph, network, part, node)? {
            Ok(truth) if truth == settled => return Ok(Ok(settled)),
            Ok(_) => {}
            Err(reason @ UnknownReason::Fault(_)) => return Ok(Err(reason)),
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
