//! Exploration of all states, and of those that are reachable in few steps.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::net::{Interval, Net, Place};

use super::{
    Marking, NetLimits, NetReach,
    rules::{NetState, Rules},
};

/// Explores all states.
pub(super) fn all(net: &Net, limits: NetLimits) -> Option<NetReach> {
    explore(net, limits, |_, _| true)
}

/// Returns whether there is a deadlock before a moment. The age of a token that waits for that
/// moment, and takes part in nothing, is the time.
pub(super) fn deadlock_before(net: &Net, moment: i32, limits: NetLimits) -> Option<bool> {
    let mut timed = net.clone();
    let delay = Interval { low: moment, low_open: false, high: Some(moment), high_open: false };
    let clock = Place { delay, tokens: 1, ..net.places.first()?.clone() };
    timed.places.push(clock);
    explore(&timed, limits, |rules, state| rules.is_younger(state, net.places.len(), moment))
        .map(|reach| reach.deadlock)
}

/// Explores all states. Of those that `counts` selects, one may be a deadlock.
fn explore(net: &Net, limits: NetLimits, counts: impl Fn(&Rules<'_>, &NetState) -> bool) -> Option<NetReach> {
    let rules = Rules::new(net, limits.tokens);
    let mut reach = NetReach::default();
    let mut states = vec![rules.initial()];
    let mut index: FxHashMap<NetState, usize> = [(states[0].clone(), 0)].into_iter().collect();
    // For each state the predecessors without a firing; and whether it can fire.
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut live = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        let silent: Vec<NetState> = rules.ripen(&state).into_iter().chain(rules.wait(&state)).collect();
        let quiet = silent.len();
        let mut next = silent;
        let mut can_fire = false;
        for t in (0..net.transitions.len()).filter(|t| rules.can_fire(&state, *t)) {
            can_fire = true;
            match rules.fire(&state, t) {
                Some(state) => next.push(state),
                None => reach.contact = true,
            }
        }
        if can_fire {
            live.push(at);
        }
        for (i, state) in next.into_iter().enumerate() {
            let known = *index.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                before.push(Vec::new());
                states.len() - 1
            });
            if i < quiet {
                before[known].push(at);
            }
        }
        reach.markings.insert(state.marking);
        at += 1;
        if states.len() > limits.states {
            return None;
        }
    }
    let live = super::live_states(live, &before);
    reach.deadlock = states.iter().zip(live).any(|(state, live)| !live && counts(&rules, state));
    Some(reach)
}

/// Returns the markings that are reachable in at most 0, 1, … steps: moments at which transitions
/// fire, or single firings.
pub(super) fn levels(net: &Net, steps: usize, by_moment: bool, limits: NetLimits) -> Option<Vec<BTreeSet<Marking>>> {
    let rules = Rules::new(net, limits.tokens);
    // Each state with a flag: whether a transition has fired at this moment.
    let mut seen: FxHashSet<(NetState, bool)> = FxHashSet::default();
    let mut level = vec![(rules.initial(), false)];
    let mut out = Vec::new();
    let mut markings = BTreeSet::new();
    for _ in 0..=steps {
        let mut later = Vec::new();
        while let Some((state, fired)) = level.pop() {
            if !seen.insert((state.clone(), fired)) {
                continue;
            }
            if seen.len() > limits.states {
                return None;
            }
            level.extend(rules.ripen(&state).into_iter().map(|state| (state, fired)));
            level.extend(rules.wait(&state).map(|state| (state, false)));
            if fired && rules.lasts(&state) {
                level.push((state.clone(), false));
            }
            for t in (0..net.transitions.len()).filter(|t| rules.can_fire(&state, *t)) {
                let Some(next) = rules.fire(&state, t) else { continue };
                if by_moment && fired { level.push((next, true)) } else { later.push((next, by_moment)) }
            }
            markings.insert(state.marking);
        }
        out.push(markings.clone());
        level = later;
    }
    Some(out)
}
