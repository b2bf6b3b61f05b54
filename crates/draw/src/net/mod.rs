//! Pictures of Petri nets: places as circles with tokens, transitions as bars.

mod dot;
mod svg;
#[cfg(test)]
mod tests;

use syntax::{
    Signal,
    net::{Arc, Net, Timing},
};

/// Renders a net in Graphviz' DOT language. Once the signal is raised, the picture is incomplete.
#[must_use]
pub fn net_dot(net: &Net, signal: Signal) -> String {
    dot::write(net, signal)
}

/// Renders a net as an SVG picture. Coordinates are those of the file if it has some. Once the
/// signal is raised, the picture is incomplete.
#[must_use]
pub fn net_svg(net: &Net, signal: Signal) -> String {
    svg::write(net, signal)
}

/// The style of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArcStyle {
    /// With an arrow head.
    Plain,
    /// Dashed: a test arc, which consumes nothing.
    Test,
    /// With a circle instead of an arrow head.
    Inhibitor,
    /// Dotted: a stopwatch arc.
    Stopwatch,
    /// Dotted, with a circle: a stopwatch-inhibitor arc.
    StopwatchInhibitor,
    /// Dotted, from a transition to one of lower priority.
    Priority,
}

/// A line between two nodes; places are numbered before transitions. Priorities are lines too.
struct Line {
    from: usize,
    to: usize,
    kind: ArcStyle,
    /// The weight, if it is not 1.
    label: String,
}

/// Returns all arcs, transition by transition, and then the priorities.
fn lines(net: &Net) -> Vec<Line> {
    let mut out = Vec::new();
    for (i, t) in net.transitions.iter().enumerate() {
        let transition = net.places.len() + i;
        let mut add = |arcs: &[Arc], kind: ArcStyle, puts: bool| {
            for arc in arcs {
                let place = arc.place as usize;
                let (from, to) = if puts { (transition, place) } else { (place, transition) };
                let label = if arc.weight == 1 { String::new() } else { arc.weight.to_string() };
                out.push(Line { from, to, kind, label });
            }
        };
        add(&t.takes, ArcStyle::Plain, false);
        add(&t.tests, ArcStyle::Test, false);
        add(&t.inhibitors, ArcStyle::Inhibitor, false);
        add(&t.runs, ArcStyle::Stopwatch, false);
        add(&t.stops, ArcStyle::StopwatchInhibitor, false);
        add(&t.puts, ArcStyle::Plain, true);
    }
    let node = |t: u32| net.places.len() + t as usize;
    out.extend(net.priorities.iter().map(|p| Line {
        from: node(p.higher),
        to: node(p.lower),
        kind: ArcStyle::Priority,
        label: String::new(),
    }));
    out
}

/// Returns the captions of nodes: name, label and interval.
fn captions(net: &Net) -> Vec<Vec<String>> {
    let caption = |written: &str, label: &Option<String>, interval: Option<String>| {
        let label = label.as_ref().map(|label| format!(": {label}"));
        [Some(written.to_owned()), label, interval].into_iter().flatten().collect::<Vec<String>>()
    };
    let places = net.places.iter().map(|p| {
        let delay = (net.timing == Timing::Places).then(|| p.delay.to_string());
        caption(&p.written, &p.label, delay)
    });
    let transitions = net.transitions.iter().map(|t| {
        let interval = (net.timing == Timing::Transitions).then(|| t.interval.to_string());
        caption(&t.written, &t.label, interval)
    });
    places.chain(transitions).collect()
}
