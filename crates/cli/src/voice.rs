//! What a net does, in its own words: not the steps of the automata that stand for it.

use std::collections::BTreeMap;

use syntax::net::{Net, time_name, token_processes};

use crate::json::verify::{Change, Clock, Edge, State};

/// The words of a net.
pub struct Voice {
    /// The names of transitions, by their channels.
    transitions: BTreeMap<String, String>,
    /// The places, as queries call them.
    places: Vec<String>,
    /// The places, by the processes of their tokens.
    tokens: BTreeMap<String, String>,
    /// The clock that tells the time.
    time: String,
}

impl Voice {
    /// The words of this net.
    pub fn new(net: &Net) -> Voice {
        let tokens = token_processes(net).into_iter();
        Voice {
            transitions: net.transitions.iter().map(|t| (t.name.clone(), t.written.clone())).collect(),
            places: net.places.iter().map(|p| p.name.clone()).collect(),
            tokens: tokens.map(|(process, place)| (process, net.places[place].written.clone())).collect(),
            time: time_name(net),
        }
    }

    /// What happens in a step.
    pub fn event(&self, edges: &[Edge]) -> Option<String> {
        let first = edges.first()?;
        match &first.sync {
            Some(sync) => self.transitions.get(sync.strip_suffix('!')?).map(|t| format!("{t} fires")),
            None => self.tokens.get(&first.process).map(|place| format!("the token of {place} becomes available")),
        }
    }

    /// Whether a change is one of the marking.
    pub fn is_marking(&self, change: &Change) -> bool {
        self.places.contains(&change.name)
    }

    /// Whether a clock tells the time.
    pub fn is_time(&self, clock: &Clock) -> bool {
        clock.name == self.time
    }

    /// The places of a state that have tokens.
    pub fn marking<'s>(&self, state: &'s State) -> impl Iterator<Item = (&'s str, i32)> {
        // The first variables are the places.
        let places = state.variables.iter().take(self.places.len());
        places.filter(|v| v.value != 0).map(|v| (v.name.as_str(), v.value))
    }
}
