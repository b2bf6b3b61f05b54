//! Covering in groups of many elements. The stored states are the greatest ones of those that a
//! plain enumeration reaches.

use std::collections::BTreeSet;

use explore::search::Limits;
use oracle::{random::Rng, seeds};
use verify::{Joining, Options, Order, Update, Verdict};

const STEPS: u32 = 6;
const SENT: u32 = 40;
const KNOWN: u32 = 6;

/// An update: a message that is sent, a number that grows, facts that are lost to others.
#[derive(Clone, Copy)]
struct Growth {
    sends: u32,
    more: u32,
    knows: Option<u32>,
    /// The message that must have been sent before.
    needs: Option<u32>,
    /// The fact that must not be known.
    unless: Option<u32>,
}

/// A state: the number of updates, the messages, the number, the facts.
type Grown = (u32, u64, u32, u32);

impl Growth {
    fn random(rng: &mut Rng) -> Growth {
        let mut some = |percent: usize, below: u32| -> Option<u32> {
            let value = rng.below(below as usize) as u32;
            rng.chance(percent).then_some(value)
        };
        let (sends, more) = (some(100, SENT).unwrap_or(0), some(60, 3).unwrap_or(0));
        Growth { sends, more, knows: some(60, KNOWN), needs: some(10, SENT), unless: some(20, KNOWN) }
    }

    fn text(&self) -> String {
        let needs = self.needs.map_or(String::new(), |bit| format!(" && sent[{bit}]"));
        let unless = self.unless.map_or(String::new(), |bit| format!(" && !known[{bit}]"));
        let knows = self.knows.map_or(String::new(), |bit| format!(", known[{bit}] = 1"));
        let (sends, more) = (self.sends, self.more);
        format!(
            "A -> A {{ guard k < {STEPS} && fuel >= 0{needs}{unless}; assign k++, sent[{sends}] = 1, fuel += {more}{knows}; }}"
        )
    }

    fn apply(&self, (steps, sent, fuel, known): Grown) -> Option<Grown> {
        let is_enabled = steps < STEPS
            && self.needs.is_none_or(|bit| sent >> bit & 1 == 1)
            && self.unless.is_none_or(|bit| known >> bit & 1 == 0);
        let known = known | self.knows.map_or(0, |bit| 1 << bit);
        is_enabled.then_some((steps + 1, sent | 1 << self.sends, fuel + self.more, known))
    }
}

/// More messages, a greater number and fewer facts are greater.
fn is_covered(small: &Grown, large: &Grown) -> bool {
    small.0 == large.0 && small.1 & !large.1 == 0 && small.2 <= large.2 && large.3 & !small.3 == 0
}

fn greatest(growths: &[Growth]) -> (usize, usize) {
    let start: Grown = (0, 0, 0, 0);
    let (mut reached, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(state) = open.pop() {
        open.extend(growths.iter().filter_map(|growth| growth.apply(state)).filter(|next| reached.insert(*next)));
    }
    let is_greatest = |state: &&Grown| reached.iter().all(|other| other == *state || !is_covered(state, other));
    let mut sizes = [0; STEPS as usize + 1];
    reached.iter().filter(is_greatest).for_each(|state| sizes[state.0 as usize] += 1);
    (sizes.iter().sum(), sizes.into_iter().max().unwrap_or(0))
}

#[test]
fn the_greatest_states_are_stored() {
    let mut large = 0;
    for seed in seeds(0..8_u64) {
        let mut rng = Rng::new(seed);
        let growths: Vec<Growth> = (0..8).map(|_| Growth::random(&mut rng)).collect();
        let edges: Vec<String> = growths.iter().map(Growth::text).collect();
        let text = format!(
            "extern UnionBitVector; UnionBitVector sent[{SENT}]; extern IntersectionBitVector;
             IntersectionBitVector known[{KNOWN}]; extern MaxInteger; MaxInteger fuel; int[0,{STEPS}] k;
             process P() {{ state A; init A; trans {}; }} system P;",
            edges.join(", ")
        );
        let loaded = oracle::load(&text, &[format!("A[] k <= {STEPS}")]).unwrap();
        let (expected, group) = greatest(&growths);
        large = large.max(group);
        for order in [Order::Bfs, Order::Dfs, Order::RandomDfs] {
            // A strategy that joins nothing remembers which states were covered.
            for joins in [false, true] {
                let update = Some(if joins { Update::Join } else { Update::Cover });
                let joining = Joining { refines: joins, places: joins.then(Vec::new), ..Joining::default() };
                let options = Options { order, update, joining, ..Options::default() };
                let answer =
                    verify::answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
                assert_eq!(answer.verdict, Verdict::Satisfied, "{text}");
                assert_eq!(answer.counts.stored, expected, "seed {seed}, {order:?}, {joins}: {text}");
            }
        }
    }
    // Groups of this size are indexed.
    assert!(large >= 100, "{large}");
}

#[test]
fn the_index_changes_no_count() {
    let text = "const int N = 12; extern UnionBitVector; UnionBitVector chosen[N]; int[0,N] k;
        process P() { state A; init A; trans
            A -> A { select i : int[0,N-1]; guard k < N / 2; assign chosen[i] = 1, k++; }; } system P;";
    let loaded = oracle::load(text, &["A[] k <= N".to_owned()]).unwrap();
    let options = Options { order: Order::Bfs, update: Some(Update::Cover), ..Options::default() };
    let answer = verify::answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
    let counts = answer.counts;
    // As they are if all members of a group are compared: sets of up to six of twelve elements.
    assert_eq!((counts.explored, counts.generated, counts.added, counts.stored), (2510, 19032, 2515, 2510));
}
