//! Traces as XML: the system first, then nodes that name vectors of locations and variables and a zone, then the
//! transitions between them.

use std::collections::HashMap;

use model::{Model, system::ProcessId};
use verify::Trace;

use super::{
    edges::{Assignment, expression, labels, routes},
    intermediate::ZERO,
    xtr::Numbers,
    zones::all,
};

/// A trace with the zones along it.
pub fn write(model: &Model, trace: &Trace, zones: &[Vec<i32>]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    text.push_str("<trace initial_node=\"State0\" trace_options=\"symbolic\">\n");
    write_system(model, &mut text);
    let rows: Vec<&[i32]> =
        [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.row)).map(Vec::as_slice).collect();
    let processes = model.system.processes.len();
    let mut places = Numbered::default();
    let mut values = Numbered::default();
    let mut sets = Numbered::default();
    let mut nodes = String::new();
    for (i, (row, zone)) in rows.iter().zip(zones).enumerate() {
        let (place, value, set) =
            (places.number(&row[..processes]), values.number(&row[processes..]), sets.number(zone));
        nodes.push_str(&format!(
            "<node id=\"State{i}\" location_vector=\"LV{place}\" dbm_instance=\"DBM{set}\" variable_vector=\"VV{value}\"/>\n"
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
    // What belongs to a process has its name in front.
    let owner = |name: &str| system.processes.iter().position(|p| own_name(name, &p.name).is_some());
    let (global, local): (Vec<_>, Vec<_>) = named.into_iter().partition(|(_, name)| owner(name).is_none());
    text.push_str("<system>\n");
    for (kind, name) in &global {
        text.push_str(&format!("<{kind} id=\"{0}\" name=\"{0}\"/>\n", escaped(name)));
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
            let invariant = location.invariant.map_or_else(|| "1".to_owned(), |e| expression(tree, e));
            let (id, name, invariant) = (place(i), escaped(&own.name), quoted(&invariant));
            text.push_str(&format!("<location id=\"{id}\" name=\"{name}\">{invariant}</location>\n"));
        }
        for (number, route) in routes(template).into_iter().enumerate() {
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
    for (number, vector) in vectors.iter().enumerate() {
        let location = |p: usize| place(model, model.system.location(vector, ProcessId(p as u32)).0);
        let names: Vec<String> = (0..vector.len()).map(location).collect();
        text.push_str(&format!("<location_vector id=\"LV{number}\" locations=\"{}\"/>\n", escaped(&names.join(" "))));
    }
}

fn write_variables(model: &Model, text: &mut String, vectors: &[Vec<i32>]) {
    let first = model.system.processes.len();
    for (number, vector) in vectors.iter().enumerate() {
        text.push_str(&format!("<variable_vector id=\"VV{number}\">\n"));
        for (slot, value) in (first..).zip(vector) {
            let name = escaped(&model.system.slot_name(slot as u32));
            text.push_str(&format!("<variable_state variable=\"{name}\" value=\"{value}\"/>\n"));
        }
        text.push_str("</variable_vector>\n");
    }
}

fn write_zones(model: &Model, text: &mut String, zones: &[Vec<i32>]) {
    let clocks = &model.system.clocks;
    let name = |clock: usize| if clock == 0 { ZERO.to_owned() } else { escaped(&clocks[clock].name) };
    for (number, zone) in zones.iter().enumerate() {
        text.push_str(&format!("<dbm_instance id=\"DBM{number}\">\n"));
        for c in all(zone, clocks.len()) {
            let (left, right, bound, sign) = (name(c.left), name(c.right), c.bound, escaped(c.sign()));
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
            format!("{}.Edge{}", process.name, numbers.get(process.template, edge.origin, edge.branch))
        };
        let edges: Vec<String> = step.edges.iter().map(edge).collect();
        let (to, edges) = (i + 1, escaped(&edges.join(" ")));
        text.push_str(&format!("<transition from=\"State{i}\" to=\"State{to}\" edges=\"{edges}\"/>\n"));
    }
}

/// The name of something in a process, if it belongs to that.
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

/// Rows with numbers, so that equal ones are written once.
#[derive(Default)]
struct Numbered {
    items: Vec<Vec<i32>>,
    numbers: HashMap<Vec<i32>, usize>,
}

impl Numbered {
    fn number(&mut self, row: &[i32]) -> usize {
        let next = self.items.len();
        *self.numbers.entry(row.to_vec()).or_insert_with_key(|row| {
            self.items.push(row.clone());
            next
        })
    }
}
