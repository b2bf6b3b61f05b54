//! Shrinks a failing network, so that people can read it.

use super::{
    RandomNetwork,
    net::{ConditionExpr, EdgeDecl, QueryExpr},
};

/// Returns a locally minimal network that still fails, by removing one element after the other.
/// `fails` must return `false` for networks that can't be loaded.
#[must_use]
pub fn shrink(net: &RandomNetwork, mut fails: impl FnMut(&RandomNetwork) -> bool) -> RandomNetwork {
    let mut best = net.clone();
    while let Some(smaller) = smaller(&best).into_iter().find(&mut fails) {
        best = smaller;
    }
    best
}

/// Returns the networks with one element less, largest elements first.
fn smaller(net: &RandomNetwork) -> Vec<RandomNetwork> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut RandomNetwork)| {
        let mut less = net.clone();
        change(&mut less);
        found.push(less);
    };
    for q in 0..net.queries.len() {
        if net.queries.len() > 1 {
            add(&|n| drop(n.queries.remove(q)));
        }
        for less in simpler_query(&net.queries[q]) {
            add(&|n| n.queries[q] = less.clone());
        }
    }
    if net.priorities.is_some() {
        add(&|n| n.priorities = None);
    }
    for (c, channel) in net.channels.iter().enumerate() {
        if channel.urgent {
            add(&|n| n.channels[c].urgent = false);
        }
        if channel.broadcast {
            add(&|n| n.channels[c].broadcast = false);
        }
    }
    for (p, process) in net.processes.iter().enumerate() {
        if process.above {
            add(&|n| n.processes[p].above = false);
        }
        if process.edges.len() > 1 {
            add(&|n| n.processes[p].edges.clear());
        }
        for (e, edge) in process.edges.iter().enumerate() {
            add(&|n| drop(n.processes[p].edges.remove(e)));
            for less in simpler_edge(edge) {
                add(&|n| n.processes[p].edges[e] = less.clone());
            }
        }
        for (l, location) in process.locations.iter().enumerate() {
            for i in 0..location.invariant.len() {
                add(&|n| drop(n.processes[p].locations[l].invariant.remove(i)));
            }
            if location.is_frozen() {
                add(&|n| n.processes[p].locations[l].committed = false);
                add(&|n| n.processes[p].locations[l].urgent = false);
            }
        }
    }
    // A change without effect would cause an infinite loop.
    found.retain(|less| less.text() != net.text() || less.queries() != net.queries());
    found
}

fn simpler_query(query: &QueryExpr) -> Vec<QueryExpr> {
    let with = |condition: &ConditionExpr| QueryExpr { condition: condition.clone(), ..query.clone() };
    match &query.condition {
        // `A[] not p` keeps its negation; without it the query would mean something else.
        ConditionExpr::Not(inner) => match &**inner {
            ConditionExpr::Both(a, _, b) => [a, b].map(|p| with(&ConditionExpr::Not(p.clone()))).to_vec(),
            ConditionExpr::Not(p) => vec![with(p)],
            _ => Vec::new(),
        },
        ConditionExpr::Both(a, _, b) => vec![with(a), with(b)],
        _ => Vec::new(),
    }
}

fn simpler_edge(edge: &EdgeDecl) -> Vec<EdgeDecl> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut EdgeDecl)| {
        let mut less = edge.clone();
        change(&mut less);
        found.push(less);
    };
    if edge.sync.is_some() {
        add(&|e| e.sync = None);
    }
    for i in 0..edge.guard.len() {
        add(&|e| drop(e.guard.remove(i)));
    }
    for i in 0..edge.update.len() {
        add(&|e| drop(e.update.remove(i)));
    }
    if edge.select.is_some() {
        add(&|e| e.select = None);
    }
    found
}
