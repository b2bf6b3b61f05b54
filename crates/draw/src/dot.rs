//! Templates in Graphviz' DOT language.

use std::fmt::Write;

use syntax::{
    Sources, Tree,
    ast::{Endpoint, Template},
};

use crate::{
    COMPACT,
    label::{Label, Labels, heading},
    svg::hex_color,
    text::printable,
};

/// Renders one graph with a cluster for each template.
pub(crate) fn write(tree: &Tree, sources: &Sources, templates: &[&Template]) -> String {
    let mut out = String::from(
        "digraph model {\n  graph [fontname=\"Helvetica\"];\n  node [fontname=\"Helvetica\", fontsize=11, \
         shape=ellipse];\n  edge [fontname=\"Helvetica\", fontsize=10];\n",
    );
    for (i, template) in templates.iter().enumerate() {
        if tree.signal.raised().is_some() {
            break;
        }
        let (name, params) = heading(tree, sources, template);
        let title = if params.is_empty() { name } else { format!("{name}({params})") };
        let _ = writeln!(out, "  subgraph cluster_{i} {{\n    label={};", quoted(&title));
        cluster(tree, template, &Labels::of(tree, sources, template, COMPACT), i, &mut out);
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn cluster(tree: &Tree, template: &Template, labels: &Labels, number: usize, out: &mut String) {
    // Graphviz breaks cycles in the order of nodes, so the initial location comes first to be
    // placed on top.
    let init = template.init.map_or(0, |i| i as usize);
    let initial_first = (init..init + 1).chain(0..init).chain(init + 1..template.locations.len());
    for (i, location) in initial_first.filter_map(|i| Some((i, template.locations.get(i)?))) {
        let mut lines: Vec<&str> = Vec::new();
        if location.committed {
            lines.push("C");
        }
        if location.urgent {
            lines.push("U");
        }
        lines.extend(labels.locations[i].iter().flat_map(|l| &l.lines).map(String::as_str));
        let _ = write!(out, "    t{number}_l{i} [label={}", quoted(&lines.join("\n")));
        if location.anonymous {
            let _ = write!(out, ", tooltip={}", quoted(tree.text(location.name.sym)));
        }
        if template.init == Some(i as u32) {
            out.push_str(", peripheries=2");
        }
        if let Some(color) = hex_color(location.layout.color.as_deref()) {
            let _ = write!(out, ", style=filled, fillcolor=\"{color}\"");
        }
        out.push_str("];\n");
    }
    for i in 0..template.branchpoints.len() {
        let _ = writeln!(out, "    t{number}_b{i} [shape=point, width=0.08, label=\"\"];");
    }
    for (edge, labels) in template.edges.iter().zip(&labels.edges) {
        if tree.signal.raised().is_some() {
            return;
        }
        let node = |e: Endpoint| match e {
            Endpoint::Location(l) => format!("t{number}_l{l}"),
            Endpoint::Branchpoint(b) => format!("t{number}_b{b}"),
        };
        let mut attributes = Vec::new();
        if !labels.is_empty() {
            attributes.push(format!("label={}", flush_left(labels)));
        }
        if !edge.controllable {
            attributes.push("style=dashed".to_owned());
        }
        if let Some(color) = hex_color(edge.layout.color.as_deref()) {
            attributes.push(format!("color=\"{color}\""));
        }
        let _ = write!(out, "    {} -> {}", node(edge.source), node(edge.target));
        let _ = match attributes.as_slice() {
            [] => writeln!(out, ";"),
            all => writeln!(out, " [{}];", all.join(", ")),
        };
    }
}

/// Renders a string of DOT.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    escape(text, &mut out);
    out.push('"');
    out
}

/// Renders a string of DOT with left-aligned lines and some distance to the edge.
fn flush_left(labels: &[Label]) -> String {
    let mut out = String::from("\"");
    for line in labels.iter().flat_map(|l| &l.lines) {
        out.push(' ');
        escape(line, &mut out);
        out.push_str(" \\l");
    }
    out.push('"');
    out
}

/// Escapes a text inside a string of DOT.
pub(crate) fn escape(text: &str, out: &mut String) {
    let mut letters = text.chars().map(printable);
    while let Some(c) = letters.next() {
        match c {
            // Graphviz would replace `\N` and the like by names, so every backslash is doubled.
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '&' if starts_entity(letters.clone()) => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
}

/// Returns whether an ampersand with this continuation starts an entity, which Graphviz would
/// decode.
fn starts_entity(mut after: impl Iterator<Item = char>) -> bool {
    after.find(|c| !c.is_ascii_alphanumeric() && *c != '#') == Some(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a \\N \"b\"\n"), r#""a \\N \"b\"\n""#);
        assert_eq!(quoted("a && b &lt; c"), r#""a && b &amp;lt; c""#);
        assert_eq!(quoted("\u{1}"), "\"\u{FFFD}\"");
    }
}
