//! State spaces with names, for drawings.

use draw::{ArcKind, StateArc, StateGraph, StateNode, StateStyle};
use model::{
    System,
    system::{EdgeId, ProcessId, Sync},
};
use serde::Serialize;
use verify::{Constraint, SpaceState, StateSpace};

use crate::{
    json::verify::{NamedState, TakenEdge},
    net_names::{NetEvent, NetNames},
    trace,
};

/// A state space with names.
#[derive(Serialize)]
pub struct NamedSpace {
    /// The symbolic states, in the order in which they were found.
    pub states: Vec<SymbolicState>,
    /// The transitions between them.
    pub arcs: Vec<SymbolicArc>,
}

/// A symbolic state: one discrete part with a zone.
#[derive(Serialize)]
pub struct SymbolicState {
    /// Its locations and variables.
    pub state: NamedState,
    /// The constraints on clocks: `P.x <= 3`.
    pub zone: Vec<String>,
    /// Whether it is the join of several states.
    pub joined: bool,
    /// The state that has replaced it, if there is one.
    pub replaced_by: Option<usize>,
}

/// A transition between symbolic states.
#[derive(Serialize)]
pub struct SymbolicArc {
    /// The number of its source; null for the arc to the initial state.
    pub source: Option<usize>,
    /// The number of its target.
    pub target: usize,
    /// The edges: the sender first, then the receivers.
    pub edges: Vec<TakenEdge>,
    /// Whether the target was there before and covers what was found.
    pub covered: bool,
}

/// Names everything in a state space.
#[must_use]
pub fn named(system: &System, space: &StateSpace) -> NamedSpace {
    let arcs = space.arcs.iter().map(|arc| SymbolicArc {
        source: arc.from,
        target: arc.to,
        edges: arc.edges.iter().map(|e| trace::edge(system, *e)).collect(),
        covered: arc.is_covered,
    });
    NamedSpace { states: space.states.iter().map(|state| named_state(system, state)).collect(), arcs: arcs.collect() }
}

/// Names everything in a state of a state space.
#[must_use]
pub fn named_state(system: &System, state: &SpaceState) -> SymbolicState {
    SymbolicState {
        state: trace::state(system, &state.row, None),
        zone: constraints(system, &state.constraints),
        joined: state.is_joined,
        replaced_by: state.replaced_by,
    }
}

/// Returns the drawing of a state space.
#[must_use]
pub fn graph(system: &System, space: &StateSpace) -> StateGraph {
    let varying = varying(system, &space.states);
    let net = NetNames::new(system);
    let signal = system.code.signal;
    let mut graph = StateGraph { signal, ..StateGraph::default() };
    for state in &space.states {
        if signal.raised().is_some() {
            return StateGraph { signal, ..StateGraph::default() };
        }
        let style = match (state.replaced_by, state.is_joined) {
            (Some(_), _) => StateStyle::Removed,
            (None, true) => StateStyle::Joined,
            (None, false) => StateStyle::Plain,
        };
        let text = match &net {
            Some(net) => marking(system, net, state),
            None => text(system, state, &varying),
        };
        graph.nodes.push(StateNode { text, is_initial: false, style });
    }
    for arc in space.arcs.iter().take_while(|_| signal.raised().is_none()) {
        let kind = match (arc.is_covered, space.states[arc.to].is_joined) {
            (true, _) => ArcKind::Covered,
            (false, true) => ArcKind::Join,
            (false, false) => ArcKind::Step,
        };
        match arc.from {
            None => graph.nodes[arc.to].is_initial = true,
            Some(from) => {
                let label = match &net {
                    Some(net) => event(net, &arc.edges),
                    None => label(system, &arc.edges),
                };
                graph.arcs.push(StateArc { from, to: arc.to, label, kind });
            }
        }
    }
    for (from, state) in space.states.iter().enumerate() {
        let label = String::new();
        graph.arcs.extend(state.replaced_by.map(|to| StateArc { from, to, label, kind: ArcKind::Replaced }));
    }
    graph
}

/// The slots of variables that differ between states, without elements of lattices.
fn varying(system: &System, states: &[SpaceState]) -> Vec<usize> {
    let is_element =
        |slot: usize| system.lattices.iter().any(|v| (v.first as usize..(v.first + v.width) as usize).contains(&slot));
    let differs = |slot: usize| states.iter().any(|state| state.row[slot] != states[0].row[slot]);
    (system.processes.len()..system.identity).filter(|&slot| !is_element(slot) && differs(slot)).collect()
}

/// The marking of a net, and the bounds on ages.
fn marking(system: &System, net: &NetNames<'_>, state: &SpaceState) -> String {
    let tokens = net.marking(&state.row, None).into_iter().map(|marked| {
        let number = if marked.tokens == 1 { String::new() } else { format!(" = {}", marked.tokens) };
        let available = if marked.available == Some(true) { " (available)" } else { "" };
        format!("{}{number}{available}", marked.place)
    });
    let tokens = tokens.collect::<Vec<_>>().join(", ");
    let bounds = constraints(system, &state.constraints).join(", ");
    let marking = if tokens.is_empty() { "no token".to_owned() } else { tokens };
    if bounds.is_empty() { marking } else { format!("{marking}\n{bounds}") }
}

/// What happens in a step of a net.
fn event(net: &NetNames<'_>, edges: &[EdgeId]) -> String {
    let NetEvent { fires, becomes_available } = net.event(edges);
    fires.or_else(|| becomes_available.map(|place| format!("{place} available"))).unwrap_or_default()
}

fn text(system: &System, state: &SpaceState, varying: &[usize]) -> String {
    let row = &state.row;
    let place = |p: usize| {
        let location = system.location(row, ProcessId(p as u32));
        format!("{}.{}", system.processes[p].name, system.locations[location.0 as usize].name)
    };
    let mut lines = vec![(0..system.processes.len()).map(place).collect::<Vec<_>>().join(", ")];
    let values = varying.iter().map(|&slot| format!("{} = {}", system.slot_name(slot as u32), row[slot]));
    lines.push(values.collect::<Vec<_>>().join(", "));
    for (i, variable) in system.lattices.iter().enumerate() {
        let element = &row[variable.first as usize..(variable.first + variable.width) as usize];
        lines.push(format!("{} = {}", variable.name, system.show_element(i, element)));
    }
    lines.push(constraints(system, &state.constraints).join(", "));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Returns the constraints of a zone as text: `P.x <= 3`. Those that clocks are not negative are
/// left out.
#[must_use]
pub fn constraints(system: &System, constraints: &[Constraint]) -> Vec<String> {
    let name = |clock: usize| system.clocks[clock].name.as_str();
    let opposite = |c: &Constraint| {
        let is = |d: &&Constraint| (d.left, d.right, d.bound) == (c.right, c.left, -c.bound) && !c.strict && !d.strict;
        constraints.iter().any(|d| is(&d))
    };
    let mut all = Vec::new();
    for c in constraints {
        let (less, greater) = if c.strict { ("<", ">") } else { ("<=", ">=") };
        // Two opposite bounds are one equation.
        let equal = opposite(c);
        if equal && c.right != 0 && (c.left == 0 || c.left > c.right) {
            continue;
        }
        all.push(match (c.left, c.right) {
            (0, _) if c.bound == 0 && !c.strict => continue,
            (0, x) => format!("{} {greater} {}", name(x), -c.bound),
            (x, 0) if equal => format!("{} == {}", name(x), c.bound),
            (x, 0) => format!("{} {less} {}", name(x), c.bound),
            (x, y) if equal && c.bound == 0 => format!("{} == {}", name(x), name(y)),
            (x, y) if equal => format!("{} - {} == {}", name(x), name(y), c.bound),
            (x, y) if c.bound == 0 => format!("{} {less} {}", name(x), name(y)),
            (x, y) => format!("{} - {} {less} {}", name(x), name(y), c.bound),
        });
    }
    all
}

/// The channel of a transition, or the process of its edge.
fn label(system: &System, edges: &[EdgeId]) -> String {
    let Some(first) = edges.first() else { return String::new() };
    let edge = &system.edges[first.0 as usize];
    match edge.sync {
        Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].name.to_string(),
        Sync::Event(e) => system.events[e.0 as usize].to_string(),
        Sync::Internal => {
            let chosen: Vec<String> = edge.select.iter().map(i32::to_string).collect();
            let process = &system.processes[edge.process.0 as usize].name;
            if chosen.is_empty() { process.to_string() } else { format!("{process} [{}]", chosen.join(", ")) }
        }
    }
}
