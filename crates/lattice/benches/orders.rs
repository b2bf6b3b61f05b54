//! The cost of comparing and joining elements: `cargo bench -p merkhet-lattice`.

use std::sync::Arc;

use divan::{Bencher, black_box, counter::ItemsCount};
use lattice::{Arguments, Lattice, Library};

fn main() {
    divan::main();
}

/// The number of elements that are compared with each other.
const ELEMENTS: usize = 32;

/// Lattices of realistic sizes: a name and its arguments.
const LATTICES: [(&str, &[i32], &[u32], u32); 9] = [
    ("UnionBitVector", &[], &[25, 25], 0),
    ("IntersectionBitVector", &[], &[16], 0),
    ("PresentAbsent", &[16], &[], 0),
    ("MustCache", &[25, 4], &[], 0),
    ("Cache", &[25, 4], &[], 0),
    ("Interval", &[0, 1000], &[], 0),
    ("Congruence", &[], &[], 0),
    ("Octagon", &[], &[], 6),
    ("Zone", &[6, 100], &[], 0),
];

/// A lattice and some of its elements.
type Sampled = (Arc<dyn Lattice>, Vec<Vec<i32>>);

/// Constructs a lattice by name and samples its elements.
fn elements(name: &str) -> Option<Sampled> {
    let (_, values, dimensions, members) = LATTICES.into_iter().find(|(known, ..)| *known == name)?;
    let arguments = Arguments { values, dimensions, members, ..Arguments::default() };
    let lattice = (Library::standard().find(name)?.make)(&arguments).ok()?;
    let mut state = 1_u32;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below.max(1)
    };
    let mut element = || {
        let mut out = vec![0; lattice.width()];
        lattice.sample(&mut random, &mut out);
        out
    };
    let all = (0..ELEMENTS).map(|_| element()).collect();
    Some((lattice, all))
}

fn names() -> impl Iterator<Item = &'static str> {
    LATTICES.into_iter().map(|(name, ..)| name)
}

#[divan::bench(args = names())]
fn leq(bencher: Bencher<'_, '_>, name: &str) {
    let Some((lattice, all)) = elements(name) else { return };
    bencher.counter(ItemsCount::new(ELEMENTS * ELEMENTS)).bench_local(|| {
        let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
        pairs.filter(|(a, b)| lattice.leq(black_box(a), black_box(b))).count()
    });
}

#[divan::bench(args = names())]
fn join(bencher: Bencher<'_, '_>, name: &str) {
    let Some((lattice, all)) = elements(name) else { return };
    let mut into = vec![0; lattice.width()];
    bencher.counter(ItemsCount::new(ELEMENTS * ELEMENTS)).bench_local(|| {
        let mut changed = 0;
        for a in &all {
            for b in &all {
                into.copy_from_slice(a);
                changed += usize::from(lattice.join(black_box(&mut into), black_box(b)));
            }
        }
        changed
    });
}
