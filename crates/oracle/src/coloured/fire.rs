//! Firing transitions for values of their variables.

use std::collections::BTreeSet;

use super::{Bag, ColouredNet, ColouredTransition, Component, Condition, Multiset};

impl ColouredNet {
    /// Explores all markings; `None` if there are more than `limit`.
    pub(super) fn explore(&self, tokens: u64, limit: usize) -> Option<BTreeSet<Vec<Bag>>> {
        let start: Vec<Bag> = self.places.iter().map(|(_, bag)| bag.clone()).collect();
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        let all: Vec<usize> = (0..self.variables.len()).collect();
        let bindings = self.colours(&all.iter().map(|v| self.variables[*v]).collect::<Vec<usize>>());
        while let Some(marking) = open.pop() {
            for t in &self.transitions {
                for values in &bindings {
                    let Some(next) = self.fire(t, values, &marking) else { continue };
                    let is_small = next.iter().all(|bag| bag.values().all(|n| *n <= tokens));
                    if is_small && seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some(seen)
    }

    /// Returns the marking after a firing; `None` if it is not possible.
    fn fire(&self, t: &ColouredTransition, values: &[i64], marking: &[Bag]) -> Option<Vec<Bag>> {
        if t.condition.as_ref().is_some_and(|c| !self.holds(c, values)) {
            return None;
        }
        let mut next = marking.to_vec();
        for (place, multiset) in &t.takes {
            for (colour, number) in self.tokens(multiset, &self.places[*place].0, values) {
                let left = next[*place].remove(&colour).unwrap_or(0).checked_sub(number)?;
                if left > 0 {
                    next[*place].insert(colour, left);
                }
            }
        }
        for (place, multiset) in &t.puts {
            for (colour, number) in self.tokens(multiset, &self.places[*place].0, values) {
                *next[*place].entry(colour).or_insert(0) += number;
            }
        }
        Some(next)
    }

    pub(super) fn tokens(&self, multiset: &Multiset, bases: &[usize], values: &[i64]) -> Bag {
        let mut bag = Bag::new();
        match multiset {
            Multiset::Times(number, components) => {
                for colour in self.colours(bases) {
                    let fits = |((base, component), value): ((&usize, &Component), &i64)| {
                        self.value(component, *base, values).is_none_or(|v| v == *value)
                    };
                    if bases.iter().zip(components).zip(&colour).all(fits) {
                        bag.insert(colour, *number);
                    }
                }
            }
            Multiset::Sum(parts) => {
                for part in parts {
                    for (colour, number) in self.tokens(part, bases, values) {
                        *bag.entry(colour).or_insert(0) += number;
                    }
                }
            }
            Multiset::Without(components) => {
                let one: Option<Vec<i64>> =
                    bases.iter().zip(components).map(|(base, c)| self.value(c, *base, values)).collect();
                bag = self.colours(bases).into_iter().filter(|c| Some(c) != one.as_ref()).map(|c| (c, 1)).collect();
            }
        }
        bag
    }

    /// Returns the value of a component; `None` for all.
    pub(super) fn value(&self, component: &Component, base: usize, values: &[i64]) -> Option<i64> {
        match component {
            Component::Value(value) => Some(*value),
            Component::Variable(v) => Some(values[*v]),
            Component::Step(v, by) => Some(self.bases[base].step(values[*v], *by)),
            Component::All => None,
        }
    }

    pub(super) fn holds(&self, condition: &Condition, values: &[i64]) -> bool {
        match condition {
            Condition::Compare(op, v, other) => {
                let other = self.value(other, self.variables[*v], values).unwrap_or(0);
                compare(op, values[*v], other)
            }
            Condition::Parts(op, a, b) => {
                let part = |v: usize| self.parts[values[v] as usize];
                compare(op, part(*a), part(*b))
            }
            Condition::Connect(op, list) => {
                let mut truths = list.iter().map(|c| self.holds(c, values));
                match *op {
                    "and" => truths.all(|t| t),
                    "or" => truths.any(|t| t),
                    "not" => !truths.all(|t| t),
                    // The premise is false or the conclusion holds.
                    _ => !truths.next().unwrap_or(false) || truths.next().unwrap_or(false),
                }
            }
        }
    }
}

fn compare(op: &str, a: i64, b: i64) -> bool {
    match op {
        "equality" => a == b,
        "inequality" => a != b,
        "lessthan" | "ltp" => a < b,
        "lessthanorequal" => a <= b,
        "greaterthan" | "gtp" => a > b,
        _ => a >= b,
    }
}
