//! The formulas of the paper: Igawa, Yokogawa, Amasaki, Kondo, Sato, Arimoto, *Symbolic
//! Representation of Time Petri Nets for Efficient Bounded Model Checking* (2020), and those in
//! linear arithmetic that it compares itself with (2015).
//!
//! A step is an elapse of time, then a firing of each transition in turn, or none. The elapse is
//! constrained only by the state before it: no firing may be due *then*. Firings that become due
//! during the elapse are ignored, so a solution need not be a run; but a net without a solution has
//! no run. The smallest example has two places [0,1] and [5,6], each with its own transition. One
//! step fires the second transition and leaves the first place marked, although its token is due
//! four time units earlier.
//!
//! Without replacing, a state has new variables after each elapse and each firing, most of them
//! equal to the previous ones. [`Replacing`] uses the previous variables instead.
//!
//! In the paper the start time is free, while tokens are born at 0; here they are born at the
//! start.

use model::net::{Interval, Net, Timing, Transition};
use smt::{Real, Solver, Term, Terms, UpperBound};

use super::{
    Contact, Event, Moment, NetRun, NetUnrolling, high, low, order,
    sizes::{FormulaSize, Leaves},
};
use crate::{Unsupported, code::Stop};

/// Which variables are replaced by others of the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replacing {
    /// None: a state has new variables after each elapse and each firing.
    Nothing,
    /// The paper's procedure: variables that an elapse or a firing leaves unchanged.
    Unchanged,
    /// Also variables with a known value, such as those of the initial state. A variable is created
    /// only if a transition can fire.
    Constants,
}

/// An encoding of the paper.
pub struct Paper<'a> {
    net: &'a Net,
    /// Whether dates are ages instead of births.
    linear: bool,
    replacing: Replacing,
    order: Vec<u32>,
    terms: Terms,
    facts: Vec<Term>,
    state: PaperState,
    start: Real,
    events: Vec<(Real, Vec<(u32, Term)>)>,
    leaves: Leaves,
    variables: u64,
}

/// The variables of a state.
#[derive(Clone)]
struct PaperState {
    marked: Vec<Term>,
    /// Births, or ages.
    dates: Vec<Real>,
    /// The time; the delay of the last step for ages.
    now: Real,
}

impl<'a> Paper<'a> {
    /// Creates a formula without steps, in linear arithmetic or in difference logic. The net must
    /// be [`super::supported`].
    ///
    /// # Errors
    /// The net has no intervals on places.
    pub fn new(net: &'a Net, linear: bool, replacing: Replacing) -> Result<Paper<'a>, Unsupported> {
        if net.timing != Timing::Places {
            return Err(Unsupported::NoPlaceIntervals);
        }
        let mut paper = Paper {
            net,
            linear,
            replacing,
            order: order(net),
            terms: Terms::new(),
            facts: Vec::new(),
            state: PaperState { marked: Vec::new(), dates: Vec::new(), now: Real::ZERO },
            start: Real::ZERO,
            events: Vec::new(),
            leaves: Leaves::default(),
            variables: 0,
        };
        let birth = if linear {
            Real::ZERO
        } else {
            paper.start = paper.number("c");
            paper.state.now = paper.start;
            paper.start
        };
        for place in &net.places {
            let token = Term::constant(place.tokens > 0);
            if replacing != Replacing::Constants {
                let (marked, date) = (paper.truth(), paper.number("z"));
                paper.state.marked.push(marked);
                paper.state.dates.push(date);
                let fact = paper.terms.iff(marked, token);
                paper.facts.push(fact);
                paper.equal(date, birth);
            } else {
                paper.state.marked.push(token);
                paper.state.dates.push(birth);
            }
        }
        Ok(paper)
    }

    fn truth(&mut self) -> Term {
        self.variables += 1;
        self.terms.fresh()
    }

    fn number(&mut self, kind: &str) -> Real {
        self.variables += 1;
        self.terms.real(format!("{kind}{}", self.terms.reals()))
    }

    fn equality(&mut self, a: Real, b: Real) -> Term {
        let t = self.terms.equal(a, b);
        self.leaves.count_as_one(t);
        t
    }

    fn equal(&mut self, a: Real, b: Real) {
        let t = self.equality(a, b);
        self.facts.push(t);
    }

    /// Returns "the age is at least a number", as a bound on the negated age.
    fn older(&mut self, place: usize, at: UpperBound) -> Term {
        let (left, right) =
            if self.linear { (Real::ZERO, self.state.dates[place]) } else { (self.state.dates[place], self.state.now) };
        self.terms.difference(left, right, at)
    }

    /// Returns the term "there is a token that may be available".
    fn may(&mut self, place: usize) -> Term {
        let older = self.older(place, low(&self.net.places[place].delay));
        self.terms.and([self.state.marked[place], older])
    }

    /// Returns the term "there is a token that must be available".
    fn must(&mut self, place: usize) -> Term {
        let Some(bound) = high(&self.net.places[place].delay) else { return Term::FALSE };
        let older = self.older(place, UpperBound::at_most(-bound.value));
        self.terms.and([self.state.marked[place], older])
    }

    fn inputs(transition: &Transition) -> impl Iterator<Item = usize> {
        transition.takes.iter().chain(&transition.tests).map(|arc| arc.place as usize)
    }

    /// En of the paper: a transition must fire.
    fn enabled(&mut self, transition: &Transition) -> Term {
        let mut parts: Vec<Term> = Paper::inputs(transition).map(|p| self.must(p)).collect();
        parts.extend(transition.inhibitors.iter().map(|arc| !self.may(arc.place as usize)));
        self.terms.and(parts)
    }

    /// Ds of the paper, negated: a transition can fire.
    fn can_fire(&mut self, transition: &Transition) -> Term {
        let mut parts: Vec<Term> = Paper::inputs(transition).map(|p| self.may(p)).collect();
        parts.extend(transition.inhibitors.iter().map(|arc| !self.must(arc.place as usize)));
        self.terms.and(parts)
    }

    fn nothing_due(&mut self) -> Term {
        let net = self.net;
        let parts: Vec<Term> = net.transitions.iter().map(|t| !self.enabled(t)).collect();
        self.terms.and(parts)
    }

    /// C of the paper: time elapses.
    fn elapse(&mut self) {
        let idle = self.nothing_due();
        let (passes, stays) = if self.linear {
            let delay = self.number("d");
            self.state.now = delay;
            let zero = self.equality(delay, Real::ZERO);
            (self.terms.difference(Real::ZERO, delay, UpperBound::below(0)), zero)
        } else {
            let (before, now) = (self.state.now, self.number("c"));
            self.state.now = now;
            let zero = self.equality(now, before);
            (self.terms.difference(before, now, UpperBound::below(0)), zero)
        };
        let (mut passing, mut staying) = (vec![passes, idle], vec![stays]);
        for place in 0..self.net.places.len() {
            if self.replacing == Replacing::Nothing {
                self.keep_marking(place);
                if !self.linear {
                    self.keep_date(place);
                }
            }
            if self.linear && self.state.marked[place] != Term::FALSE {
                let old = self.state.dates[place];
                let grows = self.age(place);
                if self.replacing == Replacing::Constants {
                    self.facts.push(grows);
                } else {
                    // The paper writes both cases out, although one equation covers both.
                    passing.push(grows);
                    staying.push(self.equality(self.state.dates[place], old));
                }
            }
        }
        let (passing, staying) = (self.terms.and(passing), self.terms.and(staying));
        let fact = self.terms.or([passing, staying]);
        self.facts.push(fact);
    }

    /// Gives a place a new age. Returns the term "it is the old one and the delay".
    fn age(&mut self, place: usize) -> Term {
        let (old, new) = (self.state.dates[place], self.number("z"));
        let sum = [(1, new), (-1, old), (-1, self.state.now)];
        let (low, high) = (
            self.terms.linear(sum, UpperBound::at_most(0)),
            self.terms.linear(sum.map(|(factor, x)| (-factor, x)), UpperBound::at_most(0)),
        );
        let grows = self.terms.and([low, high]);
        self.leaves.count_as_one(grows);
        self.state.dates[place] = new;
        grows
    }

    fn keep_marking(&mut self, place: usize) {
        let new = self.truth();
        let fact = self.terms.iff(new, self.state.marked[place]);
        self.facts.push(fact);
        self.state.marked[place] = new;
    }

    fn keep_date(&mut self, place: usize) {
        let new = self.number("z");
        self.equal(new, self.state.dates[place]);
        self.state.dates[place] = new;
    }

    /// F of the paper: a transition fires, or nothing changes.
    fn fire(&mut self, t: u32) -> Option<Term> {
        let net = self.net;
        let transition = &net.transitions[t as usize];
        let can = self.can_fire(transition);
        if can == Term::FALSE && self.replacing == Replacing::Constants {
            return None;
        }
        let keeps_all = self.replacing == Replacing::Nothing;
        if keeps_all && !self.linear {
            let new = self.number("c");
            self.equal(new, self.state.now);
            self.state.now = new;
        }
        let (mut fires, mut rests) = (vec![can], Vec::new());
        let now = if self.linear { Real::ZERO } else { self.state.now };
        let puts = |place: usize| transition.puts.iter().any(|arc| arc.place as usize == place);
        let takes = |place: usize| transition.takes.iter().any(|arc| arc.place as usize == place);
        let changed: Vec<usize> = if keeps_all {
            (0..net.places.len()).collect()
        } else {
            let mut all: Vec<usize> =
                transition.takes.iter().chain(&transition.puts).map(|arc| arc.place as usize).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        for place in changed {
            if puts(place) || takes(place) {
                let (old, new) = (self.state.marked[place], self.truth());
                fires.push(if puts(place) { new } else { !new });
                rests.push(self.terms.iff(new, old));
                self.state.marked[place] = new;
            } else {
                self.keep_marking(place);
            }
            if puts(place) {
                let (old, new) = (self.state.dates[place], self.number("z"));
                fires.push(self.equality(new, now));
                rests.push(self.equality(new, old));
                self.state.dates[place] = new;
            } else if keeps_all {
                self.keep_date(place);
            }
        }
        let (fires, rests) = (self.terms.and(fires), self.terms.and(rests));
        let fact = self.terms.or([fires, rests]);
        self.facts.push(fact);
        Some(self.terms.and([fires, !rests]))
    }
}

impl NetUnrolling for Paper<'_> {
    fn step(&mut self, stop: &Stop<'_>) {
        self.elapse();
        let now = self.state.now;
        let mut events = Vec::new();
        for t in self.order.clone() {
            if stop() {
                return;
            }
            if let Some(fires) = self.fire(t) {
                events.push((t, fires));
            }
        }
        self.events.push((now, events));
    }

    fn net(&self) -> &Net {
        self.net
    }

    fn steps(&self) -> usize {
        self.events.len()
    }

    fn facts(&mut self) -> Vec<Term> {
        let facts = std::mem::take(&mut self.facts);
        for fact in &facts {
            self.leaves.add(&self.terms, *fact);
        }
        facts
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn marked(&self, place: usize) -> Term {
        self.state.marked[place]
    }

    fn time(&self) -> Option<(Real, Real)> {
        (!self.linear).then_some((self.state.now, self.start))
    }

    /// R_d of the paper: no firing is due, and every token must be available.
    fn deadlock(&mut self) -> Term {
        let mut parts = vec![self.nothing_due()];
        for place in 0..self.net.places.len() {
            let must = match self.net.places[place].delay {
                Interval { high: Some(high), .. } => self.older(place, UpperBound::at_most(-i64::from(high))),
                Interval { high: None, .. } => Term::FALSE,
            };
            parts.push(self.terms.implies(self.state.marked[place], must));
        }
        self.terms.and(parts)
    }

    /// Solutions of these formulas need not be runs, so a contact proves nothing.
    fn contacts(&self) -> &[Contact] {
        &[]
    }

    /// Counts literals, equalities of two Boolean variables, and constraints on reals, with
    /// repetitions.
    fn size(&self, query: Term) -> Option<FormulaSize> {
        let constraints = self.leaves.total + self.leaves.count(&self.terms, query);
        Some(FormulaSize { variables: self.variables, constraints })
    }

    fn run(&self, solver: &mut dyn Solver, _: Option<&Contact>) -> NetRun {
        let mut events = Vec::new();
        let mut end: Moment = (0, 1);
        for (now, possible) in &self.events {
            let now = solver.real(&self.terms, *now);
            end = if self.linear {
                super::sum(end, now)
            } else {
                super::difference(now, solver.real(&self.terms, self.start))
            };
            for (t, when) in possible {
                if solver.holds(&self.terms, *when) {
                    events.push((end, Event::Fires(*t)));
                }
            }
        }
        NetRun { events, end }
    }
}
