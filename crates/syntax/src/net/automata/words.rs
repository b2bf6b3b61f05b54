//! The words of nets for elements of their automata: reports and queries have these, the automata
//! have identifiers.
//!
//! `age(p)` is the age of the token of a place, or the time since a transition was enabled;
//! `available(p)` whether the token of a place is available. The names of processes and of their
//! locations are no identifiers, so that they can't be mistaken for names in queries.

use std::collections::{BTreeMap, BTreeSet};

use super::{GeneratedNames, Timer};
use crate::net::{Net, Timing};

/// What a process of the automata is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The whole net.
    Net,
    /// The token of the place with this number. Its process moves when the token becomes available.
    Place(usize),
    /// The transition with this number. Its process is `enabled` or not.
    Transition(usize),
}

/// The words of a net, by the identifiers of its automata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetWords {
    /// The subjects of processes.
    pub processes: BTreeMap<String, Subject>,
    /// The words for clocks and variables that are no places: `age(p)`, `available(p)`.
    pub values: BTreeMap<String, String>,
    /// The names of the automata that are words of the net as they are: places, the time, and the
    /// functions of queries.
    pub plain: BTreeSet<String>,
}

impl NetWords {
    /// Collects the words of a net.
    #[must_use]
    pub fn new(net: &Net) -> NetWords {
        let names = GeneratedNames::new(net);
        let mut processes = BTreeMap::from([(names.net.clone(), Subject::Net)]);
        let mut values = BTreeMap::new();
        for (i, timer) in names.timers.iter().enumerate() {
            let Some(Timer { process, clock, ready }) = timer else { continue };
            let (subject, name) = match net.timing {
                Timing::Places => (Subject::Place(i), &net.places[i].name),
                _ => (Subject::Transition(i), &net.transitions[i].name),
            };
            processes.insert(process.clone(), subject);
            values.insert(clock.clone(), format!("age({name})"));
            if net.timing == Timing::Places {
                values.insert(ready.clone(), format!("available({name})"));
            }
        }
        for pool in &names.pools.list {
            values.extend(pool.words(net));
        }
        let places = net.places.iter().map(|p| p.name.clone());
        let plain = places.chain([names.time, names.safe, names.bounded]).collect();
        NetWords { processes, values, plain }
    }

    /// Returns the word for a process: `token(p)`, `transition(t)` or `net`.
    #[must_use]
    pub fn process(net: &Net, subject: Subject) -> String {
        match subject {
            Subject::Net => "net".to_owned(),
            Subject::Place(p) => format!("token({})", net.places[p].name),
            Subject::Transition(t) => format!("transition({})", net.transitions[t].name),
        }
    }

    /// Returns the word for a location of such a process, by its number.
    #[must_use]
    pub fn location(subject: Subject, number: usize) -> String {
        match (subject, number) {
            (Subject::Net, 0) => "running".to_owned(),
            // A place is about to get a second token.
            (Subject::Net, number) => format!("contact{number}"),
            (Subject::Place(_), 0) => "settled".to_owned(),
            (Subject::Place(_), _) => "waiting".to_owned(),
            (Subject::Transition(_), 0) => "disabled".to_owned(),
            (Subject::Transition(_), _) => "enabled".to_owned(),
        }
    }

    /// Returns the identifier of what a query calls `word(name)`.
    #[must_use]
    pub(in crate::net) fn identifier(&self, word: &str, name: &str) -> Option<&str> {
        let whole = format!("{word}({name})");
        self.values.iter().find(|(_, value)| **value == whole).map(|(identifier, _)| identifier.as_str())
    }
}

/// The words of queries about one place or transition.
pub(in crate::net) const QUERY_WORDS: [&str; 2] = ["age", "available"];
