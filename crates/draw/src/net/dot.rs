//! Nets in Graphviz' DOT language.

use std::fmt::Write;

use syntax::{Signal, net::Net};

use super::{ArcStyle, captions, lines};
use crate::dot::quoted;

pub(super) fn write(net: &Net, signal: Signal) -> String {
    let mut out = String::from(
        "digraph net {\n  graph [fontname=\"Helvetica\"];\n  node [fontname=\"Helvetica\", fontsize=11];\n  \
         edge [fontname=\"Helvetica\", fontsize=10];\n",
    );
    let _ = writeln!(out, "  label={};", quoted(&net.name));
    let captions = captions(net);
    for (i, place) in net.places.iter().enumerate() {
        if signal.raised().is_some() {
            break;
        }
        let tokens = match place.tokens {
            0 => String::new(),
            1 => "\u{25cf}".to_owned(),
            n => n.to_string(),
        };
        let _ = writeln!(
            out,
            "  p{i} [shape=circle, width=0.4, fixedsize=true, label={}, xlabel={}];",
            quoted(&tokens),
            quoted(&captions[i].join("\n"))
        );
    }
    for i in 0..net.transitions.len() {
        if signal.raised().is_some() {
            break;
        }
        let caption = quoted(&captions[net.places.len() + i].join("\n"));
        let _ = writeln!(
            out,
            "  t{i} [shape=box, width=0.5, height=0.1, style=filled, fillcolor=black, label=\"\", xlabel={caption}];"
        );
    }
    let node = |v: usize| match v.checked_sub(net.places.len()) {
        None => format!("p{v}"),
        Some(t) => format!("t{t}"),
    };
    for line in lines(net) {
        if signal.raised().is_some() {
            break;
        }
        let mut attributes = Vec::new();
        if !line.label.is_empty() {
            attributes.push(format!("label={}", quoted(&line.label)));
        }
        match line.kind {
            ArcStyle::Plain => {}
            ArcStyle::Test => attributes.push("style=dashed".to_owned()),
            ArcStyle::Inhibitor => attributes.push("arrowhead=odot".to_owned()),
            ArcStyle::Transport => attributes.push("style=bold, arrowhead=normalnormal".to_owned()),
            ArcStyle::Stopwatch | ArcStyle::Priority => attributes.push("style=dotted".to_owned()),
            ArcStyle::StopwatchInhibitor => attributes.push("style=dotted, arrowhead=odot".to_owned()),
        }
        let _ = write!(out, "  {} -> {}", node(line.from), node(line.to));
        let _ = match attributes.as_slice() {
            [] => writeln!(out, ";"),
            all => writeln!(out, " [{}];", all.join(", ")),
        };
    }
    out.push_str("}\n");
    out
}
