//! Nets with intervals on transitions: the date of a transition is the moment of its enabling.

use model::net::{Interval, Net, Transition};
use smt::{Real, Term, Terms};

use super::{
    super::{
        dates::{Dates, Style, at, within},
        high, low,
    },
    NetFormula, StateValues,
};
use crate::{code::Stop, net::StepSemantics};

/// The moments at which transitions were enabled.
pub(super) struct Enablings {
    since: Dates,
    /// For each transition the timed transitions whose enabling depends on a place that it changes.
    touched: Vec<Vec<u32>>,
}

impl Enablings {
    pub(super) fn new(net: &Net, style: Style, start: Real) -> Enablings {
        let mut readers = vec![Vec::new(); net.places.len()];
        for (t, transition) in net.transitions.iter().enumerate() {
            if transition.interval == Interval::ANY {
                continue;
            }
            for arc in transition.takes.iter().chain(&transition.tests).chain(&transition.inhibitors) {
                readers[arc.place as usize].push(t as u32);
            }
        }
        let touched = |t: usize| {
            let changed = net.transitions[t].takes.iter().chain(&net.transitions[t].puts);
            let mut list: Vec<u32> = changed.flat_map(|arc| readers[arc.place as usize].iter().copied()).collect();
            list.retain(|other| *other != t as u32);
            list.sort_unstable();
            list.dedup();
            list
        };
        let n = net.transitions.len();
        Enablings { since: Dates::new(style, n, start), touched: (0..n).map(touched).collect() }
    }

    pub(super) fn step(&mut self, base: &mut NetFormula<'_>, stop: &Stop<'_>) {
        let net = base.net;
        let now = base.last();
        for (t, transition) in net.transitions.iter().enumerate() {
            if stop() {
                return;
            }
            if let Some(bound) = high(&transition.interval) {
                let enabled = enabled(base, t);
                if enabled != Term::FALSE {
                    let in_time = within(&mut base.terms, &at(now), self.since.of(t), bound);
                    let fact = base.terms.implies(enabled, in_time);
                    base.facts.push(fact);
                }
            }
        }
        // Independent transitions all fire in the marking at the beginning of the step: none of
        // them depends on the others.
        let start = (base.semantics != StepSemantics::Ordered).then(|| base.marked.clone());
        for t in base.order.clone() {
            if stop() {
                return;
            }
            let marked = start.as_ref().unwrap_or(&base.marked);
            let enabled = enabled_in(&mut base.terms, &net.transitions[t as usize], marked);
            let interval = net.transitions[t as usize].interval;
            let ripe = if interval == Interval::ANY || enabled == Term::FALSE {
                Term::TRUE
            } else {
                within(&mut base.terms, self.since.of(t as usize), &at(now), low(&interval))
            };
            let ready = base.terms.and([enabled, ripe]);
            if let Some(fires) = base.fire(t, ready) {
                self.take_effect(base, t, fires, now);
            }
        }
    }

    /// Makes the moments of enabling variables.
    pub(super) fn forget(&mut self, base: &mut NetFormula<'_>, state: &mut StateValues) {
        for (t, transition) in base.net.transitions.iter().enumerate() {
            if transition.interval != Interval::ANY {
                state.reals.push(self.since.forget(&mut base.terms, t, &mut base.facts));
            }
        }
    }

    /// Moves the tokens, and sets the dates of newly enabled transitions: those that are enabled
    /// after the firing, and were not enabled before it or between taking and putting tokens.
    fn take_effect(&mut self, base: &mut NetFormula<'_>, t: u32, fires: Term, now: Real) {
        let touched = &self.touched[t as usize];
        let before: Vec<Term> = touched.iter().map(|other| enabled(base, *other as usize)).collect();
        base.take(t, fires);
        let between: Vec<Term> = touched.iter().map(|other| enabled(base, *other as usize)).collect();
        base.put(t, fires);
        for (i, other) in touched.iter().enumerate() {
            let after = enabled(base, *other as usize);
            let kept = base.terms.and([before[i], between[i]]);
            let anew = base.terms.and([fires, after, !kept]);
            self.since.set(&mut base.terms, *other as usize, anew, now, &mut base.facts);
        }
        if base.net.transitions[t as usize].interval != Interval::ANY {
            self.since.set(&mut base.terms, t as usize, fires, now, &mut base.facts);
        }
    }

    /// Returns the term "no transition is enabled": an enabled one fires sooner or later.
    pub(super) fn deadlock(&mut self, base: &mut NetFormula<'_>) -> Term {
        let enabled: Vec<Term> = (0..base.net.transitions.len()).map(|t| enabled(base, t)).collect();
        !base.terms.or(enabled)
    }
}

/// Returns the term "the current marking enables a transition".
fn enabled(base: &mut NetFormula<'_>, t: usize) -> Term {
    enabled_in(&mut base.terms, &base.net.transitions[t], &base.marked)
}

/// Returns the term "a marking enables a transition".
fn enabled_in(terms: &mut Terms, transition: &Transition, marked: &[Term]) -> Term {
    let there = transition.takes.iter().chain(&transition.tests).map(|arc| marked[arc.place as usize]);
    let absent = transition.inhibitors.iter().map(|arc| !marked[arc.place as usize]);
    terms.and(there.chain(absent))
}
