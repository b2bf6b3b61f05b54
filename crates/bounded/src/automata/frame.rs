//! States as variables.

use smt::{Real, Term, Terms};

use super::Encoder;
use crate::choice::{GuardedValue, Integer};

/// A state, right behind a transition.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The numbers of the row.
    pub row: Vec<Integer>,
    /// The moment at which each clock was zero, or would have been. That of the reference is not
    /// used.
    pub zeros: Vec<Real>,
    /// The moment of the state.
    pub now: Real,
}

impl Frame {
    /// The moment at which a clock was zero; for the reference that is always now.
    pub(super) fn moment(&self, clock: u32, now: Real) -> Real {
        if clock == 0 { now } else { self.zeros[clock as usize] }
    }
}

/// A number with a term for each value, and what makes it one: that exactly one of them holds.
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
        _ if values.len() <= MOST_OF_ONE => {
            let all: Vec<(i32, Term)> = values.iter().map(|v| (*v, terms.boolean(format!("{name}={v}")))).collect();
            demands.push(terms.or(all.iter().map(|(_, term)| *term)));
            at_most_one(terms, all.iter().map(|(_, term)| *term), demands);
            GuardedValue::collect(terms, all)
        }
        _ => {
            // So many values are counted in binary.
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

/// Numbers with more values are written in binary.
const MOST_OF_ONE: usize = 32;

/// At most one of these holds.
pub(super) fn at_most_one(terms: &mut Terms, list: impl Iterator<Item = Term>, demands: &mut Vec<Term>) {
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
    /// The state at the start, whose numbers are known.
    #[must_use]
    pub(crate) fn start(&self, terms: &mut Terms, demands: &mut Vec<Term>) -> Frame {
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

    /// Any state: each number is one of its values.
    #[must_use]
    pub(crate) fn any(&self, terms: &mut Terms, step: &str, demands: &mut Vec<Term>) -> Frame {
        let mut row = Vec::new();
        for slot in 0..self.domains.len() {
            let name = self.slot_name(slot, step);
            row.push(number(terms, &name, &self.domains[slot], demands));
        }
        let zeros = self.system.clocks.iter().map(|clock| terms.real(format!("{}@{step}", clock.name))).collect();
        let now = terms.real(format!("now@{step}"));
        let frame = Frame { row, zeros, now };
        // No clock is negative.
        for zero in &frame.zeros[1..] {
            demands.push(terms.at_most(*zero, now, 0));
        }
        frame
    }

    /// What a number of the row is called, at a step.
    pub(super) fn slot_name(&self, slot: usize, step: &str) -> String {
        match self.system.processes.get(slot) {
            Some(process) => format!("{}@{step}", process.name),
            None => format!("{}@{step}", self.system.slot_name(slot as u32)),
        }
    }
}
