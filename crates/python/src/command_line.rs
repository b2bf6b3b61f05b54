//! The whole command line.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, whose first word is the name of the program, with the streams of the
/// process. Returns the exit status.
#[pyfunction]
pub fn run(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| cli::main(words))
}
