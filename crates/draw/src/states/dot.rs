//! State spaces in Graphviz' DOT language.

use std::fmt::Write;

use super::{ArcKind, StateGraph, StateStyle};
use crate::dot::escape;

pub(super) fn write(graph: &StateGraph) -> String {
    let mut out = String::from(
        "digraph states {\n  node [fontname=\"Helvetica\", fontsize=11, shape=box];\n  edge [fontname=\"Helvetica\", \
         fontsize=10];\n",
    );
    if !graph.title.is_empty() {
        out.push_str("  label=\"");
        escape(&graph.title, &mut out);
        out.push_str("\"; labelloc=t; fontname=\"Helvetica\";\n");
    }
    for (i, node) in graph.nodes.iter().enumerate() {
        if graph.is_over() {
            break;
        }
        let _ = write!(out, "  s{i} [label={}", flush_left(&node.text));
        if node.is_initial {
            out.push_str(", peripheries=2");
        }
        out.push_str(match node.style {
            StateStyle::Plain => "",
            StateStyle::Joined => ", style=bold",
            StateStyle::Removed => ", color=gray, fontcolor=gray",
        });
        out.push_str("];\n");
    }
    for arc in graph.bundled() {
        if graph.is_over() {
            break;
        }
        let label = if arc.label.is_empty() { String::new() } else { format!("label={}, ", flush_left(&arc.label)) };
        let style = match arc.kind {
            ArcKind::Step => "style=solid",
            ArcKind::Join => "style=bold",
            // Such an arc does not affect the ranks.
            ArcKind::Covered => "style=dashed, constraint=false",
            ArcKind::Replaced => "style=dotted, color=gray",
        };
        let _ = writeln!(out, "  s{} -> s{} [{label}{style}];", arc.from, arc.to);
    }
    out.push_str("}\n");
    out
}

/// Renders a string of DOT with left-aligned lines.
fn flush_left(text: &str) -> String {
    let mut out = String::from("\"");
    for line in text.lines() {
        escape(line, &mut out);
        out.push_str("\\l");
    }
    out.push('"');
    out
}
