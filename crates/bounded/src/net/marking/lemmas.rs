//! The steps by which clauses about markings are a proof.
//!
//! A checker of certificates knows unit propagation only. A solver that starts from the clauses
//! alone is asked every question that the checker asks; what it learns is what the checker lacks.

use model::net::Net;
use smt::{Embedded, SatResult, Solver, Term, Terms};

use super::{
    MarkingInvariant, PlaceLiteral,
    cube::{Firings, MarkingCube, literal},
    goal::MarkingGoal,
};
use crate::code::Stop;

/// Returns an invariant with its lemmas; `None` if the clauses are no proof, or a limit was
/// reached.
pub(super) fn derive(
    net: &Net,
    goal: &MarkingGoal,
    clauses: Vec<Vec<PlaceLiteral>>,
    stop: &Stop<'_>,
) -> Option<MarkingInvariant> {
    let firings = Firings::new(net);
    let mut first = Questions::new(net, stop);
    clauses.iter().for_each(|clause| first.assert(clause));
    let mut second = Questions::new(net, stop);
    for cube in &goal.contacts {
        first.excludes(cube)?;
    }
    for clause in &clauses {
        let cube: MarkingCube = clause.iter().map(|l| l.negated()).collect();
        for t in firings.leading_into(&cube) {
            if let Some(before) = firings.before(t, &cube) {
                first.excludes(&before)?;
            }
        }
    }
    for case in goal.cases.iter().filter(|case| !case.dead) {
        first.excludes(&case.cube)?;
    }
    let lemmas = first.learnt();
    let mut dead = Vec::new();
    if goal.cases.iter().any(|case| case.dead) {
        clauses.iter().chain(&lemmas).for_each(|clause| second.assert(clause));
        for t in &net.transitions {
            let absent = t.takes.iter().chain(&t.tests).map(|arc| literal(arc.place, false));
            let there = t.inhibitors.iter().map(|arc| literal(arc.place, true));
            second.assert(&absent.chain(there).collect::<Vec<_>>());
        }
        for case in goal.cases.iter().filter(|case| case.dead) {
            second.excludes(&case.cube)?;
        }
        dead = second.learnt();
    }
    Some(MarkingInvariant { clauses, lemmas, dead })
}

/// A solver that records what it learns.
struct Questions<'s> {
    terms: Terms,
    places: Vec<Term>,
    solver: Embedded,
    stop: &'s Stop<'s>,
}

impl<'s> Questions<'s> {
    fn new(net: &Net, stop: &'s Stop<'s>) -> Questions<'s> {
        let mut terms = Terms::new();
        let places = net.places.iter().map(|p| terms.boolean(p.written.clone())).collect();
        Questions { terms, places, solver: Embedded::recording(), stop }
    }

    fn term(&self, l: PlaceLiteral) -> Term {
        let term = self.places[l.place as usize];
        if l.marked { term } else { !term }
    }

    fn assert(&mut self, clause: &[PlaceLiteral]) {
        let parts: Vec<Term> = clause.iter().map(|l| self.term(*l)).collect();
        let clause = self.terms.or(parts);
        self.solver.assert(&self.terms, clause);
    }

    /// Fails unless no marking of a cube satisfies the clauses.
    fn excludes(&mut self, cube: &[PlaceLiteral]) -> Option<()> {
        let assumptions: Vec<Term> = cube.iter().map(|l| self.term(*l)).collect();
        (self.solver.check(&self.terms, &assumptions, self.stop) == SatResult::Unsatisfiable).then_some(())
    }

    fn learnt(&self) -> Vec<Vec<PlaceLiteral>> {
        let place = |t: &Term| {
            let place = self.places.iter().position(|place| *place == t.positive());
            place.map(|place| literal(place as u32, !t.is_negated()))
        };
        let learnt = self.solver.learnt(&self.terms);
        learnt.iter().filter_map(|clause| clause.iter().map(place).collect()).collect()
    }
}
