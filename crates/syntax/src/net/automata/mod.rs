//! The translation of a net to automata.
//!
//! The automata are written in UPPAAL's language and parsed as usual, so that everything that works
//! on a tree works on nets. Spans in that text refer to places and transitions of the net's file.
//!
//! Places are integer variables, the first ones of the model, in the order of the net. Each
//! transition has a broadcast channel of its name: sending on it fires the transition. A clock that
//! is never reset measures the time. The function `safe` returns whether no place has, or is about
//! to get, more than one token; if places may have several, `bounded` returns the same for any
//! number. Of places with colours, a function returns the tokens of all colours.

mod by_age;
mod by_place;
mod by_transition;
mod pools;
mod text;
mod words;

use super::{Interval, Net, Timing, Transition, names::UsedNames};
use crate::{
    Signal, Tree,
    diagnostic::Diagnostic,
    lexer::Dialect,
    parser::{Parser, Section},
    source::{FileId, Sources, Span},
};
use pools::Pools;
use text::XtaText;
pub(super) use words::QUERY_WORDS;
pub use words::{NetWords, Subject};

pub use pools::AgeClock;

/// Automata as text with its origins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automata {
    /// The model, in UPPAAL's text format.
    pub text: String,
    /// Spans of the net's file with the offsets from which the text stems from them.
    pub origins: Vec<(u32, Span)>,
}

impl Automata {
    /// Translates a net. A place may have [`Net::token_limit`] tokens; beyond that the model stops
    /// with a run-time error.
    #[must_use]
    pub fn new(net: &Net) -> Automata {
        Automata::until(net, Signal::default())
    }

    /// Translates a net until the signal is raised; then the automata are incomplete.
    pub(crate) fn until(net: &Net, signal: Signal) -> Automata {
        let mut text = XtaText::new(signal);
        let names = GeneratedNames::until(net, signal);
        let limit = net.token_limit();
        for (i, place) in net.places.iter().enumerate() {
            let limit = names.pools.limit(i).unwrap_or(limit);
            text.from(place.span);
            text.push(&format!("int[0,{limit}] {} = {};\n", place.name, place.tokens));
        }
        for sum in &net.sums {
            if text.is_over() {
                break;
            }
            let most = u64::from(limit).saturating_mul(sum.places.len() as u64).min(i32::MAX as u64);
            let all = &names.all;
            text.push(&format!("int[0,{most}] {}() {{\n    int[0,{most}] {all} = 0;\n", sum.name));
            for place in &sum.places {
                text.push(&format!("    {all} = {all} + {};\n", net.places[*place as usize].name));
            }
            text.push(&format!("    return {all};\n}}\n"));
        }
        match net.timing {
            Timing::Arcs => by_age::write(net, &names, &mut text),
            Timing::Places => by_place::write(net, &names, &mut text),
            Timing::Transitions | Timing::Untimed => by_transition::write(net, &names, &mut text),
        }
        text.finish()
    }
}

impl Net {
    /// Returns for each place, or for each transition, whichever have intervals, whether it has a
    /// clock and a process in the automata. Both have the order of the net; the process of the net
    /// comes first.
    #[must_use]
    pub fn has_timer(&self) -> Vec<bool> {
        match self.timing {
            Timing::Places => self.places.iter().map(|p| p.delay != Interval::NOW).collect(),
            Timing::Transitions => {
                let needs = |(t, higher): (&Transition, Vec<u32>)| match t.interval {
                    // An urgent channel would let time pass while one of higher priority may fire.
                    Interval::NOW => higher.iter().any(|h| self.transitions[*h as usize].interval != Interval::NOW),
                    other => other != Interval::ANY,
                };
                self.transitions.iter().zip(self.higher()).map(needs).collect()
            }
            Timing::Untimed | Timing::Arcs => Vec::new(),
        }
    }
}

/// Returns the name of the clock that measures the time: `time`, unless the net uses that name.
#[must_use]
pub fn time_name(net: &Net) -> String {
    GeneratedNames::new(net).time
}

/// Returns the clocks that measure the ages of tokens, in the order of the model, for
/// [`Timing::Arcs`].
#[must_use]
pub fn age_clocks(net: &Net) -> Vec<AgeClock> {
    GeneratedNames::new(net).pools.clocks(net)
}

/// Adds the automata to `tree`.
pub(super) fn build(
    sources: &mut Sources,
    file: FileId,
    net: &Net,
    tree: &mut Tree,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if let Some(problem) = too_large(net, tree.signal) {
        diagnostics.push(problem);
        return;
    }
    let automata = Automata::until(net, tree.signal);
    if tree.signal.raised().is_some() {
        return;
    }
    if automata.text.len() as u64 > u64::from(sources.room()) {
        diagnostics.push(Diagnostic::error("too-large", Span::NONE, "the automata of the net are too large"));
        return;
    }
    let fragment = sources.add_generated(file, automata.text, automata.origins);
    let mut parser = Parser::new(tree, diagnostics, sources.fragment(fragment), Dialect::Model);
    parser.section(Section::System);
    parser.finish();
}

/// Returns the error for a net whose tokens need too many clocks or edges.
fn too_large(net: &Net, signal: Signal) -> Option<Diagnostic> {
    if net.timing != Timing::Arcs {
        return None;
    }
    let names = GeneratedNames::until(net, signal);
    let error = |span, message: String| {
        let help = "fewer extra tokens, or smaller weights, make it possible";
        Some(Diagnostic::error("too-large", span, message).help(help))
    };
    if let Some(place) = names.pools.too_large() {
        let place = &net.places[place as usize];
        return error(place.span, format!("`{}` can have too many tokens whose ages matter", place.written));
    }
    let (t, choices) = by_age::too_many_choices(net, &names)?;
    error(t.span, format!("`{}` can choose its tokens in {choices} ways", t.written))
}

/// The names of elements that have none in the net.
struct GeneratedNames {
    /// The process that fires transitions without clocks.
    net: String,
    /// The clock that is never reset.
    time: String,
    /// The function that returns whether all places have at most one token.
    safe: String,
    /// The function that returns whether all places have at most a given number of tokens.
    bounded: String,
    /// The parameter of `bounded`.
    limit: String,
    /// The variable in functions that count tokens.
    all: String,
    /// The variable that is true when a second token is about to be put on a place.
    contact: String,
    /// The clock of each place or transition that has one.
    timers: Vec<Option<Timer>>,
    /// The clocks of tokens whose ages matter.
    pools: Pools,
    /// The locations of processes. The process of a transition is `on` while it is enabled; that of
    /// a token waits until it is available.
    at_net: String,
    on: String,
    off: String,
    idle: String,
    wait: String,
    /// The locations that lead to a second token on a place, as many as there are transitions.
    at_contact: Vec<String>,
}

/// The clock and process for the age of a token, or for the time since a transition was enabled.
struct Timer {
    process: String,
    clock: String,
    /// The variable that is true if the token is available.
    ready: String,
}

impl GeneratedNames {
    fn new(net: &Net) -> GeneratedNames {
        GeneratedNames::until(net, Signal::default())
    }

    fn until(net: &Net, signal: Signal) -> GeneratedNames {
        let mut taken = UsedNames::of(net);
        let time = taken.take("time", "");
        let mut timer = |name: &str, what: &str| Timer {
            clock: taken.take(&format!("{name}_age"), ""),
            ready: taken.take(&format!("{name}_ready"), ""),
            process: taken.take(&format!("{name}_{what}"), ""),
        };
        let needs = net.has_timer();
        let timers = match net.timing {
            Timing::Places => {
                let all = net.places.iter().zip(needs);
                all.map(|(p, needs)| needs.then(|| timer(&p.name, "token"))).collect()
            }
            Timing::Transitions => {
                let all = net.transitions.iter().zip(needs);
                all.map(|(t, needs)| needs.then(|| timer(&t.name, "timer"))).collect()
            }
            Timing::Untimed | Timing::Arcs => Vec::new(),
        };
        let pools = Pools::new(net, &mut taken, signal);
        let contacts = if net.timing == Timing::Places { net.transitions.len() } else { 0 };
        GeneratedNames {
            safe: taken.take("safe", ""),
            bounded: taken.take("bounded", ""),
            limit: taken.take("most", ""),
            all: taken.take("all", ""),
            contact: taken.take("contact", ""),
            net: taken.take(&net.name, "_net"),
            time,
            timers,
            pools,
            at_net: taken.take("Net", ""),
            on: taken.take("On", ""),
            off: taken.take("Off", ""),
            idle: taken.take("Idle", ""),
            wait: taken.take("Wait", ""),
            at_contact: (1..=contacts).map(|n| taken.take(&format!("Contact{n}"), "")).collect(),
        }
    }

    fn timer(&self, number: usize) -> Option<&Timer> {
        self.timers.get(number)?.as_ref()
    }
}
