//! Several strategies by turns on one store.

use explore::{
    guided::{Guided, Memory, Rank, Strategy},
    heuristic::Evaluator,
};
use model::{Formula, System};

/// An empty open list.
pub fn portfolio<'s>(
    _system: &'s System,
    _goal: &Formula,
    evaluators: Vec<Box<dyn Evaluator + 's>>,
    memory: Memory,
    seed: u64,
) -> Guided<'s> {
    let strategies: Vec<Strategy> = (0..evaluators.len())
        .flat_map(|heuristic| [false, true].map(|helpful| Strategy { heuristic, rank: Rank::Guess, helpful }))
        .collect();
    Guided::new(evaluators, memory, &strategies, seed)
}
