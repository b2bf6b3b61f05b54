//! The exact encodings: solutions are exactly the runs of a net.

mod places;
mod transitions;

use model::net::{Arc, Net, Timing};
use smt::{Real, Solver, Term, Terms};

use self::{places::Tokens, transitions::Enablings};
use super::{
    Contact, Event, FormulaSize, Moment, NetRun, NetUnrolling, StepSemantics,
    dates::{Date, Style},
    difference, order,
};
use crate::code::Stop;

/// An exact encoding of a net.
pub(super) struct Exact<'a> {
    base: NetFormula<'a>,
    timed: Timed,
}

/// The part that is common to both kinds of timing.
struct NetFormula<'a> {
    net: &'a Net,
    terms: Terms,
    facts: Vec<Term>,
    semantics: StepSemantics,
    order: Vec<u32>,
    /// The time of the start and of each step.
    now: Vec<Real>,
    /// Whether each place has a token.
    marked: Vec<Term>,
    /// The possible events of each step, in order.
    events: Vec<Vec<PossibleEvent>>,
    /// The contacts of the last step.
    contacts: Vec<Contact>,
}

/// A possible event of a step.
struct PossibleEvent {
    event: Event,
    /// Whether it happens.
    when: Term,
    /// Its moment, if that is not the time of the step.
    at: Option<Date>,
}

/// The elements that have dates.
enum Timed {
    /// Tokens.
    Places(Tokens),
    /// The enabling of transitions.
    Transitions(Enablings),
}

impl<'a> Exact<'a> {
    /// Creates a formula without steps. Dates are cases over the times of steps (`events`) or
    /// variables. The net must be [`super::supported`].
    #[must_use]
    pub(super) fn new(net: &'a Net, events: bool, semantics: StepSemantics) -> Exact<'a> {
        let mut terms = Terms::new();
        let start = terms.real("c0");
        let style = if events { Style::Events } else { Style::Differences };
        let base = NetFormula {
            net,
            terms,
            facts: Vec::new(),
            semantics,
            order: order(net),
            now: vec![start],
            marked: net.places.iter().map(|p| Term::constant(p.tokens > 0)).collect(),
            events: Vec::new(),
            contacts: Vec::new(),
        };
        let timed = match net.timing {
            Timing::Places => Timed::Places(Tokens::new(net, style, start)),
            Timing::Untimed | Timing::Transitions | Timing::Arcs => {
                Timed::Transitions(Enablings::new(net, style, start))
            }
        };
        let mut exact = Exact { base, timed };
        if let Timed::Places(tokens) = &mut exact.timed {
            tokens.start(&mut exact.base);
        }
        exact
    }
}

/// Variables for the state of a run.
pub(super) struct StateValues {
    /// Booleans, each a variable or a constant.
    pub booleans: Vec<Term>,
    /// Moments.
    pub reals: Vec<Real>,
}

impl Exact<'_> {
    /// Makes the state after the last step one of variables, which are equal to what it was.
    pub(super) fn forget(&mut self) -> StateValues {
        let base = &mut self.base;
        let now = base.terms.real(format!("s{}", base.now.len()));
        let same = base.terms.equal(now, base.last());
        base.facts.push(same);
        base.now.push(now);
        let mut state = StateValues { booleans: Vec::new(), reals: vec![now] };
        for place in 0..base.marked.len() {
            let marked = base.terms.fresh();
            let same = base.terms.iff(marked, base.marked[place]);
            base.facts.push(same);
            base.marked[place] = marked;
            state.booleans.push(marked);
        }
        match &mut self.timed {
            Timed::Places(tokens) => tokens.forget(base, &mut state),
            Timed::Transitions(enablings) => enablings.forget(base, &mut state),
        }
        state
    }

    /// Returns the terms.
    pub(super) fn terms_mut(&mut self) -> &mut Terms {
        &mut self.base.terms
    }
}

impl NetFormula<'_> {
    fn last(&self) -> Real {
        self.now[self.now.len() - 1]
    }

    /// Starts a step: time passes.
    fn advance(&mut self) -> Real {
        let before = self.last();
        let now = self.terms.real(format!("c{}", self.now.len()));
        let later = self.terms.at_least(now, before, 0);
        self.facts.push(later);
        self.now.push(now);
        self.events.push(Vec::new());
        self.contacts.clear();
        now
    }

    /// Returns a variable for the firing of a transition, which requires `ready`; `None` if it can
    /// never fire.
    fn fire(&mut self, t: u32, ready: Term) -> Option<Term> {
        if ready == Term::FALSE {
            return None;
        }
        let net = self.net;
        let transition = &net.transitions[t as usize];
        let full: Vec<Term> = transition
            .puts
            .iter()
            .filter(|arc| !has(&transition.takes, arc.place))
            .map(|arc| self.marked[arc.place as usize])
            .collect();
        let contact = self.terms.or(full);
        let touches = self.terms.and([ready, contact]);
        if touches != Term::FALSE {
            let (step, before) = (self.events.len() - 1, self.events.last().map_or(0, Vec::len));
            self.contacts.push(Contact { when: touches, transition: t, step, before });
        }
        let ready = self.terms.and([ready, !contact]);
        if ready == Term::FALSE {
            return None;
        }
        let fires = self.terms.boolean(format!("{}@{}", transition.written, self.now.len() - 1));
        let fact = self.terms.implies(fires, ready);
        self.facts.push(fact);
        self.add_event(Event::Fires(t), fires, None);
        Some(fires)
    }

    /// Adds a possible event of the last step.
    fn add_event(&mut self, event: Event, when: Term, at: Option<Date>) {
        if let Some(events) = self.events.last_mut()
            && when != Term::FALSE
        {
            events.push(PossibleEvent { event, when, at });
        }
    }

    /// Removes the tokens that a firing takes.
    fn take(&mut self, t: u32, fires: Term) {
        for arc in &self.net.transitions[t as usize].takes {
            let place = arc.place as usize;
            self.marked[place] = self.terms.and([self.marked[place], !fires]);
        }
    }

    /// Adds the tokens that a firing puts.
    fn put(&mut self, t: u32, fires: Term) {
        for arc in &self.net.transitions[t as usize].puts {
            let place = arc.place as usize;
            self.marked[place] = self.terms.or([self.marked[place], fires]);
        }
    }

    /// Excludes transitions that must not fire together in one step.
    fn exclude(&mut self) {
        let firing = |possible: &PossibleEvent| match possible.event {
            Event::Fires(t) => Some((t, possible.when)),
            Event::Available(_) => None,
        };
        let fires: Vec<(u32, Term)> = self.events.last().into_iter().flatten().filter_map(firing).collect();
        match self.semantics {
            StepSemantics::Ordered => {}
            StepSemantics::Single => {
                let all: Vec<Term> = fires.iter().map(|(_, f)| *f).collect();
                self.at_most_one(&all);
            }
            StepSemantics::Independent => self.independent(&fires),
        }
    }

    /// Requires that at most one term holds.
    fn at_most_one(&mut self, list: &[Term]) {
        let mut before = Term::FALSE;
        for (i, t) in list.iter().enumerate() {
            let clash = self.terms.and([before, *t]);
            self.facts.push(!clash);
            if i + 1 == list.len() {
                break;
            }
            // A variable for "one of the terms so far" keeps the clauses short.
            let some = if before == Term::FALSE { *t } else { self.terms.fresh() };
            if before != Term::FALSE {
                let (one, other) = (self.terms.implies(before, some), self.terms.implies(*t, some));
                self.facts.extend([one, other]);
            }
            before = some;
        }
    }

    /// Requires that no place is changed by two firings, or changed by one and tested by another.
    fn independent(&mut self, fires: &[(u32, Term)]) {
        let places = self.net.places.len();
        let (mut change, mut test) = (vec![Vec::new(); places], vec![Vec::new(); places]);
        for (t, f) in fires {
            let transition = &self.net.transitions[*t as usize];
            for arc in &transition.takes {
                change[arc.place as usize].push(*f);
            }
            for arc in transition.puts.iter().filter(|arc| !has(&transition.takes, arc.place)) {
                change[arc.place as usize].push(*f);
            }
            let tested = transition.tests.iter().chain(&transition.inhibitors);
            for arc in tested.filter(|arc| !has(&transition.takes, arc.place) && !has(&transition.puts, arc.place)) {
                test[arc.place as usize].push(*f);
            }
        }
        for (change, test) in change.into_iter().zip(test) {
            self.at_most_one(&change);
            if change.is_empty() || test.is_empty() {
                continue;
            }
            let changes = self.terms.or(change);
            for f in test {
                let clash = self.terms.and([changes, f]);
                self.facts.push(!clash);
            }
        }
    }

    fn moment(&self, solver: &mut dyn Solver, x: Real) -> Moment {
        difference(solver.real(&self.terms, x), solver.real(&self.terms, self.now[0]))
    }

    fn moment_of(&self, solver: &mut dyn Solver, date: &Date) -> Option<Moment> {
        let (_, x) = date.iter().find(|(case, _)| solver.holds(&self.terms, *case))?;
        Some(self.moment(solver, *x))
    }
}

impl NetUnrolling for Exact<'_> {
    fn step(&mut self, stop: &Stop<'_>) {
        self.base.advance();
        match &mut self.timed {
            Timed::Places(tokens) => tokens.step(&mut self.base, stop),
            Timed::Transitions(enablings) => enablings.step(&mut self.base, stop),
        }
        if !stop() {
            self.base.exclude();
        }
    }

    fn net(&self) -> &Net {
        self.base.net
    }

    fn steps(&self) -> usize {
        self.base.events.len()
    }

    fn facts(&mut self) -> Vec<Term> {
        std::mem::take(&mut self.base.facts)
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.base.terms
    }

    fn marked(&self, place: usize) -> Term {
        self.base.marked[place]
    }

    fn time(&self) -> Option<(Real, Real)> {
        Some((self.base.last(), self.base.now[0]))
    }

    fn deadlock(&mut self) -> Term {
        match &mut self.timed {
            Timed::Places(tokens) => tokens.deadlock(&mut self.base),
            Timed::Transitions(enablings) => enablings.deadlock(&mut self.base),
        }
    }

    fn contacts(&self) -> &[Contact] {
        &self.base.contacts
    }

    fn size(&self, _: Term) -> Option<FormulaSize> {
        None
    }

    fn run(&self, solver: &mut dyn Solver, until: Option<&Contact>) -> NetRun {
        let mut events = Vec::new();
        let steps = until.map_or(self.base.events.len(), |contact| contact.step + 1);
        for (step, possible) in self.base.events[..steps].iter().enumerate() {
            let now = self.base.moment(solver, self.base.now[step + 1]);
            let before = events.len();
            let some = until.filter(|contact| contact.step == step).map_or(possible.len(), |contact| contact.before);
            for PossibleEvent { event, when, at } in &possible[..some] {
                if solver.holds(&self.base.terms, *when) {
                    let at = at.as_ref().and_then(|date| self.base.moment_of(solver, date));
                    events.push((at.unwrap_or(now), *event));
                }
            }
            // Tokens become available at their own moments, all of them before any firing.
            events[before..].sort_by(|((a, b), _), ((c, d), _)| (a * d).cmp(&(c * b)));
        }
        if let Some(contact) = until {
            let end = self.base.moment(solver, self.base.now[steps]);
            events.push((end, Event::Fires(contact.transition)));
            return NetRun { events, end };
        }
        NetRun { events, end: self.base.moment(solver, self.base.last()) }
    }
}

/// Returns whether a list of arcs has a place.
fn has(arcs: &[Arc], place: u32) -> bool {
    arcs.binary_search_by_key(&place, |arc| arc.place).is_ok()
}
