//! Random nets.

use super::{Bag, Base, ColouredNet, ColouredTransition, Component, Condition, Multiset};
use crate::random::Rng;

/// Generates a net from a seed.
#[must_use]
pub fn random_coloured_net(seed: u64) -> ColouredNet {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x636f_6c6f);
    let rng = &mut rng;
    let low = rng.between(-2, 3).into();
    let count: i64 = rng.between(2, 3).into();
    let bases =
        vec![Base::Dot, Base::Enumeration(count, rng.chance(50)), Base::Range(low, low + i64::from(rng.between(0, 2)))];
    // Both parts have a member.
    let parts = (0..count).map(|v| i64::from(v > 0 && (v == 1 || rng.chance(50)))).collect();
    let variables: Vec<usize> = (0..rng.between(1, 3)).map(|_| 1 + rng.below(2)).collect();
    let mut net = ColouredNet { bases, parts, places: Vec::new(), variables, transitions: Vec::new() };
    for _ in 0..rng.between(2, 3) {
        let sorts: [&[usize]; 7] = [&[0], &[1], &[1], &[2], &[1, 2], &[2, 1], &[1, 1, 2]];
        let sort = rng.pick(&sorts).to_vec();
        let mut bag = Bag::new();
        for colour in net.colours(&sort) {
            if rng.chance(35) {
                bag.insert(colour, if rng.chance(20) { 2 } else { 1 });
            }
        }
        net.places.push((sort, bag));
    }
    for _ in 0..rng.between(2, 4) {
        let condition = rng.chance(60).then(|| condition(rng, &net, 2));
        let takes = arcs(rng, &net, &[0, 1, 1, 1, 2]);
        let puts = arcs(rng, &net, &[0, 1, 1, 2]);
        net.transitions.push(ColouredTransition { condition, takes, puts });
    }
    net
}

fn arcs(rng: &mut Rng, net: &ColouredNet, counts: &[usize]) -> Vec<(usize, Multiset)> {
    let count = *rng.pick(counts);
    (0..count)
        .map(|_| {
            let place = rng.below(net.places.len());
            (place, multiset(rng, net, &net.places[place].0))
        })
        .collect()
}

fn multiset(rng: &mut Rng, net: &ColouredNet, bases: &[usize]) -> Multiset {
    match rng.below(10) {
        0 => Multiset::Without(bases.iter().map(|b| component(rng, net, *b, false)).collect()),
        1 | 2 => Multiset::Sum((0..2).map(|_| times(rng, net, bases)).collect()),
        _ => times(rng, net, bases),
    }
}

fn times(rng: &mut Rng, net: &ColouredNet, bases: &[usize]) -> Multiset {
    let number = if rng.chance(15) { 2 } else { 1 };
    Multiset::Times(number, bases.iter().map(|b| component(rng, net, *b, true)).collect())
}

pub(super) fn component(rng: &mut Rng, net: &ColouredNet, base: usize, with_all: bool) -> Component {
    let own: Vec<usize> = (0..net.variables.len()).filter(|v| net.variables[*v] == base).collect();
    let value = *rng.pick(&net.bases[base].values());
    match rng.below(10) {
        0 if with_all => Component::All,
        1..=5 if !own.is_empty() => Component::Variable(*rng.pick(&own)),
        6 | 7 if !own.is_empty() => Component::Step(*rng.pick(&own), if rng.chance(50) { 1 } else { -1 }),
        _ => Component::Value(value),
    }
}

pub(super) fn condition(rng: &mut Rng, net: &ColouredNet, depth: usize) -> Condition {
    if depth > 0 && rng.chance(40) {
        let op = *rng.pick(&["and", "or", "not", "imply"]);
        let count = if op == "not" { 1 } else { 2 };
        return Condition::Connect(op, (0..count).map(|_| condition(rng, net, depth - 1)).collect());
    }
    let v = rng.below(net.variables.len());
    if net.variables[v] == 1 && net.parts.contains(&1) && rng.chance(20) {
        let others: Vec<usize> = (0..net.variables.len()).filter(|o| net.variables[*o] == 1).collect();
        let op = *rng.pick(&["ltp", "gtp", "equality", "inequality"]);
        return Condition::Parts(op, v, *rng.pick(&others));
    }
    let ops = ["equality", "inequality", "lessthan", "lessthanorequal", "greaterthan", "greaterthanorequal"];
    let op = ops[rng.below(ops.len())];
    Condition::Compare(op, v, component(rng, net, net.variables[v], false))
}
