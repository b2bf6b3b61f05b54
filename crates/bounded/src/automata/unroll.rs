//! Unrolling of the transition relation.

use model::{Formula, code::Cmp, replay::Trace};
use smt::{Real, SatResult, Solver, Term, Terms};

use crate::{
    EncodingError,
    code::compare,
    relation::{Demands, Frame, Relation, SymbolicTransition},
};

/// A run of a fixed number of steps, in a solver.
pub(super) struct Unrolling<'e> {
    relation: &'e dyn Relation,
    /// The terms.
    pub terms: Terms,
    solver: &'e mut dyn Solver,
    frames: Vec<Frame>,
    moves: Vec<SymbolicTransition>,
    /// The moment at which each frame is left.
    thens: Vec<Real>,
    /// The faults of the last frame, on entry or during its delay.
    faults: Vec<Term>,
    /// The transition that leaves the last frame, until its successor is added.
    pending: Option<Pending>,
}

/// A transition with its successor.
struct Pending {
    taken: SymbolicTransition,
    /// The constraints of the transition, and the faults of its updates.
    step: Demands,
    next: Frame,
    /// The constraints of the successor.
    arrival: Demands,
}

impl<'e> Unrolling<'e> {
    /// Creates a run without steps from the initial state.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn new(relation: &'e dyn Relation, solver: &'e mut dyn Solver) -> Result<Unrolling<'e>, EncodingError> {
        let (mut terms, mut demands) = (Terms::new(), Demands::new());
        let start = relation.start(&mut terms, &mut demands.all);
        Unrolling::from(relation, solver, terms, start, demands)
    }

    /// Creates a run without steps from any state that satisfies its invariants.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn from_any_state(
        relation: &'e dyn Relation,
        solver: &'e mut dyn Solver,
    ) -> Result<Unrolling<'e>, EncodingError> {
        let (mut terms, mut demands) = (Terms::new(), Demands::new());
        let start = relation.any(&mut terms, "0", &mut demands.all);
        Unrolling::from(relation, solver, terms, start, demands)
    }

    fn from(
        relation: &'e dyn Relation,
        solver: &'e mut dyn Solver,
        mut terms: Terms,
        start: Frame,
        mut demands: Demands,
    ) -> Result<Unrolling<'e>, EncodingError> {
        relation.invariants(&mut terms, &start, start.now, &mut demands)?;
        let mut unrolling = Unrolling {
            relation,
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

    /// Requires that the last row differs from all rows before it.
    ///
    /// # Errors
    /// A limit was reached.
    pub(super) fn require_simple_path(&mut self) -> Result<(), EncodingError> {
        let Some((last, before)) = self.frames.split_last() else { return Ok(()) };
        for frame in before {
            self.relation.check_stop()?;
            let mut same = Vec::new();
            for (a, b) in frame.row.iter().zip(&last.row) {
                same.push(compare(&mut self.terms, Cmp::Eq, a, b));
            }
            let same = self.terms.and(same);
            self.solver.assert(&self.terms, !same);
        }
        Ok(())
    }

    /// Returns the number of steps.
    #[must_use]
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Adds a frame and its delay.
    fn arrive(&mut self, frame: Frame, mut demands: Demands) -> Result<(), EncodingError> {
        let then = self.terms.real(format!("then@{}", self.frames.len()));
        self.relation.delay(&mut self.terms, &frame, then, &mut demands)?;
        for demand in demands.all {
            self.solver.assert(&self.terms, demand);
        }
        self.faults = demands.faults;
        self.frames.push(frame);
        self.thens.push(then);
        Ok(())
    }

    /// Encodes the next transition and returns the fault of guards in the last frame. Guards fail
    /// whether or not a transition is possible, so nothing is asserted yet.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn leave(&mut self) -> Result<Term, EncodingError> {
        let (Some(frame), Some(then)) = (self.frames.last(), self.thens.last()) else { return Ok(Term::FALSE) };
        let (mut step, mut arrival) = (Demands::default(), Demands::default());
        let (here, there) = (format!("{}", self.frames.len() - 1), format!("{}", self.frames.len()));
        let (terms, then) = (&mut self.terms, *then);
        let taken = self.relation.transition(terms, frame, then, &here, &mut step)?;
        let guards = std::mem::take(&mut step.faults);
        let next = self.relation.next(terms, frame, &taken, (then, &there), (&mut step, &mut arrival))?;
        self.pending = Some(Pending { taken, step, next, arrival });
        Ok(self.terms.or(guards))
    }

    /// Asserts that the transition is taken, without its successor. Returns the fault of its
    /// updates.
    pub(super) fn take(&mut self) -> Term {
        let Some(pending) = &mut self.pending else { return Term::FALSE };
        for demand in pending.step.all.drain(..) {
            self.solver.assert(&self.terms, demand);
        }
        self.terms.or(pending.step.faults.drain(..))
    }

    /// Adds the successor of the transition.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn land(&mut self) -> Result<(), EncodingError> {
        let Some(Pending { taken, next, arrival, .. }) = self.pending.take() else { return Ok(()) };
        self.moves.push(taken);
        self.arrive(next, arrival)
    }

    /// Encodes a formula in the last state. Returns its truth and its fault.
    ///
    /// # Errors
    /// It has an unsupported feature, or a limit was reached.
    pub(super) fn formula(&mut self, formula: &Formula) -> Result<(Term, Term), EncodingError> {
        let (Some(frame), Some(then)) = (self.frames.last(), self.thens.last()) else {
            return Ok((Term::FALSE, Term::FALSE));
        };
        self.relation.formula(&mut self.terms, formula, frame, *then)
    }

    /// Returns the fault of the last frame.
    pub(super) fn fault(&mut self) -> Term {
        self.terms.or(self.faults.iter().copied())
    }

    /// Asserts a term.
    pub(super) fn assert(&mut self, term: Term) {
        self.solver.assert(&self.terms, term);
    }

    /// Decides whether there is a run.
    pub(super) fn check(&mut self, assumptions: &[Term], stop: &dyn Fn() -> bool) -> SatResult {
        self.solver.check(&self.terms, assumptions, stop)
    }

    /// Returns the run that was found; `None` if its delays are too large to represent.
    pub(super) fn trace(&mut self) -> Option<Trace> {
        self.relation.trace(&self.terms, self.solver, &self.thens, &self.moves)
    }
}
