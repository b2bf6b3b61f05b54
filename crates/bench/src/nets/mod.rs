//! Nets with intervals on places, and the tables of the paper on them.

mod families;
pub mod published;

pub use families::{NET_FAMILIES, NetFamily};
