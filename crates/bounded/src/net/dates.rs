//! Dates: the birth of the token of a place, or the enabling of a transition.
//!
//! A date depends on the transitions that have fired. There are two encodings. With *events* every
//! birth is at the time of some step, so a date is a list of step times, each with its condition.
//! With *differences* each firing that may change a date introduces a new real variable for it.

use smt::{Real, Term, Terms, UpperBound};

/// The representation of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Cases over the times of steps.
    Events,
    /// Separate variables.
    Differences,
}

/// A date by cases, of which exactly one holds.
pub(super) type Date = Vec<(Term, Real)>;

/// The dates of some objects.
pub(super) struct Dates {
    style: Style,
    dates: Vec<Date>,
}

impl Dates {
    /// Creates the dates of objects that are all born at the same time.
    pub(super) fn new(style: Style, objects: usize, at: Real) -> Dates {
        Dates { style, dates: vec![vec![(Term::TRUE, at)]; objects] }
    }

    /// Returns the date of an object.
    pub(super) fn of(&self, object: usize) -> &Date {
        &self.dates[object]
    }

    /// Makes the date of an object a variable that is equal to it, and returns the variable.
    pub(super) fn forget(&mut self, terms: &mut Terms, object: usize, facts: &mut Vec<Term>) -> Real {
        let date = terms.real(format!("d{}", terms.reals()));
        for (case, at) in std::mem::take(&mut self.dates[object]) {
            let same = terms.equal(date, at);
            facts.push(terms.implies(case, same));
        }
        self.dates[object] = vec![(Term::TRUE, date)];
        date
    }

    /// Sets the date of an object where a condition holds. The necessary constraints are added to
    /// `facts`.
    pub(super) fn set(&mut self, terms: &mut Terms, object: usize, when: Term, date: Real, facts: &mut Vec<Term>) {
        let cases = &mut self.dates[object];
        match when {
            Term::FALSE => {}
            Term::TRUE => *cases = vec![(Term::TRUE, date)],
            _ if self.style == Style::Events => {
                let mut again = when;
                cases.retain_mut(|(case, at)| {
                    if *at == date {
                        again = terms.or([*case, again]);
                        return false;
                    }
                    *case = terms.and([*case, !when]);
                    *case != Term::FALSE
                });
                cases.push((again, date));
            }
            _ => {
                let old = cases[0].1;
                if old == date {
                    return;
                }
                let new = terms.real(format!("z{}", terms.reals()));
                let (changed, kept) = (terms.equal(new, date), terms.equal(new, old));
                facts.extend([terms.implies(when, changed), terms.or([when, kept])]);
                *cases = vec![(Term::TRUE, new)];
            }
        }
    }
}

/// Returns the term "`left - right` is within a bound".
pub(super) fn within(terms: &mut Terms, left: &Date, right: &Date, bound: UpperBound) -> Term {
    let mut parts = Vec::with_capacity(left.len() * right.len());
    for (one, x) in left {
        for (other, y) in right {
            let atom = terms.difference(*x, *y, bound);
            parts.push(terms.or([!*one, !*other, atom]));
        }
    }
    terms.and(parts)
}

/// Returns a constant date.
pub(super) fn at(x: Real) -> Date {
    vec![(Term::TRUE, x)]
}
