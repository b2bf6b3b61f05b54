//! Predicates of abstract states.

use std::collections::{BTreeSet, HashSet};
use zone::Bound;

use model::{
    code::Cmp,
    symbolic::{Atom, Term, TermId, Terms},
};

use super::super::abstraction::{
    steps::{AbstractStep, AbstractSteps, Reset},
    subnetwork::Difference,
};

/// A predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Predicate {
    /// A comparison of integers.
    Integers(Atom),
    /// A bound on a difference of clocks.
    Clocks(Difference),
}

/// A set of predicates. A predicate and its negation count as one.
#[derive(Clone, Debug, Default)]
pub(super) struct Predicates {
    /// The comparisons of integers.
    pub integers: Vec<Atom>,
    /// The differences of clocks.
    pub clocks: Vec<Difference>,
    /// Processes whose locations all abstract states distinguish.
    pub located: BTreeSet<u32>,
    known: HashSet<Predicate>,
}

/// The greatest number of predicates.
const MAX_PREDICATES: usize = 1 << 9;

impl Predicates {
    /// Returns the number of predicates.
    pub(crate) fn len(&self) -> usize {
        self.integers.len() + self.clocks.len()
    }

    /// Adds a comparison, if it is not trivial. Returns whether it is new.
    pub(crate) fn add_atom(&mut self, steps: &mut AbstractSteps<'_>, atom: Atom) -> bool {
        let Some(atom) = plain(steps, atom) else { return false };
        if self.len() >= MAX_PREDICATES || !self.known.insert(Predicate::Integers(atom)) {
            return false;
        }
        self.integers.push(atom);
        true
    }

    /// Adds a difference, if it is not trivial. Returns whether it is new.
    pub(crate) fn add_difference(&mut self, difference: Difference) -> bool {
        if difference.left == difference.right || difference.bound.unsigned_abs() >= i32::INFINITY.unsigned_abs() {
            return false;
        }
        let own = if difference.left < difference.right { difference.negate() } else { difference };
        // Clocks are never negative.
        if own.right == 0 && own.bound < i32::LE_ZERO {
            return false;
        }
        if self.len() >= MAX_PREDICATES || !self.known.insert(Predicate::Clocks(own)) {
            return false;
        }
        self.clocks.push(own);
        true
    }

    /// Distinguishes the locations of a process. Returns whether that is new.
    pub(crate) fn locate(&mut self, process: u32) -> bool {
        self.located.insert(process)
    }

    /// Returns the predicates of guards, invariants and the goal.
    pub(crate) fn of_syntax(steps: &mut AbstractSteps<'_>) -> Predicates {
        let mut found = Predicates::default();
        let goal = steps.targets.iter().map(|target| (target.conditions.clone(), target.clocks.clone()));
        let own = steps.steps.iter().filter(|step| !step.moves.is_empty());
        let guards = own.map(|step| (step.conditions.clone(), step.guard.clone()));
        let all: Vec<(Vec<Atom>, Vec<Difference>)> = goal.chain(guards).collect();
        for (atoms, differences) in all {
            for atom in atoms {
                found.add_atom(steps, atom);
            }
            differences.into_iter().for_each(|difference| {
                found.add_difference(difference);
            });
        }
        for (place, location) in steps.places.iter().zip(&steps.system.locations) {
            if steps.subnetwork.processes[location.process.0 as usize] {
                place.invariant.iter().for_each(|difference| {
                    found.add_difference(*difference);
                });
            }
        }
        found
    }
}

/// Returns the normal form of a comparison; `None`: it is trivial, or concerns a location only.
fn plain(steps: &mut AbstractSteps<'_>, atom: Atom) -> Option<Atom> {
    let support = steps.terms.atom_support(atom)?;
    if support.is_empty() {
        return None;
    }
    let processes = steps.system.processes.len() as u32;
    if support.iter().all(|var| *var < processes) && support.len() == 1 {
        return None;
    }
    let mut atom = match atom.cmp {
        Cmp::Ne | Cmp::Gt | Cmp::Ge => Atom { cmp: atom.cmp.negate(), ..atom },
        _ => atom,
    };
    if let (Term::Const(_), Term::Var(_)) = (steps.terms.get(atom.left), steps.terms.get(atom.right)) {
        atom = match atom.cmp {
            Cmp::Eq | Cmp::Ne => Atom { left: atom.right, right: atom.left, ..atom },
            // c < x is the negation of x <= c, and c <= x that of x < c.
            Cmp::Lt => Atom { cmp: Cmp::Le, left: atom.right, right: atom.left },
            _ => Atom { cmp: Cmp::Lt, left: atom.right, right: atom.left },
        };
    }
    if let (Term::Var(var), Term::Const(number)) = (steps.terms.get(atom.left), steps.terms.get(atom.right)) {
        let (low, high) = steps.system.ranges[var as usize];
        if atom.cmp == Cmp::Lt {
            let right = steps.terms.constant(number.checked_sub(1)?);
            atom = Atom { cmp: Cmp::Le, right, ..atom };
        }
        let number = steps.terms.known(atom.right).unwrap_or(number);
        // At the ends of the range, equality is an inequality.
        if atom.cmp == Cmp::Eq && number == low {
            atom.cmp = Cmp::Le;
        } else if atom.cmp == Cmp::Eq && number == high {
            let right = steps.terms.constant(high.checked_sub(1)?);
            atom = Atom { cmp: Cmp::Le, right, ..atom };
        }
        let number = steps.terms.known(atom.right).unwrap_or(number);
        if number < low || number >= high && atom.cmp == Cmp::Le || number > high {
            return None;
        }
    }
    Some(atom)
}

/// The weakest precondition of a comparison for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// A comparison.
    Atom(Atom),
    /// The comparison always holds after the step, or never.
    Known(bool),
    /// It is unknown.
    Unknown,
}

/// Returns the weakest precondition of a comparison for a step.
pub(super) fn before(terms: &mut Terms, step: &AbstractStep, processes: u32, atom: Atom) -> Precondition {
    let Some(support) = terms.atom_support(atom) else { return Precondition::Unknown };
    let writes = |var: u32| -> Option<Option<TermId>> {
        step.writes.iter().find(|(slot, _)| *slot == var).map(|(_, term)| *term)
    };
    let mut values: Vec<(u32, TermId)> = Vec::new();
    for var in support {
        match writes(var) {
            Some(None) => return Precondition::Unknown,
            Some(Some(term)) => values.push((var, term)),
            None => {}
        }
        if var < processes
            && let Some(moved) = step.moves.iter().find(|moved| moved.process == var)
        {
            let Some((_, target)) = moved.locations else { return Precondition::Unknown };
            let term = terms.constant(target as i32);
            values.push((var, term));
        }
    }
    if values.is_empty() {
        return Precondition::Atom(atom);
    }
    let left = replace(terms, atom.left, &values);
    let right = replace(terms, atom.right, &values);
    let atom = Atom { cmp: atom.cmp, left, right };
    match (terms.known(left), terms.known(right)) {
        (Some(left), Some(right)) => Precondition::Known(atom.cmp.holds(left, right)),
        _ if terms.atom_support(atom).is_none() => Precondition::Unknown,
        _ => Precondition::Atom(atom),
    }
}

/// Substitutes terms for variables in a term.
fn replace(terms: &mut Terms, term: TermId, values: &[(u32, TermId)]) -> TermId {
    let new = match terms.get(term) {
        Term::Var(var) => return values.iter().find(|(own, _)| *own == var).map_or(term, |(_, value)| *value),
        Term::Const(_) | Term::Unknown => return term,
        Term::Arith(op, a, b) => Term::Arith(op, replace(terms, a, values), replace(terms, b, values)),
        Term::Compare(cmp, a, b) => Term::Compare(cmp, replace(terms, a, values), replace(terms, b, values)),
        Term::Unary(op, a) => Term::Unary(op, replace(terms, a, values)),
    };
    terms.intern(new)
}

/// Undoes resets in a zone. Returns whether the result is not empty.
pub(crate) fn undo_resets(zone: &mut [i32], dim: usize, resets: &[(u32, Reset)]) -> bool {
    resets.iter().all(|(clock, reset)| match reset {
        Reset::To(value) => zone::undo_reset(zone, dim, *clock as usize, *value),
        Reset::Any => {
            zone::free(zone, dim, *clock as usize);
            true
        }
    })
}
