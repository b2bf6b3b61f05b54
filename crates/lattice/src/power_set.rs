//! `PowerSet(size)`: sets of the numbers `0 .. size - 1`, ordered by inclusion. Initially empty.
//!
//! The pool of an unreliable network is one: a sent message may arrive at any time, any number of
//! times, or never, so a larger pool allows more behaviour. Order: inclusion; join: union. See A.
//! E. Dalsgaard et al., *opaal: A Lattice Model Checker* (NFM 2011), section 2.2.

use std::sync::Arc;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, Trend, method, packed};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "PowerSet",
    aliases: &[],
    signature: "PowerSet(size)",
    has_dimensions: false,
    member: None,
    help: "A set of the numbers 0 to size - 1, initially empty, where more elements allow more behaviour: sent messages, for example.",
    laws: "Order: inclusion. Join: union.",
    example: "extern Pool = PowerSet(16);\nPool pool;\n// guard: pool.contains(3)    update: pool.add(3)",
    make,
}];

#[derive(Debug)]
struct PowerSet {
    size: usize,
}

fn make(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(1)?;
    Ok(Arc::new(PowerSet { size: arguments.value(0, "size", 1, 1 << 20)? as usize }))
}

static METHODS: [Method; 6] = [
    Method::change("add", &["i"], "puts a number into the set"),
    Method::change("remove", &["i"], "takes a number out of the set"),
    Method::change("clear", &[], "makes the set empty"),
    Method::test("contains", &["i"], Trend::Rises, "whether a number is in the set"),
    Method::measure("size", &[], Trend::Rises, "how many numbers are in the set"),
    Method::test("isEmpty", &[], Trend::Falls, "whether nothing is in the set"),
];

impl Lattice for PowerSet {
    fn name(&self) -> String {
        format!("PowerSet({})", self.size)
    }

    fn width(&self) -> usize {
        packed::words(self.size)
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        packed::range(self.size, slot)
    }

    fn initial(&self, out: &mut [i32]) {
        out.fill(0);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        packed::is_subset(a, b)
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(SlotOrder::MoreBits)
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        packed::unite(into, other)
    }

    fn methods(&self) -> &[Method] {
        &METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let i = || method::index(args, 0, self.size);
        Ok(match method {
            0 => {
                packed::put(this, i()?, true);
                0
            }
            1 => {
                packed::put(this, i()?, false);
                0
            }
            2 => {
                this.fill(0);
                0
            }
            3 => i32::from(packed::get(this, i()?)),
            4 => packed::count(this),
            _ => i32::from(packed::count(this) == 0),
        })
    }

    fn bounds(&self, _: usize) -> (i32, i32) {
        (0, self.size as i32)
    }

    fn show(&self, element: &[i32]) -> String {
        let numbers: Vec<String> = packed::members(element, self.size).map(|i| i.to_string()).collect();
        format!("{{{}}}", numbers.join(", "))
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        packed::sample(random, self.size, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added_and_removed() {
        let set = make(&Arguments { values: &[40], ..Arguments::default() }).unwrap();
        let mut element = [0, 0];
        for i in [3, 39] {
            set.call(0, &mut element, &[i]).unwrap();
        }
        assert_eq!(set.show(&element), "{3, 39}");
        assert_eq!(set.call(3, &mut element, &[39]), Ok(1));
        assert_eq!(set.call(1, &mut element, &[39]), Ok(0));
        assert_eq!((set.call(4, &mut element, &[]), set.call(5, &mut element, &[])), (Ok(1), Ok(0)));
        assert_eq!(set.call(0, &mut element, &[40]), Err(Misuse::Argument { argument: 0, low: 0, high: 39 }));
    }
}
