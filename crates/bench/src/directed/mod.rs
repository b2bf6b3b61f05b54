//! Models with an error, searches that are to find it, and what the papers about such searches
//! printed.

mod configuration;
mod families;
pub mod published;
mod rows;

pub use configuration::{Configuration, LATER, RANDOM_RUNS, TABLES, Table, configuration};
pub use rows::{Row, Rows, chosen};
