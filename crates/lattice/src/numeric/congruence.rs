//! `Congruence[(modulus)]`: an integer's residue class, or the integer itself. Order: inclusion;
//! join: the residue class with the greatest divisor that contains both. Initially 0.
//!
//! Only divisors of one number, the modulus, are used, so that every set of integers has a best
//! abstraction; otherwise a result of more than 32 bits would have several. The default modulus has
//! many divisors: all numbers up to 20, and 128.
//!
//! See P. Granger: *Static analysis of arithmetical congruences* (International Journal of Computer
//! Mathematics 30, 1989).

use std::sync::Arc;

use super::{Domain, Environment, Operation, some_integer};
use crate::{Comparison, LibraryEntry};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "Congruence",
    aliases: &[],
    signature: "Congruence[(modulus)]",
    has_dimensions: false,
    member: None,
    help: "An integer that is known, or known by its remainder when it is divided by a divisor of the modulus. It is initially 0.",
    laws: "Order: inclusion. Join: the remainder by the greatest divisor that fits both.",
    example: "extern Congruence;\nCongruence x;\n// guard: x % 4 == 0    update: x = x + 4",
    make: |arguments| {
        arguments.only_values(1)?;
        let modulus = arguments.optional(0, "modulus", 1, i32::MAX)?;
        let name = modulus.map_or_else(|| "Congruence".to_owned(), |modulus| format!("Congruence({modulus})"));
        let modulus = i128::from(modulus.unwrap_or(MANY_DIVISORS));
        Ok(Arc::new(Environment::single(name, Congruences { modulus })))
    },
}];

/// 2⁷ · 3² · 5 · 7 · 11 · 13 · 17 · 19.
const MANY_DIVISORS: i32 = 1_862_340_480;

#[derive(Debug)]
struct Congruences {
    modulus: i128,
}

/// All integers that differ from `rest` by a multiple of `step`. With step 0 it is the integer
/// itself; otherwise `0 <= rest < step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    step: i128,
    rest: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Class {
    fn contains(self, other: Class) -> bool {
        let difference = other.rest - self.rest;
        if self.step == 0 {
            return other.step == 0 && difference == 0;
        }
        difference % self.step == 0 && other.step % self.step == 0
    }

    fn is_constant(self) -> bool {
        self.step == 0
    }
}

impl Congruences {
    /// Returns the smallest representable class that contains the one with this step and rest.
    fn class(&self, step: i128, rest: i128) -> Class {
        let is_small = i32::try_from(rest).is_ok();
        if step == 0 && is_small {
            return Class { step, rest };
        }
        let step = gcd(step, self.modulus);
        Class { step, rest: rest.rem_euclid(step) }
    }
}

impl Domain for Congruences {
    type Value = Class;

    fn width(&self) -> usize {
        2
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        if slot == 0 { (-1, self.modulus as i32) } else { (i32::MIN, i32::MAX) }
    }

    fn load(&self, slots: &[i32]) -> Option<Class> {
        (slots[0] >= 0).then(|| Class { step: i128::from(slots[0]), rest: i128::from(slots[1]) })
    }

    fn store(&self, value: Option<Class>, slots: &mut [i32]) {
        (slots[0], slots[1]) = value.map_or((-1, 0), |class| (class.step as i32, class.rest as i32));
    }

    fn top(&self) -> Class {
        Class { step: 1, rest: 0 }
    }

    fn constant(&self, number: i32) -> Class {
        Class { step: 0, rest: i128::from(number) }
    }

    fn leq(&self, a: Class, b: Class) -> bool {
        b.contains(a)
    }

    fn join(&self, a: Class, b: Class) -> Class {
        self.class(gcd(gcd(a.step, b.step), a.rest - b.rest), a.rest)
    }

    fn meet(&self, a: Class, b: Class) -> Option<Class> {
        if (a.rest - b.rest) % gcd(a.step, b.step).max(1) != 0 {
            return None;
        }
        if a.is_constant() || b.is_constant() {
            let constant = if a.is_constant() { a } else { b };
            return (a.contains(constant) && b.contains(constant)).then_some(constant);
        }
        // Both steps divide the modulus, and so does their least common multiple.
        let common = gcd(a.step, b.step);
        let (step, other) = (a.step / common * b.step, b.step / common);
        let times = (b.rest - a.rest) / common * inverse_of(a.step / common, other);
        Some(Class { step, rest: (a.rest + a.step * times.rem_euclid(other)).rem_euclid(step) })
    }

    fn negate(&self, a: Class) -> Class {
        self.class(a.step, -a.rest)
    }

    fn apply(&self, operation: Operation, a: Class, b: Class) -> Option<Class> {
        Some(match operation {
            Operation::Add => self.class(gcd(a.step, b.step), a.rest + b.rest),
            Operation::Sub => self.class(gcd(a.step, b.step), a.rest - b.rest),
            Operation::Mul => {
                let step = gcd(gcd(a.step * b.step, a.step * b.rest), b.step * a.rest);
                self.class(step, a.rest * b.rest)
            }
            Operation::Div | Operation::Mod if b == self.constant(0) => return None,
            Operation::Div if b.is_constant() && (a.is_constant() || is_multiple(a, b.rest)) => {
                self.class(a.step / b.rest, a.rest / b.rest)
            }
            Operation::Div => self.top(),
            Operation::Mod if a.is_constant() && b.is_constant() => self.class(0, a.rest % b.rest),
            // A remainder differs from the dividend by a multiple of the divisor.
            Operation::Mod => self.class(gcd(a.step, gcd(b.step, b.rest)), a.rest),
        })
    }

    fn compare(&self, cmp: Comparison, a: Class, b: Class) -> Option<(Class, Class)> {
        if cmp == Comparison::Eq {
            return self.meet(a, b).map(|both| (both, both));
        }
        let holds = !a.is_constant() || !b.is_constant() || cmp.holds(&a.rest, &b.rest);
        holds.then_some((a, b))
    }

    fn bounds(&self, a: Class) -> (i64, i64) {
        if a.is_constant() { (a.rest as i64, a.rest as i64) } else { (i64::MIN, i64::MAX) }
    }

    fn show(&self, a: Class) -> String {
        match a {
            Class { step: 0, rest } => rest.to_string(),
            Class { step: 1, .. } => "any".to_owned(),
            Class { step, rest } => format!("{rest} mod {step}"),
        }
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32) -> Class {
        let rest = i128::from(some_integer(random));
        self.class(if random(3) == 0 { 0 } else { i128::from(random(13)) }, rest)
    }
}

/// Returns whether all integers of the class are multiples of the divisor.
fn is_multiple(a: Class, divisor: i128) -> bool {
    a.step % divisor == 0 && a.rest % divisor == 0
}

/// Returns the inverse of `a` modulo `modulus`. Precondition: they are coprime.
fn inverse_of(a: i128, modulus: i128) -> i128 {
    let (mut old, mut new) = ((a.rem_euclid(modulus), 1), (modulus, 0));
    while new.0 != 0 {
        let times = old.0 / new.0;
        (old, new) = (new, (old.0 - times * new.0, old.1 - times * new.1));
    }
    old.1.rem_euclid(modulus)
}
