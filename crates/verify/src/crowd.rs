//! More comparisons of differences of clocks than zones can be cut along.
//!
//! Formulas need no list of them, and answer what they can.

use explore::{crowd, search::Limits};
use model::{Property, System};
use smt::Embedded;

use crate::{Answer, FormulaOptions, Proof, Reason, Verdict, answer_by_formulas, formulas::blank};

/// How many there are, if they are too many.
pub fn too_many(system: &System, property: &Property) -> Option<u64> {
    crowd::too_many(system, &property.formulas())
}

/// Answers a property without zones.
pub fn answer(
    system: &System,
    property: &Property,
    many: u64,
    proves: bool,
    limits: &Limits<'_>,
) -> (Answer, Option<Proof>) {
    let unknown = Answer { verdict: Verdict::Unknown(Reason::Crowd(many)), ..blank(system) };
    if !matches!(property, Property::Possibly(_) | Property::Invariantly(_)) {
        return (unknown, None);
    }
    let mut solvers = || -> Box<dyn smt::Solver> { Box::new(Embedded::new()) };
    let chosen = FormulaOptions::default();
    let (answer, proof) = answer_by_formulas(system, None, property, &chosen, &mut solvers, limits, &mut |_| {});
    match answer.verdict {
        // What the model has too much of says more than what formulas lack.
        Verdict::Unknown(Reason::Refused(_)) => (unknown, None),
        _ => (answer, proof.ok().filter(|_| proves)),
    }
}
