//! The library's lattices obey the laws, and wrong lattices are found with small counterexamples.

use std::sync::Arc;

use lattice::{
    Arguments, Comparison, Lattice, Library, Method, Misuse, Numeric, SlotOrder, Term, Trend,
    laws::{self, Law, Order, Violation},
};

/// A random number generator (Steele, Lea and Flood, 2014).
fn random(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % u64::from(below.max(1))) as u32
    }
}

fn make(name: &str, values: &[i32]) -> Arc<dyn Lattice> {
    let arguments = Arguments { values, members: 3, ..Arguments::default() };
    (Library::standard().find(name).unwrap().make)(&arguments).unwrap()
}

/// Constructs each entry with several arguments.
fn all_arguments(name: &str) -> Vec<Arc<dyn Lattice>> {
    let library = Library::standard();
    let entry = library.find(name).unwrap();
    let with = |arguments: &Arguments<'_>| (entry.make)(arguments).unwrap();
    let values = |all: &[&[i32]]| -> Vec<Arc<dyn Lattice>> {
        all.iter().map(|values| with(&Arguments { values, ..Arguments::default() })).collect()
    };
    match name {
        "UnionBitVector" | "IntersectionBitVector" => {
            let all: [&[u32]; 5] = [&[], &[1], &[3], &[2, 3], &[5, 8]];
            all.iter().map(|dimensions| with(&Arguments { dimensions, ..Arguments::default() })).collect()
        }
        "PowerSet" => values(&[&[1], &[4], &[33]]),
        "PresentAbsent" => values(&[&[1], &[3, 1], &[40, 0]]),
        "WideningIntRange" => values(&[&[], &[1, 2, 3, 9], &[-4, 0, 4]]),
        "AbstractCache" => values(&[&[], &[4, 2]]),
        "Interval" | "WideningInterval" => values(&[&[], &[0, 3], &[-2, 2], &[5, 9]]),
        "Congruence" => values(&[&[], &[1], &[12], &[64]]),
        "MustCache" | "MayCache" | "Cache" => values(&[&[1, 1], &[4, 2], &[5, 2, 2], &[6, 3, 1, 1]]),
        "Zone" => values(&[&[1, 2], &[2, 3], &[2], &[3]]),
        "DiscreteClock" => values(&[&[], &[0], &[3], &[1 << 30]]),
        "Octagon" | "Box" => (1..4).map(|members| with(&Arguments { members, ..Arguments::default() })).collect(),
        "Product" => {
            let pairs = [("PowerSet", &[3][..], "Interval", &[][..]), ("Cache", &[3, 2], "DiscreteClock", &[2])];
            let one = |(a, a_values, b, b_values): (&str, &[i32], &str, &[i32])| {
                with(&Arguments { lattices: &[make(a, a_values), make(b, b_values)], ..Arguments::default() })
            };
            pairs.into_iter().map(one).collect()
        }
        "Vector" => {
            let inner = [("PowerSet", &[3][..]), ("WideningInterval", &[]), ("MustCache", &[3, 2])];
            let one = |(name, values): (&str, &[i32])| {
                with(&Arguments { values: &[2], lattices: &[make(name, values)], ..Arguments::default() })
            };
            inner.into_iter().map(one).collect()
        }
        _ => values(&[&[]]),
    }
}

#[test]
fn the_library_obeys_the_laws() {
    for entry in Library::standard().entries() {
        for lattice in all_arguments(entry.name) {
            for seed in 0..3 {
                let violations = laws::check(&*lattice, &mut random(seed));
                let texts: Vec<String> = violations
                    .iter()
                    .map(|violation| violation.explain(|e| format!("{} = {e:?}", lattice.show(e))))
                    .collect();
                assert!(violations.is_empty(), "{} with seed {seed}: {texts:#?}", lattice.name());
            }
        }
    }
}

#[test]
fn entries_are_documented() {
    let library = Library::standard();
    for entry in library.entries() {
        assert!(!entry.help.is_empty() && !entry.laws.is_empty() && !entry.signature.is_empty(), "{}", entry.name);
        assert!(entry.signature.starts_with(entry.name), "{}", entry.name);
        assert!(entry.example.contains(entry.name), "{}", entry.name);
        for name in entry.aliases.iter().chain([&entry.name]) {
            let found = library.entries().iter().filter(|e| e.name == *name || e.aliases.contains(name));
            assert_eq!(found.count(), 1, "{name}");
        }
        for lattice in all_arguments(entry.name) {
            let names: Vec<_> = lattice.methods().iter().map(|method| &method.name).collect();
            let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            assert!(names.iter().all(|name| is_name(name)), "{}", entry.name);
            assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])), "{}", entry.name);
        }
    }
}

#[test]
fn every_kind_has_a_specimen() {
    let library = Library::standard();
    let without: Vec<&str> =
        library.entries().iter().filter(|entry| entry.specimen().is_none()).map(|entry| entry.name).collect();
    assert_eq!(without, ["Product", "Vector"], "which take lattices as arguments");
    let cache = library.find("MustCache").and_then(lattice::LibraryEntry::specimen).unwrap();
    assert!(cache.methods().iter().any(|method| method.name == "access"));
}

#[test]
fn integers_of_most_elements_have_an_order() {
    let library = Library::standard();
    for entry in library.entries() {
        for lattice in all_arguments(entry.name) {
            let is_flat = lattice.name().contains("Constant") || lattice.name().contains("Congruence");
            let has_order = (0..lattice.width()).all(|slot| lattice.slot_order(slot).is_some());
            assert!(has_order || is_flat, "{}", lattice.name());
        }
    }
}

#[test]
fn wrong_arguments_give_sentences() {
    let library = Library::standard();
    for entry in library.entries() {
        let cases = [&[][..], &[0], &[-1, -1], &[1, 0], &[1, 2, 3, 4, 5], &[i32::MAX, i32::MAX]];
        for values in cases {
            for members in [0, 2, 100_000] {
                let nothing = Arguments { values, members, ..Arguments::default() };
                if let Err(sentence) = (entry.make)(&nothing) {
                    let sentence = sentence.to_string();
                    assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{}", entry.name);
                }
            }
        }
    }
    assert!(library.find("Nothing").is_none());
}

/// A lattice of numbers up to 9 that violates one law.
#[derive(Debug)]
struct Wrong(Law);

static METHODS: [Method; 3] = [
    Method::change("next", &[], "one more"),
    Method::measure("double", &[], Trend::Rises, "twice the number"),
    Method::test("isEven", &[], Trend::Varies, "whether it is even"),
];

impl Lattice for Wrong {
    fn name(&self) -> String {
        "Wrong".to_owned()
    }

    fn width(&self) -> usize {
        1
    }

    fn range(&self, _: usize) -> (i32, i32) {
        (0, if self.0 == Law::Range { 5 } else { 9 })
    }

    fn initial(&self, out: &mut [i32]) {
        out[0] = 0;
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        match self.0 {
            Law::Reflexive => a < b || (a == b && a[0] != 4),
            Law::Antisymmetric => a[0] / 2 <= b[0] / 2,
            Law::Transitive => a <= b && !(a[0] == 1 && b[0] == 4),
            _ => a <= b,
        }
    }

    fn slot_order(&self, _: usize) -> Option<SlotOrder> {
        Some(if self.0 == Law::SlotOrder { SlotOrder::MoreBits } else { SlotOrder::Rises })
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        let before = into[0];
        into[0] = match self.0 {
            Law::UpperBound => into[0].min(other[0]),
            Law::Least if before != other[0] => 9,
            Law::Idempotent => 9.min(before.max(other[0]) + 1),
            Law::Commutative if other[0] < before => 9.min(before + 1),
            _ => into[0].max(other[0]),
        };
        self.0 == Law::JoinReportsChange || into[0] != before
    }

    fn widen(&self, into: &mut [i32], other: &[i32], _: &[i32]) -> bool {
        match self.0 {
            Law::WidenUpperBound => return false,
            Law::WidenReportsChange => {
                into[0] = 9;
                return true;
            }
            Law::WidenTerminates => {
                into[0] = (into[0] + 1) % 10;
                return true;
            }
            _ => {}
        }
        let before = into[0];
        into[0] = before.max(other[0]);
        before != into[0]
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        self.0 == Law::Bottom && element[0] == 2
    }

    fn methods(&self) -> &[Method] {
        &METHODS
    }

    fn call(&self, method: usize, this: &mut [i32], _: &[i32]) -> Result<i32, Misuse> {
        match (method, self.0) {
            (0, Law::Monotone) => this[0] = (this[0] + 1) % 10,
            (0, _) => this[0] = 9.min(this[0] + 1),
            (1, Law::Trend) => return Ok(10 - this[0]),
            (1, _) => return Ok(2 * this[0]),
            (_, Law::Pure) => this[0] = 3,
            _ => {}
        }
        Ok(i32::from(this[0] % 2 == 0))
    }

    fn show(&self, element: &[i32]) -> String {
        element[0].to_string()
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        out[0] = random(10) as i32;
    }
}

fn broken(lattice: &dyn Lattice, law: Law) -> Violation {
    let violations = laws::check(lattice, &mut random(1));
    violations.iter().find(|violation| violation.law == law).cloned().unwrap_or_else(|| panic!("{law}: {violations:?}"))
}

#[test]
fn each_mistake_is_found_with_a_small_counterexample() {
    let cases: [(Law, &[i32]); 16] = [
        (Law::Reflexive, &[4]),
        (Law::Antisymmetric, &[0, 1]),
        (Law::Transitive, &[1, 2, 4]),
        (Law::UpperBound, &[0, 1]),
        (Law::Least, &[0, 1, 1]),
        (Law::Idempotent, &[0]),
        (Law::Commutative, &[0, 1]),
        (Law::JoinReportsChange, &[0, 0]),
        (Law::WidenUpperBound, &[0, 1]),
        (Law::WidenReportsChange, &[9, 0]),
        (Law::WidenTerminates, &[0]),
        (Law::Bottom, &[0, 2]),
        (Law::Range, &[6]),
        (Law::SlotOrder, &[1, 2]),
        (Law::Pure, &[0]),
        (Law::Trend, &[0, 1]),
    ];
    for (law, expected) in cases {
        let violation = broken(&Wrong(law), law);
        assert_eq!(violation.elements.concat(), expected, "{law}");
    }
    let violation = broken(&Wrong(Law::Monotone), Law::Monotone);
    assert_eq!((violation.subject.as_str(), violation.elements.concat()), ("next", vec![0, 9]));
    assert_eq!(
        violation.explain(|element| element[0].to_string()),
        "a method is monotone in the element, but `next` violates this: 0 and 9 (next() leaves 1 and 0)"
    );
    // A correct lattice violates nothing.
    assert_eq!(laws::check(&Wrong(Law::Assign), &mut random(1)), []);
}

/// Intervals from 0 on that violate one law of abstract operations.
#[derive(Debug)]
struct WrongNumbers {
    right: Arc<dyn Lattice>,
    law: Law,
}

impl Lattice for WrongNumbers {
    fn name(&self) -> String {
        "WrongNumbers".to_owned()
    }

    fn width(&self) -> usize {
        self.right.width()
    }

    fn initial(&self, out: &mut [i32]) {
        self.right.initial(out);
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        self.right.leq(a, b)
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        self.right.join(into, other)
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        self.right.is_bottom(element)
    }

    fn numeric(&self) -> Option<&dyn Numeric> {
        Some(self)
    }

    fn show(&self, element: &[i32]) -> String {
        self.right.show(element)
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        self.right.sample(random, out);
    }
}

impl Numeric for WrongNumbers {
    fn assign(&self, environment: &mut [i32], member: usize, term: &Term<'_>) {
        match self.law {
            Law::Assign => {}
            _ => self.right.numeric().unwrap().assign(environment, member, term),
        }
    }

    fn assume(&self, environment: &mut [i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool {
        let numeric = self.right.numeric().unwrap();
        match (self.law, cmp) {
            (Law::Assume, Comparison::Le) => numeric.assume(environment, left, Comparison::Lt, right),
            (Law::Cut, Comparison::Lt) => !numeric.assume(environment, left, cmp, right),
            _ => numeric.assume(environment, left, cmp, right),
        }
    }

    fn bounds(&self, environment: &[i32], term: &Term<'_>) -> (i64, i64) {
        let (low, high) = self.right.numeric().unwrap().bounds(environment, term);
        match self.law {
            Law::Bounds if term.ops.len() > 1 => (low, high.saturating_sub(1)),
            Law::NumericMonotone if (low, high) == (0, 0) => (i64::MIN, i64::MAX),
            _ => (low, high),
        }
    }
}

#[test]
fn wrong_abstract_operations_are_found() {
    for law in [Law::Assign, Law::Assume, Law::Cut, Law::Bounds, Law::NumericMonotone] {
        let lattice = WrongNumbers { right: make("Interval", &[]), law };
        let violation = broken(&lattice, law);
        assert!(
            violation.elements.concat().iter().all(|number| number.abs() <= 4 || number.abs() >= i32::MAX - 1),
            "{violation:?}"
        );
    }
}

#[test]
fn orders_without_a_lattice() {
    let elements: Vec<Vec<i32>> = (0..6).map(|i| vec![i % 3, i / 3]).collect();
    let mut leq = |a: &[i32], b: &[i32]| a[0] <= b[0] && a[1] <= b[1];
    let mut max = |into: &mut [i32], other: &[i32]| {
        let before = into.to_vec();
        into.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
        before != into
    };
    assert_eq!(laws::check_order(Order { leq: &mut leq, join: &mut max, widen: None }, &elements), []);
    let mut first = |_: &mut [i32], _: &[i32]| false;
    let violations = laws::check_order(Order { leq: &mut leq, join: &mut first, widen: None }, &elements);
    let upper = violations.iter().find(|violation| violation.law == Law::UpperBound).unwrap();
    assert_eq!(upper.elements, [[0, 0], [0, 1]]);
    assert_eq!(laws::check_order(Order { leq: &mut leq, join: &mut max, widen: None }, &[]), []);
}

#[test]
fn check_of_a_whole_list() {
    let elements: Vec<Vec<i32>> = (0..100).map(|i| vec![i / 10, i % 10]).collect();
    let mut leq = |a: &[i32], b: &[i32]| a[0] <= b[0] && a[1] <= b[1];
    let mut max = |into: &mut [i32], other: &[i32]| {
        let before = into.to_vec();
        into.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
        before != into
    };
    assert_eq!(laws::check_all(Order { leq: &mut leq, join: &mut max, widen: None }, &elements, 100), (vec![], 100));
    let some = [vec![0, 1], vec![1, 0]];
    let (violations, count) = laws::check_all(Order { leq: &mut leq, join: &mut max, widen: None }, &some, 100);
    assert_eq!((violations, count), (vec![], 3), "with the join of both");
    let all = |leq: fn(&[i32], &[i32]) -> bool, join: fn(&[i32], &[i32]) -> Vec<i32>| -> Vec<(Law, Vec<Vec<i32>>)> {
        let (mut leq, mut join) = (leq, |into: &mut [i32], other: &[i32]| {
            into.copy_from_slice(&join(into, other));
            true
        });
        let order = Order { leq: &mut leq, join: &mut join, widen: None };
        laws::check_all(order, &elements, 100).0.into_iter().map(|found| (found.law, found.elements)).collect()
    };
    let both = |a: &[i32], b: &[i32]| vec![a[0].max(b[0]), a[1].max(b[1])];
    let is_below = |a: &[i32], b: &[i32]| a[0] <= b[0] && a[1] <= b[1];
    // The lexicographic order is an order, but has other joins.
    let words = all(|a, b| a <= b, both);
    assert_eq!(words, [(Law::Least, vec![vec![0, 1], vec![1, 0], vec![1, 0]])]);
    assert_eq!(all(is_below, |a, _| a.to_vec()), [(Law::UpperBound, vec![vec![0, 0], vec![0, 1]])]);
    assert_eq!(all(is_below, |a, b| if a < b { a.to_vec() } else { vec![a[0].max(b[0]), a[1].max(b[1])] }).len(), 1);
    assert_eq!(all(|a, b| a[0] <= b[0], both), [(Law::Antisymmetric, vec![vec![0, 0], vec![0, 1]])]);
    assert_eq!(all(|a, b| a[0] < b[0], both), [(Law::Reflexive, vec![vec![0, 0]])]);
    let near = all(|a, b| a == b || a[0] == b[0] && a[1] + 1 == b[1], both);
    assert_eq!(near, [(Law::Transitive, vec![vec![0, 0], vec![0, 1], vec![0, 2]])]);
}

#[test]
fn check_of_widening_on_a_whole_list() {
    let elements: Vec<Vec<i32>> = (0..10).map(|i| vec![i]).collect();
    let check = |widen: fn(i32, i32) -> i32| {
        let (mut leq, mut join) = (
            |a: &[i32], b: &[i32]| a <= b,
            |into: &mut [i32], other: &[i32]| {
                into[0] = into[0].max(other[0]);
                true
            },
        );
        let mut widen = |into: &mut [i32], other: &[i32], _: &[i32]| {
            into[0] = widen(into[0], other[0]);
            true
        };
        let order = Order { leq: &mut leq, join: &mut join, widen: Some(&mut widen) };
        laws::check_all(order, &elements, 10).0.into_iter().map(|found| (found.law, found.elements.concat())).collect()
    };
    let found: [Vec<(Law, Vec<i32>)>; 3] =
        [check(|a, b| if b <= a { a } else { 9 }), check(|a, _| a), check(|a, b| a.max(b) + 1)];
    assert_eq!(found, [vec![], vec![(Law::WidenUpperBound, vec![0, 1])], vec![(Law::WidenTerminates, vec![0])]]);
}
