//! Lattice automata, and the figures of the paper on opaal.

mod figures;
mod programs;
pub mod published;

pub use figures::{Column, Counted, DATABASE, FULL, Figure, LEADER};
pub use programs::{COLUMNS as PROGRAM_COLUMNS, PROGRAMS, Program};
