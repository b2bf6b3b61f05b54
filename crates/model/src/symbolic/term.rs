//! Terms: values as functions of variables.

use std::collections::HashMap;

use crate::operation::{self, Arith, Cmp, Interval, Unary};

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// A value, as it depends on variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Term {
    Const(i32),
    /// A variable; the caller defines the meaning of its number.
    Var(u32),
    Unary(Unary, TermId),
    Arith(Arith, TermId, TermId),
    Compare(Cmp, TermId, TermId),
    /// An unknown value.
    Unknown,
}

/// `left cmp right`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Atom {
    pub cmp: Cmp,
    pub left: TermId,
    pub right: TermId,
}

/// All terms, each stored once.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    list: Vec<Term>,
    /// The variables of each term, in order; `None` if part of it is unknown.
    supports: Vec<Option<Vec<u32>>>,
    numbers: HashMap<Term, TermId>,
}

impl Terms {
    /// Returns the term with a number.
    #[must_use]
    pub fn get(&self, id: TermId) -> Term {
        self.list[id.0 as usize]
    }

    /// Returns the variables that a term depends on; `None` if part of it is unknown.
    #[must_use]
    pub fn support(&self, id: TermId) -> Option<&[u32]> {
        self.supports[id.0 as usize].as_deref()
    }

    /// Returns the variables that a comparison depends on; `None` if part of it is unknown.
    #[must_use]
    pub fn atom_support(&self, atom: Atom) -> Option<Vec<u32>> {
        Some(merge(self.support(atom.left)?, self.support(atom.right)?))
    }

    /// Returns the number of a term; constant terms are simplified.
    pub fn intern(&mut self, term: Term) -> TermId {
        let term = self.simplify(term);
        if let Some(id) = self.numbers.get(&term) {
            return *id;
        }
        let support = match term {
            Term::Const(_) => Some(Vec::new()),
            Term::Var(v) => Some(vec![v]),
            Term::Unknown => None,
            Term::Unary(_, a) => self.supports[a.0 as usize].clone(),
            Term::Arith(_, a, b) | Term::Compare(_, a, b) => {
                self.support(a).zip(self.support(b)).map(|(a, b)| merge(a, b))
            }
        };
        let id = TermId(self.list.len() as u32);
        self.list.push(term);
        self.supports.push(support);
        self.numbers.insert(term, id);
        id
    }

    /// Returns the number of a constant.
    pub fn constant(&mut self, value: i32) -> TermId {
        self.intern(Term::Const(value))
    }

    /// Returns the value of a constant term.
    #[must_use]
    pub fn known(&self, id: TermId) -> Option<i32> {
        match self.get(id) {
            Term::Const(value) => Some(value),
            _ => None,
        }
    }

    fn simplify(&self, term: Term) -> Term {
        let of = |id| self.known(id);
        match term {
            Term::Arith(op, a, b) => match (op, of(a), of(b)) {
                (_, Some(a), Some(b)) => op.apply(a, b).map_or(Term::Unknown, Term::Const),
                (Arith::Add | Arith::Sub, None, Some(0)) => self.get(a),
                (Arith::Add, Some(0), None) => self.get(b),
                _ => term,
            },
            Term::Compare(cmp, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => Term::Const(i32::from(cmp.holds(a, b))),
                _ => term,
            },
            Term::Unary(op, a) => of(a).map_or(term, |a| Term::Const(op.apply(a))),
            _ => term,
        }
    }

    /// Returns the value of a term under a valuation; `None` if it has none.
    pub fn value(&self, id: TermId, of: &dyn Fn(u32) -> i32) -> Option<i32> {
        Some(match self.get(id) {
            Term::Const(value) => value,
            Term::Var(v) => of(v),
            Term::Arith(op, a, b) => op.apply(self.value(a, of)?, self.value(b, of)?).ok()?,
            Term::Compare(cmp, a, b) => i32::from(cmp.holds(self.value(a, of)?, self.value(b, of)?)),
            Term::Unary(op, a) => op.apply(self.value(a, of)?),
            Term::Unknown => return None,
        })
    }

    /// Returns an interval that contains all values of a term, given intervals of the variables.
    pub fn interval(&self, id: TermId, of: &dyn Fn(u32) -> Interval) -> Interval {
        match self.get(id) {
            Term::Const(value) => (i64::from(value), i64::from(value)),
            Term::Var(v) => of(v),
            Term::Arith(op, a, b) => op.interval(self.interval(a, of), self.interval(b, of)),
            Term::Compare(cmp, a, b) => {
                let (a, b) = (self.interval(a, of), self.interval(b, of));
                (i64::from(!operation::may_hold(cmp.negate(), a, b)), i64::from(operation::may_hold(cmp, a, b)))
            }
            Term::Unary(op, a) => op.interval(self.interval(a, of)),
            Term::Unknown => operation::ALL,
        }
    }

    /// Returns whether a comparison may hold, given intervals of the variables.
    pub fn may_hold(&self, atom: Atom, of: &dyn Fn(u32) -> Interval) -> bool {
        operation::may_hold(atom.cmp, self.interval(atom.left, of), self.interval(atom.right, of))
    }

    /// Returns whether an operation of a term may fail, given intervals of the variables.
    pub fn may_fail(&self, id: TermId, of: &dyn Fn(u32) -> Interval) -> bool {
        match self.get(id) {
            Term::Const(_) | Term::Var(_) => false,
            Term::Arith(op, a, b) => op.may_fail(self.interval(b, of)) || self.may_fail(a, of) || self.may_fail(b, of),
            Term::Compare(_, a, b) => self.may_fail(a, of) || self.may_fail(b, of),
            Term::Unary(_, a) => self.may_fail(a, of),
            Term::Unknown => true,
        }
    }

    /// Calls `f` with each constant of a term.
    pub fn constants(&self, id: TermId, f: &mut dyn FnMut(i32)) {
        match self.get(id) {
            Term::Const(value) => f(value),
            Term::Arith(_, a, b) | Term::Compare(_, a, b) => {
                self.constants(a, f);
                self.constants(b, f);
            }
            Term::Unary(_, a) => self.constants(a, f),
            Term::Var(_) | Term::Unknown => {}
        }
    }

    /// Returns the variable and the constant of a sum: `v + 3` gives `v` and 3.
    #[must_use]
    pub fn increment(&self, id: TermId) -> Option<(u32, i32)> {
        let Term::Arith(op, a, b) = self.get(id) else { return None };
        match (op, self.get(a), self.get(b)) {
            (Arith::Add, Term::Var(v), Term::Const(c)) | (Arith::Add, Term::Const(c), Term::Var(v)) => Some((v, c)),
            (Arith::Sub, Term::Var(v), Term::Const(c)) => Some((v, c.checked_neg()?)),
            _ => None,
        }
    }
}

fn merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_all_values() {
        let mut terms = Terms::default();
        let (x, y) = (terms.intern(Term::Var(0)), terms.intern(Term::Var(1)));
        let ranges = [(-3, -1), (-2, 2), (0, 0), (0, 3), (2, 5)];
        for op in Arith::each() {
            let sum = terms.intern(Term::Arith(op, x, y));
            let less = terms.intern(Term::Compare(Cmp::Lt, sum, x));
            let other = terms.intern(Term::Unary(Unary::Negate, sum));
            let size = terms.intern(Term::Unary(Unary::Abs, sum));
            for (a, b) in ranges.iter().flat_map(|a| ranges.iter().map(move |b| (*a, *b))) {
                let pick = |v: u32| if v == 0 { a } else { b };
                for (p, q) in (a.0..=a.1).flat_map(|p| (b.0..=b.1).map(move |q| (p, q))) {
                    for term in [sum, less, other, size] {
                        let (low, high) = terms.interval(term, &pick);
                        let value = terms.value(term, &|v| if v == 0 { p as i32 } else { q as i32 });
                        let inside = |v: i32| low <= i64::from(v) && i64::from(v) <= high;
                        assert!(value.is_none_or(inside), "{op:?} of {p} and {q}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_known_is_simplified() {
        let mut terms = Terms::default();
        let (two, x) = (terms.constant(2), terms.intern(Term::Var(7)));
        let four = terms.intern(Term::Arith(Arith::Mul, two, two));
        assert_eq!(terms.known(four), Some(4));
        let sum = terms.intern(Term::Arith(Arith::Sub, x, two));
        assert_eq!(terms.increment(sum), Some((7, -2)));
        assert_eq!(terms.support(sum), Some(&[7][..]));
        let unknown = terms.intern(Term::Unknown);
        let both = terms.intern(Term::Arith(Arith::Add, sum, unknown));
        assert_eq!(terms.support(both), None);
    }
}
