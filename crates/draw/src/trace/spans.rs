//! The lanes of a timeline, and the spans in which their values stay the same.

use super::{
    DrawnTrace, TraceValue,
    lanes::Lanes,
    pen::{NAME, short},
};

/// A value that stays the same in the columns of a span.
pub(super) struct Span {
    pub first: usize,
    pub end: usize,
    pub text: String,
    /// The number of a tint, or the height of a step.
    pub level: usize,
}

/// A lane.
pub(super) struct Lane {
    pub name: String,
    pub kind: LaneKind,
    /// Whether it is the first of its kind.
    pub is_first: bool,
}

/// What a lane shows.
pub(super) enum LaneKind {
    /// Boxes, and the number of the process or place whose steps connect lanes.
    Boxes(Vec<Span>, Option<usize>),
    /// Steps, and the number of different levels.
    Steps(Vec<Span>, usize),
    /// The number of a clock.
    Clock(usize),
}

impl Lane {
    /// Returns the spans with text.
    pub(super) fn spans(&self) -> &[Span] {
        match &self.kind {
            LaneKind::Boxes(spans, _) | LaneKind::Steps(spans, _) => spans,
            LaneKind::Clock(_) => &[],
        }
    }
}

/// Returns all lanes.
pub(super) fn lanes(trace: &DrawnTrace, drawn: &Lanes) -> Vec<Lane> {
    let mut out = Vec::new();
    let mut add = |names: &mut dyn Iterator<Item = (String, LaneKind)>| {
        let mut is_first = !out.is_empty();
        for (name, kind) in names {
            out.push(Lane { name: short(&name, NAME), kind, is_first });
            is_first = false;
        }
    };
    if trace.is_of_net() {
        let tokens = |place: usize| trace.states.iter().map(|state| TraceValue::Number(state.tokens[place])).collect();
        add(&mut drawn.first.iter().map(|&p| (trace.places[p].clone(), valued(tokens(p)))));
    } else {
        let boxes = |process: usize| LaneKind::Boxes(visits(trace, process), Some(process));
        add(&mut drawn.first.iter().map(|&p| (trace.processes[p].name.clone(), boxes(p))));
    }
    if trace.states.iter().any(|state| state.stay.is_some()) {
        add(&mut drawn.clocks.iter().map(|&c| (trace.clocks[c].clone(), LaneKind::Clock(c))));
    }
    let values = |variable: usize| trace.states.iter().map(|state| state.values[variable].clone()).collect();
    add(&mut drawn.variables.iter().map(|&v| (trace.variables[v].clone(), valued(values(v)))));
    out
}

/// Returns the locations of a process.
fn visits(trace: &DrawnTrace, process: usize) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for (i, state) in trace.states.iter().enumerate() {
        let moves = i.checked_sub(1).is_none_or(|s| trace.steps[s].edges.iter().any(|edge| edge.process == process));
        match out.last_mut().filter(|_| !moves) {
            Some(last) => last.end = i + 1,
            None => {
                let level = state.locations[process];
                let name = trace.processes[process].locations.get(level).map_or("", |name| name);
                out.push(Span { first: i, end: i + 1, text: short(name, NAME), level });
            }
        }
    }
    out
}

/// Returns the values of a variable, as steps if all are numbers.
fn valued(values: Vec<TraceValue>) -> LaneKind {
    let mut spans: Vec<(Span, &TraceValue)> = Vec::new();
    for (i, value) in values.iter().enumerate() {
        match spans.last_mut().filter(|(_, before)| *before == value) {
            Some((last, _)) => last.end = i + 1,
            None => {
                let text = short(&value.to_string(), NAME);
                spans.push((Span { first: i, end: i + 1, text, level: 0 }, value));
            }
        }
    }
    let mut levels = Vec::new();
    for (_, value) in &spans {
        let TraceValue::Number(n) = value else {
            return LaneKind::Boxes(spans.into_iter().map(|(span, _)| span).collect(), None);
        };
        levels.push(*n);
    }
    levels.sort_unstable();
    levels.dedup();
    let number = |(span, value): (Span, &TraceValue)| {
        let TraceValue::Number(n) = value else { return span };
        Span { level: levels.binary_search(n).unwrap_or(0), ..span }
    };
    let spans = spans.into_iter().map(number).collect();
    LaneKind::Steps(spans, levels.len())
}
