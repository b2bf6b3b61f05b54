//! Nets with delays of places: the dates of a token are its birth and the moment at which it
//! becomes available.
//!
//! A token that is only taken needs no such moment: it may become available as late as possible.
//! For tokens that inhibit or are tested the moment is a variable, because a token is available for
//! all transitions or for none.

use model::net::{Net, Transition};
use smt::{Real, Term, Terms, UpperBound};

use super::{
    super::{
        Event, StepSemantics,
        dates::{Dates, Style, at, within},
        high, is_instant, low,
    },
    NetFormula, StateValues,
};
use crate::code::Stop;

/// The tokens and their availability.
pub(super) struct Tokens {
    births: Dates,
    /// The moments at which the tokens of `shared` places become available.
    ready: Dates,
    /// The places whose tokens inhibit or are tested, and become available some time after birth.
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

    /// Encodes the initial tokens.
    pub(super) fn start(&mut self, base: &mut NetFormula<'_>) {
        for place in 0..base.net.places.len() {
            if self.shared[place] && base.net.places[place].tokens > 0 {
                let ready = self.readiness(base, place, base.last());
                self.ready.set(&mut base.terms, place, Term::TRUE, ready, &mut base.facts);
            }
        }
    }

    /// Returns a variable for the moment at which a token that is born now becomes available.
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

    /// Encodes the elapse of time, up to the moment at which a transition must fire.
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
            // A transition without inputs is always due, so time can't pass.
            if inputs.is_empty() {
                reasons.push(still);
            }
            let fact = base.terms.or(reasons);
            base.facts.push(fact);
        }
    }

    /// Returns the term "the token of a place inhibits a transition with these inputs from `then`
    /// on": it is available by then, or before the last input is. All inputs are marked.
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

    /// Encodes that shared tokens become available, before any firing.
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
            base.add_event(Event::Available(place as u32), becomes, Some(moment));
            let available = base.terms.or([self.available[place], switch]);
            self.bind(base, place, available, now);
            self.available[place] = available;
        }
    }

    /// Requires that a token is available only from its moment on and unavailable only until then.
    /// At its upper bound it is available.
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

    /// Makes the state of the tokens one of variables.
    pub(super) fn forget(&mut self, base: &mut NetFormula<'_>, state: &mut StateValues) {
        for place in 0..base.net.places.len() {
            if is_instant(base.net, place) {
                continue;
            }
            state.reals.push(self.births.forget(&mut base.terms, place, &mut base.facts));
            if self.shared[place] {
                state.reals.push(self.ready.forget(&mut base.terms, place, &mut base.facts));
                let available = base.terms.fresh();
                let same = base.terms.iff(available, self.available[place]);
                base.facts.push(same);
                self.available[place] = available;
                state.booleans.push(available);
            }
        }
    }

    fn fire(&mut self, base: &mut NetFormula<'_>, stop: &Stop<'_>) {
        let now = base.last();
        // If all transitions fire in the marking at the beginning of the step, none uses a token
        // that is born now.
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

    /// Returns the term "all inputs are available and no inhibitor is".
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

    /// Moves the tokens, and sets the births of new ones.
    fn take_effect(&mut self, base: &mut NetFormula<'_>, t: u32, fires: Term, now: Real) {
        base.take(t, fires);
        base.put(t, fires);
        for arc in &base.net.transitions[t as usize].puts {
            let place = arc.place as usize;
            self.births.set(&mut base.terms, place, fires, now, &mut base.facts);
            if self.shared[place] {
                let ready = self.readiness(base, place, now);
                self.ready.set(&mut base.terms, place, fires, ready, &mut base.facts);
                // A new token may be available at once if its delay may be zero.
                let delay = base.net.places[place].delay;
                let at_once = if (delay.low, delay.low_open) == (0, false) { base.terms.fresh() } else { Term::FALSE };
                let now_ready = base.terms.at_most(ready, now, 0);
                let fact = base.terms.implies(at_once, now_ready);
                base.facts.push(fact);
                self.available[place] = base.terms.ite(fires, at_once, self.available[place]);
                let born = base.terms.and([fires, at_once]);
                base.add_event(Event::Available(arc.place), born, None);
            }
        }
    }

    /// Returns the term "no transition ever fires, whichever tokens become available": an input is
    /// unmarked, or an inhibitor is available before all inputs can be.
    pub(super) fn deadlock(&mut self, base: &mut NetFormula<'_>) -> Term {
        let net = base.net;
        let mut parts = Vec::new();
        for transition in &net.transitions {
            let inputs: Vec<usize> =
                transition.takes.iter().chain(&transition.tests).map(|arc| arc.place as usize).collect();
            let mut reasons: Vec<Term> = inputs.iter().map(|p| !base.marked[*p]).collect();
            for arc in &transition.inhibitors {
                reasons.push(self.always_inhibits(base, arc.place as usize, &inputs));
            }
            parts.push(base.terms.or(reasons));
        }
        base.terms.and(parts)
    }

    /// Returns the term "the token of a place inhibits a transition with these inputs, whenever it
    /// becomes available": it is available, or at the latest when the last input can be.
    fn always_inhibits(&self, base: &mut NetFormula<'_>, place: usize, inputs: &[usize]) -> Term {
        let marked = base.marked[place];
        if !self.shared[place] || marked == Term::FALSE || inputs.contains(&place) {
            return marked;
        }
        let (net, now) = (base.net, base.last());
        let mut reasons = vec![self.available[place]];
        if let Some(high) = net.places[place].delay.high {
            let born = self.births.of(place);
            reasons.push(within(&mut base.terms, born, &at(now), UpperBound::at_most(-i64::from(high))));
            for input in inputs {
                let sooner = i64::from(net.places[*input].delay.low) - i64::from(high);
                reasons.push(within(&mut base.terms, born, self.births.of(*input), UpperBound::at_most(sooner)));
            }
        }
        let reason = base.terms.or(reasons);
        base.terms.and([marked, reason])
    }
}
