//! Queries about single states with exact clock values.

use model::{Formula, Property, Quantity, Ratio, System, replay::ConcreteState, system::EdgeId};

use crate::{
    bound::DifferenceBound,
    formula::holds,
    network::{FaultResult, LocatedFault, NetworkSemantics, alone},
    zone::Zone,
};

/// Returns whether a formula holds in a state, including `deadlock`.
///
/// All constants are integers. So valuations that agree on the integer parts of all differences of
/// clocks, and on which of them are integers, agree on every formula.
///
/// # Errors
/// A run-time error of the model.
pub fn holds_at(system: &System, formula: &Formula, state: &ConcreteState) -> FaultResult<bool> {
    let zone = around(&state.clocks);
    Ok(!holds(&mut NetworkSemantics::new(system), formula, &state.row, &zone)?.is_empty())
}

/// Returns whether a transition can be taken in a state: its guards hold, no priority blocks it,
/// and the invariants hold after it.
///
/// # Errors
/// A run-time error of the model.
pub fn takes(system: &System, state: &ConcreteState, edges: &[EdgeId]) -> FaultResult<bool> {
    let zone = around(&state.clocks);
    let mut network = NetworkSemantics::new(system);
    for transition in network.possible(&state.row, &zone)? {
        if transition.edges == edges && network.enabled(&state.row, &transition)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns all transitions that can be taken in a state, and those that have a run-time error.
///
/// # Errors
/// A run-time error that occurs before the transitions are known.
pub fn possible(system: &System, state: &ConcreteState) -> FaultResult<Vec<FaultResult<Vec<EdgeId>>>> {
    let zone = around(&state.clocks);
    let mut network = NetworkSemantics::new(system);
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

/// Returns the run-time error of a transition from a state, now or after a delay, or of a query
/// there.
#[must_use]
pub fn fails_at(system: &System, property: &Property, state: &ConcreteState) -> Option<LocatedFault> {
    let mut network = NetworkSemantics::new(system);
    let quantities: &[Quantity] = match property {
        Property::Bounds { quantities, .. } => quantities,
        Property::State { .. } | Property::Run { .. } => &[],
    };
    let mut evaluate = || -> FaultResult<()> {
        let zone = around(&state.clocks);
        for quantity in quantities {
            network.machine.load(&state.row);
            match *quantity {
                Quantity::Clock(clock) => network.clock(clock).map(|_| ()),
                Quantity::Integer(pc) => network.machine.value(pc).map(|_| ()),
            }
            .map_err(alone)?;
        }
        for formula in property.formulas() {
            holds(&mut network, formula, &state.row, &zone)?;
        }
        for zone in network.delays(&state.row, &zone)? {
            for formula in property.formulas() {
                holds(&mut network, formula, &state.row, &zone)?;
            }
            for transition in network.possible(&state.row, &zone)? {
                let effect = network.effect(&state.row, &transition)?;
                if let Some(zone) = network.successor(&transition, &effect)? {
                    let later = network.delays(&effect.row, &zone);
                    later.map_err(|failure| LocatedFault { edges: transition.edges.clone(), ..failure })?;
                }
            }
        }
        Ok(())
    };
    evaluate().err()
}

/// Returns the valuations that no constant of a model can distinguish from this one.
///
/// Constants of models have less than 60 bits, so differences of clocks are compared with numbers
/// below [`FAR`]. If neighbours in the order of values are farther apart, the integer part of their
/// distance does not matter and is reduced, so that bounds stay small.
fn around(clocks: &[Ratio]) -> Zone {
    let mut order: Vec<usize> = (0..clocks.len()).collect();
    order.sort_by_key(|x| clocks[*x]);
    // The reduction of each clock: an integer, so that fractions stay as they are.
    let mut excess: Vec<i128> = vec![0; clocks.len()];
    for pair in order.windows(2) {
        let (gap, _) = clocks[pair[1]].floor_minus(clocks[pair[0]]);
        excess[pair[1]] = excess[pair[0]] + (gap - FAR).max(0);
    }
    let mut zone = Zone::all(clocks.len());
    for (x, a) in clocks.iter().enumerate() {
        for (y, b) in clocks.iter().enumerate() {
            let (floor, whole) = a.floor_minus(*b);
            let max = floor - excess[x] + excess[y] + i128::from(!whole);
            let holds = zone.constrain(x, y, DifferenceBound::new(max, !whole));
            debug_assert!(holds, "a valuation satisfies its own bounds");
        }
    }
    zone
}

/// An upper bound on the numbers that differences of clocks are compared with.
const FAR: i128 = 1 << 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_around_valuations_have_small_bounds_and_the_same_order() {
        let huge = Ratio::new(i64::MAX - 1, 2).unwrap_or(Ratio::ZERO);
        let later = Ratio::new(i64::MAX, 2).unwrap_or(Ratio::ZERO);
        let zone = around(&[Ratio::ZERO, huge, later, Ratio::from(3)]);
        assert_eq!((zone.at(2, 1), zone.at(1, 2)), (DifferenceBound::new(1, true), DifferenceBound::new(0, true)));
        assert_eq!((zone.at(3, 0), zone.at(0, 3)), (DifferenceBound::new(3, false), DifferenceBound::new(-3, false)));
        assert_eq!(
            (zone.at(1, 3), zone.at(3, 1)),
            (DifferenceBound::new(FAR, false), DifferenceBound::new(-FAR, false))
        );
        assert_eq!(zone.at(1, 0), DifferenceBound::new(FAR + 3, false));
    }
}
