//! What is turned into formulas, and what is not.

use model::System;

use crate::code::Refused;

/// Says by name what a system has that is not turned into formulas.
pub(super) fn check(system: &System) -> Result<(), Refused> {
    let refuse = |what: &str| Err(Refused::Lacks(what.to_owned()));
    if !system.lattices.is_empty() {
        return refuse("lattice variables");
    }
    if system.locations.iter().any(|l| !l.rates.is_empty()) {
        return refuse("stopwatches");
    }
    Ok(())
}
