//! The whole command line.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::classes;

/// Runs a command line, whose first word is the name of the program, with the streams of the
/// process. Models may import classes if there is an importer. Returns the exit status.
#[pyfunction]
#[pyo3(signature = (words, importer=None))]
pub fn run(py: Python<'_>, words: Vec<OsString>, importer: Option<Py<PyAny>>) -> u8 {
    let resolver = classes::resolver(importer);
    py.detach(|| cli::main(words, Some(resolver)))
}
