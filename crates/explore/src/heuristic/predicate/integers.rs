//! Satisfiability of comparisons of integers.
//!
//! Most variables have few values: those that comparisons on one variable allow are listed, and
//! comparisons of several variables are tested on all combinations. If that takes too long, or a
//! variable has very many values, the comparisons count as satisfiable.

use std::{cell::Cell, collections::BTreeMap};

use model::{
    code::Cmp,
    symbolic::{Atom, Interval, Term, Terms},
};

/// Variables with fewer values have them listed.
const LISTED_VALUES: i64 = 1 << 10;
/// The greatest number of combinations that are tested.
const MAX_TRIED: usize = 1 << 12;

/// The possible values of a variable.
#[derive(Clone, Debug)]
enum RemainingValues {
    These(Vec<i32>),
    Between(i64, i64),
}

impl RemainingValues {
    fn hull(&self) -> Interval {
        match self {
            RemainingValues::These(values) => {
                (i64::from(values.first().copied().unwrap_or(1)), i64::from(values.last().copied().unwrap_or(0)))
            }
            RemainingValues::Between(low, high) => (*low, *high),
        }
    }
}

/// A satisfiable set of comparisons.
pub(crate) struct Facts<'t> {
    terms: &'t Terms,
    ranges: &'t [(i32, i32)],
    left: BTreeMap<u32, RemainingValues>,
    /// Comparisons of several variables.
    several: Vec<(Atom, Vec<u32>)>,
    /// The number of evaluated comparisons.
    work: &'t Cell<u64>,
}

impl<'t> Facts<'t> {
    /// Creates a set of comparisons; `None`: they are unsatisfiable. The number of evaluated
    /// comparisons is added to `work`, now and later.
    pub(crate) fn new(
        terms: &'t Terms,
        ranges: &'t [(i32, i32)],
        atoms: &[Atom],
        work: &'t Cell<u64>,
    ) -> Option<Facts<'t>> {
        let mut facts = Facts { terms, ranges, left: BTreeMap::new(), several: Vec::new(), work };
        for atom in atoms {
            if !facts.add(*atom) {
                return None;
            }
        }
        facts.may_hold(None).then_some(facts)
    }

    /// Returns the constrained variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = u32> {
        self.left.keys().copied().chain(self.several.iter().flat_map(|(_, vars)| vars.iter().copied()))
    }

    /// Returns the only value that a variable can have, if it is unique.
    pub(crate) fn only_value(&self, var: u32) -> Option<i32> {
        match self.left.get(&var)? {
            RemainingValues::These(values) => match values[..] {
                [value] => Some(value),
                _ => None,
            },
            RemainingValues::Between(low, high) => i32::try_from(*low).ok().filter(|_| low == high),
        }
    }

    /// Returns whether a comparison may hold as well.
    pub(crate) fn allow(&self, atom: Atom) -> bool {
        let Some(support) = self.terms.atom_support(atom) else { return true };
        if let [var] = support[..]
            && !self.several.iter().any(|(_, vars)| vars.contains(&var))
        {
            let mut left = self.values(var);
            return self.narrow(&mut left, atom);
        }
        self.may_hold(Some(atom))
    }

    /// Adds a comparison. Returns whether its variable has values.
    fn add(&mut self, atom: Atom) -> bool {
        let Some(support) = self.terms.atom_support(atom) else { return true };
        match support[..] {
            [] => holds(self.terms, atom, &|_| 0),
            [var] => {
                let mut left = self.values(var);
                let some = self.narrow(&mut left, atom);
                self.left.insert(var, left);
                some
            }
            _ => {
                self.several.push((atom, support));
                true
            }
        }
    }

    fn narrow(&self, left: &mut RemainingValues, atom: Atom) -> bool {
        self.count(if let RemainingValues::These(values) = left { values.len() } else { 1 });
        narrow(self.terms, left, atom)
    }

    fn count(&self, comparisons: usize) {
        self.work.set(self.work.get().saturating_add(comparisons as u64));
    }

    fn values(&self, var: u32) -> RemainingValues {
        self.left.get(&var).cloned().unwrap_or_else(|| {
            let (low, high) = self.ranges[var as usize];
            if i64::from(high) - i64::from(low) < LISTED_VALUES {
                RemainingValues::These((low..=high).collect())
            } else {
                RemainingValues::Between(i64::from(low), i64::from(high))
            }
        })
    }

    /// Returns whether all comparisons of several variables, and possibly one more, may hold.
    fn may_hold(&self, more: Option<Atom>) -> bool {
        let mut atoms: Vec<Atom> = self.several.iter().map(|(atom, _)| *atom).collect();
        atoms.extend(more);
        if atoms.is_empty() {
            return true;
        }
        let mut vars: Vec<u32> = atoms.iter().filter_map(|atom| self.terms.atom_support(*atom)).flatten().collect();
        vars.sort_unstable();
        vars.dedup();
        let mut choices: Vec<(u32, RemainingValues)> = vars.into_iter().map(|var| (var, self.values(var))).collect();
        choices.sort_by_key(|(_, left)| match left {
            RemainingValues::These(values) => values.len(),
            RemainingValues::Between(..) => usize::MAX,
        });
        let mut hulls: BTreeMap<u32, Interval> = choices.iter().map(|(var, left)| (*var, left.hull())).collect();
        self.attempt(&atoms, &choices, &mut hulls, &mut 0)
    }

    fn attempt(
        &self,
        atoms: &[Atom],
        choices: &[(u32, RemainingValues)],
        hulls: &mut BTreeMap<u32, Interval>,
        tried: &mut usize,
    ) -> bool {
        *tried += 1;
        self.count(atoms.len());
        if *tried > MAX_TRIED {
            return true;
        }
        let of = |var: u32| hulls.get(&var).copied().unwrap_or((i64::from(i32::MIN), i64::from(i32::MAX)));
        if !atoms.iter().all(|atom| self.terms.may_hold(*atom, &of)) {
            return false;
        }
        let Some(((var, RemainingValues::These(values)), rest)) = choices.split_first() else { return true };
        let before = hulls.get(var).copied();
        for value in values {
            hulls.insert(*var, (i64::from(*value), i64::from(*value)));
            if self.attempt(atoms, rest, hulls, tried) {
                return true;
            }
        }
        if let Some(before) = before {
            hulls.insert(*var, before);
        }
        false
    }
}

fn holds(terms: &Terms, atom: Atom, of: &dyn Fn(u32) -> i32) -> bool {
    let (left, right) = (terms.value(atom.left, of), terms.value(atom.right, of));
    left.zip(right).is_some_and(|(left, right)| atom.cmp.holds(left, right))
}

/// Restricts values by a comparison on their variable alone. Returns whether there are any.
fn narrow(terms: &Terms, left: &mut RemainingValues, atom: Atom) -> bool {
    match left {
        RemainingValues::These(values) => {
            values.retain(|value| holds(terms, atom, &|_| *value));
            !values.is_empty()
        }
        RemainingValues::Between(low, high) => {
            let (cmp, number) = match (terms.get(atom.left), terms.get(atom.right)) {
                (Term::Var(_), Term::Const(c)) => (atom.cmp, i64::from(c)),
                (Term::Const(c), Term::Var(_)) => (flip(atom.cmp), i64::from(c)),
                _ => return terms.may_hold(atom, &|_| (*low, *high)),
            };
            match cmp {
                Cmp::Eq => (*low, *high) = (number.max(*low), number.min(*high)),
                Cmp::Le => *high = number.min(*high),
                Cmp::Lt => *high = (number - 1).min(*high),
                Cmp::Ge => *low = number.max(*low),
                Cmp::Gt => *low = (number + 1).max(*low),
                Cmp::Ne if *low == number => *low += 1,
                Cmp::Ne if *high == number => *high -= 1,
                Cmp::Ne => {}
            }
            low <= high
        }
    }
}

/// Returns the comparison with swapped operands.
fn flip(cmp: Cmp) -> Cmp {
    match cmp {
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Eq | Cmp::Ne => cmp,
    }
}

#[cfg(test)]
mod tests {
    use model::{code::Arith, symbolic::TermId};

    use super::*;

    fn atom(cmp: Cmp, left: TermId, right: TermId) -> Atom {
        Atom { cmp, left, right }
    }

    #[test]
    fn values_of_one_variable_are_told_apart() {
        let mut terms = Terms::default();
        let work = Cell::new(0);
        let (x, two, three) = (terms.intern(Term::Var(0)), terms.constant(2), terms.constant(3));
        for range in [(0, 9), (-1_000_000, 1_000_000)] {
            let ranges = [range];
            let facts = Facts::new(&terms, &ranges, &[atom(Cmp::Gt, x, two), atom(Cmp::Le, x, three)], &work).unwrap();
            assert!(facts.allow(atom(Cmp::Eq, x, three)) && !facts.allow(atom(Cmp::Ne, x, three)));
            assert!(Facts::new(&terms, &ranges, &[atom(Cmp::Gt, x, three), atom(Cmp::Le, x, two)], &work).is_none());
        }
    }

    #[test]
    fn several_variables_are_tried_out() {
        let mut terms = Terms::default();
        let work = Cell::new(0);
        let (x, y) = (terms.intern(Term::Var(0)), terms.intern(Term::Var(1)));
        let sum = terms.intern(Term::Arith(Arith::Add, x, y));
        let (four, two) = (terms.constant(4), terms.constant(2));
        let ranges = [(0, 3), (0, 3)];
        let facts = Facts::new(&terms, &ranges, &[atom(Cmp::Eq, sum, four), atom(Cmp::Ne, x, y)], &work).unwrap();
        assert!(!facts.allow(atom(Cmp::Eq, x, two)));
        assert!(facts.allow(atom(Cmp::Lt, x, two)) && facts.allow(atom(Cmp::Lt, y, two)));
        let all = [atom(Cmp::Eq, sum, four), atom(Cmp::Lt, x, two), atom(Cmp::Lt, y, two)];
        assert!(Facts::new(&terms, &ranges, &all, &work).is_none());
    }
}
