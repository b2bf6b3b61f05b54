//! Tree to system.

pub mod builtin;
pub mod check;
pub mod symbols;
pub mod types;
