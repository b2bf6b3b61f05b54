//! Searches that look up an abstraction which was explored before, table by table, and what the
//! paper about them printed.

pub mod published;
mod search;
mod tables;

pub use search::{Pick, Search};
pub use tables::{Line, SERIES_BOUND, SERIES_MODEL, Table, series, tables};
