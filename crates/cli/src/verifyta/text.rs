//! Traces as text.

use model::{Model, Ratio, system::ProcessId};
use verify::{Step, Trace};

use super::{
    edges::{Assignment, labels},
    zones::minimal,
};

/// A trace with values of clocks. Every delay and every transition is followed by the state after
/// it. `None`: the values are unknown.
pub fn concrete(model: &Model, trace: &Trace) -> Option<String> {
    let times = trace.times.as_ref()?;
    let mut text = String::new();
    for (depth, (row, stay)) in trace.rows().zip(times).enumerate() {
        let state = |text: &mut String, values: &[Ratio]| {
            let clocks = values.iter().zip(&model.system.clocks).skip(1);
            let clocks = clocks.map(|(value, clock)| format!("{}={}", clock.name, decimal(*value)));
            write_state(model, text, row, clocks.collect(), depth);
        };
        if let Some(before) = depth.checked_sub(1) {
            write_transition(model, &mut text, &trace.steps[before]);
        }
        state(&mut text, &stay.entered);
        if stay.delay != Ratio::ZERO {
            text.push_str(&format!("\nDelay: {}\n", decimal(stay.delay)));
            state(&mut text, &stay.left);
        }
    }
    Some(text)
}

/// A trace with constraints on clocks.
pub fn symbolic(model: &Model, trace: &Trace, zones: &[Vec<i64>]) -> String {
    let mut text = String::new();
    for (depth, (row, zone)) in trace.rows().zip(zones).enumerate() {
        if depth > 0 {
            write_transition(model, &mut text, &trace.steps[depth - 1]);
        }
        write_state(model, &mut text, row, constraints(model, zone), depth);
    }
    text
}

fn constraints(model: &Model, zone: &[i64]) -> Vec<String> {
    let clocks = &model.system.clocks;
    let text = |c: super::zones::Constraint| {
        let left = if c.left == 0 { "t(0)" } else { &clocks[c.left].name };
        let right = if c.right == 0 { String::new() } else { format!("-{}", clocks[c.right].name) };
        format!("{left}{right}{}{}", c.sign(), c.bound)
    };
    minimal(zone, clocks.len()).into_iter().map(text).collect()
}

/// Writes a state, clocks before variables; the depth is the number of transitions so far.
fn write_state(model: &Model, text: &mut String, row: &[i32], clocks: Vec<String>, depth: usize) {
    let system = &model.system;
    text.push_str("\nState:\n(");
    for (p, process) in system.processes.iter().enumerate() {
        let location = system.location(row, ProcessId(p as u32));
        text.push_str(&format!(" {}.{}", process.name, system.locations[location.0 as usize].name));
    }
    text.push_str(" )\n");
    let variables =
        (system.processes.len()..row.len()).map(|slot| format!("{}={}", system.slot_name(slot as u32), row[slot]));
    for value in clocks.into_iter().chain(variables) {
        text.push_str(&value);
        text.push(' ');
    }
    text.push_str(&format!("#depth={depth} \n"));
}

fn write_transition(model: &Model, text: &mut String, step: &Step) {
    let system = &model.system;
    text.push_str("\nTransitions:\n");
    for id in &step.edges {
        let edge = &system.edges[id.0 as usize];
        let process = &system.processes[edge.process.0 as usize];
        let template = &model.tree.templates[process.template as usize];
        let labels = labels(&model.tree, template, edge.origin, edge.branch, Assignment::Colon);
        text.push_str(&format!(
            "  {name}.{}->{name}.{} {{ {}, {}, {} }}\n",
            system.locations[edge.source.0 as usize].name,
            system.locations[edge.target.0 as usize].name,
            labels.guard,
            labels.sync.as_deref().unwrap_or("tau"),
            labels.update,
            name = process.name,
        ));
    }
}

/// A decimal number, as programs expect it.
fn decimal(value: Ratio) -> String {
    if value.denominator() == 1 {
        return value.numerator().to_string();
    }
    (value.numerator() as f64 / value.denominator() as f64).to_string()
}
