//! Models in the intermediate format (`.if`), which readers of `.xtr` files need.
//!
//! Clocks, variables and locations share one numbering, the layout; edges and invariants name
//! expressions by number. The section of instructions stays empty: it holds code for UPPAAL's
//! virtual machine, which readers of traces skip.

use std::{collections::HashMap, fmt::Write};

use model::Model;

use super::edges::{Assignment, expression, labels, routes};

/// The clock that is always zero.
pub const ZERO: &str = "t(0)";

/// Writes a model.
pub fn write(model: &Model) -> String {
    let (system, tree) = (&model.system, &model.tree);
    let mut expressions = Expressions::default();
    let (mut layout, mut processes, mut locations, mut edges) =
        (String::from("layout\n"), String::from("processes\n"), String::from("locations\n"), String::from("edges\n"));
    // Writing to a string can't fail.
    let mut index = 0;
    let mut cell = |text: String| {
        let _ = writeln!(layout, "{index}:{text}");
        index += 1;
        index - 1
    };
    for (number, clock) in system.clocks.iter().enumerate() {
        cell(format!("clock:{number}:{}", if number == 0 { ZERO } else { &clock.name }));
    }
    for (number, slot) in (system.processes.len()..system.initial.len()).enumerate() {
        let (low, high) = system.ranges[slot];
        let kind = if slot < system.identity { "var" } else { "meta" };
        let name = system.slot_name(slot as u32);
        cell(format!("{kind}:{low}:{high}:{}:{number}:{name}", system.initial[slot]));
    }
    for (p, process) in system.processes.iter().enumerate() {
        let template = &tree.templates[process.template as usize];
        let mut cells = Vec::new();
        for (i, location) in (process.first_location.0..).zip(&template.locations) {
            let own = &system.locations[i as usize];
            let kind = match (own.committed, own.urgent) {
                (true, _) => "committed",
                (_, true) => "urgent",
                _ => "",
            };
            let at = cell(format!("location:{kind}:{}", own.name));
            let invariant = location.invariant.map_or_else(|| "1".to_owned(), |e| expression(tree, e));
            let _ = writeln!(locations, "{at}:{p}:{}", expressions.number(invariant));
            cells.push(at);
        }
        let _ = writeln!(processes, "{p}:{}:{}", cells[process.initial as usize], process.name);
        for route in routes(template) {
            let labels = labels(tree, template, route.edge, route.branch, Assignment::Plain);
            let (source, target) = (cells[route.source as usize], cells[route.target as usize]);
            let sync = labels.sync.unwrap_or_else(|| "0".to_owned());
            let [guard, sync, update] = [labels.guard, sync, labels.update].map(|text| expressions.number(text));
            let _ = writeln!(edges, "{p}:{source}:{target}:{guard}:{sync}:{update}");
        }
    }
    let mut text = format!("{layout}\ninstructions\n\n{processes}\n{locations}\n{edges}\nexpressions\n");
    for (number, expression) in expressions.texts.iter().enumerate() {
        let _ = writeln!(text, "{number}:0:0: {expression}");
    }
    text.push('\n');
    text
}

/// Numbered expressions.
#[derive(Default)]
struct Expressions {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Expressions {
    fn number(&mut self, text: String) -> usize {
        let next = self.texts.len();
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}
