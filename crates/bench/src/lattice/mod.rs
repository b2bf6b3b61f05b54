//! Lattice automata, and what the paper on opaal printed about them.

mod figures;
mod programs;
pub mod published;

pub use figures::{Column, Counted, DATABASE, FULL, Figure, LEADER};
pub use programs::{COLUMNS as PROGRAM_COLUMNS, PROGRAMS, Program};
