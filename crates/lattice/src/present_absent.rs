//! `PresentAbsent(size[, empty])`: knowledge about a database with entries `0 .. size - 1`: the
//! entries that are surely present and those that are surely absent.
//!
//! A pair `(P, A)` stands for all databases that contain all of `P` and nothing of `A`. Order:
//! `(P, A)` is less than or equal to `(P', A')` if `P'` is a subset of `P` and `A'` one of `A`:
//! less knowledge is greater. Join: both intersections. Pairs with a common entry stand for no
//! database and are all represented by the pair of full sets. Initially nothing is known; with 1 as
//! the second argument, the database is initially empty.
//!
//! See P. Olsen, K. G. Larsen, A. Skou: *Present and absent sets: Abstraction for testing of
//! reactive systems with databases* (MBT 2010).

use std::sync::Arc;

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, Trend, method, packed};

pub(crate) const ENTRIES: &[LibraryEntry] = &[LibraryEntry {
    name: "PresentAbsent",
    aliases: &[],
    signature: "PresentAbsent(size[, empty])",
    has_dimensions: false,
    member: None,
    help: "Knowledge about a database with entries 0 to size - 1: which are surely in it and which surely are not. Initially \
           nothing is known; if the second argument is 1, the database is empty.",
    laws: "Order: the greater knows no more. Join: what both know.",
    example: "extern Users = PresentAbsent(8, 1);\nUsers users;\n// guard: users.mayContain(u)    update: users.remove(u)",
    make,
}];

#[derive(Debug)]
struct PresentAbsent {
    size: usize,
    empty: bool,
}

fn make(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.only_values(2)?;
    let size = arguments.value(0, "size", 1, 1 << 20)? as usize;
    Ok(Arc::new(PresentAbsent { size, empty: arguments.flag(1, "empty")? }))
}

static METHODS: [Method; 14] = [
    Method::change("insert", &["i"], "puts an entry into the database"),
    Method::change("remove", &["i"], "takes an entry out of the database"),
    Method::change("forget", &["i"], "forgets what is known about an entry"),
    Method::change("clear", &[], "makes the database empty"),
    Method::change("forgetAll", &[], "forgets all that is known"),
    Method::cut(
        "assumePresent",
        &["i"],
        "restricts to the databases that have an entry, and returns whether there are any",
    ),
    Method::cut(
        "assumeAbsent",
        &["i"],
        "restricts to the databases that lack an entry, and returns whether there are any",
    ),
    Method::test("mayContain", &["i"], Trend::Rises, "whether some database has an entry"),
    Method::test("mayLack", &["i"], Trend::Rises, "whether some database lacks an entry"),
    Method::test("mustContain", &["i"], Trend::Falls, "whether all databases have an entry"),
    Method::test("mustLack", &["i"], Trend::Falls, "whether all databases lack an entry"),
    Method::test("unknown", &["i"], Trend::Rises, "whether some database has an entry and some lacks it"),
    Method::measure("least", &[], Trend::Falls, "how many entries are surely there"),
    Method::measure("most", &[], Trend::Rises, "how many entries may be there"),
];

impl PresentAbsent {
    fn words(&self) -> usize {
        packed::words(self.size)
    }

    /// Records an entry as present, absent, or unknown.
    fn record(&self, this: &mut [i32], entry: usize, present: bool, absent: bool) {
        if self.is_bottom(this) {
            return;
        }
        let (p, a) = this.split_at_mut(self.words());
        packed::put(p, entry, present);
        packed::put(a, entry, absent);
    }

    fn fill(&self, this: &mut [i32], present: bool, absent: bool) {
        let (p, a) = this.split_at_mut(self.words());
        for (set, is_all) in [(p, present), (a, absent)] {
            set.fill(0);
            if is_all {
                packed::fill(set, self.size);
            }
        }
    }

    /// Restricts to the databases that contain an entry, or to those that lack it.
    fn assume(&self, this: &mut [i32], entry: usize, present: bool) -> bool {
        let (p, a) = this.split_at(self.words());
        if packed::get(if present { a } else { p }, entry) {
            self.fill(this, true, true);
            return false;
        }
        self.record(this, entry, present, !present);
        true
    }
}

impl Lattice for PresentAbsent {
    fn name(&self) -> String {
        format!("PresentAbsent({}, {})", self.size, u8::from(self.empty))
    }

    fn width(&self) -> usize {
        2 * self.words()
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        packed::range(self.size, slot % self.words())
    }

    fn initial(&self, out: &mut [i32]) {
        self.fill(out, false, self.empty);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        packed::is_subset(b, a)
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(SlotOrder::FewerBits)
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        packed::intersect(into, other)
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        // Only the bottom element has a common entry.
        let (p, a) = element.split_at(self.words());
        packed::get(p, 0) && packed::get(a, 0)
    }

    fn methods(&self) -> &[Method] {
        &METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let i = || method::index(args, 0, self.size);
        let present = |set: &[i32], i| packed::get(&set[..self.words()], i);
        let absent = |set: &[i32], i| packed::get(&set[self.words()..], i);
        let answer = match method {
            0 => {
                self.record(this, i()?, true, false);
                return Ok(0);
            }
            1 => {
                self.record(this, i()?, false, true);
                return Ok(0);
            }
            2 => {
                self.record(this, i()?, false, false);
                return Ok(0);
            }
            3 | 4 => {
                if !self.is_bottom(this) {
                    self.fill(this, false, method == 3);
                }
                return Ok(0);
            }
            5 => self.assume(this, i()?, true),
            6 => self.assume(this, i()?, false),
            7 => !absent(this, i()?),
            8 => !present(this, i()?),
            9 => present(this, i()?),
            10 => absent(this, i()?),
            11 => !present(this, i()?) && !absent(this, i()?),
            12 => return Ok(packed::count(&this[..self.words()])),
            _ => return Ok(self.size as i32 - packed::count(&this[self.words()..])),
        };
        Ok(i32::from(answer))
    }

    fn bounds(&self, _: usize) -> (i32, i32) {
        (0, self.size as i32)
    }

    fn show(&self, element: &[i32]) -> String {
        if self.is_bottom(element) {
            return "nothing".to_owned();
        }
        let (p, a) = element.split_at(self.words());
        let list = |set| packed::members(set, self.size).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
        format!("({{{}}}, {{{}}})", list(p), list(a))
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        if random(16) == 0 {
            return self.fill(out, true, true);
        }
        let (p, a) = out.split_at_mut(self.words());
        packed::sample(random, self.size, p);
        packed::sample(random, self.size, a);
        for (p, a) in p.iter_mut().zip(a) {
            // An entry that fell into both sets goes to one of them.
            let both = *p & *a;
            *(if random(2) == 0 { p } else { a }) &= !both;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(lattice: &dyn Lattice, name: &str, this: &mut [i32], args: &[i32]) -> i32 {
        let method = lattice.methods().iter().position(|method| method.name == name).unwrap();
        lattice.call(method, this, args).unwrap()
    }

    #[test]
    fn less_knowledge_is_greater() {
        let users = make(&Arguments { values: &[3, 1], ..Arguments::default() }).unwrap();
        let users = &*users;
        let mut known = [0; 2];
        users.initial(&mut known);
        assert_eq!(users.show(&known), "({}, {0, 1, 2})");
        call(users, "insert", &mut known, &[1]);
        let mut less = known;
        call(users, "forget", &mut less, &[1]);
        assert!(users.leq(&known, &less) && !users.leq(&less, &known));
        assert_eq!(users.show(&less), "({}, {0, 2})");
        assert_eq!((call(users, "least", &mut known, &[]), call(users, "most", &mut less, &[])), (1, 1));
    }

    #[test]
    fn a_contradiction_is_bottom() {
        let users = make(&Arguments { values: &[2, 1], ..Arguments::default() }).unwrap();
        let users = &*users;
        let mut element = [0; 2];
        users.initial(&mut element);
        assert_eq!(call(users, "assumePresent", &mut element, &[0]), 0);
        assert!(users.is_bottom(&element));
        call(users, "insert", &mut element, &[1]);
        assert!(users.is_bottom(&element));
        assert_eq!(call(users, "mayContain", &mut element, &[1]), 0);
    }
}
