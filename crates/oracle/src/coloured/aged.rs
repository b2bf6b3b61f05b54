//! Coloured tokens with ages, as in TAPAAL.
//!
//! All limits are closed. A marking is then reachable if and only if it is when time passes in
//! units.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bag, Base, Colour, ColouredNet, Component, Condition, Multiset, NamedMarking, tapaal};
use crate::random::Rng;

/// The ages between two limits, if there is an upper one.
pub(super) type AgeSpan = (u64, Option<u64>);

const ANY: AgeSpan = (0, None);

/// Ages that may differ for one colour.
#[derive(Clone, Debug)]
pub(super) struct AgesByColour {
    pub others: AgeSpan,
    pub own: Option<(Colour, AgeSpan)>,
}

impl AgesByColour {
    fn of(&self, colour: &Colour) -> AgeSpan {
        self.own.as_ref().filter(|(own, _)| own == colour).map_or(self.others, |(_, ages)| *ages)
    }

    fn is_limited(&self) -> bool {
        self.others != ANY || self.own.as_ref().is_some_and(|(_, ages)| *ages != ANY)
    }
}

/// Tokens of one colour that a transition takes, and where it moves them.
#[derive(Clone, Debug)]
pub(super) struct Taking {
    pub place: usize,
    pub number: u64,
    pub colour: Vec<Component>,
    pub ages: AgesByColour,
    pub moves_to: Option<(usize, Vec<Component>)>,
}

#[derive(Clone, Debug)]
pub(super) struct AgedTransition {
    pub condition: Option<Condition>,
    pub takes: Vec<Taking>,
    pub puts: Vec<(usize, Multiset)>,
    pub inhibitors: Vec<usize>,
    pub is_urgent: bool,
}

/// A net of coloured tokens with ages.
#[derive(Clone, Debug)]
pub struct AgedColouredNet {
    /// Sorts, variables, and places with their tokens.
    pub(super) net: ColouredNet,
    /// The ages that tokens may have in each place.
    pub(super) invariants: Vec<AgesByColour>,
    pub(super) transitions: Vec<AgedTransition>,
}

/// The tokens of a place, by their colours and ages.
type AgedBag = BTreeMap<(Colour, u64), u64>;

/// A token that a firing needs: its place and colour, the ages it may have, and where it is moved.
type Need = (usize, Colour, AgeSpan, Option<(usize, Colour)>);

impl AgedColouredNet {
    /// Returns the reachable markings; `None` if there are more than `limit` states, or more than
    /// `tokens` tokens of a colour in a place.
    #[must_use]
    pub fn markings(&self, tokens: u64, limit: usize) -> Option<BTreeSet<NamedMarking>> {
        let aged = |bag: &Bag| bag.iter().map(|(colour, number)| ((colour.clone(), 0), *number)).collect();
        let start: Vec<AgedBag> = self.net.places.iter().map(|(_, bag)| aged(bag)).collect();
        let values = self.net.colours(&self.net.variables);
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let mut urgent = false;
            let mut next = BTreeSet::new();
            for t in &self.transitions {
                let mut after = BTreeSet::new();
                values.iter().for_each(|values| self.fire(t, values, &state, &mut after));
                urgent |= t.is_urgent && !after.is_empty();
                next.extend(after);
            }
            next.extend(self.wait(&state).filter(|_| !urgent));
            for state in next {
                if self.plain(&state).iter().flat_map(Bag::values).any(|number| *number > tokens) {
                    return None;
                }
                if seen.insert(state.clone()) {
                    open.push(state);
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some(seen.iter().map(|state| self.net.named(&self.plain(state))).collect())
    }

    /// Returns the net as a file of TAPAAL.
    #[must_use]
    pub fn tapaal(&self) -> String {
        tapaal::write(self)
    }

    /// Returns the tokens without their ages.
    fn plain(&self, state: &[AgedBag]) -> Vec<Bag> {
        let plain = |aged: &AgedBag| {
            let mut bag = Bag::new();
            aged.iter().for_each(|((colour, _), number)| *bag.entry(colour.clone()).or_insert(0) += number);
            bag
        };
        state.iter().map(plain).collect()
    }

    /// Returns the state after one time unit, if that may pass.
    fn wait(&self, state: &[AgedBag]) -> Option<Vec<AgedBag>> {
        // Ages above all limits are the same.
        let takes = self.transitions.iter().flat_map(|t| &t.takes).map(|taking| &taking.ages);
        let ages =
            takes.chain(&self.invariants).flat_map(|ages| [Some(ages.others), ages.own.as_ref().map(|own| own.1)]);
        let oldest = ages.flatten().map(|(low, high)| low.max(high.unwrap_or(0))).max().unwrap_or(0) + 1;
        let mut next = Vec::new();
        for (bag, invariant) in state.iter().zip(&self.invariants) {
            let mut older = AgedBag::new();
            for ((colour, age), number) in bag {
                let age = (age + 1).min(oldest);
                if invariant.of(colour).1.is_some_and(|high| age > high) {
                    return None;
                }
                *older.entry((colour.clone(), age)).or_insert(0) += number;
            }
            next.push(older);
        }
        Some(next)
    }

    /// Adds the states after firing a transition, for all choices of tokens.
    fn fire(&self, t: &AgedTransition, values: &[i64], state: &[AgedBag], next: &mut BTreeSet<Vec<AgedBag>>) {
        let fails = t.condition.as_ref().is_some_and(|c| !self.net.holds(c, values));
        if fails || t.inhibitors.iter().any(|place| !state[*place].is_empty()) {
            return;
        }
        let mut needs: Vec<Need> = Vec::new();
        for taking in &t.takes {
            let colour = self.colour(&taking.colour, taking.place, values);
            let moved = taking.moves_to.as_ref().map(|(to, colour)| (*to, self.colour(colour, *to, values)));
            let ages = taking.ages.of(&colour);
            (0..taking.number).for_each(|_| needs.push((taking.place, colour.clone(), ages, moved.clone())));
        }
        let mut puts: Vec<(usize, Colour, u64)> = Vec::new();
        for (place, multiset) in &t.puts {
            for (colour, number) in self.net.tokens(multiset, &self.net.places[*place].0, values) {
                (0..number).for_each(|_| puts.push((*place, colour.clone(), 0)));
            }
        }
        self.choose(&needs, state.to_vec(), puts, next);
    }

    fn choose(
        &self,
        needs: &[Need],
        state: Vec<AgedBag>,
        puts: Vec<(usize, Colour, u64)>,
        next: &mut BTreeSet<Vec<AgedBag>>,
    ) {
        let Some(((place, colour, (low, high), moved), rest)) = needs.split_first() else {
            let mut state = state;
            puts.into_iter().for_each(|(place, colour, age)| *state[place].entry((colour, age)).or_insert(0) += 1);
            next.insert(state);
            return;
        };
        for age in *low..=high.unwrap_or(u64::MAX).min(100) {
            let token = (colour.clone(), age);
            let Some(number) = state[*place].get(&token) else { continue };
            let (mut left, mut puts) = (state.clone(), puts.clone());
            match number {
                1 => left[*place].remove(&token),
                _ => left[*place].insert(token, number - 1),
            };
            if let Some((to, colour)) = moved {
                if self.invariants[*to].of(colour).1.is_some_and(|high| age > high) {
                    continue;
                }
                puts.push((*to, colour.clone(), age));
            }
            self.choose(rest, left, puts, next);
        }
    }

    fn colour(&self, components: &[Component], place: usize, values: &[i64]) -> Colour {
        let bases = &self.net.places[place].0;
        bases.iter().zip(components).map(|(base, c)| self.net.value(c, *base, values).unwrap_or(0)).collect()
    }
}

/// Generates a net from a seed.
#[must_use]
pub fn random_aged_coloured_net(seed: u64) -> AgedColouredNet {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6167_6564);
    let rng = &mut rng;
    let low = rng.between(0, 3).into();
    let bases = vec![Base::Dot, Base::Enumeration(rng.between(2, 3).into(), rng.chance(50)), Base::Range(low, low + 1)];
    let variables: Vec<usize> = (0..rng.between(1, 2)).map(|_| 1 + rng.below(2)).collect();
    let parts = vec![0; bases[1].values().len()];
    let mut net = ColouredNet { bases, parts, places: Vec::new(), variables, transitions: Vec::new() };
    for _ in 0..rng.between(2, 4) {
        let sorts: [&[usize]; 6] = [&[0], &[1], &[1], &[2], &[2], &[1, 2]];
        let sort = rng.pick(&sorts).to_vec();
        let colours = net.colours(&sort);
        let chosen = colours.into_iter().filter(|_| rng.chance(50)).map(|colour| (colour, 1));
        let bag = chosen.collect();
        net.places.push((sort, bag));
    }
    let invariants = (0..net.places.len()).map(|place| {
        if rng.chance(65) {
            return AgesByColour { others: ANY, own: None };
        }
        by_colour(rng, &net, place, |rng| (0, rng.chance(80).then(|| rng.between(0, 3) as u64)))
    });
    let invariants: Vec<AgesByColour> = invariants.collect();
    let transitions = (0..rng.between(2, 4)).map(|_| transition(rng, &net, &invariants)).collect();
    AgedColouredNet { net, invariants, transitions }
}

fn transition(rng: &mut Rng, net: &ColouredNet, invariants: &[AgesByColour]) -> AgedTransition {
    let is_urgent = rng.chance(20);
    let condition = rng.chance(30).then(|| super::generate::condition(rng, net, 1));
    let (mut takes, mut puts) = (Vec::new(), Vec::new());
    for _ in 0..rng.between(1, 2) {
        let place = rng.below(net.places.len());
        let ages = match is_urgent || rng.chance(30) {
            true => AgesByColour { others: ANY, own: None },
            false => by_colour(rng, net, place, |rng| {
                let low = rng.pick(&[0, 0, 1, 2]);
                (*low, rng.chance(60).then(|| low + rng.between(0, 2) as u64))
            }),
        };
        let number = if rng.chance(15) { 2 } else { 1 };
        let to = rng.below(net.places.len());
        let moves = rng.chance(35) && !(is_urgent && invariants[to].is_limited());
        let colour = one_colour(rng, net, place);
        let other = one_colour(rng, net, to);
        if !moves && rng.chance(85) {
            puts.push((to, Multiset::Times(1, other.clone())));
        }
        takes.push(Taking { place, number, colour, ages, moves_to: moves.then_some((to, other)) });
    }
    let inhibitors = (0..net.places.len()).filter(|_| rng.chance(6)).collect();
    AgedTransition { condition, takes, puts, inhibitors, is_urgent }
}

fn one_colour(rng: &mut Rng, net: &ColouredNet, place: usize) -> Vec<Component> {
    net.places[place].0.iter().map(|base| super::generate::component(rng, net, *base, false)).collect()
}

fn by_colour(rng: &mut Rng, net: &ColouredNet, place: usize, ages: impl Fn(&mut Rng) -> AgeSpan) -> AgesByColour {
    let others = ages(rng);
    let colours = net.colours(&net.places[place].0);
    let own = (colours.len() > 1 && rng.chance(40)).then(|| (rng.pick(&colours).clone(), ages(rng)));
    AgesByColour { others, own }
}
