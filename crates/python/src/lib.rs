//! The Python package `merkhet`: what only Rust can do. The classes that users see are in
//! `python/merkhet`; the module `merkhet._merkhet` is theirs alone.

mod classes;
mod command_line;
mod convert;
mod errors;
mod functions;
mod memo;
mod model;
mod options;
mod progress;
mod questions;
mod simulation;
mod states;
mod trace;
mod work;

use pyo3::prelude::*;

/// What only Rust can do.
#[pymodule]
mod _merkhet {
    #[pymodule_export]
    use crate::{
        command_line::run,
        model::{NativeModel, NativeSpace, open},
        options::table,
        simulation::NativeSimulation,
        states::NativeState,
        trace::NativeTrace,
    };

    /// The version of the workspace.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const version: &str = env!("CARGO_PKG_VERSION");
}
