//! Literals of cubes and clauses.

use model::{Ratio, System};
use smt::{Term, Terms, UpperBound};

use crate::relation::{Frame, Relation};

/// An atomic property of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateLiteral {
    /// A variable has a value.
    Is {
        /// The slot of the variable.
        slot: u32,
        /// The value.
        value: i32,
    },
    /// A variable has another value.
    IsNot {
        /// The slot of the variable.
        slot: u32,
        /// The value.
        value: i32,
    },
    /// A variable has at most a value.
    AtMost {
        /// The slot of the variable.
        slot: u32,
        /// The value.
        value: i32,
    },
    /// A variable has at least a value.
    AtLeast {
        /// The slot of the variable.
        slot: u32,
        /// The value.
        value: i32,
    },
    /// A clock constraint `left - right <= bound`, or `<`. Clock 0 is always zero.
    Clocks {
        /// The minuend.
        left: u32,
        /// The subtrahend.
        right: u32,
        /// The bound.
        bound: UpperBound,
    },
}

impl StateLiteral {
    /// Returns the negation.
    #[must_use]
    pub fn negated(self) -> StateLiteral {
        match self {
            StateLiteral::Is { slot, value } => StateLiteral::IsNot { slot, value },
            StateLiteral::IsNot { slot, value } => StateLiteral::Is { slot, value },
            StateLiteral::AtMost { slot, value } => StateLiteral::AtLeast { slot, value: value + 1 },
            StateLiteral::AtLeast { slot, value } => StateLiteral::AtMost { slot, value: value - 1 },
            StateLiteral::Clocks { left, right, bound } => StateLiteral::Clocks {
                left: right,
                right: left,
                bound: UpperBound { value: -bound.value, strict: !bound.strict },
            },
        }
    }

    /// Returns the term for a frame.
    pub(crate) fn term(self, terms: &mut Terms, frame: &Frame) -> Term {
        match self {
            StateLiteral::Is { slot, value } => frame.row[slot as usize].is(value),
            StateLiteral::IsNot { slot, value } => !frame.row[slot as usize].is(value),
            StateLiteral::AtMost { slot, value } => frame.row[slot as usize].holds(terms, |v| v <= value),
            StateLiteral::AtLeast { slot, value } => frame.row[slot as usize].holds(terms, |v| v >= value),
            StateLiteral::Clocks { left, right, bound } => {
                terms.difference(frame.moment(right, frame.now), frame.moment(left, frame.now), bound)
            }
        }
    }

    /// Returns whether it holds in the initial state.
    pub(super) fn holds_at_start(self, system: &System) -> bool {
        let number = |slot: u32| system.initial[slot as usize];
        let clock = |x: u32| i64::from(system.clocks[x as usize].initial);
        match self {
            StateLiteral::Is { slot, value } => number(slot) == value,
            StateLiteral::IsNot { slot, value } => number(slot) != value,
            StateLiteral::AtMost { slot, value } => number(slot) <= value,
            StateLiteral::AtLeast { slot, value } => number(slot) >= value,
            StateLiteral::Clocks { left, right, bound } => {
                let difference = clock(left) - clock(right);
                difference < bound.value || difference == bound.value && !bound.strict
            }
        }
    }
}

/// Variables with larger domains get bounds from both sides, instead of a literal for each excluded
/// value.
const MAX_EXCLUDED_VALUES: usize = 32;

/// Appends the literals that describe a row.
pub(super) fn of_row(relation: &dyn Relation, row: &[i32], out: &mut Vec<StateLiteral>) {
    for (slot, value) in (0..).zip(row) {
        let (domain, value) = (&relation.domains()[slot as usize], *value);
        match domain.len() {
            0 | 1 => {}
            2 => out.push(StateLiteral::Is { slot, value }),
            n if n <= MAX_EXCLUDED_VALUES => {
                out.extend(domain.iter().filter(|v| **v != value).map(|v| StateLiteral::IsNot { slot, value: *v }));
            }
            _ => {
                out.extend((domain.last() != Some(&value)).then_some(StateLiteral::AtMost { slot, value }));
                out.extend((domain.first() != Some(&value)).then_some(StateLiteral::AtLeast { slot, value }));
            }
        }
    }
}

/// The numbers that clocks are compared with.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// The largest number for each clock; negative if it is compared with none.
    pub max: Vec<i64>,
    /// Whether differences of clocks matter beyond these numbers.
    pub differences: bool,
}

/// Appends the literals that describe the region of clock values.
pub(super) fn of_clocks(constants: &Constants, clocks: &[Ratio], out: &mut Vec<StateLiteral>) {
    let large = |x: usize| x > 0 && clocks[x] > Ratio::new(constants.max[x], 1).unwrap_or(Ratio::ZERO);
    let is_unused = |x: usize| x > 0 && constants.max[x] < 0;
    for left in (0..clocks.len()).filter(|x| !is_unused(*x)) {
        for right in (0..left).filter(|x| !is_unused(*x)) {
            let pair = right > 0;
            if pair && !constants.differences && (large(left) || large(right)) {
                continue;
            }
            let max = if pair { constants.max[left].max(constants.max[right]) } else { constants.max[left] };
            let Some(difference) = clocks[left].minus(clocks[right]) else { continue };
            let (l, r) = (left as u32, right as u32);
            let mut bound = |left, right, value, strict| {
                out.push(StateLiteral::Clocks { left, right, bound: UpperBound { value, strict } });
            };
            let floor = difference.floor();
            let whole = Ratio::new(floor, 1) == Some(difference);
            // Values beyond the largest constant are not distinguished.
            if floor > max || floor == max && !whole {
                bound(r, l, -max, true);
            } else if floor < -max {
                bound(l, r, -max, true);
            } else if whole {
                bound(l, r, floor, false);
                bound(r, l, -floor, false);
            } else {
                bound(l, r, floor + 1, true);
                bound(r, l, -floor, true);
            }
        }
    }
}
