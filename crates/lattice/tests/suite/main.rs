//! The tests of this crate in one binary, which links faster than one binary for each file.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start the program")]

mod caches;
mod laws;
mod numeric;
mod octagon;
mod user;
