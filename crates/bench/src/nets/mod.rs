//! Nets with intervals on places, and what the paper on them printed.

mod families;
pub mod published;

pub use families::{NET_FAMILIES, NetFamily};
