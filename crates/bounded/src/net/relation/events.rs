//! The events of a step and their effects.

use model::net::{Arc, Interval, Timing};
use smt::{Real, Term, Terms, UpperBound};

use super::{NetRelation, enabled};
use crate::{
    automata::at_most_one,
    net::low,
    relation::{Demands, Frame, SymbolicTransition},
};

/// Which event happens: a transition fires, or the token with a timer becomes available.
pub(super) struct SymbolicEvents<'t> {
    pub fires: &'t [Term],
    pub matures: &'t [Term],
}

/// The variables after an event.
pub(super) struct AfterEvent {
    pub marked: Vec<Term>,
    pub ready: Vec<Term>,
}

impl NetRelation<'_> {
    /// Returns the events of a step.
    pub(super) fn events<'t>(&self, taken: &'t SymbolicTransition) -> SymbolicEvents<'t> {
        let (fires, matures) = taken.edges.split_at(self.net.transitions.len());
        SymbolicEvents { fires, matures }
    }

    /// Returns the term "all inputs of a transition are available and no inhibitor is".
    fn able(&self, terms: &mut Terms, frame: &Frame, t: usize) -> Term {
        let t = &self.net.transitions[t];
        let there = t.takes.iter().chain(&t.tests).map(|arc| self.available(frame, arc.place));
        terms.and(there.chain(t.inhibitors.iter().map(|arc| !self.available(frame, arc.place))))
    }

    /// Returns the term "a transition must fire before time passes, whatever clocks say".
    pub(super) fn urgent(&self, terms: &mut Terms, frame: &Frame) -> Term {
        let has_timer = |t: &usize| self.timers.get(*t).is_some_and(Option::is_some);
        let is_urgent = |t: &usize| match self.net.timing {
            Timing::Places => true,
            _ => self.net.transitions[*t].interval == Interval::NOW && !has_timer(t),
        };
        let all = (0..self.net.transitions.len()).filter(is_urgent);
        let able: Vec<Term> = all.map(|t| self.able(terms, frame, t)).collect();
        terms.or(able)
    }

    /// Returns the term "a transition can fire at a moment", apart from priorities.
    fn can_fire(&self, terms: &mut Terms, frame: &Frame, then: Real, t: usize) -> Term {
        let mut parts = vec![self.able(terms, frame, t)];
        let transition = &self.net.transitions[t];
        match (self.net.timing, self.timers.get(t).copied().flatten()) {
            (Timing::Places, _) => {
                // A token that waits at its upper bound is available at that moment.
                for arc in &transition.inhibitors {
                    let delay = self.net.places[arc.place as usize].delay;
                    if let (Some(timer), Some(high), false) =
                        (self.timers[arc.place as usize], delay.high, delay.high_open)
                    {
                        let waits = terms.difference(then, frame.zeros[timer], UpperBound::below(i64::from(high)));
                        parts.push(terms.or([!self.marked(frame, arc.place), waits]));
                    }
                }
            }
            (_, Some(timer)) => parts.push(terms.difference(frame.zeros[timer], then, low(&transition.interval))),
            (_, None) => {}
        }
        terms.and(parts)
    }

    /// Returns variables for the events that are possible at a moment. Exactly one happens.
    pub(super) fn choose(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        name: &str,
        step: &mut Demands,
    ) -> Vec<Term> {
        let mut choices = Vec::new();
        let choice = |terms: &mut Terms, possible: Term, name: String| match possible {
            Term::FALSE => (Term::FALSE, Term::TRUE),
            possible => {
                let choice = terms.boolean(name);
                (choice, terms.implies(choice, possible))
            }
        };
        for t in 0..self.net.transitions.len() {
            let mut possible = self.can_fire(terms, frame, then, t);
            for higher in &self.higher[t] {
                let other = self.can_fire(terms, frame, then, *higher as usize);
                possible = terms.and([possible, !other]);
            }
            let (chosen, fact) = choice(terms, possible, format!("{}@{name}", self.net.transitions[t].written));
            choices.push(chosen);
            step.all.push(fact);
        }
        for (place, timer) in self.timed().filter(|_| self.net.timing == Timing::Places) {
            let place = &self.net.places[place];
            let old = terms.difference(frame.zeros[timer], then, low(&place.delay));
            let possible = terms.and([Self::waits(frame, timer), old]);
            let (chosen, fact) = choice(terms, possible, format!("{} matures@{name}", place.written));
            choices.push(chosen);
            step.all.push(fact);
        }
        step.all.push(terms.or(choices.iter().copied()));
        at_most_one(terms, choices.iter().copied(), &mut step.all);
        choices
    }

    /// Returns the terms "a place loses a token by a firing", and "it gets one".
    fn moves(&self, terms: &mut Terms, fires: &[Term]) -> (Vec<Term>, Vec<Term>) {
        let mut lists = [vec![Vec::new(); self.net.places.len()], vec![Vec::new(); self.net.places.len()]];
        for (t, fires) in self.net.transitions.iter().zip(fires).filter(|(_, fires)| **fires != Term::FALSE) {
            t.takes.iter().for_each(|arc| lists[0][arc.place as usize].push(*fires));
            t.puts.iter().for_each(|arc| lists[1][arc.place as usize].push(*fires));
        }
        let [takes, puts] = lists.map(|lists| lists.into_iter().map(|list| terms.or(list)).collect());
        (takes, puts)
    }

    /// Returns the marking and the availability of tokens after an event. A token that is put on a
    /// marked place is a fault.
    pub(super) fn after(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        events: &SymbolicEvents<'_>,
        step: &mut Demands,
    ) -> AfterEvent {
        for (t, fires) in self.net.transitions.iter().zip(events.fires) {
            let takes = |arc: &&Arc| t.takes.iter().any(|other| other.place == arc.place);
            let full = t.puts.iter().filter(|arc| !takes(arc)).map(|arc| self.marked(frame, arc.place));
            let full = terms.or(full.collect::<Vec<Term>>());
            step.faults.push(terms.and([*fires, full]));
        }
        let (takes, puts) = self.moves(terms, events.fires);
        let mut marked = Vec::new();
        for (place, (takes, puts)) in (0..).zip(takes.iter().zip(&puts)) {
            let stays = terms.and([self.marked(frame, place), !*takes]);
            marked.push(terms.or([stays, *puts]));
        }
        let mut ready = Vec::new();
        for (place, timer) in self.timed().filter(|_| self.net.timing == Timing::Places) {
            let yes = terms.or([self.ready(frame, timer), events.matures[timer - 1]]);
            ready.push(terms.and([yes, !takes[place], !puts[place]]));
        }
        AfterEvent { marked, ready }
    }

    /// Returns for each timer whether an event resets its clock, given the marking after it: a
    /// token is born; or a transition is enabled, and was not before the firing, or between taking
    /// and putting tokens, or has fired itself.
    pub(super) fn resets(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        events: &SymbolicEvents<'_>,
        after: &[Term],
    ) -> Vec<Term> {
        let (takes, puts) = self.moves(terms, events.fires);
        if self.net.timing == Timing::Places {
            return self.timed().map(|(place, _)| puts[place]).collect();
        }
        let before = self.marking(frame);
        let between: Vec<Term> = before.iter().zip(takes).map(|(m, takes)| terms.and([*m, !takes])).collect();
        let mut resets = Vec::new();
        for (t, _) in self.timed() {
            let transition = &self.net.transitions[t];
            let [was, stayed, is] = [&before[..], &between, after].map(|marked| enabled(terms, transition, marked));
            let kept = terms.and([was, stayed, !events.fires[t]]);
            resets.push(terms.and([is, !kept]));
        }
        resets
    }
}
