//! Petri nets with time.
//!
//! A [`Net`] has the places and transitions as written. It is kept beside the automata that it is
//! translated to, for encodings of nets and for drawings.

mod automata;
mod bound;
mod draft;
mod names;
pub mod ndr;
mod priority;
mod query;
pub mod tina;
mod xml;

use std::fmt;

use crate::{
    Format, Tree,
    ast::{Query, QueryKind},
    diagnostic::Diagnostic,
    parser::{QueryLayout, parse_queries},
    problems::Problems,
    source::{FileId, Sources, Span},
};

pub use automata::{AgeClock, Automata, NetWords, Subject, age_clocks, time_name};
use bound::TokenSums;
pub(crate) use query::resolve;
use xml::{Translated, Untranslated};
pub use xml::{pnml_text, tapaal_text};

/// The greatest bound of an interval: with greater ones, sums of three would not be exact in a
/// zone.
pub(crate) const MAX_BOUND: i32 = (1 << 27) - 1;

/// The greatest initial number of tokens and the greatest weight: sums of four fit into 32 bits.
pub(crate) const MAX_TOKENS: u32 = 1 << 28;

/// The default token limit of places of a net without intervals on places, unless more are there
/// initially.
const DEFAULT_TOKEN_LIMIT: u32 = 255;

/// The default number of tokens beyond the initial ones whose ages are kept.
const DEFAULT_EXTRA_TOKENS: u32 = 8;

/// The greatest number of tokens whose ages are kept, unless more are there initially.
const MAX_AGED: u32 = 64;

/// The elements that have intervals. Kinds are never mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// No intervals: transitions fire at any time.
    Untimed,
    /// A token becomes available at some moment within the bounds after its birth, and stays
    /// available. A transition fires as soon as all its input tokens are available and no
    /// inhibiting one is. (P-time nets by Igawa et al.)
    Places,
    /// A transition fires at some moment within the bounds after it was enabled, and at the upper
    /// bound at the latest. (Merlin; TINA, Romeo.)
    Transitions,
    /// A transition consumes tokens whose ages lie within the bounds of its input arcs. It need not
    /// fire, but time passes neither beyond the greatest age of a place nor while an urgent
    /// transition is enabled. (Timed-arc nets; TAPAAL.)
    Arcs,
}

impl Timing {
    /// Returns the name of such nets.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Timing::Untimed => "untimed",
            Timing::Places => "P-time",
            Timing::Transitions => "T-time",
            Timing::Arcs => "timed arcs",
        }
    }
}

/// A time interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The lower bound.
    pub low: i32,
    /// Whether the lower bound is strict.
    pub low_open: bool,
    /// The upper bound; `None`: unbounded.
    pub high: Option<i32>,
    /// Whether the upper bound is strict.
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
    /// Its name in the file.
    pub written: String,
    /// Its name in queries: the same if it is an identifier and not in use.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// The initial number of tokens.
    pub tokens: u32,
    /// The delay after which its tokens become available, for [`Timing::Places`].
    pub delay: Interval,
    /// The ages that its tokens may have, from 0, for [`Timing::Arcs`].
    pub invariant: Interval,
    /// Its coordinates, if there are any.
    pub at: Option<(i32, i32)>,
    /// Its span in the text.
    pub span: Span,
}

/// An arc of a transition: its place and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arc {
    /// The place.
    pub place: u32,
    /// The weight.
    pub weight: u32,
}

/// Tokens that a transition consumes, if their age matters or is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AgedArc {
    /// The place.
    pub place: u32,
    /// The number of tokens.
    pub weight: u32,
    /// The ages that the tokens must have.
    pub ages: Interval,
    /// The place to which a transport arc moves the tokens with their ages.
    pub to: Option<u32>,
}

/// A transition. Each list of arcs is sorted by place, each place once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its name in the file.
    pub written: String,
    /// Its name in traces: the same if it is an identifier and not in use.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// Its firing interval, for [`Timing::Transitions`].
    pub interval: Interval,
    /// Input arcs.
    pub takes: Vec<Arc>,
    /// Output arcs.
    pub puts: Vec<Arc>,
    /// Test arcs: these tokens must be there and stay.
    pub tests: Vec<Arc>,
    /// Inhibitor arcs: these places must have fewer tokens; for [`Timing::Places`], no available
    /// token.
    pub inhibitors: Vec<Arc>,
    /// The tokens of `takes` whose age matters or is kept, for [`Timing::Arcs`], sorted. Those that
    /// are kept count in `puts` as well; the others that are put have age 0.
    pub aged: Vec<AgedArc>,
    /// Whether time stops while the transition is enabled, for [`Timing::Arcs`].
    pub is_urgent: bool,
    /// Stopwatch arcs: unless these tokens are there, its clock stops and it does not fire.
    pub runs: Vec<Arc>,
    /// Stopwatch-inhibitor arcs: unless these places have fewer tokens, its clock stops and it does
    /// not fire.
    pub stops: Vec<Arc>,
    /// Its coordinates, if there are any.
    pub at: Option<(i32, i32)>,
    /// Its span in the text.
    pub span: Span,
}

/// Places whose tokens are counted together: those of all colours of a place in the file. A
/// function of this name returns their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceSum {
    /// The name in the file.
    pub written: String,
    /// The name of the function in queries.
    pub name: String,
    /// The places.
    pub places: Vec<u32>,
}

/// A priority: a transition does not fire at a moment at which the other one could.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Priority {
    /// The transition that fires first.
    pub higher: u32,
    /// The transition that waits.
    pub lower: u32,
}

/// A net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Its name.
    pub name: String,
    /// The elements that have intervals.
    pub timing: Timing,
    /// The declared token limit of places, beyond which the model stops with a run-time error.
    pub max_tokens: Option<u32>,
    /// The declared limit on tokens whose ages matter, in places that transport arcs connect.
    pub max_aged: Option<u32>,
    /// The places.
    pub places: Vec<Place>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// The priorities as declared, sorted. The relation is their transitive closure.
    pub priorities: Vec<Priority>,
    /// Places that are counted together.
    pub sums: Vec<PlaceSum>,
}

impl Net {
    /// Returns the initial marking.
    #[must_use]
    pub fn initial(&self) -> Vec<u32> {
        self.places.iter().map(|p| p.tokens).collect()
    }

    /// Returns the token limit of places: one for intervals on places, else the declared one, else
    /// one that no marking exceeds if a weighting of the places shows one, else enough
    /// for all initial tokens in one place and for each arc.
    #[must_use]
    pub fn token_limit(&self) -> u32 {
        if self.timing == Timing::Places {
            return 1;
        }
        let initial = self.places.iter().map(|p| p.tokens).max().unwrap_or(0);
        if let Some(limit) = self.max_tokens {
            return limit.max(initial);
        }
        let limit = TokenSums::raised(self).limit().unwrap_or_else(|| bound::guess(self));
        limit.clamp(u64::from(DEFAULT_TOKEN_LIMIT), u64::from(MAX_TOKENS)) as u32
    }

    /// Returns the limit on tokens whose ages matter, in places that transport arcs connect: the
    /// declared one, or a few more than there are initially. Each of them needs a clock.
    #[must_use]
    pub fn aged_limit(&self) -> u32 {
        let all = self.places.iter().fold(0, |sum: u32, p| sum.saturating_add(p.tokens)).max(1);
        self.max_aged.unwrap_or(all.saturating_add(DEFAULT_EXTRA_TOKENS)).min(MAX_AGED).max(all)
    }

    /// Returns whether a marking enables a transition, regardless of time.
    #[must_use]
    pub(crate) fn enables(&self, marking: &[u32], t: &Transition) -> bool {
        let tokens = |arc: &Arc| marking.get(arc.place as usize).copied().unwrap_or(0);
        t.takes.iter().chain(&t.tests).all(|arc| tokens(arc) >= arc.weight)
            && t.inhibitors.iter().all(|arc| tokens(arc) < arc.weight)
    }

    /// Returns the span of the first element of the net.
    fn span(&self) -> Span {
        self.places.first().map_or(Span::NONE, |p| p.span)
    }
}

/// Reads a net and its automata into `tree`.
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
    let mut queries = Vec::new();
    let net = match format {
        Format::Ndr => ndr::read(whole, &name, &mut problems),
        Format::NetXml => {
            let net;
            (net, queries) = xml::read(whole, &name, &mut problems);
            net
        }
        _ => tina::read(whole, &name, &mut problems),
    };
    if !problems.has_errors() {
        automata::build(sources, file, &net, tree, diagnostics);
        for query in queries {
            let query = read_query(sources, file, &net, &query, tree);
            tree.queries.extend(query);
        }
    }
    tree.net = Some(net.into());
}

/// Reads a query of the net's file.
fn read_query(sources: &mut Sources, file: FileId, net: &Net, query: &xml::NetQuery, tree: &mut Tree) -> Option<Query> {
    let mut read = match query.translated(net) {
        Err(Untranslated::Unsupported(feature)) => {
            Query::new(query.written.clone(), QueryKind::Unsupported(feature), query.span)
        }
        Err(Untranslated::Wrong(problems)) => {
            Query { problems, ..Query::new(query.written.clone(), QueryKind::Wrong, query.span) }
        }
        Ok(Translated { text, .. }) if text.len() as u64 > u64::from(sources.room()) => return None,
        Ok(Translated { text, origins }) => {
            let fragment = sources.add_generated(file, text, origins);
            parse_queries(tree, sources.fragment(fragment), QueryLayout::Whole).into_iter().next()?
        }
    };
    read.name.clone_from(&query.name);
    Some(read)
}

/// Returns whether a text is a net in TINA's format.
pub(crate) fn is_tina(text: &str) -> bool {
    tina::is_likely(text)
}

/// Returns whether a text in XML is a net.
pub(crate) fn is_xml(text: &str) -> bool {
    matches!(xml::root(text), Some("pnml" | "TPN"))
}

/// Returns the default name of a net: the name of its file without folder and extension.
fn file_stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    if stem.is_empty() || stem.starts_with('<') { "net" } else { stem }
}
