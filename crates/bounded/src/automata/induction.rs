//! Unbounded checking by induction: if nothing bad comes within so many steps of the start, and nothing bad comes behind so many
//! steps without anything bad from anywhere, then nothing bad ever comes.
//!
//! Where there are no clocks it is enough to look at steps from anywhere that come to no state twice: then this ends.

use model::{Formula, System};
use smt::{Outcome, Solver, Term};

use super::{Encoder, check::Base, unroll::Unrolling};
use crate::{bound::Bounded, code::Refused};

/// What a check by induction finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inductive {
    /// No run leads to the goal, or fails: so many steps without anything bad lead to nothing bad.
    Holds(usize),
    /// What a bounded check has found.
    Bounded(Bounded),
}

/// Looks for a run to the goal of at most `bound` transitions, or for a number of steps by which induction shows that there is
/// none. `solvers` makes solvers, of which two are needed. `at_depth` is told how many transitions are looked at.
///
/// # Errors
/// What the system or the goal have that is not turned into formulas.
pub fn induct(
    system: &System,
    goal: &Formula,
    bound: usize,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &dyn Fn() -> bool,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Inductive, Refused> {
    let encoder = Encoder::new(system)?;
    let (mut first, mut second) = (solvers(), solvers());
    let mut base = Base::new(&encoder, goal, &mut *first)?;
    let mut any = Unrolling::from_anywhere(&encoder, &mut *second)?;
    for depth in 0..=bound {
        at_depth(depth);
        if let Some(found) = base.look(stop)? {
            return Ok(Inductive::Bounded(found));
        }
        let (reached, wrong) = any.formula(goal)?;
        let fault = any.fault();
        let bad = any.terms.or([reached, wrong, fault]);
        let mut ends = closed(any.check(&[bad], stop));
        any.assert(!bad);
        let fails = any.take()?;
        if let Ok(true) = ends
            && fails != Term::FALSE
        {
            ends = closed(any.check(&[fails], stop));
        }
        any.assert(!fails);
        if let Some(found) = base.step(stop)? {
            return Ok(Inductive::Bounded(found));
        }
        match ends {
            // A model that fails somewhere is no model of which something always holds.
            Ok(true) if !base.failed() => return Ok(Inductive::Holds(depth)),
            Ok(_) => {}
            Err(why) => return Ok(Inductive::Bounded(Bounded::Unknown(why))),
        }
        any.land()?;
        if system.clocks.len() == 1 {
            any.comes_nowhere_twice();
        }
    }
    Ok(Inductive::Bounded(base.end(bound)))
}

/// Whether there is no such run.
fn closed(outcome: Outcome) -> Result<bool, String> {
    match outcome {
        Outcome::Satisfiable => Ok(false),
        Outcome::Unsatisfiable => Ok(true),
        Outcome::Unknown(why) => Err(why),
    }
}
