//! Pictures of traces: sequence charts and timelines.
//!
//! A [`DrawnTrace`] is plain data. Its values are exact texts, and numbers for their positions.

mod columns;
mod lanes;
mod messages;
mod pen;
mod sequence;
mod spans;
#[cfg(test)]
mod tests;
mod timeline;

use syntax::Signal;

/// A trace of a network of automata, or of a net.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnTrace {
    /// The title, such as the query; may be empty.
    pub title: String,
    /// The processes; none for a net.
    pub processes: Vec<TraceProcess>,
    /// The places of a net.
    pub places: Vec<String>,
    /// The names of the variables that change, and of elements of lattices.
    pub variables: Vec<String>,
    /// The names of the clocks.
    pub clocks: Vec<String>,
    /// The state at the start, and the state after each step: one more than steps.
    pub states: Vec<TraceState>,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// How the trace continues, if it is maximal.
    pub ending: Option<TraceEnding>,
    /// The number of further steps, which are not drawn.
    pub omitted: usize,
    /// The signal that stops the drawing. Once it is raised, the picture is incomplete.
    pub signal: Signal,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceProcess {
    /// Its name.
    pub name: String,
    /// The index of its template.
    pub template: usize,
    /// The names of its locations.
    pub locations: Vec<String>,
}

/// A time or a value of a clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceTime {
    /// Its position on an axis.
    pub at: f64,
    /// The exact number, such as `7/2`.
    pub text: String,
}

/// A state of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceState {
    /// The number of the location of each process.
    pub locations: Vec<usize>,
    /// The tokens of each place.
    pub tokens: Vec<i64>,
    /// The value of each variable.
    pub values: Vec<TraceValue>,
    /// How long the trace stays in it; `None` if that is unknown.
    pub stay: Option<TraceStay>,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceValue {
    /// A number.
    Number(i64),
    /// An element of a lattice.
    Element(String),
}

impl std::fmt::Display for TraceValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TraceValue::Number(n) => n.fmt(f),
            TraceValue::Element(text) => text.fmt(f),
        }
    }
}

/// The time that a trace stays in a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceStay {
    /// The time since the start at which the state is entered.
    pub from: TraceTime,
    /// The delay.
    pub delay: TraceTime,
    /// The value of each clock when the state is entered and after the delay; `None` while the
    /// clock has no meaning.
    pub clocks: Vec<Option<(TraceTime, TraceTime)>>,
}

impl TraceStay {
    /// Returns whether time passes.
    pub(crate) fn takes_time(&self) -> bool {
        self.delay.at > 0.0
    }
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// What happens.
    pub event: TraceEvent,
    /// The edges that are taken: the sender first, then the receivers.
    pub edges: Vec<TraceEdge>,
}

impl TraceStep {
    /// Describes what happens: `P sends press to Q`.
    #[must_use]
    pub fn describe(&self, processes: &[TraceProcess], places: &[String]) -> String {
        let name = |edge: &TraceEdge| processes.get(edge.process).map_or("", |process| &*process.name);
        let names = |edges: &[TraceEdge]| edges.iter().map(name).collect::<Vec<_>>().join(", ");
        let (first, others) = (names(&self.edges[..self.edges.len().min(1)]), self.edges.get(1..).unwrap_or(&[]));
        match &self.event {
            TraceEvent::Internal => format!("{first} takes an edge"),
            TraceEvent::Send { channel } if others.is_empty() => {
                format!("{first} sends {channel}, which nobody receives")
            }
            TraceEvent::Send { channel } => format!("{first} sends {channel} to {}", names(others)),
            TraceEvent::Together { names: events } => format!("{} take {events} together", names(&self.edges)),
            TraceEvent::Fires { transition, .. } => format!("{transition} fires"),
            TraceEvent::Available { place } => {
                format!("the token of {} becomes available", places.get(*place).map_or("", |place| place))
            }
        }
    }
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A process takes an edge alone.
    Internal,
    /// The first process sends, the others receive.
    Send {
        /// The channel.
        channel: String,
    },
    /// Several processes take edges together.
    Together {
        /// The names of their events.
        names: String,
    },
    /// A transition of a net fires.
    Fires {
        /// Its name.
        transition: String,
        /// Its number in the net.
        number: usize,
        /// The places from which it takes tokens, or into which it puts some.
        places: Vec<usize>,
    },
    /// A token of a place becomes available.
    Available {
        /// The number of the place.
        place: usize,
    },
}

/// An edge that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEdge {
    /// The number of its process.
    pub process: usize,
    /// The index of the edge in the template.
    pub edge: usize,
    /// The index of the edge after the branchpoint, if there is one.
    pub branch: Option<usize>,
}

/// How a trace continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEnding {
    /// The steps after this number of steps are repeated.
    Cycle(usize),
    /// Time diverges.
    Waits,
    /// There is a deadlock.
    Stops,
}

impl DrawnTrace {
    /// Renders a sequence chart as an SVG picture: a lifeline for each process, or for each place
    /// of a net, with time from top to bottom.
    ///
    /// Shapes that belong to a step, or to the state after it, are in groups with the attribute
    /// `data-step`; the start has number 0.
    #[must_use]
    pub fn sequence_chart(&self) -> String {
        sequence::write(self)
    }

    /// Renders a timeline as an SVG picture: a lane for each process or place, for each clock and
    /// for each variable, with time from left to right.
    ///
    /// Each step has a column. Delays are drawn to scale where the text in them leaves room, and
    /// dashes on the axis mark those that are not. The area of the state after a step has the
    /// attribute `data-step`; the start has number 0.
    #[must_use]
    pub fn timeline(&self) -> String {
        timeline::write(self)
    }

    /// Describes a step in one line: `3: P sends press to Q after a delay of 7/2`.
    #[must_use]
    pub fn describe(&self, step: usize) -> String {
        let Some(taken) = step.checked_sub(1).and_then(|i| self.steps.get(i)) else { return "start".to_owned() };
        let what = taken.describe(&self.processes, &self.places);
        match &self.states[step - 1].stay {
            None => format!("{step}: {what} after an unknown delay"),
            Some(stay) if stay.takes_time() => format!("{step}: {what} after a delay of {}", stay.delay.text),
            Some(_) => format!("{step}: {what}"),
        }
    }

    /// Returns what the chart says below the last state.
    fn remarks(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.states.iter().any(|state| state.stay.is_none()) {
            out.push("No run along this trace is known, so its delays are unknown.".to_owned());
        }
        if self.omitted > 0 {
            let drawn = self.steps.len();
            out.push(format!("These are the first {drawn} of {} steps.", drawn + self.omitted));
            return out;
        }
        out.extend(match self.ending {
            Some(TraceEnding::Cycle(after)) => Some(format!("And so on: a cycle from step {}.", after + 1)),
            Some(TraceEnding::Waits) => Some("And then time diverges.".to_owned()),
            Some(TraceEnding::Stops) => Some("And then deadlock: no transition is possible.".to_owned()),
            None => None,
        });
        out
    }

    /// Returns the number of the step after which the repeated part begins, if it is drawn.
    fn cycle(&self) -> Option<usize> {
        match self.ending {
            Some(TraceEnding::Cycle(after)) if after < self.steps.len() => Some(after),
            _ => None,
        }
    }

    /// Returns whether it is a trace of a net.
    fn is_of_net(&self) -> bool {
        !self.places.is_empty()
    }

    /// Returns the changes of variables in a step: `n: 0 → 1`.
    #[must_use]
    pub fn changes(&self, step: usize) -> Vec<String> {
        let (Some(before), Some(after)) = (step.checked_sub(1).and_then(|i| self.states.get(i)), self.states.get(step))
        else {
            return Vec::new();
        };
        let pairs = self.variables.iter().zip(before.values.iter().zip(&after.values));
        pairs.filter(|(_, (a, b))| a != b).map(|(name, (a, b))| format!("{name}: {a} \u{2192} {b}")).collect()
    }

    /// Returns whether the work was stopped.
    fn is_over(&self) -> bool {
        self.signal.raised().is_some()
    }
}
