//! Runs of a fixed length as formulas, one step after the other.

use model::{
    Formula, Ratio,
    code::Cmp,
    replay::{TimedStep, Trace},
    system::{EdgeId, Sync},
};
use smt::{Outcome, Real, Solver, Term, Terms};

use super::{Demands, Encoder, Frame, Move};
use crate::code::{Refused, compare};

/// A run of so many steps, in a solver.
pub struct Unrolling<'e, 's> {
    encoder: &'e Encoder<'s>,
    /// The formulas.
    pub terms: Terms,
    solver: &'e mut dyn Solver,
    frames: Vec<Frame>,
    moves: Vec<Move>,
    /// When each frame is left; there is one for each frame.
    thens: Vec<Real>,
    /// Where the model fails in the last frame, while time passes or at its start.
    faults: Vec<Term>,
    /// The transition that leaves the last frame, until its state has been added.
    pending: Option<Pending>,
}

/// A transition and the state after it.
struct Pending {
    taken: Move,
    /// What holds if it is taken, and where its updates fail.
    step: Demands,
    next: Frame,
    /// What holds in the state after it.
    arrival: Demands,
}

impl<'e, 's> Unrolling<'e, 's> {
    /// A run without steps, from the start.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn new(encoder: &'e Encoder<'s>, solver: &'e mut dyn Solver) -> Result<Unrolling<'e, 's>, Refused> {
        let (mut terms, mut demands) = (Terms::new(), Demands::new());
        let start = encoder.start(&mut terms, &mut demands.all);
        Unrolling::from(encoder, solver, terms, start, demands)
    }

    /// A run without steps, from any state that is within its invariants.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn from_anywhere(encoder: &'e Encoder<'s>, solver: &'e mut dyn Solver) -> Result<Unrolling<'e, 's>, Refused> {
        let (mut terms, mut demands) = (Terms::new(), Demands::new());
        let start = encoder.any(&mut terms, "0", &mut demands.all);
        Unrolling::from(encoder, solver, terms, start, demands)
    }

    fn from(
        encoder: &'e Encoder<'s>,
        solver: &'e mut dyn Solver,
        mut terms: Terms,
        start: Frame,
        mut demands: Demands,
    ) -> Result<Unrolling<'e, 's>, Refused> {
        encoder.invariants(&mut terms, &start, start.now, &mut demands)?;
        let mut unrolling = Unrolling {
            encoder,
            terms,
            solver,
            frames: Vec::new(),
            moves: Vec::new(),
            thens: Vec::new(),
            faults: Vec::new(),
            pending: None,
        };
        unrolling.arrive(start, demands)?;
        Ok(unrolling)
    }

    /// The last row is none of those before it.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn comes_nowhere_twice(&mut self) -> Result<(), Refused> {
        let Some((last, before)) = self.frames.split_last() else { return Ok(()) };
        for frame in before {
            self.encoder.go_on()?;
            let mut same = Vec::new();
            for (a, b) in frame.row.iter().zip(&last.row) {
                same.push(compare(&mut self.terms, Cmp::Eq, a, b));
            }
            let same = self.terms.and(same);
            self.solver.assert(&self.terms, !same);
        }
        Ok(())
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Adds a frame, and the delay in it.
    fn arrive(&mut self, frame: Frame, mut demands: Demands) -> Result<(), Refused> {
        let then = self.terms.real(format!("then@{}", self.frames.len()));
        self.encoder.delay(&mut self.terms, &frame, then, &mut demands)?;
        for demand in demands.all {
            self.solver.assert(&self.terms, demand);
        }
        self.faults = demands.faults;
        self.frames.push(frame);
        self.thens.push(then);
        Ok(())
    }

    /// Makes the formulas of one more transition, and says where guards fail in the last frame.
    /// They fail whether a transition can be taken or not, so nothing is asserted yet.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn leave(&mut self) -> Result<Term, Refused> {
        let (Some(frame), Some(then)) = (self.frames.last(), self.thens.last()) else { return Ok(Term::FALSE) };
        let (mut step, mut arrival) = (Demands::default(), Demands::default());
        let (here, there) = (format!("{}", self.frames.len() - 1), format!("{}", self.frames.len()));
        let (terms, then) = (&mut self.terms, *then);
        let taken = self.encoder.transition(terms, frame, then, &here, &mut step)?;
        let guards = std::mem::take(&mut step.faults);
        let next = self.encoder.next(terms, frame, &taken, (then, &there), (&mut step, &mut arrival))?;
        self.pending = Some(Pending { taken, step, next, arrival });
        Ok(self.terms.or(guards))
    }

    /// Takes that transition, but does not yet add the state after it. Says where its updates fail.
    pub fn take(&mut self) -> Term {
        let Some(pending) = &mut self.pending else { return Term::FALSE };
        for demand in pending.step.all.drain(..) {
            self.solver.assert(&self.terms, demand);
        }
        self.terms.or(pending.step.faults.drain(..))
    }

    /// Adds the state after the transition that was taken.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn land(&mut self) -> Result<(), Refused> {
        let Some(Pending { taken, next, arrival, .. }) = self.pending.take() else { return Ok(()) };
        self.moves.push(taken);
        self.arrive(next, arrival)
    }

    /// Where a formula holds at the end of the run, and where it fails.
    ///
    /// # Errors
    /// What it has that is not turned into formulas.
    pub fn formula(&mut self, formula: &Formula) -> Result<(Term, Term), Refused> {
        let (Some(frame), Some(then)) = (self.frames.last(), self.thens.last()) else {
            return Ok((Term::FALSE, Term::FALSE));
        };
        self.encoder.formula(&mut self.terms, formula, frame, *then)
    }

    /// Where the model fails in the last frame.
    pub fn fault(&mut self) -> Term {
        self.terms.or(self.faults.iter().copied())
    }

    /// From now on this holds.
    pub fn assert(&mut self, term: Term) {
        self.solver.assert(&self.terms, term);
    }

    /// Whether there is such a run.
    pub fn check(&mut self, assumptions: &[Term], stop: &dyn Fn() -> bool) -> Outcome {
        self.solver.check(&self.terms, assumptions, stop)
    }

    /// The run that was found. `None`: its moments are no numbers that fit.
    pub fn trace(&mut self) -> Option<Trace> {
        let mut trace = Trace::default();
        let mut now = Ratio::ZERO;
        for i in 0..self.thens.len() {
            let (numerator, denominator) = self.solver.real(&self.terms, self.thens[i]);
            let then = Ratio::new(numerator, denominator)?;
            let delay = then.minus(now)?;
            now = then;
            if i < self.moves.len() {
                let edges = self.edges(i);
                trace.steps.push(TimedStep { delay, edges });
            } else {
                trace.last_delay = Some(delay);
            }
        }
        Some(trace)
    }

    /// The edges that are taken in a step: the one that calls, then the others in the order of
    /// their processes; or all in the order of a vector.
    fn edges(&mut self, step: usize) -> Vec<EdgeId> {
        let system = self.encoder.system();
        let mut edges = Vec::new();
        for (e, term) in (0..).map(EdgeId).zip(&self.moves[step].edges) {
            if *term != Term::FALSE && self.solver.holds(&self.terms, *term) {
                edges.push(e);
            }
        }
        let edge = |e: &EdgeId| &system.edges[e.0 as usize];
        for (vector, call) in system.vectors.iter().zip(&self.moves[step].vectors) {
            if *call != Term::FALSE && self.solver.holds(&self.terms, *call) {
                let place = |e: &EdgeId| vector.participants.iter().position(|p| p.process == edge(e).process);
                edges.sort_by_key(place);
                return edges;
            }
        }
        edges.sort_by_key(|e| (matches!(edge(e).sync, Sync::Receive(_)), edge(e).process));
        edges
    }
}
