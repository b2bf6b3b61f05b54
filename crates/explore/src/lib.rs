//! System to verdict: the zone graph and the search through it.

pub mod batch;
pub mod bounds;
mod deadlock;
pub mod goal;
pub mod graph;
pub mod search;
pub mod split;
pub mod store;
