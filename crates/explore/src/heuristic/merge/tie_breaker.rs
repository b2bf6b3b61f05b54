//! A tie breaker: the distance of each slot of the row from the values that the goal requires, or
//! from those that allow a step that brings another slot nearer to the goal. The sum is not a
//! distance, but smaller sums are better.

use super::{
    cascade::Cascade,
    factor::{DEAD_END, Factor, is_state},
    pool::Pool,
};

/// Distances of single slots of the row.
#[derive(Default)]
pub(crate) struct TieBreaker {
    /// Slots of the row with their least values and the distance of each value.
    slots: Vec<(usize, i32, Vec<u32>)>,
}

impl TieBreaker {
    /// Creates the tie breaker for factors that are single slots.
    pub(crate) fn new(pool: &Pool, cascade: &Cascade) -> TieBreaker {
        let is_about: Vec<bool> = pool.factors.iter().map(|factor| factor.is_about_goal(pool.goals)).collect();
        let mut wanted: Vec<Vec<bool>> = pool.factors.iter().map(|factor| vec![false; factor.len()]).collect();
        for label in &pool.labels {
            let leads = |&(factor, group): &(u32, u32)| {
                let Factor { distances, groups, .. } = pool.factor(factor);
                let is_nearer = |hop: &(u32, u32)| distances[hop.1 as usize] < distances[hop.0 as usize];
                is_about[factor as usize] && groups[group as usize].iter().any(is_nearer)
            };
            if label.places.iter().any(leads) {
                for &(factor, group) in &label.places {
                    let hops = &pool.factor(factor).groups[group as usize];
                    hops.iter().for_each(|hop| wanted[factor as usize][hop.0 as usize] = true);
                }
            }
        }
        let mut tie_breaker = TieBreaker::default();
        for &number in &pool.live {
            let factor = pool.factor(number);
            let wanted = &wanted[number as usize];
            let distances = if is_about[number as usize] {
                factor.distances.clone()
            } else if wanted.contains(&true) && wanted.contains(&false) {
                let mut other = factor.clone();
                other.goals = wanted.iter().map(|is_wanted| u64::from(*is_wanted)).collect();
                other.measure();
                other.distances
            } else {
                continue;
            };
            // A slot that can't reach a required value is at the greatest distance.
            let far = |to: &u32| if is_state(*to) { distances[*to as usize] } else { DEAD_END };
            tie_breaker.slots.extend(
                cascade.values(factor.node).map(|(slot, low, table)| (slot, low, table.iter().map(far).collect())),
            );
        }
        tie_breaker
    }

    /// Returns the sum of the distances of all slots of a row.
    pub(crate) fn sum(&self, row: &[i32]) -> u32 {
        let far = |(slot, low, distances): &(usize, i32, Vec<u32>)| {
            let value = usize::try_from(i64::from(row[*slot]) - i64::from(*low)).ok();
            let distance = value.and_then(|value| distances.get(value)).copied().unwrap_or(0);
            distance.min(distances.len() as u32)
        };
        self.slots.iter().map(far).fold(0, u32::saturating_add)
    }
}
