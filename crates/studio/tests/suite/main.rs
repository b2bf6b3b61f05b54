//! The server without a browser: requests in process.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests read models and start programs")]

mod connections;
mod documents;
mod drawings;
mod queries;
mod renaming;
mod security;
mod simulators;
mod support;
