//! Petri nets with time.
//!
//! A [`Net`] is what was written, with places and transitions by number. It stays beside the automata that stand for it, for
//! encodings that work on nets and for drawings.

use crate::source::Span;

/// What the intervals of a net are about. They never mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// There are none: transitions fire when they like.
    Untimed,
    /// A token of a place becomes available at some moment between the bounds after its birth, and stays so. A transition fires
    /// at once when all its input tokens are available and no inhibiting one is. (P-time nets by Igawa et al.)
    Places,
    /// A transition fires at some moment between the bounds after it was enabled, and at the upper bound at the latest.
    /// (Merlin; TINA, Romeo.)
    Transitions,
}

/// Moments between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Not before.
    pub low: i32,
    /// Nor then.
    pub low_open: bool,
    /// Not after; `None`: no matter how late.
    pub high: Option<i32>,
    /// Nor then.
    pub high_open: bool,
}

impl Interval {
    /// `[0, w[`
    pub const ANY: Interval = Interval { low: 0, low_open: false, high: None, high_open: true };
    /// `[0, 0]`
    pub const NOW: Interval = Interval { low: 0, low_open: false, high: Some(0), high_open: false };
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name, as it is written.
    pub written: String,
    /// Its name in queries: the same where it is an identifier and free.
    pub name: String,
    /// What else is said of it.
    pub label: Option<String>,
    /// How many tokens it has at the start.
    pub tokens: u32,
    /// When its tokens become available, for [`Timing::Places`].
    pub delay: Interval,
    /// Where it is drawn, if anybody said so.
    pub at: Option<(i32, i32)>,
    /// Where it is in the text.
    pub span: Span,
}

/// An arc: its place, by number, and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arc {
    /// The place.
    pub place: u32,
    /// How many tokens.
    pub weight: u32,
}

/// A transition. Each list of arcs is sorted, each place in it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its name, as it is written.
    pub written: String,
    /// Its name in traces: the same where it is an identifier and free.
    pub name: String,
    /// What else is said of it.
    pub label: Option<String>,
    /// When it fires, for [`Timing::Transitions`].
    pub interval: Interval,
    /// Tokens that it takes.
    pub takes: Vec<Arc>,
    /// Tokens that it puts.
    pub puts: Vec<Arc>,
    /// Tokens that must be there and stay.
    pub tests: Vec<Arc>,
    /// Places that must have fewer tokens; for [`Timing::Places`], no available token.
    pub inhibitors: Vec<Arc>,
    /// Where it is drawn, if anybody said so.
    pub at: Option<(i32, i32)>,
    /// Where it is in the text.
    pub span: Span,
}

/// A net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Its name.
    pub name: String,
    /// What its intervals are about.
    pub timing: Timing,
    /// The places.
    pub places: Vec<Place>,
    /// The transitions.
    pub transitions: Vec<Transition>,
}
