//! The supported features of systems.

use model::System;

use crate::Unsupported;

/// Fails if a system has an unsupported feature.
pub(super) fn check(system: &System) -> Result<(), Unsupported> {
    if !system.lattices.is_empty() {
        return Err(Unsupported::Lattices);
    }
    if system.locations.iter().any(|l| !l.rates.is_empty()) {
        return Err(Unsupported::Stopwatches);
    }
    Ok(())
}
