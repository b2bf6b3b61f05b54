//! What unrolling, induction and IC3 need of an encoding of states and steps.

use model::{Formula, System, code::Pc, replay::Trace, system::ClockConstraint};
use smt::{Real, Solver, Term, Terms};

use crate::{
    EncodingError,
    code::{Stop, check_stop},
    guarded::Integer,
};

/// A symbolic state right after a transition.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The variables of the row.
    pub row: Vec<Integer>,
    /// The moment at which each clock was zero, or would have been. The entry of the reference
    /// clock is unused.
    pub zeros: Vec<Real>,
    /// The moment of the state.
    pub now: Real,
}

impl Frame {
    /// Returns the moment at which a clock was zero; the reference clock is always zero.
    pub(crate) fn moment(&self, clock: u32, now: Real) -> Real {
        if clock == 0 { now } else { self.zeros[clock as usize] }
    }
}

/// Returns the moments at which clocks were zero, and the moment of a state, all of them unknown.
/// Clocks are not negative.
pub(crate) fn unknown_moments(
    terms: &mut Terms,
    system: &System,
    step: &str,
    demands: &mut Vec<Term>,
) -> (Vec<Real>, Real) {
    let zeros = system.clocks.iter().map(|clock| terms.real(format!("{}@{step}", clock.name)));
    let zeros: Vec<Real> = zeros.collect();
    let now = terms.real(format!("now@{step}"));
    demands.extend(zeros[1..].iter().map(|zero| terms.at_most(*zero, now, 0)));
    (zeros, now)
}

/// The constraints of a part of a run, and its faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demands {
    /// All of these must hold.
    pub all: Vec<Term>,
    /// The model fails where one of these holds.
    pub faults: Vec<Term>,
}

impl Demands {
    /// Creates an empty list.
    #[must_use]
    pub(crate) const fn new() -> Demands {
        Demands { all: Vec::new(), faults: Vec::new() }
    }
}

/// A transition of a step, chosen by the solver.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicTransition {
    /// For each edge, or event of a net, whether it is taken.
    pub edges: Vec<Term>,
    /// For each synchronisation vector, whether it is taken.
    pub vectors: Vec<Term>,
}

/// The states and steps of a model. A step is a delay followed by a transition. States are those of
/// a system, whatever they are encoded from.
pub(crate) trait Relation {
    /// Returns the system.
    fn system(&self) -> &System;

    /// Returns the limits on the work.
    fn stop(&self) -> &Stop<'_>;

    /// Fails if a limit was reached.
    fn check_stop(&self) -> Result<(), EncodingError> {
        check_stop(self.stop())
    }

    /// Returns the values of each variable of the row by which states are distinguished; none if
    /// other variables determine its value.
    fn domains(&self) -> &[Vec<i32>];

    /// Returns whether the future of a state depends on its row alone.
    fn is_timeless(&self) -> bool;

    /// Returns the initial state, which is constant.
    fn start(&self, terms: &mut Terms, demands: &mut Vec<Term>) -> Frame;

    /// Returns a state whose variables range over their domains.
    fn any(&self, terms: &mut Terms, step: &str, demands: &mut Vec<Term>) -> Frame;

    /// Requires that the invariants hold in a frame at a moment.
    fn invariants(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        now: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError>;

    /// Requires that time can pass in a frame until `then`.
    fn delay(&self, terms: &mut Terms, frame: &Frame, then: Real, demands: &mut Demands) -> Result<(), EncodingError>;

    /// Encodes a formula in a frame at a moment. Returns its truth and its fault.
    fn formula(
        &self,
        terms: &mut Terms,
        formula: &Formula,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError> {
        match formula {
            Formula::True => Ok((Term::TRUE, Term::FALSE)),
            Formula::False => Ok((Term::FALSE, Term::FALSE)),
            Formula::Condition(pc) => self.condition(terms, *pc, frame),
            Formula::Clock(c) => self.clocks(terms, c, frame, now),
            Formula::Deadlock { negated } => {
                let (alive, fault) = self.can_move(terms, frame, now)?;
                Ok((if *negated { alive } else { !alive }, fault))
            }
            Formula::NetDeadlock { states, .. } => self.formula(terms, states, frame, now),
            Formula::And(parts) => junction(terms, true, parts, |terms, part| self.formula(terms, part, frame, now)),
            Formula::Or(parts) => junction(terms, false, parts, |terms, part| self.formula(terms, part, frame, now)),
        }
    }

    /// Encodes a condition on a row. Returns its truth and its fault.
    fn condition(&self, terms: &mut Terms, pc: Pc, frame: &Frame) -> Result<(Term, Term), EncodingError>;

    /// Encodes a bound on clocks at a moment. Returns its truth and its fault.
    fn clocks(
        &self,
        terms: &mut Terms,
        c: &ClockConstraint,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError>;

    /// Encodes that a transition is possible at some moment from `now` on. Returns its truth and
    /// its fault.
    fn can_move(&self, terms: &mut Terms, frame: &Frame, now: Real) -> Result<(Term, Term), EncodingError>;

    /// Encodes the transitions that are possible at `then`. Faults of guards go to `step`.
    fn transition(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        name: &str,
        step: &mut Demands,
    ) -> Result<SymbolicTransition, EncodingError>;

    /// Returns the successor of a transition that is taken at `then`. Faults of updates go to
    /// `step`, constraints of the successor to `demands`.
    fn next(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        then: (Real, &str),
        demands: (&mut Demands, &mut Demands),
    ) -> Result<Frame, EncodingError>;

    /// Requires that a state is the successor of a transition that is taken at `then`, without its
    /// invariants. Faults of updates go to the first demands, constraints of the successor to the
    /// second.
    fn require_successor(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        taken: &SymbolicTransition,
        next: (Real, &Frame),
        demands: (&mut Demands, &mut Demands),
    ) -> Result<(), EncodingError>;

    /// Returns the run of a solution, given the moments at which frames are left; `None` if there
    /// is none, or if its delays are too large to represent.
    fn trace(
        &self,
        terms: &Terms,
        solver: &mut dyn Solver,
        thens: &[Real],
        moves: &[SymbolicTransition],
    ) -> Option<Trace>;
}

/// Encodes a conjunction, or a disjunction. Returns its truth and its fault.
fn junction(
    terms: &mut Terms,
    and: bool,
    parts: &[Formula],
    mut encode: impl FnMut(&mut Terms, &Formula) -> Result<(Term, Term), EncodingError>,
) -> Result<(Term, Term), EncodingError> {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    // A condition is evaluated only where those before it leave the result open.
    let mut open = Term::TRUE;
    for part in parts {
        let (holds, fault) = encode(terms, part)?;
        faults.push(terms.and([open, fault]));
        if matches!(part, Formula::Condition(_)) {
            open = terms.and([open, if and { holds } else { !holds }]);
        }
        all.push(holds);
    }
    let holds = if and { terms.and(all) } else { terms.or(all) };
    Ok((holds, terms.or(faults)))
}
