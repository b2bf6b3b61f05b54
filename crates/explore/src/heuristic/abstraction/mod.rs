//! Abstractions of a network that are explored once before the search, and looked up for each
//! state.

pub mod cycle;
mod joints;
pub mod steps;
pub(crate) mod subnetwork;
