//! System to verdict: the zone graph and the search through it.

pub mod batch;
pub mod bounds;
pub mod goal;
pub mod graph;
pub mod liveness;
pub mod parts;
pub mod search;
pub mod split;
pub mod store;
pub mod time;
