//! System to verdict: the zone graph and the search through it.

pub mod acyclic;
pub mod batch;
pub mod bounds;
pub mod chain;
mod cycles;
mod deadlock;
pub mod goal;
pub mod graph;
pub mod guided;
pub mod heuristic;
pub mod liveness;
pub mod local;
pub mod merging;
pub mod open;
mod pages;
pub mod parts;
pub mod random;
pub mod ranked;
pub mod record;
mod rows;
pub mod search;
pub mod split;
pub mod store;
pub mod symmetry;
pub mod time;
pub mod waiting;
pub mod zones;
