//! Tests of random runs.

mod bad_models;
mod closed_forms;
mod common;
mod random_networks;
mod threads;
