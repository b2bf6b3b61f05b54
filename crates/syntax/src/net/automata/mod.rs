//! The automata that stand for a net.
//!
//! They are written as text in UPPAAL's language, which the parser reads as any other, so that all that works on a tree works
//! on nets. Spans in that text lead back to the place or transition in the file.
//!
//! Places are integer variables, the first ones of the model, in the order of the net. Each transition has a broadcast channel
//! of its name: who sends on it fires it. A clock that nothing resets tells the time. The function `safe` says whether no
//! place has, or is about to get, more than one token; where places may have several, `bounded` says the same of any number.

mod by_place;
mod by_transition;
mod text;

use super::{Net, Place, Timing, Transition, names::Taken};
use crate::{
    Signal, Tree,
    diagnostic::Diagnostic,
    lexer::Dialect,
    parser::{Parser, Section},
    source::{FileId, Sources, Span},
};
use text::Text;

/// Automata as text, and where its parts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automata {
    /// The model, in UPPAAL's text format.
    pub text: String,
    /// Where the text from an offset on comes from in the file.
    pub origins: Vec<(u32, Span)>,
}

impl Automata {
    /// The automata of a net. A place may have [`Net::token_limit`] tokens; past that the model stops with a run-time error.
    #[must_use]
    pub fn new(net: &Net) -> Automata {
        Automata::until(net, Signal::default())
    }

    /// The same unless somebody stops it: then they are not complete.
    pub(crate) fn until(net: &Net, signal: Signal) -> Automata {
        let mut text = Text::new(signal);
        let names = Names::new(net);
        let most = net.token_limit();
        for place in &net.places {
            text.from(place.span);
            text.push(&format!("int[0,{most}] {} = {};\n", place.name, place.tokens));
        }
        match net.timing {
            Timing::Places => by_place::write(net, &names, &mut text),
            Timing::Transitions | Timing::Untimed => by_transition::write(net, &names, &mut text),
        }
        text.finish()
    }
}

/// The name of the clock that tells the time: `time`, unless the net uses that.
#[must_use]
pub fn time_name(net: &Net) -> String {
    Names::new(net).time
}

/// The processes of tokens, with the numbers of their places. Such a process steps when the token becomes available.
#[must_use]
pub fn token_processes(net: &Net) -> Vec<(String, usize)> {
    if net.timing != Timing::Places {
        return Vec::new();
    }
    let timers = Names::new(net).timers.into_iter().enumerate();
    timers.filter_map(|(place, timer)| Some((timer?.process, place))).collect()
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

/// The names of what a net has no names for.
struct Names {
    /// The process that fires what needs no clock.
    net: String,
    /// The clock that nothing resets.
    time: String,
    /// The function that says whether all places have one token at most.
    safe: String,
    /// The same for any number.
    bounded: String,
    /// The number.
    most: String,
    /// The variable that says that a token is about to be put on another one.
    contact: String,
    /// For each place or transition that has a clock of its own.
    timers: Vec<Option<Timer>>,
}

/// What measures the age of a token, or how long a transition has been enabled.
struct Timer {
    process: String,
    clock: String,
    /// Whether the token is available.
    ready: String,
}

impl Names {
    fn new(net: &Net) -> Names {
        let mut taken = Taken::of(net);
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
        Names {
            safe: taken.take("safe", ""),
            bounded: taken.take("bounded", ""),
            most: taken.take("most", ""),
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
