//! Nets as a relation between states, for induction and invariants over time.
//!
//! A step is a delay and one event: a transition fires, or a token becomes available. The states
//! are those of the automata of the net, so that certificates are about these, but they have
//! variables for the marking, for the availability of tokens and for clocks only: where a process
//! is follows from them, and no edges or channels are encoded. A firing that puts a token on a
//! marked place is a fault.

mod events;
mod unbounded;

use model::{
    System,
    code::Pc,
    net::{Interval, Net, Timing, Transition},
    replay::Trace,
    system::{ClockConstraint, ClockTerm, Operand},
};
use smt::{Real, Solver, Term, Terms, UpperBound};

use self::events::SymbolicEvents;
use super::{Event, MarkingInvariant, NetRun, high, trace::concrete};
use crate::{
    EncodingError, Unsupported,
    code::{Conditions, Stop},
    guarded::Integer,
    relation::{Demands, Frame, Relation, SymbolicTransition, unknown_moments},
};

pub use unbounded::{induct, prove};

/// The states and steps of a net.
struct NetRelation<'s> {
    net: &'s Net,
    system: &'s System,
    stop: &'s Stop<'s>,
    /// What is known of all reachable markings.
    known: &'s MarkingInvariant,
    /// The number of the clock, and of the process, of each place or transition that has one.
    timers: Vec<Option<usize>>,
    /// The transitions of higher priority, for each transition.
    higher: Vec<Vec<u32>>,
    /// The values of each variable of the row that distinguish states.
    domains: Vec<Vec<i32>>,
}

/// Checks that invariants and induction support a net. Unlike steps of several firings, they
/// support priorities, which only forbid firings: where one forbids a firing, another transition
/// can fire.
///
/// # Errors
/// The first unsupported feature.
pub fn supported_unbounded(net: &Net) -> Result<(), Unsupported> {
    match super::supported(net) {
        Err(Unsupported::Priorities) => super::supported(&Net { priorities: Vec::new(), ..net.clone() }),
        result => result,
    }
}

impl<'s> NetRelation<'s> {
    fn new(
        net: &'s Net,
        system: &'s System,
        known: &'s MarkingInvariant,
        stop: &'s Stop<'s>,
    ) -> Result<NetRelation<'s>, EncodingError> {
        supported_unbounded(net)?;
        let mut count = 0;
        let mut number = |has_timer: bool| {
            count += usize::from(has_timer);
            has_timer.then_some(count)
        };
        let timers: Vec<Option<usize>> = net.has_timer().into_iter().map(&mut number).collect();
        let first = system.processes.len();
        let ready = if net.timing == Timing::Places { count } else { 0 };
        let variables = first..first + net.places.len() + ready;
        let domain = |slot: usize| if variables.contains(&slot) { vec![0, 1] } else { Vec::new() };
        let domains = (0..system.initial.len()).map(domain).collect();
        Ok(NetRelation { net, system, stop, known, timers, higher: net.higher(), domains })
    }

    /// Returns the term "a place has a token".
    fn marked(&self, frame: &Frame, place: u32) -> Term {
        frame.row[self.system.processes.len() + place as usize].is(1)
    }

    /// Returns the marking of a frame.
    fn marking(&self, frame: &Frame) -> Vec<Term> {
        (0..self.net.places.len() as u32).map(|place| self.marked(frame, place)).collect()
    }

    /// Returns the term "the token with this timer is available".
    fn ready(&self, frame: &Frame, timer: usize) -> Term {
        frame.row[self.system.processes.len() + self.net.places.len() + timer - 1].is(1)
    }

    /// Returns the term "the token of a place is available", which implies that there is one.
    fn available(&self, frame: &Frame, place: u32) -> Term {
        match self.timers.get(place as usize) {
            Some(Some(timer)) if self.net.timing == Timing::Places => self.ready(frame, *timer),
            _ => self.marked(frame, place),
        }
    }

    /// Returns the numbers of the places or transitions that have timers, with these.
    fn timed(&self) -> impl Iterator<Item = (usize, usize)> {
        self.timers.iter().enumerate().filter_map(|(of, timer)| Some((of, (*timer)?)))
    }

    /// Returns a state, given the variables that determine it: the marking, and for intervals on
    /// places which tokens are available.
    fn frame(&self, terms: &mut Terms, marked: &[Term], ready: &[Term], zeros: Vec<Real>, now: Real) -> Frame {
        let mut row: Vec<Integer> = self.system.initial.iter().map(|value| Integer::known(*value)).collect();
        let first = self.system.processes.len();
        for (place, marked) in marked.iter().enumerate() {
            row[first + place] = truth(*marked);
        }
        for (of, timer) in self.timed() {
            row[timer] = truth(match self.net.timing {
                Timing::Places => {
                    row[first + marked.len() + timer - 1] = truth(ready[timer - 1]);
                    terms.and([marked[of], !ready[timer - 1]])
                }
                _ => enabled(terms, &self.net.transitions[of], marked),
            });
        }
        Frame { row, zeros, now }
    }

    /// Returns the term "the process of a timer waits": for a token to become available, or for its
    /// transition to fire.
    fn waits(frame: &Frame, timer: usize) -> Term {
        frame.row[timer].is(1)
    }

    fn interval(&self, of: usize) -> Interval {
        match self.net.timing {
            Timing::Places => self.net.places[of].delay,
            _ => self.net.transitions[of].interval,
        }
    }
}

/// Returns an integer that is 1 where a term holds, and 0 elsewhere.
fn truth(t: Term) -> Integer {
    match t {
        Term::TRUE => Integer::known(1),
        Term::FALSE => Integer::known(0),
        t => Integer::of([(0, !t), (1, t)]),
    }
}

/// Returns the term "a marking enables a transition", whatever the time is.
fn enabled(terms: &mut Terms, t: &Transition, marked: &[Term]) -> Term {
    let there = t.takes.iter().chain(&t.tests).map(|arc| marked[arc.place as usize]);
    terms.and(there.chain(t.inhibitors.iter().map(|arc| !marked[arc.place as usize])))
}

impl Relation for NetRelation<'_> {
    fn system(&self) -> &System {
        self.system
    }

    fn stop(&self) -> &Stop<'_> {
        self.stop
    }

    fn domains(&self) -> &[Vec<i32>] {
        &self.domains
    }

    fn is_timeless(&self) -> bool {
        self.timed().next().is_none()
    }

    fn start(&self, terms: &mut Terms, _: &mut Vec<Term>) -> Frame {
        let marked: Vec<Term> = self.net.places.iter().map(|p| Term::constant(p.tokens > 0)).collect();
        let ready = vec![Term::FALSE; self.timed().count()];
        let zeros = vec![Real::ZERO; self.system.clocks.len()];
        self.frame(terms, &marked, &ready, zeros, Real::ZERO)
    }

    fn any(&self, terms: &mut Terms, step: &str, demands: &mut Vec<Term>) -> Frame {
        let marked: Vec<Term> =
            self.net.places.iter().map(|p| terms.boolean(format!("{}@{step}", p.written))).collect();
        let mut ready = Vec::new();
        for (of, _) in self.timed().filter(|_| self.net.timing == Timing::Places) {
            let available = terms.boolean(format!("{} available@{step}", self.net.places[of].written));
            demands.push(terms.implies(available, marked[of]));
            ready.push(available);
        }
        let (zeros, now) = unknown_moments(terms, self.system, step, demands);
        let frame = self.frame(terms, &marked, &ready, zeros, now);
        for clause in &self.known.clauses {
            let literal = |l: &super::PlaceLiteral| {
                let marked = marked[l.place as usize];
                if l.marked { marked } else { !marked }
            };
            demands.push(terms.or(clause.iter().map(literal)));
        }
        frame
    }

    fn invariants(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        now: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        self.check_stop()?;
        for (of, timer) in self.timed() {
            if let Some(bound) = high(&self.interval(of)) {
                let in_time = terms.difference(now, frame.zeros[timer], bound);
                demands.all.push(terms.implies(Self::waits(frame, timer), in_time));
            }
        }
        Ok(())
    }

    fn delay(&self, terms: &mut Terms, frame: &Frame, then: Real, demands: &mut Demands) -> Result<(), EncodingError> {
        demands.all.push(terms.at_least(then, frame.now, 0));
        self.invariants(terms, frame, then, demands)?;
        // A token at its upper bound inhibits, but then time can't pass anyway.
        let urgent = self.urgent(terms, frame);
        let stays = terms.at_most(then, frame.now, 0);
        demands.all.push(terms.implies(urgent, stays));
        Ok(())
    }

    fn condition(&self, terms: &mut Terms, pc: Pc, frame: &Frame) -> Result<(Term, Term), EncodingError> {
        let row = |slot: u32| frame.row[slot as usize].clone();
        Conditions::new(self.system, self.stop).condition(terms, pc, &row)
    }

    fn clocks(
        &self,
        terms: &mut Terms,
        c: &ClockConstraint,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError> {
        match (c.condition, c.left, c.right, c.bound) {
            (None, ClockTerm::Clock(left), ClockTerm::Clock(right), Operand::Const(value)) => {
                let bound = UpperBound { value, strict: c.strict };
                let holds = terms.difference(frame.moment(right.0, now), frame.moment(left.0, now), bound);
                Ok((holds, Term::FALSE))
            }
            _ => Err(Unsupported::VariableTimeBounds.into()),
        }
    }

    fn can_move(&self, terms: &mut Terms, frame: &Frame, _: Real) -> Result<(Term, Term), EncodingError> {
        // An enabled transition fires sooner or later, or another one does.
        let marked = self.marking(frame);
        let enabled: Vec<Term> = self.net.transitions.iter().map(|t| enabled(terms, t, &marked)).collect();
        Ok((terms.or(enabled), Term::FALSE))
    }

    fn transition(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        name: &str,
        step: &mut Demands,
    ) -> Result<SymbolicTransition, EncodingError> {
        self.check_stop()?;
        Ok(SymbolicTransition { edges: self.choose(terms, frame, then, name, step), vectors: Vec::new() })
    }

    fn next(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        (then, name): (Real, &str),
        (step, demands): (&mut Demands, &mut Demands),
    ) -> Result<Frame, EncodingError> {
        self.check_stop()?;
        let events = self.events(taken);
        let after = self.after(terms, frame, &events, step);
        let mut variable = |terms: &mut Terms, (old, new): (Term, Term), name: String| {
            if new == old || new == Term::TRUE || new == Term::FALSE {
                return new;
            }
            let variable = terms.boolean(name);
            demands.all.push(terms.iff(variable, new));
            variable
        };
        let mut marked = Vec::new();
        for (place, new) in (0..).zip(&after.marked) {
            let (old, name) =
                (self.marked(frame, place), format!("{}@{name}", self.net.places[place as usize].written));
            marked.push(variable(terms, (old, *new), name));
        }
        let mut ready = Vec::new();
        for (timer, new) in (1..).zip(&after.ready) {
            let (old, name) = (self.ready(frame, timer), format!("available {timer}@{name}"));
            ready.push(variable(terms, (old, *new), name));
        }
        let resets = self.resets(terms, frame, &events, &marked);
        let mut zeros = frame.zeros.clone();
        for (timer, reset) in (1..).zip(resets) {
            if reset != Term::FALSE {
                zeros[timer] = terms.real(format!("{}@{name}", self.system.clocks[timer].name));
                link(terms, reset, (zeros[timer], frame.zeros[timer], then), demands);
            }
        }
        let next = self.frame(terms, &marked, &ready, zeros, then);
        self.invariants(terms, &next, then, demands)?;
        Ok(next)
    }

    fn require_successor(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        (then, next): (Real, &Frame),
        (step, demands): (&mut Demands, &mut Demands),
    ) -> Result<(), EncodingError> {
        self.check_stop()?;
        let events = self.events(taken);
        let after = self.after(terms, frame, &events, step);
        let marked = self.marking(next);
        for (own, new) in marked.iter().zip(&after.marked) {
            demands.all.push(terms.iff(*own, *new));
        }
        for (timer, new) in (1..).zip(&after.ready) {
            demands.all.push(terms.iff(self.ready(next, timer), *new));
        }
        demands.all.push(terms.equal(next.now, then));
        let mut resets = self.resets(terms, frame, &events, &marked);
        // The time is never reset.
        resets.resize(self.system.clocks.len() - 1, Term::FALSE);
        for (clock, reset) in (1..).zip(resets) {
            link(terms, reset, (next.zeros[clock], frame.zeros[clock], then), demands);
        }
        Ok(())
    }

    fn trace(
        &self,
        terms: &Terms,
        solver: &mut dyn Solver,
        thens: &[Real],
        moves: &[SymbolicTransition],
    ) -> Option<Trace> {
        let mut events = Vec::new();
        for (then, taken) in thens.iter().zip(moves) {
            let SymbolicEvents { fires, matures } = self.events(taken);
            let fires = (0..).zip(fires).map(|(t, term)| (Event::Fires(t), *term));
            let places = self.timed().map(|(place, _)| Event::Available(place as u32));
            let mut all = fires.chain(places.zip(matures.iter().copied()));
            let (event, _) = all.find(|(_, term)| *term != Term::FALSE && solver.holds(terms, *term))?;
            events.push((solver.real(terms, *then), event));
        }
        let end = solver.real(terms, *thens.last()?);
        concrete(self.net, self.system, &NetRun { events, end }, self.stop).ok()
    }
}

/// Requires that a clock was zero at `then` if it is reset, else when it was before.
fn link(terms: &mut Terms, reset: Term, (new, old, then): (Real, Real, Real), demands: &mut Demands) {
    let [anew, same] = [then, old].map(|at| terms.equal(new, at));
    demands.all.extend([terms.implies(reset, anew), terms.or([reset, same])]);
}
