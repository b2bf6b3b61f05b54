//! Questions about single moments, with exact times.

use model::{Formula, Property, Quantity, Ratio, System, replay::ConcreteState, system::EdgeId};

use crate::{
    bound::Bound,
    formula::holds,
    network::{Failure, Network, Result, alone},
    zone::Zone,
};

/// Whether a formula holds in a state, deadlocks included.
///
/// Everything here has whole numbers, so valuations that agree on the whole parts of all
/// differences of clocks, and on which of them are whole, agree on every formula.
///
/// # Errors
/// A run-time error of the model.
pub fn holds_at(system: &System, formula: &Formula, state: &ConcreteState) -> Result<bool> {
    let zone = around(&state.clocks);
    Ok(!holds(&mut Network::new(system), formula, &state.row, &zone)?.is_empty())
}

/// Whether a transition can be taken in a state: its guards hold, no priority is against it, and
/// the invariants behind it hold.
///
/// # Errors
/// A run-time error of the model.
pub fn takes(system: &System, state: &ConcreteState, edges: &[EdgeId]) -> Result<bool> {
    let zone = around(&state.clocks);
    let mut network = Network::new(system);
    for transition in network.possible(&state.row, &zone)? {
        if transition.edges == edges && network.enabled(&state.row, &transition)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All transitions that can be taken in a state, and those that meet a run-time error.
///
/// # Errors
/// A run-time error that is met before anybody can say what is possible.
pub fn possible(system: &System, state: &ConcreteState) -> Result<Vec<Result<Vec<EdgeId>>>> {
    let zone = around(&state.clocks);
    let mut network = Network::new(system);
    let mut found = Vec::new();
    for transition in network.possible(&state.row, &zone)? {
        match network.enabled(&state.row, &transition) {
            Ok(None) => {}
            Ok(Some(_)) => found.push(Ok(transition.edges)),
            Err(failure) => found.push(Err(failure)),
        }
    }
    Ok(found)
}

/// The run-time error that a transition meets from a state, now or after a delay, or that a query
/// meets there.
#[must_use]
pub fn fails_at(system: &System, property: &Property, state: &ConcreteState) -> Option<Failure> {
    let mut network = Network::new(system);
    let (formulas, quantities): (Vec<&Formula>, &[Quantity]) = match property {
        Property::Possibly(p) | Property::Invariantly(p) | Property::PotentiallyAlways(p) | Property::Eventually(p) => {
            (vec![p], &[])
        }
        Property::LeadsTo(p, q) => (vec![p, q], &[]),
        Property::Bounds { predicate, quantities, .. } => (vec![predicate], quantities),
    };
    let mut look = || -> Result<()> {
        let zone = around(&state.clocks);
        for quantity in quantities {
            network.machine.load(&state.row);
            match *quantity {
                Quantity::Clock(clock) => network.clock(clock).map(|_| ()),
                Quantity::Integer(pc) => network.machine.value(pc).map(|_| ()),
            }
            .map_err(alone)?;
        }
        for formula in &formulas {
            holds(&mut network, formula, &state.row, &zone)?;
        }
        for zone in network.delays(&state.row, &zone)? {
            for formula in &formulas {
                holds(&mut network, formula, &state.row, &zone)?;
            }
            for transition in network.possible(&state.row, &zone)? {
                let effect = network.effect(&state.row, &transition)?;
                if let Some(zone) = network.arrive(&transition, &effect)? {
                    let behind = network.delays(&effect.row, &zone);
                    behind.map_err(|failure| Failure { edges: transition.edges.clone(), ..failure })?;
                }
            }
        }
        Ok(())
    };
    look().err()
}

/// The valuations that the numbers of a model can't distinguish from this one.
///
/// Numbers of models have less than 60 bits, so a difference of two clocks is compared with what is
/// less than [`FAR`]. Where neighbours in the order of values are farther apart, the whole part of
/// their distance does not matter, and a smaller one takes its place: bounds stay small, whatever
/// the clocks show.
fn around(clocks: &[Ratio]) -> Zone {
    let mut order: Vec<usize> = (0..clocks.len()).collect();
    order.sort_by_key(|x| clocks[*x]);
    // What is taken away from each clock: a whole number, so that fractions stay as they are.
    let mut excess: Vec<i128> = vec![0; clocks.len()];
    for pair in order.windows(2) {
        let (gap, _) = clocks[pair[1]].floor_minus(clocks[pair[0]]);
        excess[pair[1]] = excess[pair[0]] + (gap - FAR).max(0);
    }
    let mut zone = Zone::all(clocks.len());
    for (x, a) in clocks.iter().enumerate() {
        for (y, b) in clocks.iter().enumerate() {
            let (floor, whole) = a.floor_minus(*b);
            let most = floor - excess[x] + excess[y] + i128::from(!whole);
            let holds = zone.constrain(x, y, Bound::new(most, !whole));
            debug_assert!(holds, "a valuation satisfies what was read off it");
        }
    }
    zone
}

/// More than differences of clocks are ever compared with.
const FAR: i128 = 1 << 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_around_valuations_have_small_bounds_and_the_same_order() {
        let huge = Ratio::new(i64::MAX - 1, 2).unwrap_or(Ratio::ZERO);
        let later = Ratio::new(i64::MAX, 2).unwrap_or(Ratio::ZERO);
        let zone = around(&[Ratio::ZERO, huge, later, Ratio::from(3)]);
        assert_eq!((zone.at(2, 1), zone.at(1, 2)), (Bound::new(1, true), Bound::new(0, true)));
        assert_eq!((zone.at(3, 0), zone.at(0, 3)), (Bound::new(3, false), Bound::new(-3, false)));
        assert_eq!((zone.at(1, 3), zone.at(3, 1)), (Bound::new(FAR, false), Bound::new(-FAR, false)));
        assert_eq!(zone.at(1, 0), Bound::new(FAR + 3, false));
    }
}
