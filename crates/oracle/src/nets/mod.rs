//! Explicit-state exploration of Petri nets.
//!
//! It works on a [`Net`] alone, by the definitions of all kinds of time, and uses no automata: the
//! translation of nets to automata and the encodings of nets are compared with it. Time passes from
//! region to region (`region.rs`), so answers are exact for all bounds. With stopwatches, sets of
//! ages are polyhedra instead (`stopwatch.rs`), which is exact as well but need not end.

mod polyhedron;
mod region;
mod rules;
mod search;
mod stopwatch;
mod tokens;

use std::collections::BTreeSet;

use syntax::net::{Net, Timing};

/// The number of tokens of each place.
pub type Marking = Vec<u32>;

/// The limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct NetLimits {
    /// The greatest number of stored states.
    pub states: usize,
    /// The greatest number of tokens of a place, if that is less than what the net says. More are a
    /// contact.
    pub tokens: u32,
}

impl Default for NetLimits {
    fn default() -> NetLimits {
        NetLimits { states: 100_000, tokens: u32::MAX }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetReach {
    /// All reachable markings.
    pub markings: BTreeSet<Marking>,
    /// Whether a transition can exceed the token limit of a place ([`Net::token_limit`],
    /// [`Net::aged_limit`]). Such transitions are not followed.
    pub contact: bool,
    /// Whether there is a state from which no transition ever fires, whichever tokens become
    /// available.
    pub deadlock: bool,
}

/// The markings that are reachable in few steps. Entry `k` of a list has those that are reachable
/// in at most `k` steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepMarkings {
    /// A step is a moment at which any number of transitions fire, in any order.
    pub moments: Vec<BTreeSet<Marking>>,
    /// A step is a firing.
    pub firings: Vec<BTreeSet<Marking>>,
}

/// Returns for each state whether a firing is reached by waiting, given the states that can fire
/// now and the states from which waiting leads to each state.
fn live_states(mut live: Vec<usize>, before: &[Vec<usize>]) -> Vec<bool> {
    let mut is_live = vec![false; before.len()];
    while let Some(state) = live.pop() {
        if !std::mem::replace(&mut is_live[state], true) {
            live.extend(&before[state]);
        }
    }
    is_live
}

/// Explores a net; `None` if there are too many states.
#[must_use]
pub fn markings(net: &Net, limits: NetLimits) -> Option<NetReach> {
    let stops = net.transitions.iter().any(|t| !t.runs.is_empty() || !t.stops.is_empty());
    match net.timing {
        Timing::Arcs => tokens::all(net, limits),
        Timing::Transitions if stops => stopwatch::all(net, limits),
        _ => search::all(net, limits),
    }
}

/// Returns whether a net with intervals on places has a deadlock before a moment; `None` if there
/// are too many states. See [`NetReach::deadlock`].
#[must_use]
pub fn deadlock_before(net: &Net, moment: i32, limits: NetLimits) -> Option<bool> {
    search::deadlock_before(net, moment, limits)
}

/// Returns the markings that are reachable in up to `steps` steps; `None` if there are too many
/// states, or if tokens have ages.
#[must_use]
pub fn markings_by_step(net: &Net, steps: usize, limits: NetLimits) -> Option<StepMarkings> {
    if net.timing == Timing::Arcs {
        return None;
    }
    Some(StepMarkings {
        moments: search::levels(net, steps, true, limits)?,
        firings: search::levels(net, steps, false, limits)?,
    })
}

#[cfg(test)]
mod tests;
