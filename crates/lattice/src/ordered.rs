//! `MaxInteger` and `MinInteger`: an integer, initially 0, of which the greatest or the least value
//! allows most.
//!
//! Order of `MaxInteger`: that of numbers; join: the maximum. Of `MinInteger`: the reverse order;
//! join: the minimum. So a state with the greater number, or the smaller one, stands for others.
//!
//! Numbers beyond 32 bits are replaced by a greater element: on one side by the unbounded element,
//! which no addition changes, on the other by the last number. Widening ends at the unbounded one.
//!
//! Comparisons are those of the numbers, of both lattices. opaal's `MinInteger` compares in reverse
//! order: there `n >= 3` is `n.value() <= 3`. The checker warns of it.

use std::sync::Arc;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, Operators, SlotOrder, Trend};

pub(crate) const ENTRIES: &[LibraryEntry] = &[
    LibraryEntry {
        name: "MaxInteger",
        aliases: &[],
        signature: "MaxInteger",
        has_dimensions: false,
        member: None,
        help: "An integer, initially 0, of which greater values allow more.",
        laws: "Order: that of numbers. Join: the maximum.",
        example: "extern MaxInteger;\nMaxInteger fuel;\n// guard: fuel >= 3    update: fuel -= 3",
        make: |arguments| make(arguments, true),
    },
    LibraryEntry {
        name: "MinInteger",
        aliases: &[],
        signature: "MinInteger",
        has_dimensions: false,
        member: None,
        help: "An integer, initially 0, of which smaller values allow more.",
        laws: "Order: the reverse of that of numbers. Join: the minimum.",
        example: "extern MinInteger;\nMinInteger cost;\n// guard: cost.value() <= 9    update: cost += 3",
        make: |arguments| make(arguments, false),
    },
];

#[derive(Debug)]
struct OrderedInteger {
    /// Whether greater numbers are greater elements.
    up: bool,
}

fn make(arguments: &Arguments<'_>, up: bool) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(0)?;
    Ok(Arc::new(OrderedInteger { up }))
}

/// The methods, of which only the last depends on the order.
const fn methods(trend: Trend) -> [Method; 4] {
    [
        Method::change("set", &["n"], "sets it to n, as `v = n` does"),
        Method::change("add", &["n"], "adds n, as `v += n` and `v++` do"),
        Method::change("sub", &["n"], "subtracts n, as `v -= n` and `v--` do"),
        Method::measure("value", &[], trend, "its value, as `v` has in an integer expression"),
    ]
}

static RISING: [Method; 4] = methods(Trend::Rises);
static FALLING: [Method; 4] = methods(Trend::Falls);

impl OrderedInteger {
    /// Returns the greatest element, which is unbounded.
    fn top(&self) -> i32 {
        if self.up { i32::MAX } else { i32::MIN }
    }

    fn sum(&self, number: i32, change: i64) -> i32 {
        if number == self.top() {
            return number;
        }
        (i64::from(number) + change).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }
}

impl Lattice for OrderedInteger {
    fn name(&self) -> String {
        if self.up { "MaxInteger" } else { "MinInteger" }.to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, out: &mut [i32]) {
        out[0] = 0;
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        if self.up { a[0] <= b[0] } else { a[0] >= b[0] }
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(if self.up { SlotOrder::Rises } else { SlotOrder::Falls })
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let changes = !self.leq(other, into);
        if changes {
            into[0] = other[0];
        }
        changes
    }

    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        if self.leq(other, into) {
            return false;
        }
        let next = if self.up {
            thresholds.iter().find(|threshold| **threshold >= other[0])
        } else {
            thresholds.iter().rev().find(|threshold| **threshold <= other[0])
        };
        into[0] = next.copied().unwrap_or(self.top());
        true
    }

    fn methods(&self) -> &[Method] {
        if self.up { &RISING } else { &FALLING }
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let n = args.first().copied().unwrap_or(0);
        this[0] = match method {
            0 => n,
            1 => self.sum(this[0], i64::from(n)),
            2 => self.sum(this[0], -i64::from(n)),
            _ => return Ok(this[0]),
        };
        Ok(0)
    }

    fn operators(&self) -> Option<Operators> {
        Some(Operators { set: Some(0), add: Some(1), sub: Some(2), value: Some(3), ..Operators::default() })
    }

    fn show(&self, element: &[i32]) -> String {
        match element[0] {
            number if number == self.top() => if self.up { "inf" } else { "-inf" }.to_owned(),
            number => number.to_string(),
        }
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        let small = random(12) as i32 - 6;
        out[0] = match random(12) {
            0 => self.top(),
            1 => i32::MAX - 1 - random(3) as i32,
            2 => i32::MIN + 1 + random(3) as i32,
            _ => small,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbounded_numbers_stay() {
        for (up, end) in [(true, "inf"), (false, "-inf")] {
            let lattice = make(&Arguments::default(), up).unwrap();
            let mut element = [0];
            let change = if up { 5 } else { -5 };
            lattice.call(1, &mut element, &[change]).unwrap();
            assert_eq!(lattice.show(&element), change.to_string());
            assert!(lattice.widen(&mut element, &[2 * change], &[-20, 20]));
            assert_eq!(element, [4 * change]);
            assert!(lattice.widen(&mut element, &[5 * change], &[-20, 20]));
            lattice.call(2, &mut element, &[7]).unwrap();
            assert_eq!(lattice.show(&element), end);
            lattice.call(0, &mut element, &[3]).unwrap();
            assert_eq!(element, [3]);
        }
    }

    #[test]
    fn operators_are_those_of_numbers() {
        for up in [true, false] {
            let lattice = make(&Arguments::default(), up).unwrap();
            let Operators { value, set, add, sub, .. } = lattice.operators().unwrap();
            let mut element = [0];
            for (method, number, expected) in [(set, 7, 7), (add, 5, 12), (sub, 20, -8), (add, 8, 0)] {
                lattice.call(method.unwrap(), &mut element, &[number]).unwrap();
                assert_eq!(lattice.call(value.unwrap(), &mut element, &[]), Ok(expected));
            }
        }
    }

    #[test]
    fn numbers_beyond_32_bits_become_greater_elements() {
        for (up, change, end) in [(true, i32::MAX, "inf"), (false, i32::MIN, "-inf")] {
            let lattice = make(&Arguments::default(), up).unwrap();
            let mut element = [if up { 10 } else { -10 }];
            lattice.call(1, &mut element, &[change]).unwrap();
            assert_eq!(lattice.show(&element), end);
            // Away from the greatest element the last number stays.
            let last = if up { i32::MIN } else { i32::MAX };
            lattice.call(0, &mut element, &[last]).unwrap();
            lattice.call(2, &mut element, &[if up { 1 } else { -1 }]).unwrap();
            assert_eq!(element, [last]);
        }
    }
}
