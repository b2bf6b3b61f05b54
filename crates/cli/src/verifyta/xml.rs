//! Traces as XML: the system first, then nodes that name vectors of locations and variables and a
//! zone, then the transitions between them.
//!
//! Readers expect these names: global names belong to `sys`, numbers count from 1, lists end with a
//! blank, and a zone has all entries of its matrix, including the diagonal and infinite ones.

use std::{collections::HashMap, hash::Hash};

use model::{Model, system::ProcessId};
use verify::Trace;

use super::{
    edges::{Assignment, expression, labels, routes},
    intermediate::ZERO,
    xtr::Numbers,
    zones::entry,
};

/// A trace with the zones along it.
pub fn write(model: &Model, trace: &Trace, zones: &[Vec<i64>]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    text.push_str("<trace initial_node=\"State1\" trace_options=\"symbolic\">\n");
    write_system(model, &mut text);
    let processes = model.system.processes.len();
    let mut places = Numbered::default();
    let mut values = Numbered::default();
    let mut sets = Numbered::default();
    let mut nodes = String::new();
    for (i, (row, zone)) in (1..).zip(trace.rows().zip(zones)) {
        let (place, value, set) =
            (places.number(&row[..processes]), values.number(&row[processes..]), sets.number(zone));
        nodes.push_str(&format!(
            "<node id=\"State{i}\" location_vector=\"LocVec{place}\" dbm_instance=\"DBM{set} \" variable_vector=\"varvec.{value}\"/>\n"
        ));
    }
    write_locations(model, &mut text, &places.items);
    write_variables(model, &mut text, &values.items);
    text.push_str(&nodes);
    write_zones(model, &mut text, &sets.items);
    write_transitions(model, &mut text, trace);
    text.push_str("</trace>\n");
    text
}

fn write_system(model: &Model, text: &mut String) {
    let (system, tree) = (&model.system, &model.tree);
    let clocks = system.clocks.iter().enumerate();
    let mut named: Vec<(&str, String)> =
        clocks.map(|(i, clock)| ("clock", if i == 0 { ZERO.to_owned() } else { clock.name.clone() })).collect();
    named
        .extend((system.processes.len()..system.initial.len()).map(|slot| ("variable", system.slot_name(slot as u32))));
    // Local names start with the name of their process.
    let (global, local): (Vec<_>, Vec<_>) = named.into_iter().partition(|(_, name)| is_global(model, name));
    text.push_str("<system>\n");
    for (kind, name) in &global {
        text.push_str(&format!("<{kind} id=\"{}\" name=\"{}\"/>\n", escaped(&id(name, true)), escaped(name)));
    }
    for process in &system.processes {
        let name = escaped(&process.name);
        let template = &tree.templates[process.template as usize];
        let place = |i: u32| escaped(&place(model, process.first_location.0 + i));
        text.push_str(&format!("<process id=\"{name}\" name=\"{name}\">\n"));
        for (kind, id) in &local {
            if let Some(own) = own_name(id, &process.name) {
                text.push_str(&format!("<{kind} id=\"{}\" name=\"{}\"/>\n", escaped(id), escaped(own)));
            }
        }
        for (i, location) in (0..).zip(&template.locations) {
            let own = &system.locations[(process.first_location.0 + i) as usize];
            let invariant = location.invariant.map_or_else(String::new, |e| expression(tree, e));
            let (id, name, invariant) = (place(i), escaped(&own.name), quoted(&invariant));
            text.push_str(&format!("<location id=\"{id}\" name=\"{name}\">{invariant}</location>\n"));
        }
        for (number, route) in (1..).zip(routes(template)) {
            let labels = labels(tree, template, route.edge, route.branch, Assignment::Colon);
            text.push_str(&format!(
                "<edge id=\"{name}.Edge{number}\" from=\"{}\" to=\"{}\">\
                 <guard>{}</guard><sync>{}</sync><update>{}</update></edge>\n",
                place(route.source),
                place(route.target),
                quoted(&labels.guard),
                quoted(labels.sync.as_deref().unwrap_or("tau")),
                quoted(&labels.update),
            ));
        }
        text.push_str("</process>\n");
    }
    text.push_str("</system>\n");
}

fn write_locations(model: &Model, text: &mut String, vectors: &[Vec<i32>]) {
    for (number, vector) in (1..).zip(vectors) {
        let location = |p: usize| place(model, model.system.location(vector, ProcessId(p as u32)).0);
        let names: String = (0..vector.len()).map(|p| location(p) + " ").collect();
        text.push_str(&format!("<location_vector id=\"LocVec{number}\" locations=\"{}\"/>\n", escaped(&names)));
    }
}

fn write_variables(model: &Model, text: &mut String, vectors: &[Vec<i32>]) {
    let first = model.system.processes.len();
    for (number, vector) in (1..).zip(vectors) {
        text.push_str(&format!("<variable_vector id=\"varvec.{number}\">\n"));
        for (slot, value) in (first..).zip(vector) {
            let name = model.system.slot_name(slot as u32);
            let name = escaped(&id(&name, is_global(model, &name)));
            text.push_str(&format!("<variable_state variable=\"{name}\" value=\"{value}\"/>\n"));
        }
        text.push_str("</variable_vector>\n");
    }
}

fn write_zones(model: &Model, text: &mut String, zones: &[Vec<i64>]) {
    let clocks = &model.system.clocks;
    let name = |i: usize| if i == 0 { ZERO } else { &clocks[i].name };
    let names: Vec<String> =
        (0..clocks.len()).map(|i| escaped(&id(name(i), i == 0 || is_global(model, name(i))))).collect();
    for (number, zone) in (1..).zip(zones) {
        text.push_str(&format!("<dbm_instance id=\"DBM{number}\">\n"));
        for (at, &bound) in zone.iter().enumerate() {
            let (left, right) = (&names[at / clocks.len()], &names[at % clocks.len()]);
            let (bound, sign) = entry(bound);
            let sign = escaped(sign);
            text.push_str(&format!(
                "<clockbound clock1=\"{left}\" clock2=\"{right}\" bound=\"{bound}\" comp=\"{sign}\"/>\n"
            ));
        }
        text.push_str("</dbm_instance>\n");
    }
}

fn write_transitions(model: &Model, text: &mut String, trace: &Trace) {
    let numbers = Numbers::new(model);
    for (i, step) in trace.steps.iter().enumerate() {
        let edge = |id: &model::system::EdgeId| {
            let edge = &model.system.edges[id.0 as usize];
            let process = &model.system.processes[edge.process.0 as usize];
            format!("{}.Edge{} ", process.name, numbers.get(process.template, edge.origin, edge.branch) + 1)
        };
        let edges: String = step.edges.iter().map(edge).collect();
        let (from, to, edges) = (i + 1, i + 2, escaped(&edges));
        text.push_str(&format!("<transition from=\"State{from}\" to=\"State{to}\" edges=\"{edges}\"/>\n"));
    }
}

/// Whether a clock or variable is global.
fn is_global(model: &Model, name: &str) -> bool {
    model.system.processes.iter().all(|p| own_name(name, &p.name).is_none())
}

/// The id of a clock or variable.
fn id(name: &str, global: bool) -> String {
    if global { format!("sys.{name}") } else { name.to_owned() }
}

/// The local name of a clock or variable, if it belongs to the process.
fn own_name<'n>(name: &'n str, process: &str) -> Option<&'n str> {
    name.strip_prefix(process)?.strip_prefix('.')
}

/// The name of a location, with its process.
fn place(model: &Model, location: u32) -> String {
    let location = &model.system.locations[location as usize];
    format!("{}.{}", model.system.processes[location.process.0 as usize].name, location.name)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn quoted(text: &str) -> String {
    format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>"))
}

/// Numbers rows from 1, so that equal ones are written once.
#[derive(Default)]
struct Numbered<T> {
    items: Vec<Vec<T>>,
    numbers: HashMap<Vec<T>, usize>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, row: &[T]) -> usize {
        let next = self.items.len() + 1;
        *self.numbers.entry(row.to_vec()).or_insert_with_key(|row| {
            self.items.push(row.clone());
            next
        })
    }
}
