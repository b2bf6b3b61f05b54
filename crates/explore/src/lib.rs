//! System to verdict: the zone graph and the search through it.

pub mod batch;
pub mod bounds;
pub mod goal;
pub mod graph;
mod pages;
pub mod search;
pub mod split;
pub mod store;
pub mod zones;
