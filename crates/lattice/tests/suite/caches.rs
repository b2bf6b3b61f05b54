//! The must and may caches are sound for every cache that a program can reach.

use std::{collections::BTreeSet, sync::Arc};

use lattice::{Arguments, Lattice, Library};
use proptest::prelude::*;

/// A cache: the blocks of each set, youngest first.
type Lru = Vec<Vec<usize>>;

fn access(cache: &mut Lru, ways: usize, block: usize) {
    let sets = cache.len();
    let set = &mut cache[block % sets];
    set.retain(|&other| other != block);
    set.insert(0, block);
    set.truncate(ways);
}

/// A statement of a program. Both branches start in the current state.
#[derive(Clone, Debug)]
enum Statement {
    Access(usize),
    Clear,
    Branch(Vec<usize>, Vec<usize>),
}

const BLOCKS: usize = 6;

fn statement() -> impl Strategy<Value = Statement> {
    let accesses = || prop::collection::vec(0..BLOCKS, 0..4);
    prop_oneof![
        8 => (0..BLOCKS).prop_map(Statement::Access),
        1 => Just(Statement::Clear),
        3 => (accesses(), accesses()).prop_map(|(a, b)| Statement::Branch(a, b)),
    ]
}

fn make(name: &str, values: &[i32]) -> Arc<dyn Lattice> {
    (Library::standard().find(name).unwrap().make)(&Arguments { values, ..Arguments::default() }).unwrap()
}

fn call(lattice: &dyn Lattice, name: &str, element: &mut [i32], args: &[i32]) -> i32 {
    let method = lattice.methods().iter().position(|method| method.name == name).unwrap();
    lattice.call(method, element, args).unwrap()
}

/// Enumerates all contents of a cache: any order of any of the blocks.
fn contents(ways: usize, sets: usize) -> BTreeSet<Lru> {
    let mut all = BTreeSet::from([vec![Vec::new(); sets]]);
    loop {
        let before = all.len();
        for cache in all.clone() {
            for block in 0..BLOCKS {
                let mut next = cache.clone();
                access(&mut next, ways, block);
                all.insert(next);
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_caches_are_between_must_and_may(
        statements in prop::collection::vec(statement(), 0..14), ways in 1..4_usize, sets in 1..3_usize, empty: bool
    ) {
        let values = [BLOCKS as i32, ways as i32, sets as i32, i32::from(empty)];
        let lattices = [make("MustCache", &values), make("MayCache", &values), make("Cache", &values)];
        let mut elements: Vec<Vec<i32>> = lattices.iter().map(|lattice| vec![0; lattice.width()]).collect();
        lattices.iter().zip(&mut elements).for_each(|(lattice, element)| lattice.initial(element));
        let mut caches = if empty { BTreeSet::from([vec![Vec::new(); sets]]) } else { contents(ways, sets) };
        for statement in &statements {
            let run = |blocks: &[usize], caches: &BTreeSet<Lru>| -> BTreeSet<Lru> {
                let one = |cache: &Lru| blocks.iter().fold(cache.clone(), |mut cache, &block| { access(&mut cache, ways, block); cache });
                caches.iter().map(one).collect()
            };
            caches = match statement {
                Statement::Access(block) => run(&[*block], &caches),
                Statement::Clear => BTreeSet::from([vec![Vec::new(); sets]]),
                Statement::Branch(a, b) => run(a, &caches).union(&run(b, &caches)).cloned().collect(),
            };
            for (lattice, element) in lattices.iter().zip(&mut elements) {
                let run = |blocks: &[usize], element: &[i32]| {
                    let mut element = element.to_vec();
                    blocks.iter().for_each(|&block| { call(&**lattice, "access", &mut element, &[block as i32]); });
                    element
                };
                *element = match statement {
                    Statement::Access(block) => run(&[*block], element),
                    Statement::Clear => { call(&**lattice, "clear", element, &[]); element.clone() }
                    Statement::Branch(a, b) => {
                        let (mut a, b) = (run(a, element), run(b, element));
                        lattice.join(&mut a, &b);
                        a
                    }
                };
            }
            for block in 0..BLOCKS {
                let ages: Vec<usize> = caches
                    .iter()
                    .map(|cache| cache[block % sets].iter().position(|&b| b == block).unwrap_or(ways))
                    .collect();
                let (least, greatest) = (*ages.iter().min().unwrap() as i32, *ages.iter().max().unwrap() as i32);
                for (lattice, element) in lattices.iter().zip(&mut elements) {
                    let mut ask = |name: &str| call(&**lattice, name, element, &[block as i32]);
                    if lattice.name().starts_with("MayCache") || lattice.name().starts_with("Cache") {
                        prop_assert!(ask("youngest") <= least);
                        prop_assert!(ask("mustMiss") == 0 || least == ways as i32);
                        prop_assert_eq!(ask("mayHit"), 1 - ask("mustMiss"));
                    }
                    if lattice.name().starts_with("MustCache") || lattice.name().starts_with("Cache") {
                        prop_assert!(ask("oldest") >= greatest);
                        prop_assert!(ask("mustHit") == 0 || greatest < ways as i32);
                        prop_assert_eq!(ask("mayMiss"), 1 - ask("mustHit"));
                    }
                }
            }
        }
        // A program without branches on an empty cache is analysed exactly.
        if empty && statements.iter().all(|statement| !matches!(statement, Statement::Branch(..))) {
            let cache = caches.iter().next().unwrap();
            for block in 0..BLOCKS {
                let is_in = cache[block % sets].contains(&block);
                prop_assert_eq!(call(&*lattices[0], "mustHit", &mut elements[0], &[block as i32]), i32::from(is_in));
                prop_assert_eq!(call(&*lattices[1], "mayHit", &mut elements[1], &[block as i32]), i32::from(is_in));
            }
        }
    }
}

#[test]
fn a_join_of_two_caches() {
    let cache = make("Cache", &[5, 4, 1, 1]);
    let mut a = vec![0; cache.width()];
    cache.initial(&mut a);
    let mut b = a.clone();
    for (element, blocks) in [(&mut a, [0, 1, 2]), (&mut b, [1, 3, 0])] {
        for block in blocks {
            call(&*cache, "access", element, &[block]);
        }
    }
    assert_eq!(cache.show(&a), "must [2][1][0][], may [2][1][0][]");
    assert_eq!(cache.show(&b), "must [0][3][1][], may [0][3][1][]");
    assert!(cache.join(&mut a, &b) && !cache.join(&mut a, &b));
    assert_eq!(cache.show(&a), "must [][][0 1][], may [0 2][1 3][][]");
    call(&*cache, "flush", &mut a, &[]);
    assert_eq!(cache.show(&a), "must [][][][], may [][][][]");
    call(&*cache, "unknown", &mut a, &[]);
    assert_eq!(cache.show(&a), "must [][][][], may [0 1 2 3 4][][][]");
}

#[test]
fn enough_accesses_evict_all_other_blocks() {
    let cache = make("MayCache", &[5, 2]);
    let mut element = vec![0; cache.width()];
    cache.initial(&mut element);
    assert_eq!(cache.show(&element), "may [0 1 2 3 4][]");
    call(&*cache, "access", &mut element, &[0]);
    assert_eq!(cache.show(&element), "may [0][1 2 3 4]");
    call(&*cache, "access", &mut element, &[1]);
    assert_eq!(cache.show(&element), "may [1][0]");
}
