//! The tests of this crate in one binary, which links faster than one binary for each file. All of
//! them run for both types of bounds.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_methods, reason = "tests read how many cases are wanted")]
#![allow(clippy::duplicate_mod, reason = "each file is compiled once for each number")]
#![allow(clippy::useless_conversion, reason = "what is a conversion of one number is none of the other")]

mod narrow;
mod wide;
