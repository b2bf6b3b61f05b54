//! A net under construction.
//!
//! The declarations of all formats are collected here. They are checked together at the end.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    AgedArc, Arc, Interval, MAX_BOUND, MAX_TOKENS, Net, Place, PlaceSum, Priority, Timing, Transition, names, priority,
};
use crate::{
    diagnostic::{Diagnostic, nearest},
    problems::Problems,
    source::Span,
};

/// The kinds of arcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArcKind {
    /// From a place to a transition.
    Take,
    /// From a transition to a place.
    Put,
    /// A test arc.
    Test,
    /// An inhibitor arc.
    Inhibit,
    /// A stopwatch arc.
    Run,
    /// A stopwatch-inhibitor arc.
    Stop,
}

/// The number of kinds of arcs.
const KINDS: usize = 6;

/// An interval as it is written, with unchecked bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenInterval {
    pub low: u64,
    pub low_open: bool,
    pub high: Option<u64>,
    pub high_open: bool,
    pub span: Span,
}

/// A place under construction.
#[derive(Debug)]
pub(super) struct DraftPlace {
    pub written: String,
    pub label: Option<String>,
    pub tokens: Option<(u64, Span)>,
    pub delay: Option<WrittenInterval>,
    /// The ages that its tokens may have.
    pub invariant: Option<WrittenInterval>,
    pub at: Option<(i32, i32)>,
    pub span: Span,
    /// Whether it is declared, and not only named by an arc.
    pub is_declared: bool,
}

/// Tokens that a transition consumes, with their ages.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftAgedArc {
    pub place: u32,
    pub weight: u64,
    pub ages: WrittenInterval,
    /// The place to which a transport arc moves the tokens.
    pub to: Option<u32>,
}

/// A transition under construction.
#[derive(Debug)]
pub(super) struct DraftTransition {
    pub written: String,
    pub label: Option<String>,
    pub interval: Option<WrittenInterval>,
    /// Arcs by place, indexed by [`ArcKind`].
    arcs: [BTreeMap<u32, (u64, Span)>; KINDS],
    /// The input arcs, if tokens have ages.
    pub aged: Vec<DraftAgedArc>,
    /// Whether time stops while it is enabled.
    pub is_urgent: bool,
    pub at: Option<(i32, i32)>,
    pub span: Span,
    /// Whether it is declared, and not only named by an arc.
    pub is_declared: bool,
}

impl DraftTransition {
    /// Checks the weights and the interval, and builds the transition.
    fn finish(self, name: String, timing: Timing, problems: &mut Problems<'_>) -> Transition {
        let mut arcs = self.arcs.iter().map(|list| {
            let list = list.iter().map(|(&place, &(weight, span))| {
                let weight = checked_weight(weight, span, timing, problems);
                Arc { place, weight }
            });
            list.collect::<Vec<Arc>>()
        });
        let mut next = || arcs.next().unwrap_or_default();
        let (takes, puts, tests, inhibitors, runs, stops) = (next(), next(), next(), next(), next(), next());
        drop(arcs);
        let aged = self.aged.iter().filter(|_| timing == Timing::Arcs).map(|arc| {
            let weight = arc.weight.min(u64::from(MAX_TOKENS)) as u32;
            AgedArc { place: arc.place, weight, ages: interval(arc.ages, problems), to: arc.to }
        });
        let aged = sorted(aged.filter(|arc| arc.ages != Interval::ANY || arc.to.is_some()));
        Transition {
            interval: self.interval.map_or(Interval::ANY, |written| interval(written, problems)),
            written: self.written,
            name,
            label: self.label,
            takes,
            puts,
            tests,
            inhibitors,
            aged,
            is_urgent: self.is_urgent,
            runs,
            stops,
            at: self.at,
            span: self.span,
        }
    }
}

/// Places whose tokens are counted together.
#[derive(Debug)]
pub(super) struct DraftSum {
    pub written: String,
    pub places: Vec<u32>,
}

/// A net under construction.
#[derive(Debug, Default)]
pub(super) struct NetDraft {
    pub name: Option<(String, Span)>,
    /// The declared token limit of places.
    pub max_tokens: Option<(u64, Span)>,
    /// The declared number of tokens beyond the initial ones whose ages are kept.
    pub extra_tokens: Option<u64>,
    pub places: Vec<DraftPlace>,
    pub transitions: Vec<DraftTransition>,
    pub sums: Vec<DraftSum>,
    /// Whether the arcs of some transition could not be read.
    pub has_lost_arcs: bool,
    /// Pairs of a transition and one of lower priority.
    priorities: BTreeMap<Priority, Span>,
    place_index: FxHashMap<String, u32>,
    transition_index: FxHashMap<String, u32>,
}

impl NetDraft {
    /// Returns the index of a place, which is added if it is new.
    pub(super) fn place(&mut self, written: &str, span: Span) -> u32 {
        if let Some(&known) = self.place_index.get(written) {
            return known;
        }
        let number = self.places.len() as u32;
        self.place_index.insert(written.to_owned(), number);
        let written = written.to_owned();
        self.places.push(DraftPlace {
            written,
            label: None,
            tokens: None,
            delay: None,
            invariant: None,
            at: None,
            span,
            is_declared: false,
        });
        number
    }

    /// Returns the index of a transition, which is added if it is new.
    pub(super) fn transition(&mut self, written: &str, span: Span) -> u32 {
        if let Some(&known) = self.transition_index.get(written) {
            return known;
        }
        let number = self.transitions.len() as u32;
        self.transition_index.insert(written.to_owned(), number);
        let written = written.to_owned();
        let arcs = Default::default();
        self.transitions.push(DraftTransition {
            written,
            label: None,
            interval: None,
            arcs,
            aged: Vec::new(),
            is_urgent: false,
            at: None,
            span,
            is_declared: false,
        });
        number
    }

    /// Finds a place by name.
    pub(super) fn find_place(&self, written: &str) -> Option<u32> {
        self.place_index.get(written).copied()
    }

    /// Finds a transition by name.
    pub(super) fn find_transition(&self, written: &str) -> Option<u32> {
        self.transition_index.get(written).copied()
    }

    /// Adds an arc. Weights of input and output arcs add up; of several test arcs the strongest
    /// counts.
    pub(super) fn arc(&mut self, transition: u32, place: u32, kind: ArcKind, weight: u64, span: Span) {
        let arcs = &mut self.transitions[transition as usize].arcs[kind as usize];
        let sum = arcs.entry(place).or_insert((0, span));
        sum.0 = match kind {
            ArcKind::Take | ArcKind::Put => sum.0.saturating_add(weight),
            ArcKind::Test | ArcKind::Run => sum.0.max(weight),
            ArcKind::Inhibit | ArcKind::Stop if sum.0 == 0 => weight,
            ArcKind::Inhibit | ArcKind::Stop => sum.0.min(weight),
        };
    }

    /// Adds a priority.
    pub(super) fn priority(&mut self, higher: u32, lower: u32, span: Span) {
        self.priorities.entry(Priority { higher, lower }).or_insert(span);
    }

    /// Sets an interval. A different one before is an error.
    pub(super) fn interval(known: &mut Option<WrittenInterval>, new: WrittenInterval, problems: &mut Problems<'_>) {
        let bounds = |i: &WrittenInterval| (i.low, i.low_open, i.high, i.high_open);
        match known {
            Some(old) if bounds(old) != bounds(&new) => problems.report(
                Diagnostic::error("duplicate", new.span, "a second, different interval")
                    .label("differs from the first")
                    .also(old.span, "the first"),
            ),
            _ => *known = Some(new),
        }
    }

    /// Sets a firing interval. Of several intervals the intersection counts, as in TINA.
    pub(super) fn firing(known: &mut Option<WrittenInterval>, new: WrittenInterval, problems: &mut Problems<'_>) {
        let Some(old) = *known else {
            *known = Some(new);
            return;
        };
        let (low, low_open) = (old.low, old.low_open).max((new.low, new.low_open));
        let end = |i: &WrittenInterval| (i.high.unwrap_or(u64::MAX), !i.high_open);
        let (high, closed) = end(&old).min(end(&new));
        let high = (high != u64::MAX).then_some(high);
        if high.is_some_and(|high| low > high || low == high && (low_open || !closed)) {
            problems.report(
                Diagnostic::error("empty-interval", new.span, "the intervals have no moment in common")
                    .label("the second")
                    .also(old.span, "the first"),
            );
            return;
        }
        *known = Some(WrittenInterval { low, low_open, high, high_open: !closed, span: new.span });
    }

    /// Checks all declarations and builds the net.
    pub(super) fn finish(self, file_name: &str, problems: &mut Problems<'_>) -> Net {
        let timing = self.timing(problems);
        self.misspelt(problems);
        let name = self.name.as_ref().map_or_else(|| file_name.to_owned(), |(name, _)| name.clone());
        let names = names::choose(
            self.places.iter().map(|p| p.written.as_str()),
            self.transitions.iter().map(|t| t.written.as_str()),
            self.sums.iter().map(|s| s.written.as_str()),
        );
        let sums = self.sums.iter().zip(names.sums);
        let sums = sums.map(|(sum, name)| PlaceSum { written: sum.written.clone(), name, places: sum.places.clone() });
        let sums: Vec<PlaceSum> = sums.collect();
        let places = self.places.into_iter().zip(names.places).map(|(p, name)| Place {
            tokens: tokens(p.tokens, timing, problems),
            delay: match p.delay {
                Some(written) => interval(written, problems),
                None if timing == Timing::Places => Interval::NOW,
                None => Interval::ANY,
            },
            invariant: p.invariant.map_or(Interval::ANY, |written| interval(written, problems)),
            written: p.written,
            name,
            label: p.label,
            at: p.at,
            span: p.span,
        });
        let places: Vec<Place> = places.collect();
        let transitions = self.transitions.into_iter().zip(names.transitions);
        let transitions: Vec<Transition> = transitions.map(|(t, name)| t.finish(name, timing, problems)).collect();
        check_arcs(&transitions, timing, problems);
        check_urgency(&places, &transitions, problems);
        // Intervals `[0,w[` alone do not make the net timed.
        let any = transitions.iter().all(|t| t.interval == Interval::ANY);
        let timing = if timing == Timing::Transitions && any { Timing::Untimed } else { timing };
        if let Some((limit, span)) = self.max_tokens.filter(|(limit, _)| *limit > u64::from(MAX_TOKENS)) {
            problems.report(too_many(limit, span));
        }
        let max_tokens = self.max_tokens.map(|(limit, _)| limit.min(u64::from(MAX_TOKENS)) as u32);
        let initial = places.iter().map(|p| u64::from(p.tokens)).sum::<u64>();
        let aged = self.extra_tokens.filter(|_| timing == Timing::Arcs);
        let max_aged = aged.map(|extra| initial.saturating_add(extra).min(u64::from(MAX_TOKENS)) as u32);
        let (priorities, spans): (Vec<Priority>, Vec<Span>) = self.priorities.into_iter().unzip();
        let net = Net { name, timing, max_tokens, max_aged, places, transitions, priorities, sums };
        priority::check(&net, &spans, problems);
        net
    }

    fn timing(&self, problems: &mut Problems<'_>) -> Timing {
        let any = |i: &WrittenInterval| i.low == 0 && !i.low_open && i.high.is_none();
        let has_ages = self.places.iter().filter_map(|p| p.invariant.as_ref()).any(|i| !any(i))
            || self.transitions.iter().any(|t| t.is_urgent || t.aged.iter().any(|arc| !any(&arc.ages)));
        if has_ages {
            return Timing::Arcs;
        }
        let place = self.places.iter().find_map(|p| Some((p, p.delay?)));
        let transition = self.transitions.iter().find_map(|t| Some((t, t.interval?)));
        match (place, transition) {
            (None, None) => Timing::Untimed,
            (Some(_), None) => Timing::Places,
            (None, Some(_)) => Timing::Transitions,
            (Some((place, delay)), Some((transition, interval))) => {
                let message = format!(
                    "place `{}` and transition `{}` both have intervals; a net has them either on places or on transitions",
                    place.written, transition.written
                );
                problems.report(
                    Diagnostic::error("mixed-time", interval.span, message)
                        .label("on a transition")
                        .also(delay.span, "on a place")
                        .help("intervals on places say when tokens become available, those on transitions when they fire; they can't be mixed"),
                );
                // Nets with intervals on places have further limits, whose violations would only
                // follow from this.
                Timing::Transitions
            }
        }
    }

    /// Warns of undeclared places that never have a token: the name is probably misspelt.
    fn misspelt(&self, problems: &mut Problems<'_>) {
        // The arcs that could not be read may put tokens there.
        if self.has_lost_arcs {
            return;
        }
        let mut gets = vec![false; self.places.len()];
        for t in &self.transitions {
            t.arcs[ArcKind::Put as usize].keys().for_each(|p| gets[*p as usize] = true);
        }
        for (place, gets) in self.places.iter().zip(gets) {
            if gets || place.is_declared {
                continue;
            }
            let others = self.places.iter().map(|p| p.written.as_str());
            let message = format!("place `{}` never has a token and is not declared", place.written);
            let d = Diagnostic::warning("undeclared-place", place.span, message);
            problems.report(match nearest(&place.written, others) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => {
                    d.help(format!("if this is intended, declare it: `pl {}`", super::tina::quoted(&place.written)))
                }
            });
        }
    }
}

/// The greatest number of arcs of a transition. The conditions and updates of its edges nest as
/// deep as it has arcs.
const MAX_ARCS: usize = 4096;

fn check_arcs(transitions: &[Transition], timing: Timing, problems: &mut Problems<'_>) {
    for t in transitions {
        if timing == Timing::Places && !(t.runs.is_empty() && t.stops.is_empty()) {
            let message = "stopwatch arcs in nets with intervals on places are not supported";
            problems.report(
                Diagnostic::error("unsupported", t.span, message)
                    .label("has a stopwatch arc")
                    .help("stopwatch arcs stop the clocks of transitions, and these have none"),
            );
        }
        let arcs = [&t.takes, &t.puts, &t.tests, &t.inhibitors, &t.runs, &t.stops];
        let arcs: usize = arcs.iter().map(|list| list.len()).sum();
        if arcs > MAX_ARCS {
            let message = format!("transition `{}` has {arcs} arcs", t.name);
            let help = format!("at most {MAX_ARCS} are possible; split the transition");
            problems.report(Diagnostic::error("too-large", t.span, message).help(help));
        }
    }
}

/// Returns arcs in a fixed order. The weights of those that consume the same tokens add up.
fn sorted(arcs: impl Iterator<Item = AgedArc>) -> Vec<AgedArc> {
    let mut out: Vec<AgedArc> = Vec::new();
    for arc in arcs {
        match out.iter_mut().find(|known| AgedArc { weight: arc.weight, ..**known } == arc) {
            Some(known) => known.weight = known.weight.saturating_add(arc.weight).min(MAX_TOKENS),
            None => out.push(arc),
        }
    }
    let key = |arc: &AgedArc| {
        let Interval { low, low_open, high, high_open } = arc.ages;
        (arc.place, arc.to, low, low_open, high, high_open)
    };
    out.sort_by_key(key);
    out
}

/// Reports urgent transitions for which the ages of tokens matter: there may be no first moment at
/// which they are enabled. TAPAAL does not allow them either.
fn check_urgency(places: &[Place], transitions: &[Transition], problems: &mut Problems<'_>) {
    for t in transitions.iter().filter(|t| t.is_urgent) {
        let limited = |arc: &AgedArc| arc.to.is_some_and(|to| places[to as usize].invariant != Interval::ANY);
        let what = if t.aged.iter().any(|arc| arc.ages != Interval::ANY) {
            "intervals on input arcs"
        } else if t.aged.iter().any(limited) {
            "transport arcs to places with invariants"
        } else {
            continue;
        };
        let message = format!("{what} of urgent transitions are not supported (`{}` is urgent)", t.written);
        problems.report(Diagnostic::error("unsupported", t.span, message));
    }
}

/// Returns the initial number of tokens.
fn tokens(written: Option<(u64, Span)>, timing: Timing, problems: &mut Problems<'_>) -> u32 {
    let Some((tokens, span)) = written else { return 0 };
    if timing == Timing::Places && tokens > 1 {
        problems.report(
            Diagnostic::error("unsafe-net", span, format!("{tokens} tokens in a net with intervals on places"))
                .label("at most one is possible")
                .help("intervals on places are for safe nets: a place has one token or none"),
        );
        return 1;
    }
    if tokens > u64::from(MAX_TOKENS) {
        problems.report(too_many(tokens, span));
    }
    tokens.min(u64::from(MAX_TOKENS)) as u32
}

fn checked_weight(weight: u64, span: Span, timing: Timing, problems: &mut Problems<'_>) -> u32 {
    if timing == Timing::Places && weight > 1 {
        problems.report(
            Diagnostic::error("unsafe-net", span, format!("weight {weight} in a net with intervals on places"))
                .label("only 1 is possible")
                .help("intervals on places are for safe nets: a place has one token or none"),
        );
        return 1;
    }
    if weight > u64::from(MAX_TOKENS) {
        problems.report(too_many(weight, span));
    }
    weight.min(u64::from(MAX_TOKENS)) as u32
}

fn too_many(number: u64, span: Span) -> Diagnostic {
    Diagnostic::error("number-too-large", span, format!("{number} tokens are too many"))
        .help(format!("at most {MAX_TOKENS} are possible"))
}

/// Checks an interval; an illegal one is replaced by a legal one.
fn interval(written: WrittenInterval, problems: &mut Problems<'_>) -> Interval {
    let WrittenInterval { low, low_open, high, high_open, span } = written;
    if low.max(high.unwrap_or(0)) > MAX_BOUND as u64 {
        let number = low.max(high.unwrap_or(0));
        problems.report(
            Diagnostic::error("number-too-large", span, format!("{number} is too large for a time bound"))
                .help(format!("at most {MAX_BOUND} is possible; choose a larger unit of time")),
        );
        return Interval::ANY;
    }
    let low = low as i32;
    let high = high.map(|high| high as i32);
    if let Some(high) = high
        && (low > high || low == high && (low_open || high_open))
    {
        let d = Diagnostic::error("empty-interval", span, "the interval is empty");
        problems.report(if low > high { d.help(format!("did you mean [{high},{low}]?")) } else { d });
        return Interval::ANY;
    }
    Interval { low, low_open, high, high_open: high.is_none() || high_open }
}
