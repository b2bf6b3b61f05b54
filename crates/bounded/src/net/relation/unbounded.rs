//! Induction and invariants of nets.

use model::{Formula, System, net::Net};
use smt::Solver;

use super::NetRelation;
use crate::{
    Bounded, EncodingError,
    automata::{Found, Inductive, Invariant, StateLiteral, Unbounded, check, induct_in, search},
    code::Stop,
    net::MarkingInvariant,
};

/// Searches for a run to the goal of at most `bound` events, or for a k for which the property is
/// k-inductive. `known` is an invariant of the markings. Returns `None` if a token may be put on a
/// marked place, which need not be an error.
///
/// # Errors
/// The net or the goal has an unsupported feature, or a limit was reached.
pub fn induct(
    (net, known): (&Net, &MarkingInvariant),
    (system, goal): (&System, &Formula),
    bound: usize,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_depth: &mut dyn FnMut(usize),
) -> Result<Option<Inductive>, EncodingError> {
    let relation = NetRelation::new(net, system, known, stop)?;
    Ok(match induct_in(&relation, goal, bound, solvers, stop, at_depth)? {
        Inductive::Bounded(Bounded::Fails(_) | Bounded::Unknown(_)) => None,
        found => Some(found),
    })
}

/// Searches for a run to the goal, or for an invariant that excludes it. `known` is an invariant of
/// the markings, and becomes part of it. Returns `None` if a token may be put on a marked place and
/// that is no error.
///
/// # Errors
/// The net or the goal has an unsupported feature, or a limit was reached.
pub fn prove(
    (net, known): (&Net, &MarkingInvariant),
    (system, goal): (&System, &Formula),
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_level: &mut dyn FnMut(usize),
) -> Result<Option<Unbounded>, EncodingError> {
    let relation = NetRelation::new(net, system, known, stop)?;
    Ok(match search(&relation, goal, solvers, stop, at_level)? {
        Found::Invariant(Invariant { mut clauses }) => {
            let first = system.processes.len() as u32;
            let literal =
                |l: &super::super::PlaceLiteral| StateLiteral::Is { slot: first + l.place, value: i32::from(l.marked) };
            clauses.extend(known.clauses.iter().map(|clause| clause.iter().map(literal).collect()));
            Some(Unbounded::Holds(Invariant { clauses }))
        }
        Found::Run(length) => {
            // An error takes up to two more transitions of the automata.
            let found = check(system, goal, length.saturating_add(2), &mut *solvers(), stop, &mut |_| {})?;
            match found {
                Bounded::Found(trace) => Some(Unbounded::Found(trace)),
                Bounded::Fails(failure) => Some(Unbounded::Fails(failure)),
                Bounded::Stopped => Some(Unbounded::Stopped),
                Bounded::Unknown(why) => Some(Unbounded::Unknown(why)),
                Bounded::None(_) => None,
            }
        }
        Found::Stopped => Some(Unbounded::Stopped),
        Found::Unknown(why) => Some(Unbounded::Unknown(why)),
    })
}
