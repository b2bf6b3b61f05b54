//! The tests of this crate in one binary, which links faster than one binary for each file.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start the program")]

mod bad_input;
mod bench;
mod checkpoints;
mod cluster;
mod cluster_checkpoints;
mod common;
mod constants;
#[cfg(unix)]
mod documents;
mod evidence;
mod formula_limits;
mod formulas;
mod heuristics;
mod hostile;
mod html_report;
mod json;
mod labels;
mod lattice;
mod laws;
mod limits;
mod net_words;
mod nets;
mod one_truth;
mod outputs;
mod pictures;
mod pyuppaal;
mod rendering;
mod reports;
#[cfg(unix)]
mod serve;
mod simulate;
mod statistics;
mod traces;
mod usage;
mod verify;
mod verifyta;
mod wide;
mod write;
