//! The models and published figures of `merkhet bench`.

pub mod abstraction;
pub mod baseline;
mod child;
pub mod cpu;
pub mod directed;
mod families;
pub mod kernels;
pub mod lattice;
pub mod nets;
pub mod peer;
pub mod public;
pub mod recorded;
pub mod scale;
pub mod search;

pub use families::{FAMILIES, Family};
