//! The engine's proofs as the independent checker has them. A verdict for which a certificate was
//! asked for is certified before it is shown.

use bounded::{
    automata::StateLiteral,
    net::{MarkingInvariant, PlaceLiteral},
};
use certify::{Clauses, Cover, DifferenceBound, DifferenceConstraint, MarkingClauses, Rejection, Relation};
use model::{Property, System, net::Net};

use crate::Proof;

/// Checks a proof, as `merkhet certify` would.
///
/// # Errors
/// Why it is refused.
pub fn check(
    system: &System,
    net: Option<&Net>,
    property: &Property,
    satisfied: bool,
    proof: &Proof,
) -> Result<(), Box<Rejection>> {
    let answer = if satisfied { certify::Answer::Satisfied } else { certify::Answer::NotSatisfied };
    certify::check(system, net, property, answer, &translated(system, proof)).map(|_| ())
}

/// The engine's proof as the checker has it.
#[must_use]
pub(crate) fn translated(system: &System, proof: &Proof) -> certify::Proof {
    match proof {
        Proof::Cover(cover) => certify::Proof::Cover(covered(cover)),
        Proof::Ranks { reached, ranked } => {
            let (mut states, mut constraints) = (Cover::new(), Vec::new());
            let Ok(()) = ranked.try_for_each(|row, zone, rank| {
                translate(zone, &mut constraints);
                states.add_ranked(row, &constraints, rank);
                Ok::<(), std::convert::Infallible>(())
            });
            certify::Proof::Ranks { reached: reached.as_ref().map(covered), ranked: states }
        }
        Proof::Invariant(invariant) => {
            let list = invariant.clauses.iter().map(|clause| clause.iter().map(literal).collect()).collect();
            certify::Proof::Invariant(Clauses { list })
        }
        Proof::Marking(invariant) => certify::Proof::Marking(marking(system, invariant)),
    }
}

/// An invariant of markings as the checker has it.
#[must_use]
pub fn marking(system: &System, invariant: &MarkingInvariant) -> MarkingClauses {
    let first = system.processes.len() as u32;
    let literal = |l: &PlaceLiteral| certify::ClauseLiteral::Number {
        slot: first + l.place,
        relation: Relation::Is,
        value: i32::from(l.marked),
    };
    let [clauses, lemmas, dead] = [&invariant.clauses, &invariant.lemmas, &invariant.dead]
        .map(|list| Clauses { list: list.iter().map(|clause| clause.iter().map(literal).collect()).collect() });
    MarkingClauses { clauses, lemmas, dead }
}

fn covered(cover: &crate::Cover) -> Cover {
    let (mut states, mut constraints) = (Cover::new(), Vec::new());
    let Ok(()) = cover.try_for_each(|row, zone| {
        translate(zone, &mut constraints);
        states.add(row, &constraints);
        Ok::<(), std::convert::Infallible>(())
    });
    states
}

/// A literal as the checker has it.
#[must_use]
pub fn literal(literal: &StateLiteral) -> certify::ClauseLiteral {
    let number = |slot, relation, value| certify::ClauseLiteral::Number { slot, relation, value };
    match *literal {
        StateLiteral::Is { slot, value } => number(slot, Relation::Is, value),
        StateLiteral::IsNot { slot, value } => number(slot, Relation::IsNot, value),
        StateLiteral::AtMost { slot, value } => number(slot, Relation::AtMost, value),
        StateLiteral::AtLeast { slot, value } => number(slot, Relation::AtLeast, value),
        StateLiteral::Clocks { left, right, bound } => certify::ClauseLiteral::Clocks(DifferenceConstraint {
            left,
            right,
            bound: DifferenceBound::new(bound.value, bound.strict),
        }),
    }
}

/// The engine's constraints as the checker has them.
pub fn translate(zone: &[crate::Constraint], out: &mut Vec<DifferenceConstraint>) {
    out.clear();
    out.extend(zone.iter().map(|c| DifferenceConstraint {
        left: c.left as u32,
        right: c.right as u32,
        bound: DifferenceBound::new(c.bound, c.strict),
    }));
}
