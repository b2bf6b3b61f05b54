//! Traces of the engines with names and exact clock values.

use model::{
    Ratio, System,
    system::{EdgeId, LatticeOrder, LatticeVariable, ProcessId, Sync},
};

use crate::{
    json::verify::{
        Change, Clock, Element, ElementChange, Ending, JoinBlame, NamedState, ProcessLocation, TakenEdge, Trace,
        TraceStep, Variable,
    },
    net_names::{NetEvent, NetNames},
};

/// Names everything in a trace.
pub fn named_trace(system: &System, trace: &verify::Trace) -> Trace {
    let stay = |number: usize| trace.times.as_ref().map(|times| &times[number]);
    let entered = |number: usize| stay(number).map(|stay| &stay.entered[..]);
    let delay = |number: usize| stay(number).map(|stay| stay.delay.to_string());
    let net = NetNames::new(system);
    let mut row = &trace.start;
    let mut steps = Vec::new();
    for (number, step) in trace.steps.iter().enumerate() {
        let NetEvent { fires, becomes_available } = net.as_ref().map(|net| net.event(&step.edges)).unwrap_or_default();
        steps.push(TraceStep {
            delay: delay(number),
            fires,
            becomes_available,
            edges: step.edges.iter().map(|e| edge(system, *e)).collect(),
            changes: changes(system, row, &step.row),
            element_changes: element_changes(system, row, &step.row),
            clocks: entered(number + 1).map(|values| clocks(system, values)),
        });
        row = &step.row;
    }
    let (ending, cycle) = match trace.ending {
        None => (None, None),
        Some(verify::Ending::Cycle(start)) => (Some(Ending::Cycle), Some(start + 1)),
        Some(verify::Ending::Waits) => (Some(Ending::Waits), None),
        Some(verify::Ending::Stops) => (Some(Ending::Stops), None),
    };
    let last = steps.len();
    Trace {
        spurious: !trace.is_replayed(),
        length: last,
        start: state(system, &trace.start, entered(0)),
        steps,
        last_delay: delay(last),
        end: state(system, row, stay(last).map(|stay| &stay.left[..])),
        ending,
        cycle,
    }
}

/// Names the states of a join.
pub fn named_blame(system: &System, merkhet::Blame { join, strategy }: &merkhet::Blame) -> JoinBlame {
    JoinBlame {
        step: join.step,
        stored: state(system, &join.stored, None),
        new: state(system, &join.new, None),
        joined: state(system, &join.joined, None),
        zones: join.by_zones,
        strategy: strategy.clone(),
    }
}

/// Names all clocks except the reference.
pub fn clocks(system: &System, values: &[Ratio]) -> Vec<Clock> {
    let named = system.clocks.iter().zip(values).skip(1);
    named.map(|(clock, value)| Clock { name: clock.name.clone(), value: value.to_string() }).collect()
}

/// Names everything in a state.
pub fn state(system: &System, row: &[i32], values: Option<&[Ratio]>) -> NamedState {
    let net = NetNames::new(system);
    let place = |p: usize| ProcessLocation {
        process: system.processes[p].name.clone(),
        location: system.locations[system.location(row, ProcessId(p as u32)).0 as usize].name.to_string(),
    };
    let variable = |slot: usize| Variable { name: system.slot_name(slot as u32), value: row[slot] };
    let element = |v: &LatticeVariable| Element { name: v.name.clone(), value: system.show(v, row) };
    NamedState {
        locations: (0..system.processes.len()).map(place).collect(),
        variables: plain(system).map(variable).collect(),
        elements: elements(system).map(element).collect(),
        clocks: values.map(|values| clocks(system, values)),
        time: net.as_ref().and_then(|net| net.time(values)),
        marking: net.as_ref().map(|net| net.marking(row, values)),
        enabled: net.map(|net| net.enabled(row, values)).unwrap_or_default(),
    }
}

/// The slots of the row that are plain variables.
fn plain(system: &System) -> impl Iterator<Item = usize> {
    let is_plain = |slot: &usize| system.element_at(*slot as u32).is_none_or(|v| !is_opaque(v));
    (system.processes.len()..system.initial.len()).filter(is_plain)
}

/// The variables that are elements of a library lattice.
fn elements(system: &System) -> impl Iterator<Item = &LatticeVariable> {
    system.lattices.iter().filter(|v| is_opaque(v))
}

/// Whether an element belongs to a lattice of the library, which alone can show it. Elements of a
/// model's own lattices have fields.
fn is_opaque(variable: &LatticeVariable) -> bool {
    matches!(variable.order, LatticeOrder::Library(_))
}

/// The elements of lattices that differ.
pub fn element_changes(system: &System, before: &[i32], after: &[i32]) -> Vec<ElementChange> {
    let differs = |v: &&LatticeVariable| {
        let slots = v.first as usize..(v.first + v.width) as usize;
        before[slots.clone()] != after[slots]
    };
    let change = |v: &LatticeVariable| {
        let (from, to) = (system.show(v, before), system.show(v, after));
        ElementChange { name: v.name.clone(), from, to }
    };
    elements(system).filter(differs).map(change).collect()
}

/// The variables that differ; of a net only the places.
pub fn changes(system: &System, before: &[i32], after: &[i32]) -> Vec<Change> {
    let shown = system.net.as_ref().map_or(usize::MAX, |net| net.places.len());
    let slots = plain(system).take(shown).filter(|&slot| before[slot] != after[slot]);
    slots.map(|slot| Change { name: system.slot_name(slot as u32), from: before[slot], to: after[slot] }).collect()
}

/// Names an edge. Edges of one template edge differ in the selected values, in the branch, or in
/// the channel.
pub fn edge(system: &System, id: EdgeId) -> TakenEdge {
    let edge = &system.edges[id.0 as usize];
    let sync = match edge.sync {
        Sync::Internal => None,
        Sync::Send(c) => Some(format!("{}!", system.channels[c.0 as usize].name)),
        Sync::Receive(c) => Some(format!("{}?", system.channels[c.0 as usize].name)),
        Sync::Event(e) => Some(format!("@{}", system.events[e.0 as usize])),
    };
    TakenEdge {
        process: system.processes[edge.process.0 as usize].name.clone(),
        source: system.locations[edge.source.0 as usize].name.to_string(),
        target: system.locations[edge.target.0 as usize].name.to_string(),
        sync,
        edge: edge.origin,
        branch: edge.branch,
        select: edge.select.to_vec(),
    }
}
