//! Makes a network that shows an error smaller, so that people can read it.

use super::{
    Net,
    net::{Edge, Part, Query},
};

/// The smallest network that still fails, as far as leaving out one thing after the other leads. `fails` must answer
/// false for what can't be read.
#[must_use]
pub fn shrink(net: &Net, mut fails: impl FnMut(&Net) -> bool) -> Net {
    let mut best = net.clone();
    while let Some(smaller) = smaller(&best).into_iter().find(&mut fails) {
        best = smaller;
    }
    best
}

/// The networks with one thing less, the largest things first.
fn smaller(net: &Net) -> Vec<Net> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Net)| {
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
    // A change that changes nothing would never end.
    found.retain(|less| less.text() != net.text() || less.queries() != net.queries());
    found
}

fn simpler_query(query: &Query) -> Vec<Query> {
    let with = |part: &Part| Query { part: part.clone(), ..query.clone() };
    match &query.part {
        // `A[] not p` keeps its negation; without it the query asks for something else.
        Part::Not(inner) => match &**inner {
            Part::Both(a, _, b) => [a, b].map(|p| with(&Part::Not(p.clone()))).to_vec(),
            Part::Not(p) => vec![with(p)],
            _ => Vec::new(),
        },
        Part::Both(a, _, b) => vec![with(a), with(b)],
        _ => Vec::new(),
    }
}

fn simpler_edge(edge: &Edge) -> Vec<Edge> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Edge)| {
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
