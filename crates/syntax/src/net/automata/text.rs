//! Generated text with its origins.

use super::Automata;
use crate::{
    Signal,
    net::{Arc, Net, Transition},
    source::Span,
};

pub(super) struct XtaText {
    text: String,
    origins: Vec<(u32, Span)>,
    signal: Signal,
}

/// An edge of a process, as text.
#[derive(Clone, Default)]
pub(super) struct XtaEdge {
    pub from: String,
    pub to: String,
    pub guard: Vec<String>,
    pub sync: String,
    pub update: Vec<String>,
}

impl XtaText {
    pub(super) fn new(signal: Signal) -> XtaText {
        XtaText { text: String::new(), origins: Vec::new(), signal }
    }

    /// Returns whether the work was stopped.
    pub(super) fn is_over(&self) -> bool {
        self.signal.raised().is_some()
    }

    /// Sets the origin of the text that follows.
    pub(super) fn from(&mut self, span: Span) {
        self.origins.push((self.text.len() as u32, span));
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a process: its locations as text, and its edges with their origins.
    pub(super) fn process(&mut self, name: &str, span: Span, locations: &str, init: &str, edges: &[(Span, XtaEdge)]) {
        self.from(span);
        self.push(&format!("process {name}() {{\n    state {locations};\n    init {init};\n"));
        for (i, (span, edge)) in edges.iter().enumerate() {
            if self.is_over() {
                return;
            }
            self.push(if i == 0 { "    trans\n" } else { ",\n" });
            self.from(*span);
            self.push(&format!("        {} -> {} {{", edge.from, edge.to));
            if !edge.guard.is_empty() {
                self.push(&format!(" guard {};", edge.guard.join(" && ")));
            }
            if !edge.sync.is_empty() {
                self.push(&format!(" sync {};", edge.sync));
            }
            if !edge.update.is_empty() {
                self.push(&format!(" assign {};", edge.update.join(", ")));
            }
            self.push(" }");
        }
        if !edges.is_empty() {
            self.push(";\n");
        }
        self.push("}\n");
    }

    /// Writes a function that is true if all conditions are false.
    pub(super) fn predicate(&mut self, head: &str, conditions: &[(Span, String)]) {
        self.push(&format!("bool {head} {{\n"));
        for (span, condition) in conditions {
            self.from(*span);
            self.push(&format!("    if ({condition}) return false;\n"));
        }
        self.push("    return true;\n}\n");
    }

    pub(super) fn finish(self) -> Automata {
        Automata { text: self.text, origins: self.origins }
    }
}

/// Returns the weight of the arc to a place; 0 if there is none.
pub(super) fn weight(arcs: &[Arc], place: u32) -> u32 {
    arcs.binary_search_by_key(&place, |a| a.place).map_or(0, |i| arcs[i].weight)
}

/// Returns the updates of the marking by a firing.
pub(super) fn moves(net: &Net, t: &Transition) -> Vec<String> {
    let mut out = Vec::new();
    for arc in &t.takes {
        let less = i64::from(arc.weight) - i64::from(weight(&t.puts, arc.place));
        let p = &net.places[arc.place as usize].name;
        match less {
            1.. => out.push(format!("{p} = {p} - {less}")),
            0 => {}
            _ => out.push(format!("{p} = {p} + {}", -less)),
        }
    }
    for arc in t.puts.iter().filter(|arc| weight(&t.takes, arc.place) == 0) {
        let p = &net.places[arc.place as usize].name;
        out.push(format!("{p} = {p} + {}", arc.weight));
    }
    out
}
