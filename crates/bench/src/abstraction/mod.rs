//! Searches by heuristics from abstractions, and the tables of the paper about them.

pub mod published;
mod search;
mod tables;

pub use search::{AbstractionSearch, Pick};
pub use tables::{AbstractionTable, Line, SERIES_BOUND, SERIES_MODEL, series, tables};
