//! Goals of nets: conditions on the marking and the time, and deadlocks.

use std::cell::Cell;

use model::{
    Formula, System,
    net::{Net, time_name},
    system::{ClockConstraint, ClockTerm, Operand},
};
use smt::{Real, Term, UpperBound};

use super::NetUnrolling;
use crate::{Conditions, EncodingError, Integer, Stop, Unsupported};

/// Encodes a formula after the last step. Returns its truth and its fault. `places` maps the places
/// of the net to those of the reduced net that is unrolled.
///
/// # Errors
/// The formula has an unsupported feature, or a limit was reached.
pub(super) fn formula(
    (net, places): (&Net, &[Option<u32>]),
    (system, stop): (&System, &Stop<'_>),
    unrolling: &mut dyn NetUnrolling,
    formula: &Formula,
) -> Result<(Term, Term), EncodingError> {
    match formula {
        Formula::True => Ok((Term::TRUE, Term::FALSE)),
        Formula::False => Ok((Term::FALSE, Term::FALSE)),
        Formula::Condition(pc) => {
            let marked = |place: &Option<u32>| place.map(|place| unrolling.marked(place as usize));
            let places: Vec<Option<Term>> = places.iter().map(marked).collect();
            let first = system.processes.len() as u32;
            // The slots after the places belong to the automata, which this encoding does not have.
            let unknown_slot = Cell::new(false);
            let row = |slot: u32| match slot.checked_sub(first).and_then(|place| *places.get(place as usize)?) {
                Some(Term::TRUE) => Integer::known(1),
                Some(Term::FALSE) => Integer::known(0),
                Some(marked) => Integer::of([(0, !marked), (1, marked)]),
                None => {
                    unknown_slot.set(true);
                    Integer::known(0)
                }
            };
            let (holds, fault) = Conditions::new(system, stop).condition(unrolling.terms(), *pc, &row)?;
            if unknown_slot.get() {
                return Err(Unsupported::OtherQueries.into());
            }
            Ok((holds, fault))
        }
        Formula::Clock(constraint) => Ok((time(net, system, unrolling, constraint)?, Term::FALSE)),
        Formula::Deadlock { negated } | Formula::NetDeadlock { negated, .. } => {
            let dead = unrolling.deadlock();
            Ok((if *negated { !dead } else { dead }, Term::FALSE))
        }
        Formula::And(parts) | Formula::Or(parts) => {
            let (mut all, mut faults) = (Vec::new(), Vec::new());
            for part in parts {
                let (holds, fault) = self::formula((net, places), (system, stop), unrolling, part)?;
                all.push(holds);
                faults.push(fault);
            }
            let terms = unrolling.terms();
            let holds = if matches!(formula, Formula::And(_)) { terms.and(all) } else { terms.or(all) };
            Ok((holds, terms.or(faults)))
        }
    }
}

/// Encodes a bound on the time since the start.
fn time(
    net: &Net,
    system: &System,
    unrolling: &mut dyn NetUnrolling,
    c: &ClockConstraint,
) -> Result<Term, EncodingError> {
    let Some((now, start)) = unrolling.time() else {
        return Err(Unsupported::TimeQueries.into());
    };
    let name = time_name(net);
    let moment = |term: ClockTerm| -> Result<Real, EncodingError> {
        match term {
            ClockTerm::Clock(clock) if clock.0 == 0 => Ok(start),
            ClockTerm::Clock(clock) if system.clocks[clock.0 as usize].name == name => Ok(now),
            _ => Err(Unsupported::AgeQueries.into()),
        }
    };
    let (left, right) = (moment(c.left)?, moment(c.right)?);
    match (c.condition, c.bound) {
        (None, Operand::Const(bound)) => {
            Ok(unrolling.terms().difference(left, right, UpperBound { value: bound, strict: c.strict }))
        }
        _ => Err(Unsupported::VariableTimeBounds.into()),
    }
}
