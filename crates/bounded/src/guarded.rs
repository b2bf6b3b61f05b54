//! Values that depend on formulas: finitely many alternatives, each guarded by a term.

use smt::{Term, Terms};

/// One of finitely many values, each with a term as its guard. Exactly one guard holds wherever the
/// value matters. The values are distinct and sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedValue<T> {
    values: Vec<(T, Term)>,
}

/// A guarded integer.
pub type Integer = GuardedValue<i32>;

impl<T: Copy + Ord> GuardedValue<T> {
    /// Creates a constant.
    #[must_use]
    pub fn known(value: T) -> GuardedValue<T> {
        GuardedValue { values: vec![(value, Term::TRUE)] }
    }

    /// Creates a value from sorted alternatives with their guards, of which exactly one holds.
    #[must_use]
    pub(crate) fn of<const N: usize>(values: [(T, Term); N]) -> GuardedValue<T> {
        GuardedValue { values: values.to_vec() }
    }

    /// Creates a value from alternatives in any order, which may repeat values. Exactly one guard
    /// holds.
    pub fn collect(terms: &mut Terms, values: impl IntoIterator<Item = (T, Term)>) -> GuardedValue<T> {
        let mut all: Vec<(T, Term)> = values.into_iter().filter(|(_, term)| *term != Term::FALSE).collect();
        all.sort_unstable();
        let groups = all.chunk_by(|(a, _), (b, _)| a == b);
        let mut values: Vec<(T, Term)> =
            groups.map(|group| (group[0].0, terms.or(group.iter().map(|(_, term)| *term)))).collect();
        // A single alternative needs no guard.
        if let [(_, term)] = values.as_mut_slice() {
            *term = Term::TRUE;
        }
        GuardedValue { values }
    }

    /// Returns the values with their guards.
    #[must_use]
    pub fn values(&self) -> &[(T, Term)] {
        &self.values
    }

    /// Returns the value of a constant.
    #[must_use]
    pub(crate) fn only(&self) -> Option<T> {
        match self.values.as_slice() {
            [(value, _)] => Some(*value),
            _ => None,
        }
    }

    /// Returns the guard of a value.
    #[must_use]
    pub fn is(&self, value: T) -> Term {
        self.values.binary_search_by_key(&value, |(v, _)| *v).map_or(Term::FALSE, |at| self.values[at].1)
    }

    /// Returns the value `if condition then yes else no`.
    pub(crate) fn either(
        terms: &mut Terms,
        condition: Term,
        yes: &GuardedValue<T>,
        no: &GuardedValue<T>,
    ) -> GuardedValue<T> {
        if yes == no || condition == Term::TRUE {
            return yes.clone();
        }
        if condition == Term::FALSE {
            return no.clone();
        }
        let mut all = Vec::with_capacity(yes.values.len() + no.values.len());
        let (mut a, mut b) = (yes.values.iter().peekable(), no.values.iter().peekable());
        loop {
            let value = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some((v, _)), None) | (None, Some((v, _))) => *v,
                (Some((v, _)), Some((w, _))) => *v.min(w),
            };
            let of = |x: Option<&(T, Term)>| x.map_or(Term::FALSE, |(_, t)| *t);
            let (t, u) = (of(a.next_if(|(v, _)| *v == value)), of(b.next_if(|(v, _)| *v == value)));
            let term = terms.ite(condition, t, u);
            if term != Term::FALSE {
                all.push((value, term));
            }
        }
        GuardedValue { values: all }
    }

    /// Keeps the values that satisfy a predicate; the others do not matter.
    #[must_use]
    pub(crate) fn only_where(&self, holds: impl Fn(T) -> bool) -> GuardedValue<T> {
        let mut values: Vec<(T, Term)> = self.values.iter().copied().filter(|(value, _)| holds(*value)).collect();
        if let [(_, term)] = values.as_mut_slice() {
            *term = Term::TRUE;
        }
        GuardedValue { values }
    }

    /// Returns the term "the value satisfies the predicate".
    pub(crate) fn holds(&self, terms: &mut Terms, holds: impl Fn(T) -> bool) -> Term {
        let yes = self.values.iter().filter(|(value, _)| holds(*value)).count();
        if yes == self.values.len() {
            return Term::TRUE;
        }
        // The shorter of the two disjunctions is enough.
        if yes * 2 > self.values.len() {
            return !terms.or(self.values.iter().filter(|(value, _)| !holds(*value)).map(|(_, term)| *term));
        }
        terms.or(self.values.iter().filter(|(value, _)| holds(*value)).map(|(_, term)| *term))
    }

    /// Maps the value by a partial function. Values without an image do not matter.
    pub(crate) fn map<U: Copy + Ord>(&self, terms: &mut Terms, f: impl Fn(T) -> Option<U>) -> GuardedValue<U> {
        let values: Vec<(U, Term)> = self.values.iter().filter_map(|(value, term)| Some((f(*value)?, *term))).collect();
        GuardedValue::collect(terms, values)
    }

    /// Maps pairs of values by a partial function. Pairs without an image do not matter. `None`:
    /// there are more than `max_pairs` pairs.
    pub(crate) fn pair<U: Copy + Ord, V: Copy + Ord>(
        &self,
        terms: &mut Terms,
        other: &GuardedValue<U>,
        max_pairs: usize,
        f: impl Fn(T, U) -> Option<V>,
    ) -> Option<GuardedValue<V>> {
        if self.values.len().saturating_mul(other.values.len()) > max_pairs {
            return None;
        }
        let mut all = Vec::new();
        for (a, s) in &self.values {
            for (b, t) in &other.values {
                if let Some(value) = f(*a, *b) {
                    all.push((value, terms.and([*s, *t])));
                }
            }
        }
        Some(GuardedValue::collect(terms, all))
    }
}
