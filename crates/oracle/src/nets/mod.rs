//! Petri nets, state by state.
//!
//! This works on a [`Net`] alone, by the definitions of its two kinds of time, and knows nothing of automata: that is what the
//! automata of nets and the encodings of nets are compared with. Time passes from region to region (`region.rs`), so that
//! answers are exact whatever the bounds are.

mod region;
mod rules;
mod search;

use std::collections::BTreeSet;

use syntax::net::Net;

/// The tokens of all places.
pub type Marking = Vec<u32>;

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many states may be stored.
    pub states: usize,
    /// How many tokens a place may have, where that is less than what the net says: more are a contact.
    pub tokens: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 100_000, tokens: u32::MAX }
    }
}

/// What can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// All markings.
    pub markings: BTreeSet<Marking>,
    /// Whether a transition can put a token where there are as many as may be ([`Net::token_limit`]). Nothing is followed beyond.
    pub contact: bool,
    /// Whether there is a state from which no transition ever fires, whatever becomes available.
    pub deadlock: bool,
}

/// What can be reached in few steps; one list for each way to count, and in it all markings that can be reached with at most as
/// many steps as the place in the list says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// A step is a moment at which something fires, as much and in whatever order.
    pub moments: Vec<BTreeSet<Marking>>,
    /// A step is a firing.
    pub firings: Vec<BTreeSet<Marking>>,
}

/// Everything that can be reached; `None` if there are too many states.
#[must_use]
pub fn markings(net: &Net, limits: Limits) -> Option<Reach> {
    search::all(net, limits)
}

/// What can be reached in up to `steps` steps; `None` if there are too many states.
#[must_use]
pub fn markings_by_step(net: &Net, steps: usize, limits: Limits) -> Option<Steps> {
    Some(Steps {
        moments: search::levels(net, steps, true, limits)?,
        firings: search::levels(net, steps, false, limits)?,
    })
}

#[cfg(test)]
mod tests;
