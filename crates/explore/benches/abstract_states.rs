//! The cost of finding the nearest abstract state that contains a state: `cargo bench -p
//! merkhet-explore`.
//!
//! Compares groups by locations with the set trie of the paper (Hoffmann and Koehler, "A new method
//! to query and index sets", IJCAI 1999). Both must return the same distances.

use divan::{Bencher, black_box, counter::ItemsCount};
use explore::{
    heuristic::predicate::abstract_states::{ANYWHERE, AbstractState, AbstractStates},
    random::SplitMix,
};

fn main() {
    divan::main();
}

const PROCESSES: usize = 3;
const PLACES: usize = 8;
const PREDICATES: usize = 40;
const QUERIES: usize = 1000;

/// A state: the locations of the processes, and the literals that may be true.
struct State {
    places: Vec<u16>,
    literals: Vec<u64>,
}

/// Abstract states that constrain a few predicates, as those of C4 do.
fn cells(count: usize) -> Vec<(AbstractState, u32)> {
    let mut random = SplitMix::new(1);
    let mut cell = |i: usize| {
        let place = |random: &mut SplitMix| {
            if random.below(8) == 0 { ANYWHERE } else { random.below(PLACES) as u16 }
        };
        let places = (0..PROCESSES).map(|_| place(&mut random)).collect();
        let mut literals = vec![0_u64; (2 * PREDICATES).div_ceil(64)];
        for _ in 0..8 {
            let literal = 2 * random.below(PREDICATES) + random.below(2);
            literals[literal / 64] |= 1 << (literal % 64);
        }
        (AbstractState { places, literals: literals.into() }, (i * 40 / count) as u32)
    };
    (0..count).map(&mut cell).collect()
}

fn states() -> Vec<State> {
    let mut random = SplitMix::new(2);
    let mut state = || {
        let places = (0..PROCESSES).map(|_| random.below(PLACES) as u16).collect();
        let mut literals = vec![0_u64; (2 * PREDICATES).div_ceil(64)];
        for predicate in 0..PREDICATES {
            let both = random.below(4) == 0;
            for literal in [2 * predicate, 2 * predicate + 1] {
                if both || literal % 2 == random.below(2) {
                    literals[literal / 64] |= 1 << (literal % 64);
                }
            }
        }
        State { places, literals }
    };
    (0..QUERIES).map(|_| state()).collect()
}

/// A node of a set trie: the sets that begin with the elements on the path to it.
#[derive(Default)]
struct Node {
    /// The distance of the set that ends here.
    end: Option<u32>,
    /// The least distance in the subtree.
    least: u32,
    children: Vec<(u32, Node)>,
}

impl Node {
    fn insert(&mut self, set: &[u32], distance: u32) {
        self.least = if self.children.is_empty() && self.end.is_none() { distance } else { self.least.min(distance) };
        let Some((first, rest)) = set.split_first() else {
            self.end = Some(self.end.map_or(distance, |end| end.min(distance)));
            return;
        };
        let at = self.children.partition_point(|(element, _)| element < first);
        if self.children.get(at).is_none_or(|(element, _)| element != first) {
            self.children.insert(at, (*first, Node::default()));
        }
        self.children[at].1.insert(rest, distance);
    }

    /// Returns the least distance of a set that is a subset of another one.
    fn nearest(&self, has: &dyn Fn(u32) -> bool, best: &mut Option<u32>) {
        if best.is_some_and(|best| self.least >= best) {
            return;
        }
        if let Some(end) = self.end {
            *best = Some(best.map_or(end, |best| best.min(end)));
        }
        for (_, child) in self.children.iter().filter(|(element, _)| has(*element)) {
            child.nearest(has, best);
        }
    }
}

fn elements(cell: &AbstractState) -> Vec<u32> {
    let placed = cell.places.iter().enumerate().filter(|(_, place)| **place != ANYWHERE);
    let mut set: Vec<u32> = placed.map(|(i, place)| (i * PLACES) as u32 + u32::from(*place)).collect();
    let first = (PROCESSES * PLACES) as u32;
    set.extend(
        (0..2 * PREDICATES as u32).filter(|l| cell.literals[*l as usize / 64] >> (l % 64) & 1 == 1).map(|l| first + l),
    );
    set
}

fn ask(tree: &Node, state: &State) -> Option<u32> {
    let first = (PROCESSES * PLACES) as u32;
    let has = |element: u32| match element.checked_sub(first) {
        Some(literal) => state.literals[literal as usize / 64] >> (literal % 64) & 1 == 1,
        None => u32::from(state.places[element as usize / PLACES]) == element % PLACES as u32,
    };
    let mut best = None;
    tree.nearest(&has, &mut best);
    best
}

fn groups(count: usize) -> AbstractStates {
    let mut all = AbstractStates::default();
    for (cell, distance) in cells(count) {
        all.insert(cell, distance, None, &mut 0);
    }
    all
}

fn tree(count: usize) -> Node {
    let mut tree = Node::default();
    for (cell, distance) in cells(count) {
        tree.insert(&elements(&cell), distance);
    }
    tree
}

#[divan::bench(args = [100, 1000, 10_000])]
fn by_groups(bencher: Bencher<'_, '_>, count: usize) {
    let (mut cells, tree, states) = (groups(count), tree(count), states());
    for state in &states {
        let found = cells.nearest(&state.places, &state.literals).map(|cell| cells.distances[cell as usize]);
        assert_eq!(found, ask(&tree, state));
    }
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        for state in &states {
            black_box(cells.nearest(black_box(&state.places), &state.literals));
        }
    });
}

#[divan::bench(args = [100, 1000, 10_000])]
fn by_set_trie(bencher: Bencher<'_, '_>, count: usize) {
    let (tree, states) = (tree(count), states());
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        for state in &states {
            black_box(ask(&tree, black_box(state)));
        }
    });
}
