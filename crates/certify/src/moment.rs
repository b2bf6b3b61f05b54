//! Questions about single moments, with exact times.

use model::{Formula, Ratio, System, replay::State, system::EdgeId};

use crate::{
    bound::Bound,
    formula::holds,
    network::{Failure, Network, Result},
    zone::Zone,
};

/// Whether a formula holds in a state, deadlocks included.
///
/// Everything here has whole numbers, so valuations that agree on the whole parts of all differences of clocks, and on which of
/// them are whole, agree on every formula.
///
/// # Errors
/// A run-time error of the model.
pub fn holds_at(system: &System, formula: &Formula, state: &State) -> Result<bool> {
    let Some(zone) = around(&state.clocks) else { return Ok(false) };
    Ok(!holds(&mut Network::new(system), formula, &state.row, &zone)?.is_empty())
}

/// Whether a transition can be taken in a state: its guards hold, no priority is against it, and the invariants behind it
/// hold.
///
/// # Errors
/// A run-time error of the model.
pub fn takes(system: &System, state: &State, edges: &[EdgeId]) -> Result<bool> {
    let Some(zone) = around(&state.clocks) else { return Ok(false) };
    let mut network = Network::new(system);
    let all = network.transitions(&state.row, &zone)?;
    for transition in network.prioritise(&state.row, all)? {
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
pub fn possible(system: &System, state: &State) -> Result<Vec<Result<Vec<EdgeId>>>> {
    let Some(zone) = around(&state.clocks) else { return Ok(Vec::new()) };
    let mut network = Network::new(system);
    let all = network.transitions(&state.row, &zone)?;
    let mut found = Vec::new();
    for transition in network.prioritise(&state.row, all)? {
        match network.enabled(&state.row, &transition) {
            Ok(None) => {}
            Ok(Some(_)) => found.push(Ok(transition.edges)),
            Err(failure) => found.push(Err(failure)),
        }
    }
    Ok(found)
}

/// The run-time error that a transition meets from a state, now or after a delay, or that a formula meets there.
#[must_use]
pub fn fails_at(system: &System, formula: Option<&Formula>, state: &State) -> Option<Failure> {
    let mut network = Network::new(system);
    let mut look = || -> Result<()> {
        let Some(zone) = around(&state.clocks) else { return Ok(()) };
        if let Some(formula) = formula {
            holds(&mut network, formula, &state.row, &zone)?;
        }
        for zone in network.delays(&state.row, &zone)? {
            if let Some(formula) = formula {
                holds(&mut network, formula, &state.row, &zone)?;
            }
            for transition in network.transitions(&state.row, &zone)? {
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

/// The valuations that whole numbers can't tell from this one.
fn around(clocks: &[Ratio]) -> Option<Zone> {
    let mut zone = Zone::all(clocks.len());
    for (x, a) in clocks.iter().enumerate() {
        for (y, b) in clocks.iter().enumerate() {
            let difference = a.minus(*b)?;
            let whole = difference.denominator() == 1;
            let most = if whole { difference.floor() } else { difference.floor() + 1 };
            if most.abs() > i64::from(u32::MAX) || !zone.constrain(x, y, Bound::new(most, !whole)) {
                return None;
            }
        }
    }
    Some(zone)
}
