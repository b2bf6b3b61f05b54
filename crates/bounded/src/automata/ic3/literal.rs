//! What cubes and clauses are made of.

use model::{Ratio, System};
use smt::{Term, Terms, UpperBound};

use super::super::{Encoder, Frame};

/// Something simple that holds of a state or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateLiteral {
    /// A number of the row has a value.
    Is {
        /// The place of the number.
        slot: u32,
        /// The value.
        value: i32,
    },
    /// A number of the row has another value.
    IsNot {
        /// The place of the number.
        slot: u32,
        /// The value.
        value: i32,
    },
    /// A number of the row is not greater.
    AtMost {
        /// The place of the number.
        slot: u32,
        /// The greatest value.
        value: i32,
    },
    /// A number of the row is not less.
    AtLeast {
        /// The place of the number.
        slot: u32,
        /// The least value.
        value: i32,
    },
    /// `left - right <= bound`, or `<`, of clocks. Clock 0 is always zero.
    Clocks {
        /// The clock that is bounded.
        left: u32,
        /// The clock that is subtracted.
        right: u32,
        /// The bound.
        bound: UpperBound,
    },
}

impl StateLiteral {
    /// What holds where this does not.
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

    /// Where it holds of a frame.
    pub(super) fn term(self, terms: &mut Terms, frame: &Frame) -> Term {
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

    /// Whether it holds at the start.
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

/// Numbers with more values are bounded from both sides, instead of leaving values out one by one.
const MOST_LEFT_OUT: usize = 32;

/// What is said of the numbers of a row.
pub(super) fn of_row(encoder: &Encoder<'_>, row: &[i32], out: &mut Vec<StateLiteral>) {
    for (slot, value) in (0..).zip(row) {
        let (domain, value) = (encoder.domain(slot as usize), *value);
        match domain.len() {
            0 | 1 => {}
            2 => out.push(StateLiteral::Is { slot, value }),
            n if n <= MOST_LEFT_OUT => {
                out.extend(domain.iter().filter(|v| **v != value).map(|v| StateLiteral::IsNot { slot, value: *v }));
            }
            _ => {
                out.extend((domain.last() != Some(&value)).then_some(StateLiteral::AtMost { slot, value }));
                out.extend((domain.first() != Some(&value)).then_some(StateLiteral::AtLeast { slot, value }));
            }
        }
    }
}

/// Which numbers clocks are compared with.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// The largest one, for each clock.
    pub most: Vec<i64>,
    /// Whether differences of clocks matter that are larger than that.
    pub differences: bool,
}

/// What is said of clocks: the whole region in which they are.
pub(super) fn of_clocks(constants: &Constants, clocks: &[Ratio], out: &mut Vec<StateLiteral>) {
    let large = |x: usize| x > 0 && clocks[x] > Ratio::new(constants.most[x], 1).unwrap_or(Ratio::ZERO);
    for left in 0..clocks.len() {
        for right in 0..left {
            let pair = right > 0;
            if pair && !constants.differences && (large(left) || large(right)) {
                continue;
            }
            let most = if pair { constants.most[left].max(constants.most[right]) } else { constants.most[left] };
            let Some(difference) = clocks[left].minus(clocks[right]) else { continue };
            let (l, r) = (left as u32, right as u32);
            let mut bound = |left, right, value, strict| {
                out.push(StateLiteral::Clocks { left, right, bound: UpperBound { value, strict } });
            };
            let floor = difference.floor();
            let whole = Ratio::new(floor, 1) == Some(difference);
            // Beyond the largest constant it matters only that it is.
            if floor > most || floor == most && !whole {
                bound(r, l, -most, true);
            } else if floor < -most {
                bound(l, r, -most, true);
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
