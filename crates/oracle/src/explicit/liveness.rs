//! `E[] p`, `A<> p` and `p --> q`.
//!
//! A run is *maximal* if it is infinite or ends in a state where neither a delay nor a transition
//! is possible. It may be infinite by infinitely many transitions, even if no time passes (there is
//! no fairness, and Zeno runs count), or by an unbounded delay. It ends in a deadlock where an
//! invariant, an urgent location or an urgent channel stops time. An invariant `x < 5` stops time
//! as `x <= 5` does, although there is no last moment. The manual counts delays one by one, so that
//! a run of ever shorter delays would be infinite; that reading makes every `A<> p` false and is
//! not meant.
//!
//! On regions this is simple: delays are edges between regions, and a cycle of delays means that
//! time can diverge, for in a region graph it lies above all bounds.

use model::Formula;

use super::{UnknownReason, clocks::Widen, formula, graph::StateGraph, network::ExplicitNetwork};

/// Returns whether a maximal run stays in the states where `p` holds, from a state where `after`
/// holds, or from the initial one.
pub(super) fn has_run(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    after: Option<&Formula>,
    p: &Formula,
) -> Result<Result<bool, UnknownReason>, Widen> {
    let stays = match always(graph, network, p)? {
        Ok(stays) => stays,
        Err(reason) => return Ok(Err(reason)),
    };
    let Some(after) = after else { return Ok(Ok(stays[0])) };
    for i in (0..graph.nodes.len()).filter(|i| stays[*i]) {
        match formula::truth(graph, network, after, i)? {
            Ok(true) => return Ok(Ok(true)),
            Ok(false) => {}
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(false))
}

/// Returns the nodes with a maximal run on which `p` always holds.
fn always(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    p: &Formula,
) -> Result<Result<Vec<bool>, UnknownReason>, Widen> {
    let mut inside = vec![false; graph.nodes.len()];
    for (i, inside) in inside.iter_mut().enumerate() {
        match formula::truth(graph, network, p, i)? {
            Ok(truth) => *inside = truth,
            Err(reason) => return Ok(Err(reason)),
        }
    }
    // After the formulas, which may require larger bounds.
    if let Some(reason) = graph.missing() {
        return Ok(Err(reason));
    }
    // The greatest fixed point: a node is removed when all its successors are.
    loop {
        let mut changed = false;
        for (i, node) in graph.nodes.iter().enumerate() {
            let mut successors = node.actions.iter().chain(&node.delay).peekable();
            if inside[i] && successors.peek().is_some() && !successors.any(|&next| inside[next]) {
                inside[i] = false;
                changed = true;
            }
        }
        if !changed {
            return Ok(Ok(inside));
        }
    }
}
