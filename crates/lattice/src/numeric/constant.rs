//! `Constant`: an integer that is known exactly, or not at all. Order: a known integer is less than
//! an unknown one; join: equal integers stay known. Initially 0.
//!
//! A result of more than 32 bits is unknown, so the lattice is sound for machine integers as well.
//!
//! See G. A. Kildall: *A unified approach to global program optimization* (POPL 1973).

use std::sync::Arc;

use super::{Domain, Environment, Operation, some_integer};
use crate::{Comparison, LibraryEntry};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "Constant",
    aliases: &[],
    signature: "Constant",
    has_dimensions: false,
    member: None,
    help: "An integer that is known exactly, or not at all. It is initially 0.",
    laws: "Order: a known integer is less than an unknown one. Join: equal ones stay known.",
    example: "extern Constant;\nConstant x;\n// guard: x == 3    update: x = 2 * x + 1",
    make: |arguments| {
        arguments.only_values(0)?;
        Ok(Arc::new(Environment::single("Constant".to_owned(), Constants)))
    },
}];

#[derive(Debug)]
struct Constants;

/// The integer, if it is known.
type KnownInteger = Option<i32>;

const BOTTOM: i32 = 0;
const KNOWN: i32 = 1;
const UNKNOWN: i32 = 2;

impl Domain for Constants {
    type Value = KnownInteger;

    fn width(&self) -> usize {
        2
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        if slot == 0 { (BOTTOM, UNKNOWN) } else { (i32::MIN, i32::MAX) }
    }

    fn load(&self, slots: &[i32]) -> Option<KnownInteger> {
        match slots[0] {
            BOTTOM => None,
            KNOWN => Some(Some(slots[1])),
            _ => Some(None),
        }
    }

    fn store(&self, value: Option<KnownInteger>, slots: &mut [i32]) {
        (slots[0], slots[1]) = match value {
            None => (BOTTOM, 0),
            Some(Some(number)) => (KNOWN, number),
            Some(None) => (UNKNOWN, 0),
        };
    }

    fn top(&self) -> KnownInteger {
        None
    }

    fn constant(&self, number: i32) -> KnownInteger {
        Some(number)
    }

    fn leq(&self, a: KnownInteger, b: KnownInteger) -> bool {
        b.is_none() || a == b
    }

    fn join(&self, a: KnownInteger, b: KnownInteger) -> KnownInteger {
        if a == b { a } else { None }
    }

    fn meet(&self, a: KnownInteger, b: KnownInteger) -> Option<KnownInteger> {
        match (a, b) {
            (Some(x), Some(y)) if x != y => None,
            (a, b) => Some(a.or(b)),
        }
    }

    fn negate(&self, a: KnownInteger) -> KnownInteger {
        a?.checked_neg()
    }

    fn apply(&self, operation: Operation, a: KnownInteger, b: KnownInteger) -> Option<KnownInteger> {
        Some(match (operation, a, b) {
            (Operation::Div | Operation::Mod, _, Some(0)) => return None,
            (Operation::Mul, Some(0), _) | (Operation::Mul, _, Some(0)) => Some(0),
            (Operation::Div | Operation::Mod, Some(0), _) => Some(0),
            (Operation::Mod, _, Some(1 | -1)) => Some(0),
            (Operation::Add, Some(a), Some(b)) => a.checked_add(b),
            (Operation::Sub, Some(a), Some(b)) => a.checked_sub(b),
            (Operation::Mul, Some(a), Some(b)) => a.checked_mul(b),
            (Operation::Div, Some(a), Some(b)) => a.checked_div(b),
            (Operation::Mod, Some(a), Some(b)) => Some(a.wrapping_rem(b)),
            _ => None,
        })
    }

    fn compare(&self, cmp: Comparison, a: KnownInteger, b: KnownInteger) -> Option<(KnownInteger, KnownInteger)> {
        if cmp == Comparison::Eq {
            return self.meet(a, b).map(|both| (both, both));
        }
        let holds = match (a, b) {
            (Some(a), Some(b)) => cmp.holds(&a, &b),
            _ => true,
        };
        holds.then_some((a, b))
    }

    fn bounds(&self, a: KnownInteger) -> (i64, i64) {
        a.map_or((i64::MIN, i64::MAX), |number| (i64::from(number), i64::from(number)))
    }

    fn show(&self, a: KnownInteger) -> String {
        a.map_or_else(|| "any".to_owned(), |number| number.to_string())
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32) -> KnownInteger {
        (random(4) != 0).then(|| some_integer(random))
    }
}
