//! The number of bits in which a state differs from the nearest goal state. Not admissible, and
//! detects no dead ends.
//!
//! Yang and Dill, "Validation with guided search of the state space", DAC 1998.

use model::{Formula, System};

use super::{Depends, Estimate, EvaluatedState, Evaluator, targets::targets};

/// The Hamming distance.
pub struct Hamming {
    /// For each disjunct of the goal, slots of the row with their least values and the values that
    /// satisfy it.
    disjuncts: Vec<Vec<(usize, i32, Vec<i32>)>>,
}

impl Hamming {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(system: &System, goal: &Formula) -> Hamming {
        let disjuncts = targets(system, goal).unwrap_or_default().into_iter();
        let of = |(slot, values): (u32, Vec<i32>)| (slot as usize, system.ranges[slot as usize].0, values);
        Hamming { disjuncts: disjuncts.map(|target| target.slots.into_iter().map(of).collect()).collect() }
    }
}

impl Evaluator for Hamming {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let bits = |value: i32, low: i32| value.wrapping_sub(low) as u32;
        let of_slot = |(slot, low, values): &(usize, i32, Vec<i32>)| {
            let own = bits(state.row[*slot], *low);
            values.iter().map(|value| (bits(*value, *low) ^ own).count_ones()).min().unwrap_or(0)
        };
        Some(self.disjuncts.iter().map(|disjunct| disjunct.iter().map(of_slot).sum::<u32>()).min().unwrap_or(0).into())
    }
    fn depends(&self) -> Depends {
        Depends::Row
    }
}
