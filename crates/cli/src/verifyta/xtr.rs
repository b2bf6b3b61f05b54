//! Traces as `.xtr` files. They have numbers instead of names: a reader needs the model in the
//! intermediate format.
//!
//! A state is the locations, counted in each process; then constraints `i j b` on clocks, where `b`
//! is twice the bound and odd if the bound is strict; then the variables. A dot on a line of its
//! own ends each. The start comes first; then each state comes before the transition that leads to
//! it.

use model::Model;
use verify::Trace;

use super::{edges::routes, zones::minimal};

/// A trace with the zones along it.
pub fn write(model: &Model, trace: &Trace, zones: &[Vec<i64>]) -> String {
    let system = &model.system;
    let numbers = Numbers::new(model);
    let mut text = String::new();
    for (i, (row, zone)) in trace.rows().zip(zones).enumerate() {
        let (locations, variables) = row.split_at(system.processes.len());
        text.push_str(&line(locations));
        for c in minimal(zone, system.clocks.len()) {
            text.push_str(&format!("{} {} {}\n.\n", c.left, c.right, c.bound * 2 + i64::from(c.strict)));
        }
        text.push_str(".\n");
        text.push_str(&line(variables));
        let Some(step) = i.checked_sub(1).map(|before| &trace.steps[before]) else { continue };
        for id in &step.edges {
            let edge = &system.edges[id.0 as usize];
            let process = edge.process.0;
            let template = system.processes[process as usize].template;
            let number = numbers.get(template, edge.origin, edge.branch);
            let select: String = edge.select.iter().map(|value| format!(" {value}")).collect();
            text.push_str(&format!("{process} {number}{select} ; "));
        }
        text.push_str("\n.\n");
    }
    text.push_str(".\n");
    text
}

fn line(numbers: &[i32]) -> String {
    let mut text: String = numbers.iter().map(|n| format!("{n} ")).collect();
    text.push_str("\n.\n");
    text
}

/// The numbers of edges in the intermediate format, where those of each process count from 0.
pub struct Numbers(Vec<Vec<(u32, Option<u32>)>>);

impl Numbers {
    pub fn new(model: &Model) -> Numbers {
        let numbers = |template| routes(template).into_iter().map(|route| (route.edge, route.branch)).collect();
        Numbers(model.tree.templates.iter().map(numbers).collect())
    }

    /// The number of an edge of a template.
    pub fn get(&self, template: u32, edge: u32, branch: Option<u32>) -> usize {
        let all = &self.0[template as usize];
        // Every edge of a trace is a route from location to location.
        all.iter().position(|route| *route == (edge, branch)).unwrap_or(all.len())
    }
}
