//! Models with an error, searches for it, and the tables of papers about directed search.

mod configuration;
mod families;
pub mod published;
mod rows;

pub(crate) use configuration::PAPER_ABSTRACTION;
pub use configuration::{Configuration, DirectedTable, LATER, RANDOM_RUNS, Setting, TABLES, configuration};
pub use rows::{Row, Rows, RowsError, chosen};
