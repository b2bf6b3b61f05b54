//! The tests of this crate in one binary, which links faster than one binary for each file.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start the program")]

mod abstract_integers;
mod abstract_runs;
mod common;
mod corpus;
mod element_numbers;
mod expressions;
mod federations;
mod fuzz;
mod hints;
mod lattices;
mod limits;
mod monotone;
mod monotone_samples;
mod roundtrip;
mod segments;
mod semantics;
mod structure;
mod symbolic;
mod symmetry;
mod tck;
mod translations;
mod unread;
