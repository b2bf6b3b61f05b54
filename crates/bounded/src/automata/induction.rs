//! Unbounded checking by induction: if nothing bad comes within so many steps of the start, and
//! nothing bad comes behind so many steps without anything bad from anywhere, then nothing bad ever
//! comes.
//!
//! Where there are no clocks it is enough to look at steps from anywhere that come to no state
//! twice: then this ends.

use model::{Formula, System};
use smt::{SatResult, Solver, Term};

use super::{Encoder, check::BaseCase, unroll::Unrolling};
use crate::{
    bound::Bounded,
    code::{EncodingError, Stop},
};

/// What a check by induction finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inductive {
    /// No run leads to the goal, or fails: so many steps without anything bad lead to nothing bad.
    Holds(usize),
    /// What a bounded check has found.
    Bounded(Bounded),
}

/// Looks for a run to the goal of at most `bound` transitions, or for a number of steps by which
/// induction shows that there is none. `solvers` makes solvers, of which two are needed. `at_depth`
/// is told how many transitions are looked at.
///
/// # Errors
/// What the system or the goal have that is not turned into formulas.
pub fn induct(
    system: &System,
    goal: &Formula,
    bound: usize,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Inductive, EncodingError> {
    let encoder = Encoder::new(system, stop)?;
    let (mut first, mut second) = (solvers(), solvers());
    let mut base = BaseCase::new(&encoder, goal, &mut *first)?;
    let mut any = Unrolling::from_anywhere(&encoder, &mut *second)?;
    for depth in 0..=bound {
        at_depth(depth);
        if let Some(found) = base.look(stop)? {
            return Ok(Inductive::Bounded(found));
        }
        let (reached, wrong) = any.formula(goal)?;
        let fault = any.fault();
        let bad = any.terms.or([reached, wrong, fault]);
        let guards = any.leave()?;
        let mut ends = Ok(true);
        for fails in [bad, guards] {
            closes(&mut ends, &mut any, fails, stop);
        }
        let updates = any.take();
        closes(&mut ends, &mut any, updates, stop);
        if let Some(found) = base.step(stop)? {
            return Ok(Inductive::Bounded(found));
        }
        // Nothing always holds in a model that fails, however long its runs are.
        if base.failed() {
            return Ok(Inductive::Bounded(base.end(bound)));
        }
        match ends {
            Ok(true) => return Ok(Inductive::Holds(depth)),
            Ok(false) => {}
            Err(found) => return Ok(Inductive::Bounded(found)),
        }
        any.land()?;
        if system.clocks.len() == 1 {
            any.comes_nowhere_twice()?;
        }
    }
    Ok(Inductive::Bounded(base.end(bound)))
}

/// Leaves aside the runs that go wrong like this. `ends` says whether none has gone wrong so far.
fn closes(ends: &mut Result<bool, Bounded>, any: &mut Unrolling<'_, '_>, wrong: Term, stop: &Stop<'_>) {
    if let Ok(true) = ends
        && wrong != Term::FALSE
    {
        *ends = match any.check(&[wrong], stop) {
            SatResult::Satisfiable => Ok(false),
            SatResult::Unsatisfiable => Ok(true),
            SatResult::Stopped => Err(Bounded::Stopped),
            SatResult::Unknown(why) => Err(Bounded::Unknown(why)),
        };
    }
    any.assert(!wrong);
}
