//! Abstractions of a network that are explored once, before the search, and looked up for each state.

mod joints;
pub mod part;
pub mod steps;
