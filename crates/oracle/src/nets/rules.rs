//! The semantics of nets, as a literal transcription of the definitions.

use syntax::net::{Interval, Net, Timing, Transition};

use super::{
    Marking,
    region::{Ages, NONE},
};

/// A marking with ages. With intervals on places, an age is that of a token that is not available
/// yet; with intervals on transitions, it is the time since a transition was enabled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NetState {
    pub marking: Marking,
    pub ages: Vec<i64>,
}

pub(super) struct Rules<'a> {
    pub net: &'a Net,
    ages: Ages,
    /// The transitions of higher priority, for each transition.
    higher: Vec<Vec<usize>>,
    max_tokens: u32,
}

impl<'a> Rules<'a> {
    pub(super) fn new(net: &'a Net, max_tokens: u32) -> Rules<'a> {
        let cap = |i: &Interval| i64::from(i.high.unwrap_or(0).max(i.low));
        let caps = match net.timing {
            Timing::Untimed | Timing::Arcs => Vec::new(),
            Timing::Places => net.places.iter().map(|p| cap(&p.delay)).collect(),
            Timing::Transitions => net.transitions.iter().map(|t| cap(&t.interval)).collect(),
        };
        let max_tokens = net.token_limit().min(max_tokens);
        Rules { net, ages: Ages::new(caps), higher: higher(net), max_tokens }
    }

    pub(super) fn initial(&self) -> NetState {
        let marking: Marking = self.net.places.iter().map(|p| p.tokens).collect();
        let ages = match self.net.timing {
            Timing::Untimed | Timing::Arcs => Vec::new(),
            Timing::Places => marking.iter().map(|tokens| if *tokens > 0 { 0 } else { NONE }).collect(),
            Timing::Transitions => {
                self.net.transitions.iter().map(|t| if has_concession(t, &marking) { 0 } else { NONE }).collect()
            }
        };
        NetState { marking, ages }
    }

    /// Returns whether a transition can fire now.
    pub(super) fn can_fire(&self, state: &NetState, number: usize) -> bool {
        self.is_ready(state, number) && !self.higher[number].iter().any(|higher| self.is_ready(state, *higher))
    }

    /// Returns whether a transition can fire now, apart from priorities.
    fn is_ready(&self, state: &NetState, number: usize) -> bool {
        let t = &self.net.transitions[number];
        match self.net.timing {
            Timing::Untimed | Timing::Arcs => has_concession(t, &state.marking) && is_active(t, &state.marking),
            Timing::Places => {
                let waits = |p: u32| state.ages[p as usize] != NONE;
                let there = |p: u32| state.marking[p as usize] > 0;
                let due = |p: u32| {
                    let delay = self.net.places[p as usize].delay;
                    let age = state.ages[p as usize];
                    delay.high.is_some_and(|high| !delay.high_open && self.ages.is_over(age, high, false))
                };
                t.takes.iter().chain(&t.tests).all(|a| there(a.place) && !waits(a.place))
                    && t.inhibitors.iter().all(|a| !there(a.place) || waits(a.place) && !due(a.place))
            }
            Timing::Transitions => {
                let age = state.ages[number];
                age != NONE && self.ages.is_over(age, t.interval.low, t.interval.low_open)
            }
        }
    }

    /// Returns whether the token of a place waits and is younger than a number.
    pub(super) fn is_younger(&self, state: &NetState, place: usize, number: i32) -> bool {
        state.ages[place] != NONE && !self.ages.is_over(state.ages[place], number, false)
    }

    /// Returns the state after a firing; `None`: a place would have too many tokens.
    pub(super) fn fire(&self, state: &NetState, number: usize) -> Option<NetState> {
        let t = &self.net.transitions[number];
        let mut between = state.marking.clone();
        t.takes.iter().for_each(|a| between[a.place as usize] -= a.weight);
        let mut marking = between.clone();
        t.puts.iter().for_each(|a| marking[a.place as usize] += a.weight);
        if marking.iter().any(|tokens| *tokens > self.max_tokens) {
            return None;
        }
        let mut ages = state.ages.clone();
        match self.net.timing {
            Timing::Untimed | Timing::Arcs => {}
            Timing::Places => t.puts.iter().for_each(|a| ages[a.place as usize] = 0),
            Timing::Transitions => {
                for (i, other) in self.net.transitions.iter().enumerate() {
                    let stays = has_concession(other, &state.marking) && has_concession(other, &between);
                    ages[i] = match has_concession(other, &marking) {
                        false => NONE,
                        true if i != number && stays => ages[i],
                        true => 0,
                    };
                }
            }
        }
        self.ages.normalise(&mut ages);
        Some(NetState { marking, ages })
    }

    /// Returns the states in which one more token is available.
    pub(super) fn ripen(&self, state: &NetState) -> Vec<NetState> {
        if self.net.timing != Timing::Places {
            return Vec::new();
        }
        let ripe = |p: &usize| {
            let (delay, age) = (self.net.places[*p].delay, state.ages[*p]);
            age != NONE && self.ages.is_over(age, delay.low, delay.low_open)
        };
        let states = (0..state.ages.len()).filter(ripe).map(|p| {
            let mut next = state.clone();
            next.ages[p] = NONE;
            self.ages.normalise(&mut next.ages);
            next
        });
        states.collect()
    }

    /// Returns the state one region later; `None` if time can't pass.
    pub(super) fn wait(&self, state: &NetState) -> Option<NetState> {
        if self.is_urgent(state) {
            return None;
        }
        let ages = self.ages.next_region(&state.ages);
        let in_time = |(i, age): (usize, &i64)| {
            let interval = match self.net.timing {
                Timing::Places => self.net.places[i].delay,
                _ => self.net.transitions[i].interval,
            };
            *age == NONE || interval.high.is_none_or(|high| !self.ages.is_over(*age, high, !interval.high_open))
        };
        ages.iter().enumerate().all(in_time).then(|| NetState { marking: state.marking.clone(), ages })
    }

    /// Returns whether time can pass inside the region.
    pub(super) fn lasts(&self, state: &NetState) -> bool {
        self.ages.is_open(&state.ages) && !self.is_urgent(state)
    }

    /// Returns whether a transition must fire before time passes.
    fn is_urgent(&self, state: &NetState) -> bool {
        self.net.timing == Timing::Places && (0..self.net.transitions.len()).any(|t| self.can_fire(state, t))
    }
}

/// Returns the transitions of higher priority for each transition: whatever a chain of declarations
/// leads to.
pub(super) fn higher(net: &Net) -> Vec<Vec<usize>> {
    let n = net.transitions.len();
    let mut above = vec![vec![false; n]; n];
    net.priorities.iter().for_each(|p| above[p.lower as usize][p.higher as usize] = true);
    for via in 0..n {
        for lower in 0..n {
            for higher in 0..n {
                above[lower][higher] |= above[lower][via] && above[via][higher];
            }
        }
    }
    above.into_iter().map(|row| (0..n).filter(|h| row[*h]).collect()).collect()
}

/// Returns whether the clock of an enabled transition runs.
pub(super) fn is_active(t: &Transition, marking: &[u32]) -> bool {
    let tokens = |place: u32| marking[place as usize];
    t.runs.iter().all(|a| tokens(a.place) >= a.weight) && t.stops.iter().all(|a| tokens(a.place) < a.weight)
}

/// Returns whether the marking enables a transition, regardless of time.
pub(super) fn has_concession(t: &Transition, marking: &[u32]) -> bool {
    let tokens = |place: u32| marking[place as usize];
    t.takes.iter().all(|a| tokens(a.place) >= a.weight)
        && t.tests.iter().all(|a| tokens(a.place) >= a.weight)
        && t.inhibitors.iter().all(|a| tokens(a.place) < a.weight)
}
