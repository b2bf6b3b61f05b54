//! What a query asks of a system.

use crate::{
    code::Pc,
    system::{ClockConstraint, ClockTerm},
    unread::of_formula,
};

/// A condition on states, with negations pushed down to its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// A condition on the row.
    Condition(Pc),
    /// A constraint on clocks.
    Clock(ClockConstraint),
    /// No transition is possible, now or after a delay; or one is, where negated.
    Deadlock {
        /// Whether a transition must be possible.
        negated: bool,
    },
    /// All hold.
    And(Vec<Formula>),
    /// One holds.
    Or(Vec<Formula>),
}

impl Formula {
    /// `and` or `or` of several, simplified.
    #[must_use]
    pub fn join(and: bool, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let (unit, zero) = if and { (Formula::True, Formula::False) } else { (Formula::False, Formula::True) };
        let mut list = Vec::new();
        for part in parts {
            match part {
                part if part == zero => return zero,
                part if part == unit => {}
                Formula::And(inner) if and => list.extend(inner),
                Formula::Or(inner) if !and => list.extend(inner),
                part => list.push(part),
            }
        }
        match (list.len(), and) {
            (0, _) => unit,
            (1, _) => list.swap_remove(0),
            (_, true) => Formula::And(list),
            (_, false) => Formula::Or(list),
        }
    }
}

/// Which bounds are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Extremum {
    Sup,
    Inf,
    Both,
}

/// Something with bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The value of a clock.
    Clock(ClockTerm),
    /// An integer.
    Integer(Pc),
}

/// A query, ready to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// `E<> p`
    Possibly(Formula),
    /// `A[] p`, with what must not be: the negation of `p`
    Invariantly(Formula),
    /// `E[] p`
    PotentiallyAlways(Formula),
    /// `A<> p`, with the negation of `p`
    Eventually(Formula),
    /// `p --> q`, with `p` and the negation of `q`
    LeadsTo(Formula, Formula),
    /// `sup{p}: list`, `inf{p}: list`, `bounds{p}: list`
    Bounds {
        /// Which bounds.
        extremum: Extremum,
        /// Only where this holds.
        predicate: Formula,
        /// Of what.
        quantities: Vec<Quantity>,
    },
}

impl Property {
    /// The formulas that it is about.
    #[must_use]
    pub fn formulas(&self) -> Vec<&Formula> {
        match self {
            Property::Possibly(p)
            | Property::Invariantly(p)
            | Property::PotentiallyAlways(p)
            | Property::Eventually(p) => vec![p],
            Property::LeadsTo(p, q) => vec![p, q],
            Property::Bounds { predicate, .. } => vec![predicate],
        }
    }

    /// The code of its formulas and quantities.
    #[must_use]
    pub fn code(&self) -> Vec<Pc> {
        let mut code = Vec::new();
        self.formulas().into_iter().for_each(|formula| of_formula(formula, &mut code));
        if let Property::Bounds { quantities, .. } = self {
            code.extend(quantities.iter().filter_map(|quantity| match quantity {
                Quantity::Integer(pc) | Quantity::Clock(ClockTerm::Element { pc, .. }) => Some(*pc),
                Quantity::Clock(ClockTerm::Clock(_)) => None,
            }));
        }
        code
    }
}
