//! Petri nets with time.
//!
//! A [`Net`] is what was written, with places and transitions by number. It stays beside the automata that stand for it, for
//! encodings that work on nets and for drawings.

mod automata;
mod draft;
mod names;
mod ndr;
pub mod tina;
mod xml;

use std::fmt;

use crate::{
    Format, Tree,
    diagnostic::Diagnostic,
    problems::Problems,
    source::{FileId, Sources, Span},
};

pub use automata::{Automata, time_name, token_processes};
pub use xml::pnml_text;

/// The largest bound of an interval: with larger ones, sums of three would not be exact in a zone.
pub const MAX_BOUND: i32 = (1 << 27) - 1;

/// The most tokens that a place can start with or an arc can move: sums of four fit into 32 bits.
pub const MAX_TOKENS: u32 = 1 << 28;

/// How many tokens a place of a net without intervals on places may have at most, unless somebody says so or there are more at
/// the start.
const USUAL_TOKENS: u32 = 255;

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

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{},", if self.low_open { ']' } else { '[' }, self.low)?;
        match self.high {
            None => f.write_str("w[")?,
            Some(high) => write!(f, "{high}{}", if self.high_open { '[' } else { ']' })?,
        }
        Ok(())
    }
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
    /// How many tokens a place may have at most before a run-time error stops the model, if anybody said so.
    pub most_tokens: Option<u32>,
    /// The places.
    pub places: Vec<Place>,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

impl Net {
    /// The tokens of all places at the start.
    #[must_use]
    pub fn initial(&self) -> Vec<u32> {
        self.places.iter().map(|p| p.tokens).collect()
    }

    /// How many tokens a place may have at most: one where intervals are on places, else what was said, else enough for all
    /// tokens of the start in one place.
    #[must_use]
    pub fn token_limit(&self) -> u32 {
        if self.timing == Timing::Places {
            return 1;
        }
        let most = self.places.iter().map(|p| p.tokens).max().unwrap_or(0);
        if let Some(limit) = self.most_tokens {
            return limit.max(most);
        }
        let all: u64 = self.places.iter().map(|p| u64::from(p.tokens)).sum();
        let weight = self.transitions.iter().flat_map(|t| &t.puts).map(|arc| arc.weight).max().unwrap_or(1);
        all.saturating_mul(u64::from(weight)).clamp(u64::from(USUAL_TOKENS), u64::from(MAX_TOKENS)) as u32
    }

    /// Whether a marking has what a transition needs, and nothing that inhibits it. Time is not asked.
    #[must_use]
    pub fn enables(&self, marking: &[u32], t: &Transition) -> bool {
        let tokens = |arc: &Arc| marking.get(arc.place as usize).copied().unwrap_or(0);
        t.takes.iter().chain(&t.tests).all(|arc| tokens(arc) >= arc.weight)
            && t.inhibitors.iter().all(|arc| tokens(arc) < arc.weight)
    }

    /// Where the net starts in the text.
    fn span(&self) -> Span {
        self.places.first().map_or(Span::NONE, |p| p.span)
    }
}

/// Reads a net, and the automata that stand for it, into `tree`.
pub(crate) fn read(
    sources: &mut Sources,
    file: FileId,
    format: Format,
    tree: &mut Tree,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut problems = Problems::new(diagnostics, tree.signal);
    let name = file_stem(sources.name(file)).to_owned();
    let whole = sources.fragment(sources.whole(file));
    let net = match format {
        Format::Ndr => ndr::read(whole, &name, &mut problems),
        Format::NetXml => xml::read(whole, &name, &mut problems),
        _ => tina::read(whole, &name, &mut problems),
    };
    if !problems.has_errors() {
        automata::build(sources, file, &net, tree, diagnostics);
    }
    tree.net = Some(net.into());
}

/// Whether a text without a telling name is a net in TINA's format.
pub(crate) fn is_tina(text: &str) -> bool {
    tina::is_likely(text)
}

/// Whether a text in XML is a net.
pub(crate) fn is_xml(text: &str) -> bool {
    matches!(xml::root(text), Some("pnml" | "TPN"))
}

/// What a net is called that does not say so: the name of its file without folder and ending.
fn file_stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    if stem.is_empty() || stem.starts_with('<') { "net" } else { stem }
}
