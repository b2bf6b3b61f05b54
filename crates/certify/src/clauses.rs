//! Invariants as clauses.

use crate::zone::{DifferenceConstraint, Zone};

/// The comparison of a variable of the row with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Equal.
    Is,
    /// Not equal.
    IsNot,
    /// Less or equal.
    AtMost,
    /// Greater or equal.
    AtLeast,
}

impl Relation {
    pub(crate) const ALL: [Relation; 4] = [Relation::AtMost, Relation::AtLeast, Relation::IsNot, Relation::Is];

    /// Returns its text in certificates.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Relation::Is => "=",
            Relation::IsNot => "!=",
            Relation::AtMost => "<=",
            Relation::AtLeast => ">=",
        }
    }

    fn holds(self, number: i32, value: i32) -> bool {
        match self {
            Relation::Is => number == value,
            Relation::IsNot => number != value,
            Relation::AtMost => number <= value,
            Relation::AtLeast => number >= value,
        }
    }
}

/// A literal of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClauseLiteral {
    /// A comparison of a variable of the row. Locations are counted from the first one of their
    /// process.
    Number {
        /// The slot of the row.
        slot: u32,
        /// The comparison.
        relation: Relation,
        /// The value.
        value: i32,
    },
    /// A bound on clocks.
    Clocks(DifferenceConstraint),
}

/// Clauses. In each of them at least one literal holds initially and right after every transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    /// The clauses.
    pub list: Vec<Vec<ClauseLiteral>>,
}

/// The greatest number of zones of one row.
const MAX_ZONES: usize = 20_000;

impl Clauses {
    /// Returns, for each clause that the row alone does not satisfy, the clock constraints that
    /// together violate it.
    fn violations(&self, row: &[i32]) -> Vec<Vec<DifferenceConstraint>> {
        let by_row = |literal: &ClauseLiteral| match literal {
            ClauseLiteral::Number { slot, relation, value } => relation.holds(row[*slot as usize], *value),
            ClauseLiteral::Clocks(_) => false,
        };
        let opposite = |literal: &ClauseLiteral| match literal {
            ClauseLiteral::Number { .. } => None,
            ClauseLiteral::Clocks(c) => {
                Some(DifferenceConstraint { left: c.right, right: c.left, bound: c.bound.negated() })
            }
        };
        let open = self.list.iter().filter(|clause| !clause.iter().any(by_row));
        open.map(|clause| clause.iter().filter_map(opposite).collect()).collect()
    }

    /// Returns the parts of a zone that satisfy all clauses; `None` if there are too many.
    pub(crate) fn part(&self, row: &[i32], zone: Zone) -> Option<Vec<Zone>> {
        let mut parts = vec![zone];
        for violation in self.violations(row) {
            parts = parts.iter().flat_map(|part| part.without(&violation)).collect();
            if parts.len() > MAX_ZONES {
                return None;
            }
        }
        Some(parts)
    }

    /// Returns a part of a zone that violates a clause.
    pub(crate) fn outside(&self, row: &[i32], zone: &Zone) -> Option<Zone> {
        self.violations(row).into_iter().find_map(|violation| {
            let mut part = zone.clone();
            let holds = violation.iter().all(|c| part.constrain(c.left as usize, c.right as usize, c.bound));
            holds.then_some(part)
        })
    }
}
