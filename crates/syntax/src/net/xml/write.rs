//! Writes a net as PNML. Only what PNML lacks is in tool-specific elements.

use std::fmt::Write;

use crate::net::{Arc, Interval, Net, Timing};

/// Writes the whole net on one page.
#[must_use]
pub fn text(net: &Net) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n  \
         <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n",
    );
    let _ = writeln!(out, "    <name><text>{}</text></name>", escaped(&net.name));
    if let Some(limit) = net.max_tokens {
        let _ =
            writeln!(out, "    <toolspecific tool=\"merkhet\" version=\"1\"><tokens>{limit}</tokens></toolspecific>");
    }
    out.push_str("    <page id=\"page\">\n");
    for (i, place) in net.places.iter().enumerate() {
        open(&mut out, "place", &format!("p{i}"), &place.written, place.at);
        if place.tokens > 0 {
            let _ = writeln!(out, "        <initialMarking><text>{}</text></initialMarking>", place.tokens);
        }
        let delay = (net.timing == Timing::Places).then(|| interval(place.delay));
        merkhet_element(&mut out, place.label.as_deref(), delay.as_deref(), &[]);
        out.push_str("      </place>\n");
    }
    for (i, t) in net.transitions.iter().enumerate() {
        open(&mut out, "transition", &format!("t{i}"), &t.written, t.at);
        if net.timing == Timing::Transitions {
            let _ = writeln!(out, "        {}", interval(t.interval));
        }
        // They are sorted.
        let first = net.priorities.partition_point(|p| (p.higher as usize) < i);
        let own = net.priorities[first..].iter().take_while(|p| p.higher as usize == i);
        let lower: Vec<u32> = own.map(|p| p.lower).collect();
        merkhet_element(&mut out, t.label.as_deref(), None, &lower);
        out.push_str("      </transition>\n");
    }
    let mut number = 0;
    for (i, t) in net.transitions.iter().enumerate() {
        let mut add = |arcs: &[Arc], puts: bool, ty: &str| {
            for arc in arcs {
                let (place, transition) = (format!("p{}", arc.place), format!("t{i}"));
                let (source, target) = if puts { (transition, place) } else { (place, transition) };
                let _ = write!(out, "      <arc id=\"a{number}\" source=\"{source}\" target=\"{target}\">");
                if arc.weight != 1 {
                    let _ = write!(out, "<inscription><text>{}</text></inscription>", arc.weight);
                }
                if !ty.is_empty() {
                    let _ = write!(out, "<type value=\"{ty}\"/>");
                }
                out.push_str("</arc>\n");
                number += 1;
            }
        };
        add(&t.takes, false, "");
        add(&t.tests, false, "test");
        add(&t.inhibitors, false, "inhibitor");
        add(&t.runs, false, "stopwatch");
        add(&t.stops, false, "stopwatch-inhibitor");
        add(&t.puts, true, "");
    }
    out.push_str("    </page>\n  </net>\n</pnml>\n");
    out
}

fn open(out: &mut String, kind: &str, id: &str, name: &str, at: Option<(i32, i32)>) {
    let _ = writeln!(out, "      <{kind} id=\"{id}\">\n        <name><text>{}</text></name>", escaped(name));
    if let Some((x, y)) = at {
        let _ = writeln!(out, "        <graphics><position x=\"{x}\" y=\"{y}\"/></graphics>");
    }
}

/// Writes merkhet's tool-specific element, which other tools skip.
fn merkhet_element(out: &mut String, label: Option<&str>, delay: Option<&str>, lower: &[u32]) {
    if label.is_none() && delay.is_none() && lower.is_empty() {
        return;
    }
    out.push_str("        <toolspecific tool=\"merkhet\" version=\"1\">");
    if let Some(label) = label {
        let _ = write!(out, "<label>{}</label>", escaped(label));
    }
    out.push_str(delay.unwrap_or(""));
    for t in lower {
        let _ = write!(out, "<before>t{t}</before>");
    }
    out.push_str("</toolspecific>\n");
}

fn interval(i: Interval) -> String {
    let closure = match (i.low_open, i.high_open) {
        (false, false) => "closed",
        (true, true) => "open",
        (true, false) => "open-closed",
        (false, true) => "closed-open",
    };
    let high = i.high.map_or_else(|| "<ci>infty</ci>".to_owned(), |high| format!("<cn>{high}</cn>"));
    format!(
        "<delay><interval xmlns=\"http://www.w3.org/1998/Math/MathML\" closure=\"{closure}\"><cn>{}</cn>{high}</interval>\
         </delay>",
        i.low
    )
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Other control characters are illegal in XML.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
