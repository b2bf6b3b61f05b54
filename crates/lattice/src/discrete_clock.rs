//! `DiscreteClock[(max)]`: a clock that counts whole units of time, abstracted to its least and
//! greatest value. It is initially 0.
//!
//! All values above `max` are identified as `max + 1`: the clock is compared with numbers up to
//! `max` only. Order: inclusion; join: the interval hull.
//!
//! See T. A. Henzinger, Z. Manna, A. Pnueli: *What good are digital clocks?* (ICALP 1992).

use std::sync::Arc;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, Trend, method};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "DiscreteClock",
    aliases: &[],
    signature: "DiscreteClock[(max)]",
    has_dimensions: false,
    member: None,
    help: "A clock that counts whole units of time, initially 0, with a least and a greatest value. Values above max are \
           not distinguished; without an argument max is the largest number in the model.",
    laws: "Order: inclusion. Join: the smallest interval around both.",
    example: "extern Timer = DiscreteClock(10);\nTimer t;\n// guard: t.mayBeAtLeast(5)    update: t.atLeast(5), t.reset()",
    make,
}];

/// The greatest `max`.
const MAX: i32 = 1 << 30;

#[derive(Debug)]
struct DiscreteClock {
    max: i32,
}

fn make(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(1)?;
    let max = arguments.optional(0, "max", 0, MAX)?.unwrap_or(arguments.largest.clamp(0, MAX));
    Ok(Arc::new(DiscreteClock { max }))
}

static METHODS: [Method; 9] = [
    Method::change("tick", &[], "lets one unit of time pass"),
    Method::change("up", &[], "lets any amount of time pass"),
    Method::change("reset", &[], "sets it to 0"),
    Method::cut("atMost", &["c"], "restricts it to the values up to c, and returns whether there are any"),
    Method::cut("atLeast", &["c"], "restricts it to the values from c on, and returns whether there are any"),
    Method::test("mayBeAtMost", &["c"], Trend::Rises, "whether it may be at most c"),
    Method::test("mayBeAtLeast", &["c"], Trend::Rises, "whether it may be at least c"),
    Method::measure("least", &[], Trend::Falls, "the least value; max + 1 stands for all above max"),
    Method::measure("most", &[], Trend::Rises, "the greatest value; max + 1 stands for all above max"),
];

impl DiscreteClock {
    /// Returns the bounds of the empty interval.
    fn empty(&self) -> [i32; 2] {
        [self.max + 1, 0]
    }
}

impl Lattice for DiscreteClock {
    fn name(&self) -> String {
        format!("DiscreteClock({})", self.max)
    }

    fn width(&self) -> usize {
        2
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (0, self.max + 1)
    }

    fn initial(&self, out: &mut [i32]) {
        out.fill(0);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        b[0] <= a[0] && a[1] <= b[1]
    }

    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        Some(if slot == 0 { SlotOrder::Falls } else { SlotOrder::Rises })
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let changes = !self.leq(other, into);
        (into[0], into[1]) = (into[0].min(other[0]), into[1].max(other[1]));
        changes
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        element[0] > element[1]
    }

    fn methods(&self) -> &[Method] {
        &METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let number = || method::argument(args, 0, 0, self.max);
        let is_some = !self.is_bottom(this);
        let answer = match method {
            0..=2 => {
                if is_some {
                    (this[0], this[1]) = match method {
                        0 => ((this[0] + 1).min(self.max + 1), (this[1] + 1).min(self.max + 1)),
                        1 => (this[0], self.max + 1),
                        _ => (0, 0),
                    };
                }
                return Ok(0);
            }
            3 | 4 => {
                let c = number()?;
                if method == 3 {
                    this[1] = this[1].min(c);
                } else {
                    this[0] = this[0].max(c);
                }
                if self.is_bottom(this) {
                    this.copy_from_slice(&self.empty());
                }
                !self.is_bottom(this)
            }
            5 => this[0] <= number()? && is_some,
            6 => this[1] >= number()? && is_some,
            7 => return Ok(this[0]),
            _ => return Ok(this[1]),
        };
        Ok(i32::from(answer))
    }

    fn bounds(&self, _: usize) -> (i32, i32) {
        (0, self.max + 1)
    }

    fn show(&self, element: &[i32]) -> String {
        match (element[0], element[1]) {
            (low, high) if low > high => "nothing".to_owned(),
            (low, high) if low > self.max && high > self.max => format!(">{}", self.max),
            (low, high) if high > self.max => format!(">={low}"),
            (low, high) if low == high => low.to_string(),
            (low, high) => format!("[{low}, {high}]"),
        }
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        let end = self.max as u32 + 2;
        let mut value = || if random(3) == 0 { random(end) } else { random(end.min(6)) };
        let (a, b) = (value() as i32, value() as i32);
        out.copy_from_slice(&[a.min(b), a.max(b)]);
        match random(12) {
            0 => out.copy_from_slice(&self.empty()),
            1 => out[1] = self.max + 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes() {
        let clock = make(&Arguments { values: &[4], ..Arguments::default() }).unwrap();
        let mut element = [0, 0];
        let mut texts = Vec::new();
        for (method, args) in
            [(0, &[][..]), (1, &[]), (3, &[3]), (0, &[]), (4, &[3]), (0, &[]), (4, &[4]), (0, &[]), (3, &[2])]
        {
            clock.call(method, &mut element, args).unwrap();
            texts.push(clock.show(&element));
        }
        assert_eq!(texts, ["1", ">=1", "[1, 3]", "[2, 4]", "[3, 4]", ">=4", ">=4", ">4", "nothing"]);
    }
}
