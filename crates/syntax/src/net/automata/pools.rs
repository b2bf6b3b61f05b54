//! Clocks for the ages of tokens.
//!
//! The age of a token matters if an input arc of its place has an interval, if its place has an
//! invariant, or if a transport arc can move it to such a place. Places that transport arcs connect
//! share a *pool*: a list of clocks for their tokens, youngest first. A new token is put in front
//! and the others move up; a token that is consumed is removed and the older ones move down. So the
//! list is sorted without comparing clocks, and markings that differ in the names of tokens alone
//! are the same state. A transport arc changes the place of a token, not its clock.
//!
//! The clocks after the last token are greater than all constants, so that they are not
//! distinguished.

use std::collections::BTreeMap;

use super::super::{AgedArc, Interval, Net, Timing, bound::TokenSums, names::UsedNames};
use crate::Signal;

/// The greatest number of clocks of a pool.
const MAX_CLOCKS: usize = 200;

/// The clocks of the tokens of some places.
pub(super) struct Pool {
    /// The places.
    pub places: Vec<u32>,
    /// The names of the clocks. There are as many as the places can have tokens together.
    pub clocks: Vec<String>,
    /// If there are several places: for each clock, the variable with the place of its token, by
    /// its position in `places` from 1; 0 if there is none.
    pub at: Vec<String>,
    /// If there are several places: the variable with the number of their tokens.
    pub count: Option<String>,
    /// The age of tokens that do not exist: more than every constant.
    pub none: i32,
}

/// All pools of a net.
pub(super) struct Pools {
    pub list: Vec<Pool>,
    /// The pool of each place.
    of: Vec<Option<usize>>,
}

/// A clock that measures the age of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgeClock {
    /// Its name in reports.
    pub name: String,
    /// The places that the token may be on, by number.
    pub places: Vec<u32>,
    /// The variable with the place of the token, as reports name it, by its position in `places`
    /// from 1; `None` if there is one place.
    pub at: Option<String>,
    /// The number of younger tokens in these places.
    pub younger: u32,
}

impl Pools {
    pub(super) fn new(net: &Net, taken: &mut UsedNames, signal: Signal) -> Pools {
        let mut pools = Pools { list: Vec::new(), of: vec![None; net.places.len()] };
        if net.timing != Timing::Arcs {
            return pools;
        }
        let groups = groups(net);
        if groups.is_empty() {
            return pools;
        }
        let bounds = TokenSums::all(net, signal);
        for places in groups {
            let size = bounds.of(&places).map_or(net.aged_limit(), |bound| bound.min(net.aged_limit().into()) as u32);
            for p in &places {
                pools.of[*p as usize] = Some(pools.list.len());
            }
            // A pool without tokens has no transitions that take any.
            let size = size.clamp(1, MAX_CLOCKS as u32 + 1);
            let name = &net.places[places[0] as usize].name;
            let each = |what: &str, taken: &mut UsedNames| match size {
                1 => vec![taken.take(&format!("{name}_{what}"), "")],
                _ => (1..=size).map(|i| taken.take(&format!("{name}_{what}{i}"), "")).collect(),
            };
            let is_single = places.len() == 1;
            pools.list.push(Pool {
                clocks: each("age", taken),
                at: if is_single { Vec::new() } else { each("place", taken) },
                count: (!is_single).then(|| taken.take(&format!("{name}_tokens"), "")),
                none: largest(net, &places) + 1,
                places,
            });
        }
        pools
    }

    /// Returns the pool of a place.
    pub(super) fn of(&self, place: u32) -> Option<usize> {
        self.of.get(place as usize).copied().flatten()
    }

    /// Returns the number of tokens that a place can have, if it is in a pool.
    pub(super) fn limit(&self, place: usize) -> Option<u32> {
        self.of(place as u32).map(|pool| self.list[pool].clocks.len() as u32)
    }

    /// Returns the first place of a pool with more clocks than are possible.
    pub(super) fn too_large(&self) -> Option<u32> {
        let large = self.list.iter().find(|pool| pool.clocks.len() > MAX_CLOCKS)?;
        large.places.first().copied()
    }

    /// Returns all clocks.
    pub(super) fn clocks(&self, net: &Net) -> Vec<AgeClock> {
        let clocks = self.list.iter().flat_map(|pool| {
            let words: BTreeMap<String, String> = pool.words(net).into_iter().collect();
            let word = move |identifier: &String| words.get(identifier).unwrap_or(identifier).clone();
            pool.clocks.iter().zip(0u32..).map(move |(name, younger)| AgeClock {
                name: word(name),
                places: pool.places.clone(),
                at: pool.at.get(younger as usize).map(&word),
                younger,
            })
        });
        clocks.collect()
    }
}

impl Pool {
    /// Returns the words for its clocks and variables: `age(p)`, or `age(p,1)` for the youngest of
    /// several tokens; `place(p,1)` for where it is.
    pub(super) fn words(&self, net: &Net) -> Vec<(String, String)> {
        let name = &net.places[self.places[0] as usize].name;
        let numbered = |word: &str, i: usize| match self.clocks.len() {
            1 => format!("{word}({name})"),
            _ => format!("{word}({name},{})", i + 1),
        };
        let clocks = self.clocks.iter().enumerate().map(|(i, clock)| (clock.clone(), numbered("age", i)));
        let at = self.at.iter().enumerate().map(|(i, at)| (at.clone(), numbered("place", i)));
        let count = self.count.iter().map(|count| (count.clone(), format!("tokens({name})")));
        clocks.chain(at).chain(count).collect()
    }

    /// Returns the number of a place in the pool, from 1.
    pub(super) fn number(&self, place: u32) -> usize {
        self.places.iter().position(|p| *p == place).map_or(0, |i| i + 1)
    }
}

/// Returns the places whose ages matter, in groups that transport arcs connect.
fn groups(net: &Net) -> Vec<Vec<u32>> {
    let arcs = || net.transitions.iter().flat_map(|t| &t.aged);
    let mut matters: Vec<bool> = net.places.iter().map(|p| p.invariant != Interval::ANY).collect();
    arcs().filter(|arc| arc.ages != Interval::ANY).for_each(|arc| matters[arc.place as usize] = true);
    let transports = || arcs().filter_map(|arc| Some((arc.place as usize, arc.to? as usize)));
    loop {
        let before = transports().find(|(from, to)| matters[*to] && !matters[*from]);
        let Some((from, _)) = before else { break };
        matters[from] = true;
    }
    let mut group: Vec<usize> = (0..net.places.len()).collect();
    for (from, to) in transports().filter(|(from, to)| matters[*from] && matters[*to]) {
        let (old, new) = (group[to].max(group[from]), group[to].min(group[from]));
        group.iter_mut().filter(|g| **g == old).for_each(|g| *g = new);
    }
    let members =
        |g: usize| (0..net.places.len()).filter(|p| matters[*p] && group[*p] == g).map(|p| p as u32).collect();
    (0..net.places.len()).map(members).filter(|places: &Vec<u32>| !places.is_empty()).collect()
}

/// Returns the greatest constant that ages of tokens in these places are compared with.
fn largest(net: &Net, places: &[u32]) -> i32 {
    let largest = |i: &Interval| i.low.max(i.high.unwrap_or(0));
    let arcs = net.transitions.iter().flat_map(|t| &t.aged).filter(|arc: &&AgedArc| places.contains(&arc.place));
    let invariants = places.iter().map(|p| largest(&net.places[*p as usize].invariant));
    arcs.map(|arc| largest(&arc.ages)).chain(invariants).max().unwrap_or(0)
}
