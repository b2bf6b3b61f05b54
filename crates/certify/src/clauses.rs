//! Invariants as clauses.

use crate::zone::{DifferenceConstraint, Zone};

/// How a number of the row is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It is the value.
    Is,
    /// It is another value.
    IsNot,
    /// It is not greater.
    AtMost,
    /// It is not less.
    AtLeast,
}

impl Relation {
    pub(crate) const ALL: [Relation; 4] = [Relation::AtMost, Relation::AtLeast, Relation::IsNot, Relation::Is];

    /// As certificates have it.
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

/// What a clause consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClauseLiteral {
    /// A number of the row compares like that. Locations are counted from the first one of their
    /// process.
    Number {
        /// The place in the row.
        slot: u32,
        /// How.
        relation: Relation,
        /// With what.
        value: i32,
    },
    /// A bound on clocks.
    Clocks(DifferenceConstraint),
}

/// Clauses, in each of which one literal holds at least, of every state at the start or right
/// behind a transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    /// The clauses.
    pub list: Vec<Vec<ClauseLiteral>>,
}

/// So many zones of one row, and no more.
const ZONES: usize = 20_000;

impl Clauses {
    /// For each clause that the row alone does not satisfy, the constraints on clocks of which all
    /// hold where it does not.
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

    /// The parts of a zone where all clauses hold of a row. `None`: they are too many.
    pub(crate) fn part(&self, row: &[i32], zone: Zone) -> Option<Vec<Zone>> {
        let mut parts = vec![zone];
        for violation in self.violations(row) {
            parts = parts.iter().flat_map(|part| part.without(&violation)).collect();
            if parts.len() > ZONES {
                return None;
            }
        }
        Some(parts)
    }

    /// A part of a zone where a clause does not hold of a row.
    pub(crate) fn outside(&self, row: &[i32], zone: &Zone) -> Option<Zone> {
        self.violations(row).into_iter().find_map(|violation| {
            let mut part = zone.clone();
            let holds = violation.iter().all(|c| part.constrain(c.left as usize, c.right as usize, c.bound));
            holds.then_some(part)
        })
    }
}
