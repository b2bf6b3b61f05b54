//! Partitions of the integers into a few classes. An element is the set of possible classes. Order:
//! inclusion; join: union. Initially the class of 0.
//!
//! - `Sign`: negative, zero, positive.
//! - `Parity`: even, odd.
//!
//! See P. Cousot, R. Cousot: *Systematic design of program analysis frameworks* (POPL 1979).

use std::{fmt, sync::Arc};

use super::{Domain, Environment, Operation};
use crate::{ArgumentError, Arguments, Comparison, Lattice, LibraryEntry, SlotOrder};

pub(crate) const ENTRIES: &[LibraryEntry] = &[
    LibraryEntry {
        name: "Sign",
        aliases: &[],
        signature: "Sign",
        has_dimensions: false,
        member: None,
        help: "Whether an integer may be negative, zero and positive. It is initially 0.",
        laws: "Order: the greater has all possibilities of the smaller. Join: the possibilities of either.",
        example: "extern Sign;\nSign x;\n// guard: x > 0    update: x = -x",
        make: |arguments| make("Sign", Sign, arguments),
    },
    LibraryEntry {
        name: "Parity",
        aliases: &[],
        signature: "Parity",
        has_dimensions: false,
        member: None,
        help: "Whether an integer may be even and odd. It is initially 0.",
        laws: "Order: the greater has all possibilities of the smaller. Join: the possibilities of either.",
        example: "extern Parity;\nParity x;\n// guard: x % 2 == 1    update: x = 2 * x",
        make: |arguments| make("Parity", Parity, arguments),
    },
];

fn make(name: &str, classes: impl Classes, arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(0)?;
    Ok(Arc::new(Environment::single(name.to_owned(), Atoms(classes))))
}

/// A set of classes: bit `i` is class `i`.
type Mask = i32;

/// A partition of the integers.
trait Classes: fmt::Debug + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe + 'static {
    /// Returns the names of the classes.
    fn names(&self) -> &'static [&'static str];

    fn class_of(&self, number: i32) -> usize;

    fn negate(&self, a: usize) -> usize;

    /// Returns the classes that the results may have.
    fn apply(&self, operation: Operation, a: usize, b: usize) -> Mask;

    /// Returns whether a comparison holds of some integers of two classes.
    fn may(&self, cmp: Comparison, a: usize, b: usize) -> bool;

    fn bounds(&self, a: usize) -> (i64, i64);
}

#[derive(Debug)]
struct Atoms<C>(C);

impl<C: Classes> Atoms<C> {
    fn all(&self) -> Mask {
        (1 << self.0.names().len()) - 1
    }

    /// Enumerates the classes in a set.
    fn each(&self, set: Mask) -> impl Iterator<Item = usize> + use<C> {
        (0..self.0.names().len()).filter(move |class| set >> class & 1 == 1)
    }

    /// Restricts two sets to the classes that occur in an allowed pair.
    fn pairs(&self, a: Mask, b: Mask, is_allowed: impl Fn(usize, usize) -> bool) -> Option<(Mask, Mask)> {
        let mut kept = (0, 0);
        for x in self.each(a) {
            for y in self.each(b).filter(|&y| is_allowed(x, y)) {
                kept = (kept.0 | 1 << x, kept.1 | 1 << y);
            }
        }
        (kept.0 != 0).then_some(kept)
    }
}

impl<C: Classes> Domain for Atoms<C> {
    type Value = Mask;

    fn width(&self) -> usize {
        1
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (0, self.all())
    }

    fn load(&self, slots: &[i32]) -> Option<Mask> {
        (slots[0] != 0).then_some(slots[0])
    }

    fn store(&self, value: Option<Mask>, slots: &mut [i32]) {
        slots[0] = value.unwrap_or(0);
    }

    fn top(&self) -> Mask {
        self.all()
    }

    fn constant(&self, number: i32) -> Mask {
        1 << self.0.class_of(number)
    }

    fn leq(&self, a: Mask, b: Mask) -> bool {
        a & !b == 0
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(SlotOrder::MoreBits)
    }

    fn join(&self, a: Mask, b: Mask) -> Mask {
        a | b
    }

    fn meet(&self, a: Mask, b: Mask) -> Option<Mask> {
        (a & b != 0).then_some(a & b)
    }

    fn negate(&self, a: Mask) -> Mask {
        self.each(a).fold(0, |all, class| all | 1 << self.0.negate(class))
    }

    fn apply(&self, operation: Operation, a: Mask, b: Mask) -> Option<Mask> {
        let mut results = 0;
        for x in self.each(a) {
            results = self.each(b).fold(results, |all, y| all | self.0.apply(operation, x, y));
        }
        (results != 0).then_some(results)
    }

    fn refine(&self, operation: Operation, a: Mask, b: Mask, result: Mask) -> Option<(Mask, Mask)> {
        self.pairs(a, b, |x, y| self.0.apply(operation, x, y) & result != 0)
    }

    fn compare(&self, cmp: Comparison, a: Mask, b: Mask) -> Option<(Mask, Mask)> {
        self.pairs(a, b, |x, y| self.0.may(cmp, x, y))
    }

    fn bounds(&self, a: Mask) -> (i64, i64) {
        let each = || self.each(a).map(|class| self.0.bounds(class));
        (each().map(|(low, _)| low).min().unwrap_or(i64::MIN), each().map(|(_, high)| high).max().unwrap_or(i64::MAX))
    }

    fn show(&self, a: Mask) -> String {
        let names: Vec<&str> = self.each(a).map(|class| self.0.names()[class]).collect();
        names.join(" or ")
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32) -> Mask {
        1 + random(self.all() as u32) as i32
    }
}

#[derive(Debug)]
struct Sign;

const NEGATIVE: usize = 0;
const ZERO: usize = 1;
const POSITIVE: usize = 2;

impl Classes for Sign {
    fn names(&self) -> &'static [&'static str] {
        &["negative", "zero", "positive"]
    }

    fn class_of(&self, number: i32) -> usize {
        (number.signum() + 1) as usize
    }

    fn negate(&self, a: usize) -> usize {
        2 - a
    }

    fn apply(&self, operation: Operation, a: usize, b: usize) -> Mask {
        match (operation, a, b) {
            (Operation::Sub, a, b) => self.apply(Operation::Add, a, self.negate(b)),
            (Operation::Add, a, ZERO) => 1 << a,
            (Operation::Add, ZERO, b) => 1 << b,
            (Operation::Add, a, b) if a == b => 1 << a,
            (Operation::Add, ..) => 0b111,
            (Operation::Div | Operation::Mod, _, ZERO) => 0,
            (_, ZERO, _) | (_, _, ZERO) => 1 << ZERO,
            (Operation::Mul, a, b) => 1 << product(a, b),
            // Division rounds towards zero, so a quotient may be zero, too.
            (Operation::Div, a, b) => 1 << product(a, b) | 1 << ZERO,
            (Operation::Mod, a, _) => 1 << a | 1 << ZERO,
        }
    }

    fn may(&self, cmp: Comparison, a: usize, b: usize) -> bool {
        // Two integers of the same class can compare in any way, unless the class has a single
        // integer.
        (a == b && a != ZERO) || cmp.holds(&a, &b)
    }

    fn bounds(&self, a: usize) -> (i64, i64) {
        match a {
            NEGATIVE => (i64::MIN, -1),
            POSITIVE => (1, i64::MAX),
            _ => (0, 0),
        }
    }
}

/// The sign of a product of numbers that are not zero.
fn product(a: usize, b: usize) -> usize {
    if a == b { POSITIVE } else { NEGATIVE }
}

#[derive(Debug)]
struct Parity;

const EVEN: usize = 0;
const EITHER: Mask = 0b11;

impl Classes for Parity {
    fn names(&self) -> &'static [&'static str] {
        &["even", "odd"]
    }

    fn class_of(&self, number: i32) -> usize {
        (number & 1) as usize
    }

    fn negate(&self, a: usize) -> usize {
        a
    }

    fn apply(&self, operation: Operation, a: usize, b: usize) -> Mask {
        match operation {
            Operation::Add | Operation::Sub => 1 << (a ^ b),
            Operation::Mul => 1 << (a & b),
            Operation::Div => EITHER,
            Operation::Mod if b == EVEN => 1 << a,
            Operation::Mod => EITHER,
        }
    }

    fn may(&self, cmp: Comparison, a: usize, b: usize) -> bool {
        cmp != Comparison::Eq || a == b
    }

    fn bounds(&self, _: usize) -> (i64, i64) {
        (i64::MIN, i64::MAX)
    }
}
