//! What a sequence chart shows in each step: boxes on lifelines, and what connects lifelines.

use super::{
    DrawnTrace, TraceEvent,
    lanes::Lanes,
    pen::{NAME, short},
};
use crate::{
    font::Weight,
    text::{self, Breaks},
};

/// Channels and transitions are on short lines.
const LABEL_BREAKS: Breaks = Breaks { keep: false, limit: 26 };

/// What connects lifelines in a step.
pub(super) struct Message {
    pub from: usize,
    /// The other lanes.
    pub to: Vec<usize>,
    pub label: Vec<String>,
    pub kind: MessageKind,
}

/// How lifelines are connected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// An arrow from the sender to each receiver.
    Arrow,
    /// A line without a direction.
    Line,
    /// The bar of a transition of a net.
    Bar,
}

impl Message {
    /// Returns the lane whose lifeline the label is to the right of, or to the left of.
    pub(super) fn label_at(&self) -> (usize, bool) {
        let is_right = self.kind == MessageKind::Bar || self.to.is_empty() || self.to.iter().any(|to| *to > self.from);
        (self.from, is_right)
    }

    /// Returns the width of the label.
    pub(super) fn width(&self) -> f64 {
        text::extent(&self.label, Weight::Regular).w
    }
}

/// Returns the boxes of a state: lane, text, and the number of a tint.
pub(super) fn boxes(trace: &DrawnTrace, lanes: &Lanes, step: usize) -> Vec<(usize, String, usize)> {
    let state = &trace.states[step];
    let taken = step.checked_sub(1).map(|i| &trace.steps[i]);
    if trace.is_of_net() {
        let before = step.checked_sub(1).map(|i| &trace.states[i].tokens);
        let text = |place: &usize| {
            let now = state.tokens[*place];
            match (before.map(|before| now - before[*place]), taken.map(|taken| &taken.event)) {
                (None, _) => (now != 0).then(|| now.to_string()),
                (Some(0), Some(TraceEvent::Available { place: p })) if p == place => Some("available".to_owned()),
                (Some(0), _) => None,
                (Some(more @ 1..), _) => Some(format!("{now} (+{more})")),
                (Some(less), _) => Some(format!("{now} (\u{2212}{})", less.unsigned_abs())),
            }
        };
        let box_of = |(lane, place): (usize, &usize)| Some((lane, text(place)?, 0));
        return lanes.first.iter().enumerate().filter_map(box_of).collect();
    }
    let location = |lane: usize| {
        let process = lanes.first[lane];
        let number = state.locations[process];
        let name = trace.processes[process].locations.get(number).map_or("", |name| name);
        (lane, short(name, NAME), number)
    };
    match taken {
        None => (0..lanes.first.len()).map(location).collect(),
        Some(taken) => taken.edges.iter().filter_map(|edge| lanes.of(edge.process)).map(location).collect(),
    }
}

/// Returns what connects lifelines in a step.
pub(super) fn message(trace: &DrawnTrace, lanes: &Lanes, step: usize) -> Option<Message> {
    let taken = &trace.steps[step - 1];
    let drawn: Vec<usize> = taken.edges.iter().filter_map(|edge| lanes.of(edge.process)).collect();
    let label = |text: &str| text::lines(&short(text, 4 * NAME), LABEL_BREAKS);
    match &taken.event {
        TraceEvent::Internal | TraceEvent::Available { .. } => None,
        TraceEvent::Send { channel } => {
            let from = lanes.of(taken.edges.first()?.process)?;
            let to = drawn.into_iter().filter(|lane| *lane != from).collect();
            Some(Message { from, to, label: label(channel), kind: MessageKind::Arrow })
        }
        TraceEvent::Together { names } => {
            let (from, to) = drawn.split_first()?;
            Some(Message { from: *from, to: to.to_vec(), label: label(names), kind: MessageKind::Line })
        }
        TraceEvent::Fires { transition, places, .. } => {
            let mut at: Vec<usize> = places.iter().filter_map(|place| lanes.of(*place)).collect();
            at.sort_unstable();
            at.dedup();
            // A transition without a place here has its bar at the first lifeline.
            let (from, to) = at.split_first().unwrap_or((&0, &[]));
            (!lanes.first.is_empty()).then(|| Message {
                from: *from,
                to: to.to_vec(),
                label: label(transition),
                kind: MessageKind::Bar,
            })
        }
    }
}
