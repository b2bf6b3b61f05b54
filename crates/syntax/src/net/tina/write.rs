//! Writes a net in TINA's format. The text is a function of the net.

use std::fmt::Write as _;

use super::read::WORDS;
use crate::net::{Arc, Interval, Net, Priority, Timing};

/// Returns a name, in braces if necessary.
#[must_use]
pub fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'');
    if !name.is_empty() && name.chars().all(is_plain) && !WORDS.contains(&name) {
        return name.to_owned();
    }
    let mut text = String::from("{");
    for c in name.chars() {
        if matches!(c, '{' | '}' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text.push('}');
    text
}

/// Writes a net: places in their order, then transitions in theirs.
#[must_use]
pub fn text(net: &Net) -> String {
    let mut out = format!("net {}\n", quoted(&net.name));
    if let Some(limit) = net.max_tokens {
        let _ = writeln!(out, "nt merkhet 0 {{tokens {limit}}}");
    }
    for place in &net.places {
        let _ = write!(out, "pl {}", quoted(&place.written));
        label(&mut out, place.label.as_deref());
        if net.timing == Timing::Places {
            interval(&mut out, place.delay);
        }
        if place.tokens > 0 {
            let _ = write!(out, " ({})", place.tokens);
        }
        out.push('\n');
    }
    for t in &net.transitions {
        let _ = write!(out, "tr {}", quoted(&t.written));
        label(&mut out, t.label.as_deref());
        if net.timing == Timing::Transitions {
            interval(&mut out, t.interval);
        }
        arcs(&mut out, net, &t.takes, "*");
        arcs(&mut out, net, &t.tests, "?");
        arcs(&mut out, net, &t.inhibitors, "?-");
        arcs(&mut out, net, &t.runs, "!");
        arcs(&mut out, net, &t.stops, "!-");
        out.push_str(" ->");
        arcs(&mut out, net, &t.puts, "*");
        out.push('\n');
    }
    for Priority { higher, lower } in &net.priorities {
        let name = |t: u32| quoted(&net.transitions[t as usize].written);
        let _ = writeln!(out, "pr {} > {}", name(*higher), name(*lower));
    }
    out
}

fn label(out: &mut String, label: Option<&str>) {
    if let Some(label) = label {
        let _ = write!(out, " : {}", quoted(label));
    }
}

fn interval(out: &mut String, i: Interval) {
    let _ = write!(out, " {i}");
}

fn arcs(out: &mut String, net: &Net, arcs: &[Arc], sign: &str) {
    for arc in arcs {
        let _ = write!(out, " {}", quoted(&net.places[arc.place as usize].written));
        if sign != "*" || arc.weight != 1 {
            let _ = write!(out, "{sign}{}", arc.weight);
        }
    }
}
