//! Nets whose tokens have ages, as a literal transcription of the definition.
//!
//! A state has all tokens, each with its place and the region of its age. Time passes from region
//! to region; a transition fires with every choice of tokens that the definition allows.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use syntax::net::{AgedArc, Interval, Net, Transition};

use super::{NetLimits, NetReach};

/// The age of a token: its integer part, and the rank of its fraction among all tokens, from 1; 0
/// if it is an integer. Ages above all constants are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Age {
    whole: i32,
    rank: u32,
}

/// The tokens, sorted.
type Tokens = Vec<(u32, Age)>;

struct TokenRules<'a> {
    net: &'a Net,
    /// The greatest constant.
    cap: i32,
    /// For each place, its group: places whose ages matter and that transport arcs connect.
    groups: Vec<Option<usize>>,
}

impl TokenRules<'_> {
    fn new(net: &Net) -> TokenRules<'_> {
        let arcs = || net.transitions.iter().flat_map(|t| &t.aged);
        let largest = |i: &Interval| i.low.max(i.high.unwrap_or(0));
        let cap = net.places.iter().map(|p| largest(&p.invariant)).chain(arcs().map(|a| largest(&a.ages)));
        // A place is in the group of each place that it exchanges tokens with; then places from
        // which no token ever reaches a constraint are left out.
        let constrained: Vec<bool> = (0..net.places.len() as u32)
            .map(|p| {
                net.places[p as usize].invariant != Interval::ANY
                    || arcs().any(|a| a.place == p && a.ages != Interval::ANY)
            })
            .collect();
        let reaches = |from: u32| {
            let mut seen = vec![from];
            let mut next = 0;
            while let Some(&p) = seen.get(next) {
                next += 1;
                for to in arcs().filter(|a| a.place == p).filter_map(|a| a.to) {
                    if !seen.contains(&to) {
                        seen.push(to);
                    }
                }
            }
            seen.into_iter().any(|p| constrained[p as usize])
        };
        let matters: Vec<bool> = (0..net.places.len() as u32).map(reaches).collect();
        let mut groups: Vec<Option<usize>> = (0..net.places.len()).map(|p| matters[p].then_some(p)).collect();
        for _ in &net.places {
            for arc in arcs() {
                let Some(to) = arc.to else { continue };
                if let (Some(a), Some(b)) = (groups[arc.place as usize], groups[to as usize]) {
                    groups[arc.place as usize] = Some(a.min(b));
                    groups[to as usize] = Some(a.min(b));
                }
            }
        }
        TokenRules { net, cap: cap.max().unwrap_or(0), groups }
    }

    fn old(&self) -> Age {
        Age { whole: self.cap + 1, rank: 0 }
    }

    fn initial(&self) -> Tokens {
        let mut tokens = Tokens::new();
        for (p, place) in (0u32..).zip(&self.net.places) {
            tokens.extend((0..place.tokens).map(|_| (p, Age { whole: 0, rank: 0 })));
        }
        self.normal(tokens)
    }

    /// Sorts the tokens, numbers the fractions, and forgets ages that do not matter.
    fn normal(&self, mut tokens: Tokens) -> Tokens {
        let old = self.old();
        for (place, age) in &mut tokens {
            let above = age.whole > self.cap || age.whole == self.cap && age.rank > 0;
            if above || self.groups[*place as usize].is_none() {
                *age = old;
            }
        }
        let ranks: BTreeSet<u32> = tokens.iter().map(|(_, age)| age.rank).filter(|rank| *rank > 0).collect();
        for (_, age) in &mut tokens {
            if age.rank > 0 {
                age.rank = ranks.iter().take_while(|rank| **rank <= age.rank).count() as u32;
            }
        }
        tokens.sort_unstable();
        tokens
    }

    fn is_within(age: Age, interval: Interval) -> bool {
        let low = age.whole > interval.low || age.whole == interval.low && (age.rank > 0 || !interval.low_open);
        let high = interval
            .high
            .is_none_or(|high| age.whole < high || age.whole == high && age.rank == 0 && !interval.high_open);
        low && high
    }

    /// Returns the tokens after all firings of a transition, one for each choice.
    fn fire(&self, tokens: &Tokens, t: &Transition) -> BTreeSet<Tokens> {
        let count = |place: u32| tokens.iter().filter(|(p, _)| *p == place).count();
        if t.inhibitors.iter().any(|arc| count(arc.place) >= arc.weight as usize)
            || t.tests.iter().any(|arc| count(arc.place) < arc.weight as usize)
        {
            return BTreeSet::new();
        }
        // One entry for each token that is consumed.
        let mut wanted: Vec<AgedArc> = Vec::new();
        for arc in &t.aged {
            wanted.extend((0..arc.weight).map(|_| *arc));
        }
        for arc in &t.takes {
            let aged: u32 = t.aged.iter().filter(|a| a.place == arc.place).map(|a| a.weight).sum();
            let any = AgedArc { place: arc.place, weight: 1, ages: Interval::ANY, to: None };
            wanted.extend((aged..arc.weight).map(|_| any));
        }
        // Tokens before a firing that are left, and those that it has moved.
        let mut open: BTreeSet<(Tokens, Tokens)> = BTreeSet::from([(tokens.clone(), Tokens::new())]);
        for want in wanted {
            let mut next = BTreeSet::new();
            for (left, moved) in open {
                for (i, (place, age)) in left.iter().enumerate() {
                    let target = want.to.map(|to| self.net.places[to as usize].invariant);
                    let fits = *place == want.place
                        && Self::is_within(*age, want.ages)
                        && target.is_none_or(|target| Self::is_within(*age, target));
                    if fits {
                        let (mut left, mut moved) = (left.clone(), moved.clone());
                        let (_, age) = left.remove(i);
                        moved.extend(want.to.map(|to| (to, age)));
                        moved.sort_unstable();
                        next.insert((left, moved));
                    }
                }
            }
            open = next;
        }
        let after = open.into_iter().map(|(mut left, moved)| {
            let kept = |place: u32| moved.iter().filter(|(p, _)| *p == place).count();
            for arc in &t.puts {
                let new = arc.weight as usize - kept(arc.place);
                left.extend((0..new).map(|_| (arc.place, Age { whole: 0, rank: 0 })));
            }
            left.extend(moved);
            self.normal(left)
        });
        after.collect()
    }

    /// Returns the tokens one region later; `None` if time can't pass.
    fn wait(&self, tokens: &Tokens) -> Option<Tokens> {
        let urgent = self.net.transitions.iter().filter(|t| t.is_urgent);
        if urgent.into_iter().any(|t| !self.fire(tokens, t).is_empty()) {
            return None;
        }
        let matters = |age: &Age| age.whole <= self.cap;
        let mut later = tokens.clone();
        let ages = || tokens.iter().map(|(_, age)| *age).filter(matters);
        if ages().any(|age| age.rank == 0) {
            later.iter_mut().filter(|(_, age)| matters(age)).for_each(|(_, age)| age.rank += 1);
        } else {
            let last = ages().map(|age| age.rank).max();
            for (_, age) in later.iter_mut().filter(|(_, age)| matters(age) && Some(age.rank) == last) {
                *age = Age { whole: age.whole + 1, rank: 0 };
            }
        }
        let allowed = |(place, age): &(u32, Age)| {
            self.groups[*place as usize].is_none() || Self::is_within(*age, self.net.places[*place as usize].invariant)
        };
        let later = self.normal(later);
        later.iter().all(allowed).then_some(later)
    }

    /// Returns whether there are more tokens than a place or a group may have.
    fn is_contact(&self, tokens: &Tokens, max: u32) -> bool {
        let limit = self.net.token_limit().min(max) as usize;
        (0..self.net.places.len()).any(|p| match self.groups[p] {
            None => tokens.iter().filter(|(place, _)| *place as usize == p).count() > limit,
            group => {
                let all = tokens.iter().filter(|(place, _)| self.groups[*place as usize] == group).count();
                all > self.net.aged_limit() as usize
            }
        })
    }
}

/// Explores all states.
pub(super) fn all(net: &Net, limits: NetLimits) -> Option<NetReach> {
    let rules = TokenRules::new(net);
    let mut reach = NetReach::default();
    let mut states = vec![rules.initial()];
    let mut index: FxHashMap<Tokens, usize> = FxHashMap::from_iter([(states[0].clone(), 0)]);
    // For each state the state before it in time, and whether a transition fires.
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut live: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        let mut next: Vec<(Tokens, bool)> = rules.wait(&state).map(|later| (later, true)).into_iter().collect();
        let mut fires = false;
        for t in &net.transitions {
            for after in rules.fire(&state, t) {
                fires = true;
                if rules.is_contact(&after, limits.tokens) {
                    reach.contact = true;
                } else {
                    next.push((after, false));
                }
            }
        }
        if fires {
            live.push(at);
        }
        for (tokens, is_delay) in next {
            let known = *index.entry(tokens).or_insert_with_key(|tokens| {
                states.push(tokens.clone());
                before.push(Vec::new());
                states.len() - 1
            });
            if is_delay {
                before[known].push(at);
            }
        }
        let count = |p: usize| state.iter().filter(|(place, _)| *place as usize == p).count() as u32;
        reach.markings.insert((0..net.places.len()).map(count).collect());
        at += 1;
        if states.len() > limits.states {
            return None;
        }
    }
    reach.deadlock = super::live_states(live, &before).contains(&false);
    Some(reach)
}
