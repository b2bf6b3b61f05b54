//! Intervals. Order: inclusion; join: the interval hull.
//!
//! - `Interval` has all bounds between -2³¹ and 2³¹. `Interval(low, high)` has only bounds in
//!   `low .. high`: integers below `low` are not distinguished, nor are those above `high`. A
//!   counter that leaves the range becomes unbounded. This loses precision only, and keeps the
//!   number of elements small.
//! - `WideningInterval` is the same with widening: an unstable bound jumps to the next constant of
//!   the model, then to infinity.
//! - `WrappingInterval` has 32-bit machine integers, like the variables of a model: a result that
//!   may overflow may be any integer.
//! - `Box` has several members, each with its own interval.
//!
//! See P. Cousot, R. Cousot: *Abstract interpretation* (POPL 1977).

use std::sync::Arc;

use super::{Domain, Environment, Interval, Operation, interval::join_all, some_integer};
use crate::{ArgumentError, Arguments, Comparison, Lattice, LibraryEntry, SlotOrder};

pub(crate) const ENTRIES: &[LibraryEntry] = &[
    LibraryEntry {
        name: "Interval",
        aliases: &["IntRange", "IntegerRange"],
        signature: "Interval[(low, high)]",
        has_dimensions: false,
        member: None,
        help: "An integer between two bounds, initially 0. Only bounds between low and high are distinguished, if these are \
               given: a bound outside becomes infinite. opaal calls it IntRange.",
        laws: "Order: inclusion. Join: the smallest interval around both.",
        example: "extern Small = Interval(0, 100);\nSmall x;\n// guard: x < 10    update: x = x + 1",
        make: |arguments| bounded("Interval", arguments, false),
    },
    LibraryEntry {
        name: "WideningInterval",
        aliases: &[],
        signature: "WideningInterval[(low, high)]",
        has_dimensions: false,
        member: None,
        help: "An interval whose bounds are widened: an unstable bound jumps to the next constant of the model, then to infinity.",
        laws: "Order: inclusion. Join: the smallest interval around both.",
        example: "extern WideningInterval;\nWideningInterval x;\n// guard: x < 10    update: x = x + 1",
        make: |arguments| bounded("WideningInterval", arguments, true),
    },
    LibraryEntry {
        name: "WideningIntRange",
        aliases: &[],
        signature: "WideningIntRange[(n, ...)]",
        has_dimensions: false,
        member: None,
        help: "WideningInterval, as opaal calls it. An unstable bound jumps to the next of the given numbers instead of those of \
               the model.",
        laws: "Order: inclusion. Join: the smallest interval around both.",
        example: "extern WideningIntRange = WideningIntRange(1, 2, 3, 9);\nWideningIntRange x;\n// guard: x < 10    update: x = x + 1",
        make: widening_at,
    },
    LibraryEntry {
        name: "WrappingInterval",
        aliases: &[],
        signature: "WrappingInterval",
        has_dimensions: false,
        member: None,
        help: "An interval of the 32-bit integers of a machine: a result that may overflow wraps around and may be any integer.",
        laws: "Order: inclusion. Join: the smallest interval around both.",
        example: "extern WrappingInterval;\nWrappingInterval x;\n// guard: x < 10    update: x = x + 1",
        make: |arguments| {
            arguments.only_values(0)?;
            let domain = Intervals { wraps: true, ..Intervals::default() };
            Ok(Arc::new(Environment::single("WrappingInterval".to_owned(), domain)))
        },
    },
    LibraryEntry {
        name: "Box",
        aliases: &["ApronBox"],
        signature: "Box",
        has_dimensions: false,
        member: Some("intvar"),
        help: "Several integers, initially all 0, each between two bounds. Bounds are widened as those of \
               WideningInterval.",
        laws: "Order: inclusion. Join: the smallest box around both.",
        example: "extern Box;\nBox box;\nbox.intvar i;\nbox.intvar j;\n// guard: i < j    update: i = i + 1",
        make: |arguments| {
            arguments.only_values(0)?;
            let members = arguments.members()?;
            let domain = Intervals { widens: true, ..Intervals::default() };
            Ok(Arc::new(Environment::joint(format!("Box({members})"), domain, members)))
        },
    },
];

/// Intervals with bounds in a range.
#[derive(Clone, Debug)]
pub(crate) struct Intervals {
    low: i32,
    high: i32,
    widens: bool,
    /// The numbers at which widening stops, sorted; `None`: those of the model.
    stops: Option<Arc<[i32]>>,
    wraps: bool,
}

impl Default for Intervals {
    fn default() -> Intervals {
        // The least and the greatest integer stand for the infinities.
        Intervals { low: i32::MIN + 1, high: i32::MAX - 1, widens: false, stops: None, wraps: false }
    }
}

fn bounded(name: &str, arguments: &Arguments<'_>, widens: bool) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(2)?;
    let all = Intervals { widens, ..Intervals::default() };
    let [low, high] = *arguments.values else {
        if arguments.values.is_empty() {
            return Ok(Arc::new(Environment::single(name.to_owned(), all)));
        }
        return Err(ArgumentError::OneBound);
    };
    if low > high {
        return Err(ArgumentError::EmptyRange { low, high });
    }
    let domain = Intervals { low: low.clamp(all.low, all.high), high: high.clamp(all.low, all.high), ..all };
    Ok(Arc::new(Environment::single(format!("{name}({low}, {high})"), domain)))
}

/// The greatest number of integers at which widening stops.
const MAX_STOPS: usize = 1000;

fn widening_at(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(MAX_STOPS)?;
    let mut stops = arguments.values.to_vec();
    stops.sort_unstable();
    stops.dedup();
    let texts: Vec<String> = stops.iter().map(ToString::to_string).collect();
    let stops = (!stops.is_empty()).then(|| stops.into());
    let domain = Intervals { widens: true, stops, ..Intervals::default() };
    let name = if texts.is_empty() { String::new() } else { format!("({})", texts.join(", ")) };
    Ok(Arc::new(Environment::single(format!("WideningIntRange{name}"), domain)))
}

/// The integers of a machine.
const MACHINE: Interval = Interval { low: i32::MIN as i64, high: i32::MAX as i64 };

impl Intervals {
    fn may_wrap(&self, result: Interval) -> bool {
        self.wraps && !(MACHINE.contains(result.low) && MACHINE.contains(result.high))
    }

    /// Returns what remains of a result after overflow.
    fn fit(&self, result: Interval) -> Interval {
        if self.may_wrap(result) { MACHINE } else { result }
    }
}

impl Domain for Intervals {
    type Value = Interval;

    fn width(&self) -> usize {
        2
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (i32::MIN, i32::MAX)
    }

    fn load(&self, slots: &[i32]) -> Option<Interval> {
        let (low, high) = (i64::from(slots[0]), i64::from(slots[1]));
        if low > high {
            return None;
        }
        let is_bound = |bound, infinity: i32| self.wraps || bound != i64::from(infinity);
        Some(Interval {
            low: if is_bound(low, i32::MIN) { low } else { i64::MIN },
            high: if is_bound(high, i32::MAX) { high } else { i64::MAX },
        })
    }

    fn store(&self, value: Option<Interval>, slots: &mut [i32]) {
        let (low, high) = (i64::from(self.low), i64::from(self.high));
        (slots[0], slots[1]) = match value {
            None => (i32::MAX, i32::MIN),
            Some(value) if self.wraps => (value.low as i32, value.high as i32),
            Some(value) => (
                if value.low < low { i32::MIN } else { value.low.min(high) as i32 },
                if value.high > high { i32::MAX } else { value.high.max(low) as i32 },
            ),
        };
    }

    fn top(&self) -> Interval {
        if self.wraps { MACHINE } else { Interval::ALL }
    }

    fn constant(&self, number: i32) -> Interval {
        Interval::constant(i64::from(number))
    }

    fn leq(&self, a: Interval, b: Interval) -> bool {
        b.low <= a.low && a.high <= b.high
    }

    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        Some(if slot == 0 { SlotOrder::Falls } else { SlotOrder::Rises })
    }

    fn join(&self, a: Interval, b: Interval) -> Interval {
        a.join(b)
    }

    fn meet(&self, a: Interval, b: Interval) -> Option<Interval> {
        a.meet(b)
    }

    fn widen(&self, a: Interval, b: Interval, thresholds: &[i32]) -> Interval {
        let joined = a.join(b);
        if !self.widens {
            return joined;
        }
        let thresholds = self.stops.as_deref().unwrap_or(thresholds);
        let below = thresholds.iter().rev().map(|&t| i64::from(t)).find(|&t| t <= joined.low);
        let above = thresholds.iter().map(|&t| i64::from(t)).find(|&t| t >= joined.high);
        Interval {
            low: if joined.low < a.low { below.unwrap_or(i64::MIN) } else { a.low },
            high: if joined.high > a.high { above.unwrap_or(i64::MAX) } else { a.high },
        }
    }

    fn negate(&self, a: Interval) -> Interval {
        self.fit(a.negate())
    }

    fn apply(&self, operation: Operation, a: Interval, b: Interval) -> Option<Interval> {
        let result = match operation {
            Operation::Add => a.add(b),
            Operation::Sub => a.add(b.negate()),
            Operation::Mul => a.mul(b),
            Operation::Div => a.div(b)?,
            Operation::Mod => a.rem(b)?,
        };
        Some(self.fit(result))
    }

    fn refine(&self, operation: Operation, a: Interval, b: Interval, result: Interval) -> Option<(Interval, Interval)> {
        let no_zero = || join_all(b.positive(), b.negate().positive().map(Interval::negate));
        match operation {
            Operation::Add => {
                let (left, right) = (result.add(b.negate()), result.add(a.negate()));
                Some((a.meet(self.fit(left))?, b.meet(self.fit(right))?))
            }
            Operation::Sub => {
                let (left, right) = (result.add(b), a.add(result.negate()));
                Some((a.meet(self.fit(left))?, b.meet(self.fit(right))?))
            }
            // If the product may wrap around, it says nothing about its factors.
            Operation::Mul if self.may_wrap(a.mul(b)) => Some((a, b)),
            Operation::Mul => Some((a.refine_factor(b, result)?, b.refine_factor(a, result)?)),
            Operation::Div if self.may_wrap(a.div(b)?) => Some((a, no_zero()?)),
            Operation::Div => Some((a.refine_dividend(b, result)?, no_zero()?)),
            Operation::Mod => Some((a, no_zero()?)),
        }
    }

    fn compare(&self, cmp: Comparison, a: Interval, b: Interval) -> Option<(Interval, Interval)> {
        let less = |a: Interval, b: Interval, gap: i128| {
            let ((low, high), (from, to)) = (a.wide(), b.wide());
            Some((Interval::checked(low, high.min(to - gap))?, Interval::checked(from.max(low + gap), to)?))
        };
        let swap = |(a, b)| (b, a);
        match cmp {
            Comparison::Eq => a.meet(b).map(|both| (both, both)),
            Comparison::Ne => {
                let left = if b.is_constant() { a.without(b.low)? } else { a };
                let right = if a.is_constant() { b.without(a.low)? } else { b };
                Some((left, right))
            }
            Comparison::Lt => less(a, b, 1),
            Comparison::Le => less(a, b, 0),
            Comparison::Gt => less(b, a, 1).map(swap),
            Comparison::Ge => less(b, a, 0).map(swap),
        }
    }

    fn bounds(&self, a: Interval) -> (i64, i64) {
        (a.low, a.high)
    }

    fn show(&self, a: Interval) -> String {
        a.to_string()
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32) -> Interval {
        let (a, b) = (i64::from(some_integer(random)), i64::from(some_integer(random)));
        let inside = |n: i64| n.clamp(i64::from(self.low), i64::from(self.high));
        let mut value = Interval::constant(inside(a.min(b))).join(Interval::constant(inside(a.max(b))));
        match random(8) {
            0 => value.low = self.top().low,
            1 => value.high = self.top().high,
            2 => value = Interval::constant(value.low),
            3 => value = self.top(),
            _ => {}
        }
        value
    }
}
