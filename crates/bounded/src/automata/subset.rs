//! What is turned into formulas, and what is not.

use model::System;

use crate::code::EncodingError;

/// Says by name what a system has that is not turned into formulas.
pub(super) fn check(system: &System) -> Result<(), EncodingError> {
    let refuse = |what: &str| Err(EncodingError::Unsupported(what.to_owned()));
    if !system.lattices.is_empty() {
        return refuse("lattice variables");
    }
    if system.locations.iter().any(|l| !l.rates.is_empty()) {
        return refuse("stopwatches");
    }
    Ok(())
}
