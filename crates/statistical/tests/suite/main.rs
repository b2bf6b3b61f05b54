//! Tests of random runs, in one binary.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "tests read how many runs are asked for")]

mod bad_models;
mod closed_forms;
mod common;
mod hand_written;
mod hybrid;
mod nets;
mod random_hybrid;
mod random_networks;
mod recorded;
mod splitting;
mod threads;
