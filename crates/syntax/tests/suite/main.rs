//! The tests of this crate in one binary, which links faster than one binary for each file.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start the program")]

mod common;
mod net;
mod net_formats;
mod net_symmetric;
mod print_cases;
mod print_comments;
mod print_corpus;
mod print_expr;
mod print_xml;
mod tck;
