//! Places with delays: what has a date is the birth of each token, and the moment at which it
//! becomes available.
//!
//! Availability is as late as possible where that is all that matters: a token that is only ever
//! taken makes nothing happen earlier than it must. Where tokens inhibit, or are tested and stay,
//! the moment is a variable of its own, because one token is available for all transitions or for
//! none.

use model::net::{Net, Transition};
use smt::{Real, Solver, Term, Terms, UpperBound};

use super::{
    super::{
        Event, Moment, StepSemantics,
        dates::{Dates, Style, at, within},
        high, is_instant, low,
    },
    NetFormula,
};
use crate::code::Stop;

/// Tokens and when they become available.
pub(super) struct Tokens {
    births: Dates,
    /// When the token of a place becomes available, for places that are `shared`.
    ready: Dates,
    /// Places whose tokens inhibit or are tested, and become available some time after their birth.
    shared: Vec<bool>,
    /// Whether the token of a shared place is available.
    available: Vec<Term>,
}

impl Tokens {
    pub(super) fn new(net: &Net, style: Style, start: Real) -> Tokens {
        let mut shared = vec![false; net.places.len()];
        for t in &net.transitions {
            for arc in t.inhibitors.iter().chain(&t.tests) {
                shared[arc.place as usize] = !is_instant(net, arc.place as usize);
            }
        }
        Tokens {
            births: Dates::new(style, net.places.len(), start),
            ready: Dates::new(style, net.places.len(), start),
            available: shared.iter().map(|shared| Term::constant(!shared)).collect(),
            shared,
        }
    }

    /// The tokens of the start.
    pub(super) fn start(&mut self, base: &mut NetFormula<'_>) {
        for place in 0..base.net.places.len() {
            if self.shared[place] && base.net.places[place].tokens > 0 {
                let ready = self.readiness(base, place, base.last());
                self.ready.set(&mut base.terms, place, Term::TRUE, ready, &mut base.facts);
            }
        }
    }

    /// A variable for the moment when a token that is born now becomes available.
    fn readiness(&self, base: &mut NetFormula<'_>, place: usize, now: Real) -> Real {
        let delay = base.net.places[place].delay;
        let name = format!("{}#{}", base.net.places[place].written, base.now.len() - 1);
        let ready = base.terms.real(name);
        let not_before = base.terms.difference(now, ready, low(&delay));
        base.facts.push(not_before);
        if let Some(bound) = high(&delay) {
            let not_after = base.terms.difference(ready, now, bound);
            base.facts.push(not_after);
        }
        ready
    }

    pub(super) fn step(&mut self, base: &mut NetFormula<'_>, stop: &Stop<'_>) {
        self.elapse(base, stop);
        self.switch(base, stop);
        self.fire(base, stop);
    }

    /// Time passes, but not beyond the moment when a transition has to fire.
    fn elapse(&mut self, base: &mut NetFormula<'_>, stop: &Stop<'_>) {
        let net = base.net;
        let (before, now) = (base.now[base.now.len() - 2], base.last());
        let still = base.terms.at_most(now, before, 0);
        'transitions: for transition in &net.transitions {
            if stop() {
                return;
            }
            let inputs: Vec<usize> =
                transition.takes.iter().chain(&transition.tests).map(|arc| arc.place as usize).collect();
            if inputs.iter().any(|p| base.marked[*p] == Term::FALSE) {
                continue;
            }
            let mut reasons: Vec<Term> = inputs.iter().map(|p| !base.marked[*p]).collect();
            for place in &inputs {
                reasons.push(if self.shared[*place] {
                    within(&mut base.terms, &at(now), self.ready.of(*place), UpperBound::at_most(0))
                } else {
                    let Some(bound) = high(&net.places[*place].delay) else { continue 'transitions };
                    within(&mut base.terms, &at(now), self.births.of(*place), bound)
                });
            }
            if !transition.inhibitors.is_empty() {
                reasons.push(still);
                for arc in &transition.inhibitors {
                    reasons.push(self.inhibits(base, arc.place as usize, &inputs, before));
                }
            }
            // What needs no tokens fires again and again, and time stands still.
            if inputs.is_empty() {
                reasons.push(still);
            }
            let fact = base.terms.or(reasons);
            base.facts.push(fact);
        }
    }

    /// Whether the token of a place stops a transition with these inputs, all of them marked, from
    /// then on: it is available by then, or before the last of the inputs is.
    fn inhibits(&self, base: &mut NetFormula<'_>, place: usize, inputs: &[usize], then: Real) -> Term {
        let marked = base.marked[place];
        if !self.shared[place] || marked == Term::FALSE {
            return marked;
        }
        let ready = self.ready.of(place);
        let mut reasons = vec![within(&mut base.terms, ready, &at(then), UpperBound::at_most(0))];
        for input in inputs {
            let delay = base.net.places[*input].delay;
            reasons.push(if self.shared[*input] {
                within(&mut base.terms, ready, self.ready.of(*input), UpperBound::at_most(0))
            } else if let Some(bound) = high(&delay) {
                within(&mut base.terms, ready, self.births.of(*input), bound)
            } else {
                Term::TRUE
            });
        }
        let reason = base.terms.or(reasons);
        base.terms.and([marked, reason])
    }

    /// Shared tokens become available, before anything fires.
    fn switch(&mut self, base: &mut NetFormula<'_>, stop: &Stop<'_>) {
        let now = base.last();
        for place in 0..base.net.places.len() {
            if stop() {
                return;
            }
            let marked = base.marked[place];
            if !self.shared[place] || marked == Term::FALSE {
                continue;
            }
            let switch = base.terms.fresh();
            let becomes = base.terms.and([marked, !self.available[place], switch]);
            let moment = self.ready.of(place).clone();
            base.note(Event::Available(place as u32), becomes, Some(moment));
            let available = base.terms.or([self.available[place], switch]);
            self.bind(base, place, available, now);
            self.available[place] = available;
        }
    }

    /// A token is available only from its moment on, and not available only until then. At its
    /// upper bound it is available.
    fn bind(&self, base: &mut NetFormula<'_>, place: usize, available: Term, now: Real) {
        let (marked, ready) = (base.marked[place], self.ready.of(place));
        let yes = within(&mut base.terms, ready, &at(now), UpperBound::at_most(0));
        let mut no = vec![within(&mut base.terms, &at(now), ready, UpperBound::at_most(0))];
        if let Some(high) = base.net.places[place].delay.high {
            no.push(within(&mut base.terms, &at(now), self.births.of(place), UpperBound::below(i64::from(high))));
        }
        let no = base.terms.and(no);
        let facts = [base.terms.or([!marked, !available, yes]), base.terms.or([!marked, available, no])];
        base.facts.extend(facts);
    }

    fn fire(&mut self, base: &mut NetFormula<'_>, stop: &Stop<'_>) {
        let now = base.last();
        // Where all fire in the marking at the beginning, none sees a token that is born now; the
        // dates of the others are what they were.
        let start = (base.semantics != StepSemantics::Ordered).then(|| (base.marked.clone(), self.available.clone()));
        for t in base.order.clone() {
            if stop() {
                return;
            }
            let (marked, available) = match &start {
                Some((marked, available)) => (marked, available),
                None => (&base.marked, &self.available),
            };
            let ready =
                self.is_ready(&mut base.terms, &base.net.transitions[t as usize], base.net, marked, available, now);
            if let Some(fires) = base.fire(t, ready) {
                self.take_effect(base, t, fires, now);
            }
        }
    }

    /// Whether all inputs are available and no inhibitor is.
    fn is_ready(
        &self,
        terms: &mut Terms,
        transition: &Transition,
        net: &Net,
        marked: &[Term],
        available: &[Term],
        now: Real,
    ) -> Term {
        let mut parts = Vec::new();
        for arc in transition.takes.iter().chain(&transition.tests) {
            let place = arc.place as usize;
            if marked[place] == Term::FALSE {
                return Term::FALSE;
            }
            parts.push(marked[place]);
            let delay = net.places[place].delay;
            if self.shared[place] {
                parts.push(available[place]);
            } else if (delay.low, delay.low_open) != (0, false) {
                parts.push(within(terms, self.births.of(place), &at(now), low(&delay)));
            }
        }
        for arc in &transition.inhibitors {
            let place = arc.place as usize;
            parts.push(!terms.and([marked[place], available[place]]));
        }
        terms.and(parts)
    }

    /// Moves the tokens, and gives those that are put a birth.
    fn take_effect(&mut self, base: &mut NetFormula<'_>, t: u32, fires: Term, now: Real) {
        base.take(t, fires);
        base.put(t, fires);
        for arc in &base.net.transitions[t as usize].puts {
            let place = arc.place as usize;
            self.births.set(&mut base.terms, place, fires, now, &mut base.facts);
            if self.shared[place] {
                let ready = self.readiness(base, place, now);
                self.ready.set(&mut base.terms, place, fires, ready, &mut base.facts);
                // What is born now may be available now, if its delay may be nothing.
                let delay = base.net.places[place].delay;
                let at_once = if (delay.low, delay.low_open) == (0, false) { base.terms.fresh() } else { Term::FALSE };
                let now_ready = base.terms.at_most(ready, now, 0);
                let fact = base.terms.implies(at_once, now_ready);
                base.facts.push(fact);
                self.available[place] = base.terms.ite(fires, at_once, self.available[place]);
                let born = base.terms.and([fires, at_once]);
                base.note(Event::Available(arc.place), born, None);
            }
        }
    }

    /// Nothing fires any more, although all tokens become available: a token is missing, or another
    /// inhibits in time.
    pub(super) fn deadlock(&mut self, base: &mut NetFormula<'_>) -> Term {
        let net = base.net;
        let now = base.last();
        let mut parts = Vec::new();
        for transition in &net.transitions {
            let inputs: Vec<usize> =
                transition.takes.iter().chain(&transition.tests).map(|arc| arc.place as usize).collect();
            let mut reasons: Vec<Term> = inputs.iter().map(|p| !base.marked[*p]).collect();
            for arc in &transition.inhibitors {
                reasons.push(self.inhibits(base, arc.place as usize, &inputs, now));
            }
            parts.push(base.terms.or(reasons));
        }
        base.terms.and(parts)
    }

    /// The tokens whose moment is still to come.
    pub(super) fn later(&self, base: &NetFormula<'_>, solver: &mut dyn Solver) -> Vec<(Moment, u32)> {
        let mut later = Vec::new();
        for place in (0..base.net.places.len()).filter(|place| self.shared[*place]) {
            let waits =
                solver.holds(&base.terms, base.marked[place]) && !solver.holds(&base.terms, self.available[place]);
            if waits && let Some(at) = base.moment_of(solver, self.ready.of(place)) {
                later.push((at, place as u32));
            }
        }
        later
    }
}
