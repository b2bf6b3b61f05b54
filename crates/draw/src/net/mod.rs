//! Pictures of Petri nets: places as circles with tokens, transitions as bars.

mod dot;
mod places;
mod svg;
#[cfg(test)]
mod tests;

use syntax::{
    Signal,
    net::{Arc, Interval, Net, Timing, Transition},
};

pub use places::{NetLayout, NetLine, NetShape, net_layout};

/// Renders a net in Graphviz' DOT language. Once the signal is raised, the picture is incomplete.
#[must_use]
pub fn net_dot(net: &Net, signal: Signal) -> String {
    dot::write(net, signal)
}

/// Renders a net as an SVG picture. Coordinates are those of the file if it has some. Once the
/// signal is raised, the picture is incomplete.
#[must_use]
pub fn net_svg(net: &Net, signal: Signal) -> String {
    svg::write(net, None, signal)
}

/// A marking of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// The tokens of each place.
    pub tokens: Vec<i64>,
    /// The numbers of the enabled transitions.
    pub enabled: Vec<usize>,
}

/// Renders a net as [`net_svg`] does, with the tokens of a marking instead of the initial ones, and
/// with its enabled transitions in the colour of what is active.
#[must_use]
pub fn marking_svg(net: &Net, marking: &Marking, signal: Signal) -> String {
    svg::write(net, Some(marking), signal)
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
    /// Bold: half of a transport arc, which keeps the age of a token.
    Transport,
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
    /// The weight, if it is not 1, the ages, and the number of a transport arc if there are
    /// several.
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
        add(&without(&t.takes, t, false), ArcStyle::Plain, false);
        add(&t.tests, ArcStyle::Test, false);
        add(&t.inhibitors, ArcStyle::Inhibitor, false);
        add(&t.runs, ArcStyle::Stopwatch, false);
        add(&t.stops, ArcStyle::StopwatchInhibitor, false);
        add(&without(&t.puts, t, true), ArcStyle::Plain, true);
        out.extend(aged_lines(t, transition));
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

/// Returns the arcs without the tokens that are drawn with their ages.
fn without(arcs: &[Arc], t: &Transition, puts: bool) -> Vec<Arc> {
    let rest = arcs.iter().filter_map(|arc| {
        let place = Some(arc.place);
        let drawn = t.aged.iter().filter(|aged| place == if puts { aged.to } else { Some(aged.place) });
        let weight = arc.weight.saturating_sub(drawn.map(|aged| aged.weight).sum());
        (weight > 0).then_some(Arc { place: arc.place, weight })
    });
    rest.collect()
}

/// Returns the arcs of tokens whose ages matter or are kept.
fn aged_lines(t: &Transition, transition: usize) -> Vec<Line> {
    let mut out = Vec::new();
    let has_several = t.aged.iter().filter(|arc| arc.to.is_some()).count() > 1;
    let mut number = 0;
    for arc in &t.aged {
        let weight = if arc.weight == 1 { String::new() } else { format!("{} ", arc.weight) };
        let ages = if arc.ages == Interval::ANY { String::new() } else { arc.ages.to_string() };
        let mut label = format!("{weight}{ages}").trim_end().to_owned();
        let from = arc.place as usize;
        let Some(to) = arc.to else {
            out.push(Line { from, to: transition, kind: ArcStyle::Plain, label });
            continue;
        };
        number += 1;
        let mut other = weight.trim_end().to_owned();
        if has_several {
            label.push_str(&format!(":{number}"));
            other.push_str(&format!(":{number}"));
        }
        out.push(Line { from, to: transition, kind: ArcStyle::Transport, label });
        out.push(Line { from: transition, to: to as usize, kind: ArcStyle::Transport, label: other });
    }
    out
}

/// Returns the captions of nodes: name, label, and interval, limit on ages or urgency.
fn captions(net: &Net) -> Vec<Vec<String>> {
    let caption = |written: &str, label: &Option<String>, interval: Option<String>| {
        let label = label.as_ref().map(|label| format!(": {label}"));
        [Some(written.to_owned()), label, interval].into_iter().flatten().collect::<Vec<String>>()
    };
    let places = net.places.iter().map(|p| {
        let time = match net.timing {
            Timing::Places => Some(p.delay.to_string()),
            Timing::Arcs => p.invariant.high.map(|high| {
                let op = if p.invariant.high_open { "<" } else { "\u{2264}" };
                format!("age {op} {high}")
            }),
            Timing::Untimed | Timing::Transitions => None,
        };
        caption(&p.written, &p.label, time)
    });
    let transitions = net.transitions.iter().map(|t| {
        let time = match net.timing {
            Timing::Transitions => Some(t.interval.to_string()),
            Timing::Arcs => t.is_urgent.then(|| "urgent".to_owned()),
            Timing::Untimed | Timing::Places => None,
        };
        caption(&t.written, &t.label, time)
    });
    places.chain(transitions).collect()
}
