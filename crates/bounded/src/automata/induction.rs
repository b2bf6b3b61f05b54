//! k-induction. If no bad state is reachable within k steps, and no bad state follows k steps
//! through good states from any state, then no bad state is reachable.
//!
//! Without clocks only simple paths are considered, which visit no state twice. This makes the
//! method complete.

use model::{Formula, System};
use smt::{SatResult, Solver, Term};

use super::{Encoder, check::BaseCase, unroll::Unrolling};
use crate::{EncodingError, bound::Bounded, code::Stop, relation::Relation};

/// The result of k-induction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inductive {
    /// No run reaches the goal or fails: the property is k-inductive for this k.
    Holds(usize),
    /// The result of the bounded check.
    Bounded(Bounded),
}

/// Searches for a run to the goal of at most `bound` transitions, or for a k for which the property
/// is k-inductive. `solvers` creates solvers; two are needed. `at_depth` is called with each depth.
///
/// # Errors
/// The system or the goal has an unsupported feature, or a limit was reached.
pub fn induct(
    system: &System,
    goal: &Formula,
    bound: usize,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Inductive, EncodingError> {
    induct_in(&Encoder::new(system, stop)?, goal, bound, solvers, stop, at_depth)
}

/// Does so for states and steps of any encoding.
pub(crate) fn induct_in(
    relation: &dyn Relation,
    goal: &Formula,
    bound: usize,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Inductive, EncodingError> {
    let has_simple_paths = relation.is_timeless() && !mentions_clocks(goal);
    let (mut first, mut second) = (solvers(), solvers());
    let mut base = BaseCase::new(relation, goal, &mut *first)?;
    let mut steps = Unrolling::from_any_state(relation, &mut *second)?;
    for depth in 0..=bound {
        at_depth(depth);
        if let Some(found) = base.check_goal(stop)? {
            return Ok(Inductive::Bounded(found));
        }
        let (reached, wrong) = steps.formula(goal)?;
        let fault = steps.fault();
        let bad = steps.terms.or([reached, wrong, fault]);
        let guards = steps.leave()?;
        let mut inductive = Ok(true);
        for fails in [bad, guards] {
            exclude(&mut inductive, &mut steps, fails, stop);
        }
        let updates = steps.take();
        exclude(&mut inductive, &mut steps, updates, stop);
        if let Some(found) = base.step(stop)? {
            return Ok(Inductive::Bounded(found));
        }
        // A model that fails satisfies no invariant, however long its runs are.
        if base.failed() {
            return Ok(Inductive::Bounded(base.end(bound)));
        }
        match inductive {
            Ok(true) => return Ok(Inductive::Holds(depth)),
            Ok(false) => {}
            Err(found) => return Ok(Inductive::Bounded(found)),
        }
        steps.land()?;
        if has_simple_paths {
            steps.require_simple_path()?;
        }
    }
    Ok(Inductive::Bounded(base.end(bound)))
}

/// Excludes the runs that end in a bad state. `inductive` becomes false if there are any.
fn exclude(inductive: &mut Result<bool, Bounded>, steps: &mut Unrolling<'_>, bad: Term, stop: &Stop<'_>) {
    if let Ok(true) = inductive
        && bad != Term::FALSE
    {
        *inductive = match steps.check(&[bad], stop) {
            SatResult::Satisfiable => Ok(false),
            SatResult::Unsatisfiable => Ok(true),
            SatResult::Stopped => Err(Bounded::Stopped),
            SatResult::Unknown(why) => Err(Bounded::Unknown(why)),
        };
    }
    steps.assert(!bad);
}

fn mentions_clocks(goal: &Formula) -> bool {
    matches!(goal, Formula::Clock(_)) || goal.parts().iter().any(mentions_clocks)
}
