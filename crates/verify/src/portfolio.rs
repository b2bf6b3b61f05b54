//! Several directed strategies by turns on one store.
//!
//! No strategy wins everywhere. Helpful transitions of h_FF find the errors of the PLC case studies
//! C6 to C9 with some hundred states, where h^L needs millions; on the protocols M and N they take
//! twice the states of h^L. A queue that goes deep at random finds what no heuristic sees. They
//! share what they find, and the queue of helpful transitions has more turns as long as it comes
//! nearer to the goal.

use explore::{
    guided::{CachePolicy, Guided, QueueStrategy, Rank},
    heuristic::Budget,
};
use model::{Formula, System};
use zone::Bound;

use crate::Heuristic;

/// The heuristics, in the order of their numbers.
const NAMES: [&str; 2] = ["hff", "hl"];

/// The queues.
const STRATEGIES: [QueueStrategy; 4] = [
    QueueStrategy { heuristic: 0, rank: Rank::Estimate, helpful: false, cost: 1 },
    QueueStrategy { heuristic: 0, rank: Rank::Estimate, helpful: true, cost: 1 },
    QueueStrategy { heuristic: 1, rank: Rank::Estimate, helpful: false, cost: 1 },
    QueueStrategy { heuristic: 1, rank: Rank::Youngest, helpful: false, cost: 16 },
];

/// An empty open list. The heuristics that the user has chosen take their turns, too.
#[must_use]
pub(crate) fn portfolio<'s, B: Bound>(
    system: &'s System,
    goal: &Formula,
    chosen: &[Heuristic],
    memory: CachePolicy,
    seed: u64,
    budget: &Budget<'_>,
) -> Guided<'s, B> {
    let own: Vec<Heuristic> = NAMES.iter().filter_map(|name| Heuristic::named(name)).collect();
    let (mut heuristics, mut strategies) = (own, STRATEGIES.to_vec());
    for heuristic in chosen {
        let number = heuristics.len();
        heuristics.push(heuristic.clone());
        strategies.extend([false, true].map(|helpful| QueueStrategy {
            heuristic: number,
            rank: Rank::Estimate,
            helpful,
            cost: 1,
        }));
    }
    let evaluators = heuristics.iter().map(|heuristic| heuristic.build(system, goal, budget)).collect();
    Guided::new(evaluators, memory, &strategies, seed)
}
