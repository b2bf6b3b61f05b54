//! Symbolic states.

use smt::{Real, Term, Terms};

use super::Encoder;
use crate::{
    guarded::{GuardedValue, Integer},
    relation::{Frame, unknown_moments},
};

/// Creates a variable with a guard for each value, and the constraints that exactly one guard
/// holds.
pub(super) fn number(terms: &mut Terms, name: &str, values: &[i32], demands: &mut Vec<Term>) -> Integer {
    match values {
        [] => {
            demands.push(Term::FALSE);
            Integer::known(0)
        }
        [value] => Integer::known(*value),
        [no, yes] => {
            let term = terms.boolean(format!("{name}={yes}"));
            GuardedValue::collect(terms, [(*no, !term), (*yes, term)])
        }
        _ if values.len() <= MAX_ONE_HOT_VALUES => {
            let all: Vec<(i32, Term)> = values.iter().map(|v| (*v, terms.boolean(format!("{name}={v}")))).collect();
            demands.push(terms.or(all.iter().map(|(_, term)| *term)));
            at_most_one(terms, all.iter().map(|(_, term)| *term), demands);
            GuardedValue::collect(terms, all)
        }
        _ => {
            // Larger domains are encoded in binary.
            let width = (usize::BITS - (values.len() - 1).leading_zeros()) as usize;
            let bits: Vec<Term> = (0..width).map(|bit| terms.boolean(format!("{name}.{bit}"))).collect();
            let code = |terms: &mut Terms, i: usize| {
                terms.and(bits.iter().enumerate().map(|(bit, term)| if i >> bit & 1 == 1 { *term } else { !*term }))
            };
            for i in values.len()..1 << width {
                let none = code(terms, i);
                demands.push(!none);
            }
            let all: Vec<(i32, Term)> = values.iter().enumerate().map(|(i, v)| (*v, code(terms, i))).collect();
            GuardedValue::collect(terms, all)
        }
    }
}

/// Variables with more values are encoded in binary.
const MAX_ONE_HOT_VALUES: usize = 32;

/// Requires that at most one term holds.
pub(crate) fn at_most_one(terms: &mut Terms, list: impl Iterator<Item = Term>, demands: &mut Vec<Term>) {
    let list: Vec<Term> = list.filter(|t| *t != Term::FALSE).collect();
    if list.len() <= 5 {
        for (i, a) in list.iter().enumerate() {
            for b in &list[..i] {
                let both = terms.and([*a, *b]);
                demands.push(!both);
            }
        }
        return;
    }
    let mut before = Term::FALSE;
    for term in list {
        let both = terms.and([before, term]);
        demands.push(!both);
        before = terms.or([before, term]);
    }
}

impl Encoder<'_> {
    /// Returns the initial state, which is constant.
    #[must_use]
    pub(super) fn initial_frame(&self, terms: &mut Terms, demands: &mut Vec<Term>) -> Frame {
        let zeros = self.system.clocks.iter().map(|clock| match clock.initial {
            0 => Real::ZERO,
            n => {
                let zero = terms.real(format!("{}@0", clock.name));
                let low = terms.at_most(zero, Real::ZERO, -i64::from(n));
                let high = terms.at_least(zero, Real::ZERO, -i64::from(n));
                demands.extend([low, high]);
                zero
            }
        });
        let row = self.system.initial.iter().map(|value| Integer::known(*value)).collect();
        Frame { row, zeros: zeros.collect(), now: Real::ZERO }
    }

    /// Returns a state whose variables range over their domains.
    #[must_use]
    pub(super) fn any_frame(&self, terms: &mut Terms, step: &str, demands: &mut Vec<Term>) -> Frame {
        let mut row = Vec::new();
        for slot in 0..self.domains.len() {
            let name = self.slot_name(slot, step);
            row.push(number(terms, &name, &self.domains[slot], demands));
        }
        let (zeros, now) = unknown_moments(terms, self.system, step, demands);
        Frame { row, zeros, now }
    }

    /// Returns the name of a variable at a step.
    pub(super) fn slot_name(&self, slot: usize, step: &str) -> String {
        match self.system.processes.get(slot) {
            Some(process) => format!("{}@{step}", process.name),
            None => format!("{}@{step}", self.system.slot_name(slot as u32)),
        }
    }
}
