//! Names of a net: describes steps as transitions that fire and markings, not as edges of the
//! automata that represent the net.

use std::collections::BTreeMap;

use syntax::net::{AgeClock, Net, age_clocks, time_name, token_processes};

use crate::json::verify::{Change, Clock, NamedState, TakenEdge};

/// The names of a net's places and transitions.
pub struct NetNames {
    /// The names of transitions, by their channels.
    transitions: BTreeMap<String, String>,
    /// The places, as queries call them.
    places: Vec<String>,
    /// The places, by the processes of their tokens.
    tokens: BTreeMap<String, String>,
    /// The clocks that measure the ages of tokens.
    ages: Vec<AgeClock>,
    /// The clock that measures the time since the start.
    time: String,
}

impl NetNames {
    /// Collects the names of a net.
    pub fn new(net: &Net) -> NetNames {
        let tokens = token_processes(net).into_iter();
        NetNames {
            transitions: net.transitions.iter().map(|t| (t.name.clone(), t.written.clone())).collect(),
            places: net.places.iter().map(|p| p.name.clone()).collect(),
            tokens: tokens.map(|(process, place)| (process, net.places[place].written.clone())).collect(),
            ages: age_clocks(net),
            time: time_name(net),
        }
    }

    /// Describes a step.
    pub fn event(&self, edges: &[TakenEdge]) -> Option<String> {
        let first = edges.first()?;
        match &first.sync {
            Some(sync) => self.transitions.get(sync.strip_suffix('!')?).map(|t| format!("{t} fires")),
            None => self.tokens.get(&first.process).map(|place| format!("the token of {place} becomes available")),
        }
    }

    /// Whether a change is a change of the marking.
    pub fn is_marking(&self, change: &Change) -> bool {
        self.places.contains(&change.name)
    }

    /// Whether a clock measures the time since the start.
    pub fn is_time(&self, clock: &Clock) -> bool {
        clock.name == self.time
    }

    /// The places of a state that have tokens.
    pub fn marking<'s>(&self, state: &'s NamedState) -> impl Iterator<Item = (&'s str, i32)> {
        // The first variables are the places.
        let places = state.variables.iter().take(self.places.len());
        places.filter(|v| v.value != 0).map(|v| (v.name.as_str(), v.value))
    }

    /// The ages of the tokens of a place, youngest first, as far as they matter.
    pub fn ages(&self, state: &NamedState, place: &str) -> Vec<String> {
        let value = |name: &str| state.variables.iter().find(|v| v.name == name).map_or(0, |v| v.value);
        let tokens = value(place);
        let is_of_place = |clock: &&AgeClock| match &clock.at {
            // Positions among the places start at 1.
            Some(at) => usize::try_from(value(at) - 1)
                .ok()
                .and_then(|i| clock.places.get(i))
                .is_some_and(|p| self.places.get(*p as usize).is_some_and(|p| p == place)),
            None => {
                let own = clock.places.first().and_then(|p| self.places.get(*p as usize));
                own.is_some_and(|p| p == place) && (clock.younger as i32) < tokens
            }
        };
        let age =
            |clock: &AgeClock| state.clocks.iter().flatten().find(|c| c.name == clock.name).map(|c| c.value.clone());
        self.ages.iter().filter(is_of_place).filter_map(age).collect()
    }
}
