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

use model::{Formula, Property};

use super::{OracleAnswer, UnknownReason, clocks::Widen, formula, graph::StateGraph, network::ExplicitNetwork};

/// Answers a liveness query on a graph of regions.
pub(super) fn check(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    property: &Property,
) -> Result<OracleAnswer, Widen> {
    let truth = match property {
        Property::PotentiallyAlways(p) => always(graph, network, p, true)?.map(|found| found[0]),
        Property::Eventually(not_p) => always(graph, network, not_p, true)?.map(|found| !found[0]),
        Property::LeadsTo(p, not_q) => leads_to(graph, network, p, not_q)?,
        _ => Err(UnknownReason::Query),
    };
    Ok(match truth {
        Ok(truth) => OracleAnswer::of(truth),
        Err(reason) => OracleAnswer::Unknown(reason),
    })
}

fn leads_to(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    p: &Formula,
    not_q: &Formula,
) -> Result<Result<bool, UnknownReason>, Widen> {
    let avoided = match always(graph, network, not_q, true)? {
        Ok(avoided) => avoided,
        Err(reason) => return Ok(Err(reason)),
    };
    for i in (0..graph.nodes.len()).filter(|i| avoided[*i]) {
        match formula::truth(graph, network, p, i)? {
            Ok(true) => return Ok(Ok(false)),
            Ok(false) => {}
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(true))
}

/// Returns the nodes with a maximal run on which `p` always has the truth value `value`.
fn always(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    p: &Formula,
    value: bool,
) -> Result<Result<Vec<bool>, UnknownReason>, Widen> {
    let mut inside = vec![false; graph.nodes.len()];
    for (i, inside) in inside.iter_mut().enumerate() {
        match formula::truth(graph, network, p, i)? {
            Ok(truth) => *inside = truth == value,
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
