//! The translation of a net to automata.
//!
//! The automata are written in UPPAAL's language and parsed as usual, so that everything that works
//! on a tree works on nets. Spans in that text refer to places and transitions of the net's file.
//!
//! Places are integer variables, the first ones of the model, in the order of the net. Each
//! transition has a broadcast channel of its name: sending on it fires the transition. A clock that
//! is never reset measures the time. The function `safe` returns whether no place has, or is about
//! to get, more than one token; if places may have several, `bounded` returns the same for any
//! number.

mod by_place;
mod by_transition;
mod text;
mod words;

use super::{Net, Place, Timing, Transition, names::UsedNames};
use crate::{
    Signal, Tree,
    diagnostic::Diagnostic,
    lexer::Dialect,
    parser::{Parser, Section},
    source::{FileId, Sources, Span},
};
use text::XtaText;
pub(super) use words::QUERY_WORDS;
pub use words::{NetWords, Subject};

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
        let names = GeneratedNames::new(net);
        let limit = net.token_limit();
        for place in &net.places {
            text.from(place.span);
            text.push(&format!("int[0,{limit}] {} = {};\n", place.name, place.tokens));
        }
        match net.timing {
            Timing::Places => by_place::write(net, &names, &mut text),
            Timing::Transitions | Timing::Untimed => by_transition::write(net, &names, &mut text),
        }
        text.finish()
    }
}

/// Returns the name of the clock that measures the time: `time`, unless the net uses that name.
#[must_use]
pub fn time_name(net: &Net) -> String {
    GeneratedNames::new(net).time
}

/// Adds the automata to `tree`.
pub(super) fn build(
    sources: &mut Sources,
    file: FileId,
    net: &Net,
    tree: &mut Tree,
    diagnostics: &mut Vec<Diagnostic>,
) {
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
    /// The variable that is true when a second token is about to be put on a place.
    contact: String,
    /// The clock of each place or transition that has one.
    timers: Vec<Option<Timer>>,
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
        let mut taken = UsedNames::of(net);
        let time = taken.take("time", "");
        let mut timer = |name: &str, what: &str| Timer {
            clock: taken.take(&format!("{name}_age"), ""),
            ready: taken.take(&format!("{name}_ready"), ""),
            process: taken.take(&format!("{name}_{what}"), ""),
        };
        let timers = match net.timing {
            Timing::Places => {
                let needs = |p: &Place| p.delay != super::Interval::NOW;
                net.places.iter().map(|p| needs(p).then(|| timer(&p.name, "token"))).collect()
            }
            Timing::Transitions => {
                let needs = |t: &Transition| t.interval != super::Interval::NOW && t.interval != super::Interval::ANY;
                net.transitions.iter().map(|t| needs(t).then(|| timer(&t.name, "timer"))).collect()
            }
            Timing::Untimed => Vec::new(),
        };
        GeneratedNames {
            safe: taken.take("safe", ""),
            bounded: taken.take("bounded", ""),
            limit: taken.take("most", ""),
            contact: taken.take("contact", ""),
            net: taken.take(&net.name, "_net"),
            time,
            timers,
        }
    }

    fn timer(&self, number: usize) -> Option<&Timer> {
        self.timers.get(number)?.as_ref()
    }
}
