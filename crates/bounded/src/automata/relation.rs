//! Networks as a relation between states.

use model::{
    Ratio, System,
    code::Pc,
    replay::{TimedStep, Trace},
    system::{ClockConstraint, EdgeId, Sync},
};
use smt::{Real, Solver, Term, Terms};

use super::Encoder;
use crate::{
    EncodingError,
    code::Stop,
    relation::{Demands, Frame, Relation, SymbolicTransition},
};

impl Relation for Encoder<'_> {
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
        self.system.clocks.len() == 1
    }

    fn start(&self, terms: &mut Terms, demands: &mut Vec<Term>) -> Frame {
        self.initial_frame(terms, demands)
    }

    fn any(&self, terms: &mut Terms, step: &str, demands: &mut Vec<Term>) -> Frame {
        self.any_frame(terms, step, demands)
    }

    fn invariants(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        now: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        self.require_invariants(terms, frame, now, demands)
    }

    fn delay(&self, terms: &mut Terms, frame: &Frame, then: Real, demands: &mut Demands) -> Result<(), EncodingError> {
        self.require_delay(terms, frame, then, demands)
    }

    fn condition(&self, terms: &mut Terms, pc: Pc, frame: &Frame) -> Result<(Term, Term), EncodingError> {
        self.code.condition(terms, pc, &|slot| frame.row[slot as usize].clone())
    }

    fn clocks(
        &self,
        terms: &mut Terms,
        c: &ClockConstraint,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError> {
        let (limits, fault) = self.limits(terms, c, frame)?;
        let all: Vec<Term> = limits.iter().map(|limit| self.clock_bound(terms, limit, frame, now)).collect();
        Ok((terms.and(all), fault))
    }

    fn can_move(&self, terms: &mut Terms, frame: &Frame, now: Real) -> Result<(Term, Term), EncodingError> {
        self.alive(terms, frame, now)
    }

    fn transition(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        name: &str,
        step: &mut Demands,
    ) -> Result<SymbolicTransition, EncodingError> {
        self.any_transition(terms, frame, then, name, step)
    }

    fn next(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        then: (Real, &str),
        demands: (&mut Demands, &mut Demands),
    ) -> Result<Frame, EncodingError> {
        self.successor(terms, frame, taken, then, demands)
    }

    fn require_successor(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        next: (Real, &Frame),
        demands: (&mut Demands, &mut Demands),
    ) -> Result<(), EncodingError> {
        self.require_updates(terms, frame, taken, next, demands)
    }

    fn trace(
        &self,
        terms: &Terms,
        solver: &mut dyn Solver,
        thens: &[Real],
        moves: &[SymbolicTransition],
    ) -> Option<Trace> {
        let mut trace = Trace::default();
        let mut now = Ratio::ZERO;
        for (i, then) in thens.iter().enumerate() {
            let (numerator, denominator) = solver.real(terms, *then);
            let then = Ratio::new(numerator, denominator)?;
            let delay = then.minus(now)?;
            now = then;
            match moves.get(i) {
                Some(taken) => trace.steps.push(TimedStep { delay, edges: self.edges(terms, solver, taken) }),
                None => trace.last_delay = Some(delay),
            }
        }
        Some(trace)
    }
}

impl Encoder<'_> {
    /// Returns the edges of a step: the sender, then the receivers in the order of their processes;
    /// or the participants in the order of a synchronisation vector.
    fn edges(&self, terms: &Terms, solver: &mut dyn Solver, taken: &SymbolicTransition) -> Vec<EdgeId> {
        let system = self.system;
        let mut edges = Vec::new();
        for (e, term) in (0..).map(EdgeId).zip(&taken.edges) {
            if *term != Term::FALSE && solver.holds(terms, *term) {
                edges.push(e);
            }
        }
        let edge = |e: &EdgeId| &system.edges[e.0 as usize];
        for (vector, taken) in system.vectors.iter().zip(&taken.vectors) {
            if *taken != Term::FALSE && solver.holds(terms, *taken) {
                let position = |e: &EdgeId| vector.participants.iter().position(|p| p.process == edge(e).process);
                edges.sort_by_key(position);
                return edges;
            }
        }
        edges.sort_by_key(|e| (matches!(edge(e).sync, Sync::Receive(_)), edge(e).process));
        edges
    }
}
